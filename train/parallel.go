package train

import (
	"sync"
	"sync/atomic"
)

// Parallel returns a function that runs do(0), ..., do(n-1) on the given number of goroutines, of which the caller's is
// one, and waits for them. That function has one user at a time and allocates nothing once it is warm.
func Parallel(threads int) func(n int, do func(i int)) {
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
