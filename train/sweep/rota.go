package sweep

import (
	"sync"

	"ludus/train/cpu"
)

// rota pins the workers' processes to cores and swaps the cores. It is safe for concurrent use. Pinning only makes
// comparisons fairer, so its errors are ignored: a process may have ended, or may not be pinned on this system.
type rota struct {
	mutex sync.Mutex
	cores []int
	shift int         // worker w has core (w + shift) mod len(cores)
	pids  map[int]int // process of each worker that has one
	pin   func(pid, core int) error
}

func newRota(cores []int) *rota { return &rota{cores: cores, pids: make(map[int]int), pin: cpu.Pin} }

// enter pins a worker's new process.
func (r *rota) enter(worker, pid int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.pids[worker] = pid
	_ = r.pin(pid, r.core(worker))
}

// leave forgets a worker's process, which has ended.
func (r *rota) leave(worker int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.pids, worker)
}

// swap moves every process to the next core.
func (r *rota) swap() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.shift++
	for worker, pid := range r.pids {
		_ = r.pin(pid, r.core(worker))
	}
}

func (r *rota) core(worker int) int { return r.cores[(worker+r.shift)%len(r.cores)] }
