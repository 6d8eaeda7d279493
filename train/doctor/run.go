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

// Run is what a run directory shows.
type Run struct {
	Game       *env.Game
	Config     *rundir.Config
	Metrics    []rundir.Metrics     // by generation, ascending
	Suite      []rundir.SuiteResult // likewise
	Ratings    []rundir.Rating      // best first; nil without ratings that can be read
	Parameters int                  // of the newest network; 0 if no checkpoint can be read

	First  Policy   // of the games that the first training steps learn from; without a network
	Games  Games    // the newest games
	Newest Accuracy // of the newest network in positions of these games; zero if no checkpoint can be read
	// Shipped is that of the game's shipped network, zero if none is shipped. It has no Policy: policy targets are the run's, and
	// a stronger network does not play like them.
	Shipped Accuracy
}

// The newest games are read until there are this many.
const maxGames = 256

// Read reads a run directory without its lock; the run may be in training. It leaves out lines, games, ratings and
// checkpoints that it cannot read. Without a config.json the error wraps [rundir.ErrNoRun] and fs.ErrNotExist; if ctx ends, it
// is ctx's.
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

// network returns the run's newest network, nil if no checkpoint can be read, and sets r.Parameters.
func (r *Run) network(dir string) *infer.Network {
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil {
		return nil
	}
	r.Parameters = weights.Parameters()
	network, err := infer.NewNetwork(r.Game, weights)
	if err != nil {
		return nil // of another game
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

// readGames reads the games of generations, in their order, until it has maxGames. It skips files that are damaged,
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
