package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Runner returns a function that calls do(0) to do(n-1) on up to `threads` goroutines, including the caller's, and waits
// for all calls. The function must not be called concurrently. It allocates nothing itself; starting goroutines may. If a
// call panics, the function panics, too, once all goroutines have ended.
//
// A training step has several short parallel parts, and waking an idle thread can take 50 µs. So a helper goroutine waits
// up to about 100 µs for the next call before it ends. Parts that follow each other closely should use one runner.
func Runner(threads int) func(n int, do func(i int)) {
	t := &team{helpers: make([]helper, max(threads-1, 0))}
	if threads <= runtime.GOMAXPROCS(0) { // with fewer processors, spinning would keep others from working
		t.spins = maxSpins
	}
	for i := range t.helpers {
		h := &t.helpers[i]
		h.run = func() { t.help(h) }
	}
	return t.do
}

// team is the state of a runner.
type team struct {
	helpers []helper
	spins   int          // spins of a waiting goroutine; 0 if there are more goroutines than processors
	next    atomic.Int64 // index of the next call of do
	count   int
	call    func(i int)
	working sync.WaitGroup // counts the helpers that work
	panics  Panics
}

// helper is a goroutine that helps the caller; after it has ended, its slot can start a new one.
type helper struct {
	state atomic.Int32
	run   func()   // the goroutine, bound once to save allocations
	_     [64]byte // keeps the states of two helpers out of one cache line
}

// States of a helper.
const (
	gone = iota
	waiting
	working
)

// maxSpins is how often a waiting goroutine checks for a change: for about 100 µs.
const maxSpins = 100_000

// do calls do(0) to do(n-1) on the caller's goroutine and on helpers. It reuses helpers that still wait and starts the
// others.
func (t *team) do(n int, do func(i int)) {
	t.count, t.call = n, do
	t.next.Store(0)
	helpers := t.helpers[:max(min(len(t.helpers), n-1), 0)]
	t.working.Add(len(helpers))
	for i := range helpers {
		h := &helpers[i]
		if !h.state.CompareAndSwap(waiting, working) {
			h.state.Store(working)
			go h.run()
		}
	}
	t.work()
	for i := range helpers {
		t.await(&helpers[i], working, false) // spares the thread a sleep in Wait if the helper ends soon
	}
	t.working.Wait()
	t.panics.Pass()
}

// work calls do until no index is left or a call panics.
func (t *team) work() {
	defer t.panics.Keep()
	for i := int(t.next.Add(1)) - 1; i < t.count; i = int(t.next.Add(1)) - 1 {
		t.call(i)
	}
}

// help alternates between working and waiting for more work. It ends if none comes.
func (t *team) help(h *helper) {
	for {
		t.work()
		h.state.Store(waiting)
		t.working.Done()
		t.await(h, working, true)
		if h.state.CompareAndSwap(waiting, gone) {
			return
		}
	}
}

// await spins until the helper's state is s (is true) or is no longer s (is false), at most for about 100 µs.
func (t *team) await(h *helper, s int32, is bool) {
	for i := 0; i < t.spins && (h.state.Load() == s) != is; i++ {
	}
}
