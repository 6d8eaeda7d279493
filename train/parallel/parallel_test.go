package parallel

import (
	"strings"
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

// TestPanics checks that a panic of any call reaches the caller, after all goroutines have ended, and that the runner can be
// used again.
func TestPanics(t *testing.T) {
	run := Runner(4)
	for i := range 40 {
		func() {
			var running atomic.Int32
			defer func() {
				e, ok := recover().(*PanicError)
				if !ok || e.Value != "fault" || !strings.Contains(e.Error(), "TestPanics") || running.Load() != 0 {
					t.Errorf("call %d: %v, %d calls still run", i, e, running.Load())
				}
			}()
			run(8, func(k int) {
				running.Add(1)
				defer running.Add(-1)
				if k == i%8 {
					panic("fault")
				}
			})
		}()
		var calls atomic.Int32
		if run(5, func(int) { calls.Add(1) }); calls.Load() != 5 {
			t.Errorf("%d calls after a panic", calls.Load())
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
