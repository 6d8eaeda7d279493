package bench

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// TestScaling checks the rows of one game, and that speed-ups are over the first row of their kind.
func TestScaling(t *testing.T) {
	o, simulations := newOptions("tic-tac-toe"), 4
	o.Net, o.Simulations = &Net{8, 1}, &simulations
	report, err := o.RunScaling(t.Context(), 6)
	if err != nil {
		t.Fatal(err)
	}
	measured := powersOfTwo(min(6, report.Cores))
	want := slices.Concat(measured, []int{1, 2, 4, 6})
	if len(report.Scaling) != len(want) {
		t.Fatalf("%d rows, want %d: %+v", len(report.Scaling), len(want), report.Scaling)
	}
	for i, r := range report.Scaling {
		if r.Game != "tic-tac-toe" || r.Net != "8x1" || r.Cores != want[i] || r.Computed != (i >= len(measured)) {
			t.Errorf("row %d is %+v", i, r)
		}
		if r.Positions <= 0 || r.Samples <= 0 || r.Cores == 1 && (r.Play != 1 || r.Learn != 1 || r.Run != 1) {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.RunScaling(ctx, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped benchmark returns %v", err)
	}
}

func TestPowersOfTwo(t *testing.T) {
	for n, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 3}, 8: {1, 2, 4, 8}, 48: {1, 2, 4, 8, 16, 32, 48}} {
		if got := powersOfTwo(n); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}
