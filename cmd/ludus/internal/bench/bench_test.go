package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"ludus/env"
	"ludus/train/selfplay"
)

func newOptions(game string) *Options {
	return &Options{
		Games: []*env.Game{mustGame(game)}, Threads: 2, Rounds: 1, Slice: 5 * time.Millisecond, Progress: func(Progress) {},
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
	if got["peak_gflops_core"].(float64) <= 0 {
		t.Errorf("peak %v", got["peak_gflops_core"])
	}
	for list, want := range map[string]struct {
		rows     int
		positive []string
		others   []string
	}{
		"search": {1, []string{"random_moves_per_s", "puct_simulations_per_s", "uct_simulations_per_s", "cpu_share"},
			[]string{"game", "puct_allocs_per_search"}},
		"infer": {8, []string{"batch", "threads", "positions_per_s", "gflops", "share_of_peak", "cpu_share"}, []string{"net", "board"}},
		"train": {4, []string{"batch", "threads", "positions_per_s", "share_of_peak", "cpu_share"}, []string{"net", "board", "allocs_per_batch"}},
		"selfplay": {3, []string{"simulations", "threads", "evaluations_per_s", "network_alone_per_s", "cpu_share"},
			[]string{"game", "positions_per_s", "simulations_per_s", "cache_hits_per_s"}},
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
			for _, key := range want.others {
				if _, ok := row[key]; !ok {
					t.Errorf("%s: no %s in %v", list, key, row)
				}
			}
		}
	}
}

