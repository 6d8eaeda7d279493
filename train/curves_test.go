package train

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// readCurves reads a run's event files in the order of their names, without checking sums, into values by tag and step.
// Like TensorBoard it drops a session's steps from the start of the next session on.
func readCurves(t *testing.T, dir string) (curves map[string]map[int]float32, files int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "events.out.tfevents.*.ludus"))
	if err != nil {
		t.Fatal(err)
	}
	curves = make(map[string]map[int]float32)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for len(data) > 0 {
			n := binary.LittleEndian.Uint64(data)
			readEvent(data[12:12+n], curves)
			data = data[12+n+4:]
		}
	}
	return curves, len(names)
}

func readEvent(data []byte, curves map[string]map[int]float32) {
	step := 0
	fields(data, func(field protowire.Number, number uint64, text []byte) {
		switch field {
		case 2:
			step = int(number)
		case 7:
			for _, curve := range curves {
				for at := range curve {
					if at >= step {
						delete(curve, at)
					}
				}
			}
		case 5:
			fields(text, func(_ protowire.Number, _ uint64, value []byte) {
				tag := ""
				fields(value, func(field protowire.Number, number uint64, text []byte) {
					if field == 1 {
						tag = string(text)
						return
					}
					if curves[tag] == nil {
						curves[tag] = make(map[int]float32)
					}
					curves[tag][step] = math.Float32frombits(uint32(number))
				})
			})
		}
	})
}

// fields calls do with the fields of a message.
func fields(data []byte, do func(field protowire.Number, number uint64, text []byte)) {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		data = data[n:]
		var number uint64
		var small uint32
		var text []byte
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(data)
		case protowire.Fixed32Type:
			small, n = protowire.ConsumeFixed32(data)
			number = uint64(small)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(data)
		default:
			text, n = protowire.ConsumeBytes(data)
		}
		data = data[n:]
		do(field, number, text)
	}
}

// TestCurves stops a run twice, once after a line of metrics without checkpoint: in the end TensorBoard has each point
// of metrics.jsonl and arena.jsonl once.
func TestCurves(t *testing.T) {
	const generations = 6
	dir := t.TempDir()
	for _, at := range []int{2, 4} {
		ctx, cancel := context.WithCancel(context.Background())
		o := tiny(t, dir, generations)
		o.Observe = func(e Event) {
			if e.Metrics != nil && e.Metrics.Generation == at {
				cancel()
			}
		}
		if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
	}
	if err := os.RemoveAll(filepath.Join(dir, "checkpoints", checkpointName(4))); err != nil {
		t.Fatal(err)
	}
	mustTrain(t, tiny(t, dir, generations))
	mustTrain(t, tiny(t, dir, generations)) // writes no event file

	curves, files := readCurves(t, dir)
	if files != 3 {
		t.Errorf("%d event files of three processes", files)
	}
	lines, err := checkpoints.ReadLines(filepath.Join(dir, "metrics.jsonl"))
	if err != nil || len(lines) != generations {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	points := make(map[string]int)
	compare := func(tag string, step int, want float64) {
		points[tag]++
		if got, ok := curves[tag][step]; !ok || got != float32(want) {
			t.Errorf("%s at %d is %v (%v), want %v", tag, step, got, ok, want)
		}
	}
	for _, line := range lines {
		var m rundir.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		for _, p := range metricScalars(&m) {
			compare(p.Tag, m.Generation, p.Value)
		}
	}
	matches, _, err := rundir.MatchesFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range matches {
		if !j.Final { // ratings come of them, which change with later matches
			continue
		}
		for _, p := range matchScalars(&j) {
			compare(p.Tag, j.Generation, p.Value)
		}
	}
	for _, tag := range []string{"rating/elo", "rating/low", "rating/high"} {
		points[tag] = generations
	}
	for _, tag := range []string{"loss/validation_policy", "network/policy_entropy", "network/calibration_error", "score/random"} {
		if len(curves[tag]) == 0 {
			t.Errorf("no curve %s", tag)
		}
	}
	for tag, curve := range curves {
		if len(curve) != points[tag] {
			t.Errorf("%s has %d points, want %d", tag, len(curve), points[tag])
		}
	}
}
