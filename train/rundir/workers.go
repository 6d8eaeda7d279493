package rundir

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"ludus/checkpoints"
)

// WorkersFile is the state of a run with workers. Readers must expect it to be old: Time says how old.
const WorkersFile = "workers.json"

// WorkersStatus is the content of workers.json.
type WorkersStatus struct {
	Time        int64          `json:"time"` // when this was true, Unix time
	Game        string         `json:"game"`
	Generation  int            `json:"generation"`   // of the newest network
	Simulations int            `json:"simulations"`  // per move that workers should search
	Need        int            `json:"need"`         // positions that a generation needs
	Ready       int            `json:"ready"`        // received positions that wait for the learner
	Queued      int            `json:"queued"`       // messages in the stream: not received, or not committed yet; -1: unknown
	QueuedBytes int64          `json:"queued_bytes"` // -1: unknown
	Workers     []WorkerStatus `json:"workers"`      // by name
}

// WorkerStatus is the state of one worker. Counts are those since the learner was started.
type WorkerStatus struct {
	Name       string  `json:"name"`
	Threads    int     `json:"threads"`
	Games      int     `json:"games"`             // received and valid
	Positions  int     `json:"positions"`         // in these games
	Speed      float64 `json:"speed"`             // positions received per second, recently
	Behind     int     `json:"behind"`            // generations by which its network was older than the newest, at its last games
	Quiet      int     `json:"quiet"`             // seconds since its last message
	Rejected   int     `json:"rejected"`          // messages that were not valid
	Duplicates int     `json:"duplicates"`        // games that were received before
	Missing    int     `json:"missing"`           // games that did not arrive although later ones did
	Problem    string  `json:"problem,omitempty"` // why its last rejected message was rejected
}

// WriteWorkers replaces the workers.json of a run directory.
func WriteWorkers(dir string, s *WorkersStatus) error {
	return writeJSON(filepath.Join(dir, WorkersFile), s)
}

// ReadWorkers reads the workers.json of a run directory. Without one the error wraps fs.ErrNotExist.
func ReadWorkers(dir string) (*WorkersStatus, error) {
	return readFile(filepath.Join(dir, WorkersFile), parseWorkers)
}

func parseWorkers(data []byte) (*WorkersStatus, error) {
	s := new(WorkersStatus)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoints.ErrDamaged, err)
	}
	return s, nil
}
