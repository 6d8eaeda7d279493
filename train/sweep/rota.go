package sweep

import (
	"sync"

	"ludus/train/cpu"
)

// rota pins the threads' training processes to cores and swaps the cores. It is safe for concurrent use. Pinning only makes
// comparisons fairer, so its errors are ignored: a process may have ended, or may not be pinned on this system.
type rota struct {
	cores []int
	pin   func(pid, core int) error

	mutex sync.Mutex  // guards what follows
	shift int         // thread t has core (t + shift) mod len(cores)
	pids  map[int]int // process of each thread that trains
}

func newRota(cores []int) *rota { return &rota{cores: cores, pids: make(map[int]int), pin: cpu.Pin} }

// enter pins a thread's new process.
func (r *rota) enter(thread, pid int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.pids[thread] = pid
	_ = r.pin(pid, r.core(thread))
}

// leave forgets a thread's process, which has ended.
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
