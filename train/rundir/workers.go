package rundir

import "path/filepath"

// WorkersFile holds the state of a run with workers. It may be out of date: its Time says when it was written.
const WorkersFile = "workers.json"

// WorkersStatus is the content of workers.json.
type WorkersStatus struct {
	Time        int64          `json:"time"` // time of this state, in Unix seconds
	Game        string         `json:"game"`
	Generation  int            `json:"generation"`   // generation of the newest network
	Simulations int            `json:"simulations"`  // simulations per move asked of workers
	Need        int            `json:"need"`         // positions that a generation needs
	Ready       int            `json:"ready"`        // positions received that wait for the learner
	Queued      int            `json:"queued"`       // messages in the games stream, not received or not committed yet; -1: unknown
	QueuedBytes int64          `json:"queued_bytes"` // bytes of these messages; -1: unknown
	Workers     []WorkerStatus `json:"workers"`      // sorted by name
}

// WorkerStatus is the state of one worker. Counts start when the learner starts.
type WorkerStatus struct {
	Name       string  `json:"name"`
	Threads    int     `json:"threads"`
	Games      int     `json:"games"`             // valid games received
	Positions  int     `json:"positions"`         // in these games
	Speed      float64 `json:"speed"`             // positions received per second, recently
	Behind     int     `json:"behind"`            // age of its network in generations, at its last games
	Quiet      int     `json:"quiet"`             // seconds since its last message
	Rejected   int     `json:"rejected"`          // messages rejected as invalid
	Duplicates int     `json:"duplicates"`        // games that were received already
	Problem    string  `json:"problem,omitempty"` // why its last rejected message was rejected
}

// WriteWorkers replaces the workers.json of a run directory.
func WriteWorkers(dir string, s *WorkersStatus) error {
	return writeJSON(filepath.Join(dir, WorkersFile), s)
}

// ReadWorkers reads the workers.json of a run directory. Without one the error wraps fs.ErrNotExist.
func ReadWorkers(dir string) (*WorkersStatus, error) {
	return readFile[WorkersStatus](filepath.Join(dir, WorkersFile))
}
