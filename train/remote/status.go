package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/train/rundir"
)

// Status asks the learner at a NATS server for the state of its workers.
func Status(a Access) (*rundir.WorkersStatus, error) {
	conn, err := a.connect(nats.CustomInboxPrefix(workerReplies), nats.Timeout(5*time.Second))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	reply, err := conn.Request(statusSubject, nil, 5*time.Second)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, errors.New("no learner is connected to this server")
	}
	if err != nil {
		return nil, fmt.Errorf("the learner does not answer: %w", err)
	}
	s := new(rundir.WorkersStatus)
	if err := json.Unmarshal(reply.Data, s); err != nil {
		return nil, fmt.Errorf("the learner's answer cannot be read: %w", err)
	}
	return s, nil
}
