package ggp

import (
	"context"
	"errors"
	"fmt"

	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/canonical"
	"ludus/env/gdl/kif"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// trained is a network and the sheet that it was trained on.
type trained struct {
	name    string // path as given
	form    *canonical.Form
	rules   *rules
	factory *agent.Factory
}

// ErrRun is wrapped by errors about runs that cannot play.
var ErrRun = errors.New("cannot play with")

// loadTrained loads the network of a run, a checkpoint or a weights file, for so many simulations per move.
func loadTrained(ctx context.Context, path string, simulations int) (*trained, error) {
	w, origin, err := rundir.LoadWeights(agent.ParseReference(path))
	if err != nil {
		return nil, err
	}
	sheet := w.Config.Sheet
	if sheet == "" {
		return nil, fmt.Errorf("it plays %s, which is not a game of a rule sheet", w.Config.Game)
	}
	game, err := games.Restore(w.Config.Game, sheet)
	if err != nil {
		return nil, err
	}
	t := &trained{name: path, rules: newRules(gdl.CircuitOf(game))}
	read, err := kif.ReadRules(sheet)
	if err != nil {
		return nil, err
	}
	if t.form, err = canonical.New(read); err != nil {
		return nil, err
	}
	t.factory = networkFactory(game, path, w, origin, simulations)
	_, err = t.factory.Load()
	return t, err
}