// TestChoices checks that the options choose network, simulations and threads.
func TestChoices(t *testing.T) {
	o, simulations := newOptions("quad-5x5"), 5
	o.Net, o.Simulations, o.Threads = &Net{8, 2}, &simulations, 3
	rows, err := o.selfPlay(t.Context(), o.Games[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []SelfPlay{{Threads: 3}, {Threads: 1}, {Threads: 3, Cache: true}} {
		r := rows[i]
		if r.Net != "8x2" || r.Simulations != 5 || r.Threads != want.Threads || r.Cache != want.Cache || (r.Scaling > 0) != (i == 0) {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	subjects := o.inferSubjects()
	if got := subjects[len(subjects)-1].String(); got != "8x2 on 5x5" {
		t.Errorf("inference ends with %s", got)
	}
	o.Threads = 1
	if rows, err = o.selfPlay(t.Context(), o.Games[0]); err != nil || len(rows) != 2 || rows[0].Scaling != 0 {
		t.Errorf("on one thread: %+v, %v", rows, err)
	}
}

// TestSelfPlayRow checks that counts are scaled to the median speeds.
func TestSelfPlayRow(t *testing.T) {
	p := &selfPlayer{row: SelfPlay{Threads: 2}, total: selfplay.Throughput{
		Seconds: 10, Positions: 100, Simulations: 1600, Evaluations: 1000, Batches: 20, CacheHits: 500, Idle: 1,
	}}
	got := p.complete(&series{[]float64{90, 120, 300}, 0.38}, &series{[]float64{100, 150, 200}, 1})
	want := SelfPlay{
		Threads: 2, Positions: 12, Simulated: 192, Evaluations: 120, CacheHits: 60, NetworkAlone: 150, Share: 0.9, Batch: 50, Idle: 0.05, CPU: 0.4,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestOperations(t *testing.T) {
	game := mustGame("quad-7x7")
	const c, cells, hidden = 64, 49, 64
	convolutions := 2 * 9 * cells * c * (game.Tensor.C + 5*c)
	perCell := 2 * cells * (5*4*c*c + c*32 + 32*game.PolicyPlanes + c*16) // first the figure layers
	outcome := 2 * hidden * (16*cells + len(game.Classes))
	if got, want := (subject{game, Net{c, 5}}).operations(), float64(convolutions+perCell+outcome); got != want {
		t.Errorf("%v operations, want %v", got, want)
	}
}

// TestShares checks operations per second and shares of the peak.
func TestShares(t *testing.T) {
	s := references()[0]
	gflop := s.operations() / 1e9
	speeds, peaks := []float64{1000, 3000, 1000}, []float64{100, 200, 200} // their ratios are 10, 15 and 5
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	i := s.row(task{batch: 8, threads: 1}, 1, &series{speeds, 1}, &series{peaks, 1})
	l := s.row(task{batch: 128, threads: 4}, 3, &series{speeds, 0.5}, &series{peaks, 1})
	near("training's share of the CPU time", l.CPU, 0.5)
	near("inference's GFLOP/s", i.GFlops, 1000*gflop)
	near("inference's share", i.Share, 10*gflop)
	near("training's GFLOP/s", l.GFlops, 3000*gflop)
	near("training's share", l.Share, 10*3*gflop/4)
}

// TestMeasure checks that works run in turn, that the first round does not count, and that rounds end with the time.
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
	if got, want := s[0].ratio(s[1]), (3.0/4+5.0/6)/2; math.Abs(got-want) > 1e-15 {
		t.Errorf("ratio %v, want %v", got, want)
	}
	o.until = time.Now()
	if s, err = o.measure(t.Context(), counting(1)); err != nil || len(s[0].speeds) != 1 {
		t.Errorf("without time there are %d rounds, %v", len(s[0].speeds), err)
	}
}

// TestCPUShare checks that work which sleeps half of its time has half of the CPU time.
func TestCPUShare(t *testing.T) {
	o := &Options{Rounds: 1, Slice: 100 * time.Millisecond}
	half := work{1, func(_ context.Context, d time.Duration) float64 {
		peak.run(t.Context(), d)
		for start := time.Now(); time.Since(start) < d/2; {
		}
		time.Sleep(d)
		return 1
	}}
	s, err := o.measure(t.Context(), half, work{2, half.run})
	if err != nil || !(s[0].cpu > 0.05 && s[0].cpu < 0.75) || !(s[1].cpu > 0.02 && s[1].cpu < 0.5) {
		t.Errorf("shares %v and %v, %v", s[0].cpu, s[1].cpu, err)
	}
}

func TestMedian(t *testing.T) {
	if a, b := median([]float64{3, 1, 2}), median([]float64{4, 1, 2, 3}); a != 2 || b != 2.5 {
		t.Errorf("medians %v and %v, want 2 and 2.5", a, b)
	}
}

func TestAllocations(t *testing.T) {
	var kept []*int
	if n := allocations(func() { kept = append(kept[:0], new(int), new(int)) }); n != 2 {
		t.Errorf("%d allocations, want 2", n)
	}
}

// TestBatch checks that random batches are valid training batches.
func TestBatch(t *testing.T) {
	for _, name := range []string{"quad-7x7", "breakthrough-6x6", "free-for-all-2p"} {
		game := mustGame(name)
		b := randomBatch(game, 50)
		for i := range b.Size {
			legal, policy, classes := 0.0, 0.0, 0.0
			for a := i * game.NumActions(); a < (i+1)*game.NumActions(); a++ {
				legal += float64(b.LegalMask[a])
				policy += float64(b.Policy[a] * b.LegalMask[a])
			}
			for k := i * len(game.Classes); k < (i+1)*len(game.Classes); k++ {
				classes += float64(b.Outcome[k])
			}
			if legal < 1 || policy != 1 || classes != 1 {
				t.Errorf("%s: row %d has %v legal moves, policy %v and classes %v", name, i, legal, policy, classes)
			}
		}
	}
}

// TestTime checks that the time limit ends a benchmark whose rounds alone would take days.
func TestTime(t *testing.T) {
	o := newOptions("quad-5x5")
	o.Rounds, o.Time = 1<<30, 500*time.Millisecond
	report, err := o.Run(t.Context())
	if err != nil || report.Seconds > 60 || len(report.SelfPlay) != 3 {
		t.Errorf("report %+v, %v", report, err)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := newOptions("golden-rectangle")
	o.Slice = time.Hour
	o.Progress = func(p Progress) {
		if p.Done == 1 {
			time.AfterFunc(time.Millisecond, cancel)
		}
	}
	if report, err := o.Run(ctx); !errors.Is(err, context.Canceled) || report != nil {
		t.Errorf("an interrupted run returns %v, %v", report, err)
	}
}
