package sweep

import (
	"sync"

	"ludus/train/cpu"
)

// rota pins the training processes to cores and rotates them. It is safe for concurrent use. Pinning only makes comparisons
// fairer, so errors are ignored: a process may have ended, or the system may not allow pinning.
type rota struct {
	cores []int
	pin   func(pid, core int) error

	mutex sync.Mutex  // guards the fields below
	shift int         // thread t has core number (t + shift) mod len(cores)
	pids  map[int]int // process id by thread, while it trains
}

func newRota(cores []int) *rota { return &rota{cores: cores, pids: make(map[int]int), pin: cpu.Pin} }

// enter registers a thread's new process and pins it to the thread's core.
func (r *rota) enter(thread, pid int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.pids[thread] = pid
	_ = r.pin(pid, r.core(thread))
}

// leave unregisters a thread's process, which has ended.
func (r *rota) leave(thread int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.pids, thread)
}

// swap moves every process to the next core.
func (r *rota) swap() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.shift++
	for thread, pid := range r.pids {
		_ = r.pin(pid, r.core(thread))
	}
}

func (r *rota) core(thread int) int { return r.cores[(thread+r.shift)%len(r.cores)] }
