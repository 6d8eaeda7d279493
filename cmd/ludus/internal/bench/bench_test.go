package bench

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/cpu"
)

func newOptions(game string) *Options {
	return &Options{
		Games: []*env.Game{games.Must(game)}, Threads: 2, Rounds: 1, Slice: 5 * time.Millisecond, Progress: func(Progress) {},
	}
}

// TestReport checks the keys and values of a short benchmark of one game.
func TestReport(t *testing.T) {
	o := newOptions("quad-5x5")
	last := Progress{Done: -1}
	o.Progress = func(p Progress) {
		if p.Done != last.Done+1 || p.Total < 1 || last.Total != 0 && p.Total != last.Total {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
	}
	report, err := o.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]struct {
		rows     int
		positive []string
		texts    []string
	}{
		"search": {1, []string{"random_moves_per_s", "puct_simulations_per_s", "uct_simulations_per_s", "cpu_share"}, []string{"game"}},
		"infer":  {8, []string{"batch", "threads", "positions_per_s", "cpu_share"}, []string{"net", "board"}},
		"train":  {4, []string{"batch", "threads", "positions_per_s", "cpu_share"}, []string{"net", "board"}},
		"selfplay": {
			2, []string{"simulations", "threads", "positions_per_s", "simulations_per_s", "evaluations_per_s", "batch", "cpu_share"},
			[]string{"game", "net"},
		},
	} {
		rows := got[list].([]any)
		if len(rows) != want.rows {
			t.Errorf("%s: %d rows, want %d", list, len(rows), want.rows)
		}
		for _, row := range rows {
			row := row.(map[string]any)
			for _, key := range want.positive {
				if x, ok := row[key].(float64); !ok || x <= 0 {
					t.Errorf("%s: %s is %v in %v", list, key, row[key], row)
				}
			}
			for _, key := range want.texts {
				if _, ok := row[key]; !ok {
					t.Errorf("%s: no %s in %v", list, key, row)
				}
			}
		}
	}
}

// TestMeasure checks that works run in turn, and that the first round does not count.
func TestMeasure(t *testing.T) {
	var order []int
	counting := func(name int) work {
		return work{1, func(_ context.Context, d time.Duration) float64 {
			order = append(order, name)
			return float64(len(order))
		}}
	}
	o := &Options{Rounds: 2, Slice: time.Hour}
	s, err := o.measure(t.Context(), counting(1), counting(2))
	if err != nil || len(s) != 2 || !slices.Equal(s[0].speeds, []float64{3, 5}) || !slices.Equal(s[1].speeds, []float64{4, 6}) {
		t.Errorf("speeds %v of turns %v, %v", s, order, err)
	}
}

// TestCPUShare checks that work which sleeps most of its time has a small part of the CPU time.
func TestCPUShare(t *testing.T) {
	o := &Options{Rounds: 1, Slice: 100 * time.Millisecond}
	half := work{1, func(_ context.Context, d time.Duration) float64 {
		for used := cpu.Time(); cpu.Time()-used < d/2; {
		}
		time.Sleep(d)
		return 1
	}}
	s, err := o.measure(t.Context(), half, work{2, half.run})
	if err != nil || !(s[0].cpu > 0.02 && s[0].cpu < 0.75) || !(s[1].cpu > 0.01 && s[1].cpu < 0.5) {
		t.Errorf("shares %v and %v, %v", s[0].cpu, s[1].cpu, err)
	}
}

func TestMedian(t *testing.T) {
	if a, b := median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3}); a != 2 || b != 2.5 {
		t.Errorf("medians %v and %v, want 2 and 2.5", a, b)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := newOptions("golden-rectangle")
	o.Slice = time.Hour
	o.Progress = func(p Progress) {
		if p.Done == 0 {
			time.AfterFunc(time.Millisecond, cancel)
		}
	}
	if report, err := o.Run(ctx); !errors.Is(err, context.Canceled) || report != nil {
		t.Errorf("an interrupted run returns %v, %v", report, err)
	}
}
