package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// Run is what a run directory shows.
type Run struct {
	Game       *env.Game
	Config     *rundir.Config
	Metrics    []rundir.Metrics     // by generation, ascending
	Suite      []rundir.SuiteResult // likewise
	Parameters int                  // of the newest network; 0 if no checkpoint can be read

	First   Policy   // of the games that the first training steps learn from; without a network
	Games   Games    // the newest games
	Newest  Accuracy // of the newest network in positions of these games; zero if no checkpoint can be read
	Shipped Accuracy // of the game's shipped network in the same positions; zero if none is shipped
}

// The newest games are read until there are this many. They take less than a second.
const maxGames = 256

// Read reads a run directory without its lock; the run may be in training. It leaves out lines, games and checkpoints
// that it cannot read. Without a config.json the error wraps fs.ErrNotExist.
func Read(dir string) (*Run, error) {
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{Config: config}
	if r.Game, err = games.New(config.Game); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Metrics, _, err = rundir.MetricsFile.Read(dir); err != nil {
		return nil, err
	}
	if r.Suite, _, err = rundir.SuiteFile.Read(dir); err != nil {
		return nil, err
	}
	generations, err := rundir.GamesGenerations(dir)
	if err != nil {
		return nil, err
	}
	first, err := readGames(r.Game, dir, r.untrained(generations))
	if err != nil {
		return nil, err
	}
	slices.Reverse(generations)
	newest, err := readGames(r.Game, dir, generations)
	if err != nil {
		return nil, err
	}
	r.First, r.Games = examine(r.Game, first, nil).Policy, variety(r.Game, newest)
	if weights, _, err := rundir.LoadWeights(agent.Reference{Path: dir}); err == nil {
		r.Parameters = weights.Parameters()
		r.Newest = evaluated(r.Game, newest, weights)
	}
	if weights, err := infer.Unmarshal(zoo.Weights(r.Game.Name)); err == nil {
		r.Shipped = evaluated(r.Game, newest, weights)
	}
	return r, nil
}

// evaluated examines games with a network; the result is zero if it does not fit the game.
func evaluated(game *env.Game, games []train.SelfPlayGame, weights *infer.Weights) Accuracy {
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return Accuracy{}
	}
	return examine(game, games, network)
}

// untrained returns the generations whose games the first training steps learn from.
func (r *Run) untrained(generations []int) []int {
	for i := range r.Metrics {
		if r.Metrics[i].Steps > 0 {
			after, _ := slices.BinarySearch(generations, r.Metrics[i].Generation+1)
			return generations[:after]
		}
	}
	return nil
}

// readGames reads the games of generations, in their order, until it has maxGames. It skips files that are damaged or
// missing.
func readGames(game *env.Game, dir string, generations []int) (all []train.SelfPlayGame, err error) {
	for _, g := range generations {
		played, err := train.ReadGames(game, dir, g)
		if errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if all = append(all, played...); len(all) >= maxGames {
			break
		}
	}
	return all, nil
}
