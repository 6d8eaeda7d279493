package train

import (
	"context"

	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// Where a game's suite of solved positions is part of the program, a run is checked against it whenever it is judged: the
// averaged weights, alone and with search, move in positions that are the same each time. There is one for every
// checkedEvery positions that the run had searched by its first check, at a tenth of its plan, within bounds. A move in one
// of them takes about as long as playing and learning 1.6 positions, so that all checks take about 1 % of a run's time.
const (
	checkedEvery = 160
	leastChecked = 20
	mostChecked  = 500
)

// check lets the newest checkpoint move in solved positions, where the game has some and it has not done so before.
func (r *run) check(ctx context.Context) error {
	if r.suite == nil {
		shipped, ok := suite.Shipped(r.Game)
		if !ok {
			return nil
		}
		r.suite = shipped
	}
	checked, _, err := rundir.SuiteFile.Read(r.Dir)
	if err != nil {
		return err
	}
	positions := min(max(r.count.Positions/checkedEvery, leastChecked), mostChecked)
	done := make(map[string]bool)
	for i, c := range checked {
		if i == 0 {
			positions = c.Positions
		}
		done[c.Agent] = done[c.Agent] || c.Generation == r.count.Generation
	}
	for _, kind := range []string{"policy", "net"} {
		if done[kind] {
			continue
		}
		if err := r.checkAgent(ctx, kind, positions); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) checkAgent(ctx context.Context, kind string, positions int) error {
	spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(r.Dir, r.count.Generation)}
	factory := agent.NewFactory(r.Game, spec, rundir.LoadWeights)
	r.progress("judging", 1)
	report, err := r.suite.Check(ctx, factory, suite.CheckOptions{Threads: r.Threads, Positions: positions, Seed: r.config.Seed})
	if err != nil {
		return err
	}
	c := &rundir.SuiteResult{
		Generation: r.count.Generation, Agent: kind, Positions: report.Positions,
		Error: report.Error.Value, Low: report.Error.Low, High: report.Error.High,
		Loss: report.Loss.Value, LossLow: report.Loss.Low, LossHigh: report.Loss.High,
	}
	if err := rundir.SuiteFile.Append(r.Dir, c); err != nil {
		return err
	}
	if err := r.chart(c.Generation, suiteScalars(c)); err != nil {
		return err
	}
	r.tell(Event{Checked: c})
	return nil
}
