package parallel

import (
	"sync/atomic"
	"testing"
	"time"
)

// TestRunner checks that every call happens once before the runner returns, with and without pauses between runs.
func TestRunner(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 5} {
		run := Runner(threads)
		for round := range 300 {
			n := round % 9
			var calls [9]atomic.Int32
			run(n, func(i int) { calls[i].Add(1) })
			for i := range calls {
				if got, want := calls[i].Load(), int32(0); got != want && i >= n || got != 1 && i < n {
					t.Fatalf("%d threads, %d calls: %d calls with %d", threads, n, got, i)
				}
			}
			if round%50 == 0 {
				time.Sleep(2 * time.Millisecond) // the helpers end
			}
		}
	}
}

// BenchmarkRunner is the time of a run of two short calls.
func BenchmarkRunner(b *testing.B) {
	run := Runner(2)
	for b.Loop() {
		run(2, func(int) {})
	}
}

// TestMakespan compares with schedules by hand.
func TestMakespan(t *testing.T) {
	for _, c := range []struct {
		tasks []time.Duration
		cores int
		want  time.Duration
	}{
		{nil, 4, 0}, {[]time.Duration{3, 1, 2}, 1, 6}, {[]time.Duration{3, 1, 2}, 2, 3}, {[]time.Duration{3, 1, 2}, 8, 3},
		{[]time.Duration{1, 1, 4}, 2, 5}, {[]time.Duration{4, 1, 1}, 2, 4}, {[]time.Duration{2, 2, 2, 2, 2}, 2, 6},
	} {
		if got := Makespan(c.tasks, c.cores); got != c.want {
			t.Errorf("%v on %d cores: %d, want %d", c.tasks, c.cores, got, c.want)
		}
	}
}
