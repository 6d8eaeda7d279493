// Package parallel runs independent calls on several goroutines. Package model takes such a function from its caller,
// because it starts no goroutines itself.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Runner returns a function that calls do(0) to do(n-1) on up to threads goroutines, including the caller's, and waits
// for all calls. It must not be called concurrently. It allocates nothing itself; starting goroutines may.
func Runner(threads int) func(n int, do func(i int)) {
	var (
		next  atomic.Int64
		wait  sync.WaitGroup
		count int
		call  func(i int)
	)
	work := func() {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			call(i)
		}
	}
	help := func() {
		work()
		wait.Done()
	}
	return func(n int, do func(i int)) {
		count, call = n, do
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
