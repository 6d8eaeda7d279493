package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/train/doctor"
)

// The doctor finds why a run with too large a batch does not train, as text and as JSON, and changes nothing.
func TestDoctorCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	train := slices.Clone(quickRun)
	train[len(train)-1] = "batch_size=4096"
	if _, errs, code := ludus(t, dir, "", train...); code != 0 {
		t.Fatal(errs)
	}
	out := run(t, dir, "", "doctor", "quad")
	for _, want := range []string{"quad-5x5, generation 2, 0 training steps", "Most likely cause: no training step.", "batch needs 4096", "--set batch_size="} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	var d doctor.Diagnosis
	if err := json.Unmarshal([]byte(run(t, dir, "", "doctor", "quad", "--json")), &d); err != nil || len(d.Findings) != 1 || d.Findings[0].Cause != "no training step" {
		t.Errorf("JSON: %+v, %v", d, err)
	}
	if _, errs, code := ludus(t, dir, "", "doctor", "."); code != 1 || !strings.Contains(errs, "name one of them: quad") {
		t.Errorf("of a folder of runs: exit %d, %s", code, errs)
	}
	if _, errs, code := ludus(t, dir, "", "doctor", "none"); code != 1 || !strings.Contains(errs, "none: not a run directory") {
		t.Errorf("without a run: exit %d, %s", code, errs)
	}
}

// The columns of the curves are explained where they have numbers.
func TestCurveColumns(t *testing.T) {
	number := 0.5
	for column, c := range map[string]doctor.Curve{
		"recorded": {Values: []float64{1}, Recorded: []float64{number}}, "shipped": {Values: []float64{1}, Shipped: &number},
		"uniform": {Values: []float64{1}, Uniform: &number}, "no other": {Values: []float64{1}},
	} {
		var b strings.Builder
		writeCurves(&b, []doctor.Curve{c})
		for _, other := range []string{"recorded", "shipped", "uniform"} {
			if strings.Contains(b.String(), "\n"+other+": ") != (other == column) {
				t.Errorf("with a number for %s:\n%s", column, b.String())
			}
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{{[]float64{1}, "▁"}, {[]float64{0, 7, 3.5}, "▁█▄"}, {make([]float64, 100), strings.Repeat("▁", 24)}} {
		if got := sparkline(c.values); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func TestCheckCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, errs, code := ludus(t, dir, "", append(quickRun[:len(quickRun):len(quickRun)], "--set", "rating_share=0")...); code != 0 {
		t.Fatal(errs)
	}
	if out := run(t, dir, "", "check", "quad"); !strings.Contains(out, "no fault was found") {
		t.Errorf("a new run: %s", out)
	}
	path := filepath.Join(dir, "quad", "games", "000002.games")
	if err := os.Truncate(path, 10); err != nil {
		t.Fatal(err)
	}
	out, errs, code := ludus(t, dir, "", "check", "quad")
	if code != 1 || !strings.Contains(out, "000002.games") || !strings.Contains(errs, "the run is damaged") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	fails(t, t.TempDir(), 1, "not a run directory", "check", ".")
}
