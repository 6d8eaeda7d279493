package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Run holds what Diagnose needs from a run directory.
type Run struct {
	Game       *env.Game
	Config     *rundir.Config
	Metrics    []rundir.Metrics     // by generation, ascending
	Suite      []rundir.SuiteResult // by generation, ascending
	Ratings    []rundir.Rating      // best first; nil if there is no readable file
	Parameters int                  // number of the newest network's parameters; 0 if no checkpoint can be read

	First  Policy   // policy targets of the games that the first training steps learn from; no network is compared
	Games  Games    // variety of the newest games
	Newest Accuracy // the newest network in positions of these games; zero if no checkpoint can be read
	// Shipped is the accuracy of the game's shipped network, zero if none is shipped. It has no Policy, because the policy
	// targets are the run's, and a stronger network plays differently.
	Shipped Accuracy
}

// maxGames is the number of newest games to read.
const maxGames = 256

// Read reads a run directory without its lock; the run may be in training. It leaves out lines, games, ratings and
// checkpoints that it cannot read. Without a config.json the error wraps [rundir.ErrNoRun] and fs.ErrNotExist. It returns
// ctx's error if ctx ends.
func Read(ctx context.Context, dir string) (*Run, error) {
	config, err := rundir.ReadConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w: %w", dir, rundir.ErrNoRun, err)
	}
	if err != nil {
		return nil, err
	}
	r := &Run{Config: config}
	if r.Game, err = games.Restore(config.Game, config.Sheet); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Metrics, _, err = rundir.MetricsFile.Read(dir); err != nil {
		return nil, err
	}
	if r.Suite, _, err = rundir.SuiteFile.Read(dir); err != nil {
		return nil, err
	}
	if ratings, err := rundir.ReadRatings(dir); err == nil {
		r.Ratings = ratings.Agents
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
	before, err := examine(ctx, r.Game, first, nil)
	if err != nil {
		return nil, err
	}
	r.First, r.Games = before[0].Policy, variety(r.Game, newest)
	networks := []*infer.Network{r.network(dir), shipped(r.Game)}
	after, err := examine(ctx, r.Game, newest, networks...)
	if err != nil {
		return nil, err
	}
	for i, to := range []*Accuracy{&r.Newest, &r.Shipped} {
		if networks[i] != nil {
			*to = after[i]
		}
	}
	r.Shipped.Policy = Policy{}
	return r, nil
}

// network returns the run's newest network and sets r.Parameters. It returns nil if no checkpoint can be read.
func (r *Run) network(dir string) *infer.Network {
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil {
		return nil
	}
	r.Parameters = weights.Parameters()
	network, err := infer.NewNetwork(r.Game, weights)
	if err != nil {
		return nil // the weights are of another game
	}
	return network
}

// shipped returns the game's shipped network, nil if there is none.
func shipped(game *env.Game) *infer.Network {
	weights, err := infer.Unmarshal(zoo.Weights(game.Name))
	if err != nil {
		return nil
	}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return nil
	}
	return network
}

// untrained returns the generations of games that were played before the first training steps.
func (r *Run) untrained(generations []int) []int {
	for i := range r.Metrics {
		if r.Metrics[i].Steps > 0 {
			after, _ := slices.BinarySearch(generations, r.Metrics[i].Generation+1)
			return generations[:after]
		}
	}
	return nil
}

// readGames reads games of the given generations, in that order, until it has maxGames. It skips files that are damaged,
// missing or of another version.
func readGames(game *env.Game, dir string, generations []int) (all []*record.Record, err error) {
	for _, g := range generations {
		played, _, err := record.Read(game, dir, g)
		if errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, checkpoints.ErrVersion) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, played...)
		if len(all) >= maxGames {
			break
		}
	}
	return all, nil
}
