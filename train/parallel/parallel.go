// Package parallel runs independent jobs on several goroutines. Package model takes such a function from its caller,
// because it starts no goroutines itself.
package parallel

import (
	"sync"
	"sync/atomic"
)

// New returns a function that runs do(0) to do(n-1) on at most threads goroutines, including the caller's, and returns when
// all are done. One goroutine may call that function at a time; it allocates nothing after the first call.
func New(threads int) func(n int, do func(i int)) {
	var (
		next atomic.Int64
		wait sync.WaitGroup
		jobs int
		job  func(i int)
	)
	work := func() {
		for i := int(next.Add(1)) - 1; i < jobs; i = int(next.Add(1)) - 1 {
			job(i)
		}
	}
	help := func() {
		work()
		wait.Done()
	}
	return func(n int, do func(i int)) {
		jobs, job = n, do
		next.Store(0)
		helpers := min(threads, n) - 1
		wait.Add(max(helpers, 0))
		for range helpers {
			go help()
		}
		work()
		wait.Wait()
	}
}
