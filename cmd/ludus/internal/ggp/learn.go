package ggp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/parallel"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// Division of the start clock among the parts of training.
const (
	minLearning   = 8 * time.Second // least time for training; measuring the machine's speed takes up to half of it
	comparedShare = 0.2             // share of the time for games against the search
	comparedGames = 40              // number of games of usual length that should fit into that share
	openingPlies  = 2               // random plies at the start of these games
	settling      = time.Second / 4 // reserve for work in progress when the time is over
)

// errTooShort means that the start clock was too short to train a network.
var errTooShort = errors.New("the start clock was too short to train one")

// networkFactory returns the factory of agents that play matches with a network and at most so many simulations per move.
func networkFactory(game *env.Game, name string, w *infer.Weights, origin agent.Origin, simulations int) *agent.Factory {
	spec := agent.NetSpec(name)
	spec.Simulations, spec.PUCT = simulations, true
	return agent.NewFactory(game, spec, func(agent.Reference) (*infer.Weights, agent.Origin, error) { return w, origin, nil })
}

// trainNetwork trains a network for a given length, in a temporary folder, and returns the factory of its agents.
func trainNetwork(ctx context.Context, game *env.Game, simulations int, length time.Duration) (*agent.Factory, error) {
	temporary, err := os.MkdirTemp("", "ludus-ggp-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	dir := filepath.Join(temporary, "run")
	limited, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	_, err = train.Train(limited, train.Options{
		Dir: dir, Game: game, Time: length, Threads: runtime.GOMAXPROCS(0),
		Settings: map[string]float64{"rating_share": 0, "keep_newest": 1, "keep_every": 0},
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && limited.Err() == nil {
		return nil, fmt.Errorf("training failed: %w", err)
	}
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil || origin.Generation == 0 { // it ended before the first generation
		return nil, errTooShort
	}
	return networkFactory(game, "network", weights, origin, simulations), nil
}

// compare lets two agents play pairs of games until the deadline. Both have the same time per move. It returns the score of
// the first agent, from 0 to 1, and the number of games.
func compare(ctx context.Context, a, b *agent.Factory, perMove time.Duration, deadline time.Time) (stats.Estimate,
	int, error) {
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	threads := runtime.GOMAXPROCS(0)
	pairs, failures := make([][]stats.Cluster, threads), make([]error, threads)
	parallel.Runner(threads)(threads, func(i int) {
		pairs[i], failures[i] = playPairs(limited, a, b, perMove, rand.New(rand.NewPCG(uint64(i), 4)))
	})
	all := slices.Concat(pairs...)
	if err := errors.Join(append(failures, ctx.Err())...); err != nil || len(all) == 0 {
		return stats.Estimate{}, 0, err
	}
	return stats.Mean(all), 2 * len(all), nil
}

// playPairs plays pairs of games until ctx ends and returns the scores of agent a.
func playPairs(ctx context.Context, a, b *agent.Factory, perMove time.Duration,
	rng *rand.Rand) (pairs []stats.Cluster, err error) {
	var agents [2]agent.Timed
	for i, f := range []*agent.Factory{a, b} {
		made, err := f.New(0)
		if err != nil {
			return nil, err
		}
		agents[i] = made.(agent.Timed)
	}
	for {
		pair, err := playPair(ctx, a.Game, agents, perMove, rng)
		if ctx.Err() != nil {
			return pairs, nil
		}
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, pair)
	}
}

// playPair plays a random opening twice, with swapped seats, and returns the scores of the first agent.
func playPair(ctx context.Context, game *env.Game, agents [2]agent.Timed, perMove time.Duration,
	rng *rand.Rand) (stats.Cluster, error) {
	opening, before := game.NewState(), game.NewState()
	for range openingPlies {
		before.CopyFrom(opening)
		opening.Apply(opening.RandomAction(rng.Uint64()))
		if opening.Done() {
			opening.CopyFrom(before)
			break
		}
	}
	pair := stats.Cluster{N: 2}
	for _, seat := range []env.Player{env.First, env.Second} {
		state := game.Copy(opening)
		for _, a := range agents {
			a.Reset(rng.Uint64())
		}
		for !state.Done() {
			player := agents[0]
			if state.Player() != seat {
				player = agents[1]
			}
			move, err := player.ChooseWithin(ctx, state, perMove)
			if err != nil {
				return pair, err
			}
			for _, a := range agents {
				a.Observe(move)
			}
			state.Apply(move)
		}
		pair.Sum += (1 + game.UtilityFor(seat, state.Outcome())) / 2
	}
	return pair, nil
}
