package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ludus/train/rundir"
)

// statusTime is how long Status waits. Learners publish their state every two seconds, unless the server is slow.
const statusTime = 6 * time.Second

// Status waits for the learner whose server has the given URL to publish the state of its workers, and returns it.
func Status(ctx context.Context, serverURL string) (*rundir.WorkersStatus, error) {
	u, err := parseURL(serverURL)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, u)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	reports, err := conn.SubscribeSync(statusSubject)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	report, err := reports.NextMsgWithContext(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("no learner is connected to this server: none has published its state for %v", statusTime)
	}
	if err != nil {
		return nil, err
	}
	s := new(rundir.WorkersStatus)
	if err := json.Unmarshal(report.Data, s); err != nil {
		return nil, fmt.Errorf("the learner's state cannot be read: %w", err)
	}
	return s, nil
}
