package ggp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// How the start clock is used for training.
const (
	minLearning  = 8 * time.Second // measuring the machine's speed takes up to half of it
	comparing    = 0.2             // part of the time for games against the search
	comparedWith = 80              // games as long as random ones that should fit in it; real ones are longer
	settling     = time.Second / 4 // for what is under way when the time is over
)

// learned is a network that was trained during the start clock.
type learned struct {
	factory *agent.Factory
	score   stats.Estimate // against the search; 0 to 1
	games   int
}

// better reports whether the network is measurably better than the search: its score's interval lies above 0.5.
func (l *learned) better() bool { return l.games > 0 && l.score.Low > 0.5 }

// learn trains a network on a game until the deadline, and compares it with a search. It returns nil if the time does not
// suffice for a network.
func learn(ctx context.Context, game *env.Game, search *agent.Factory, deadline time.Time) (*learned, error) {
	training := time.Duration((1 - comparing) * float64(time.Until(deadline)))
	limited, cancel := context.WithTimeout(ctx, training)
	defer cancel()
	network, err := trainNetwork(limited, game, training, false)
	if err == nil {
		err = ctx.Err()
	}
	if network == nil || err != nil {
		return nil, err
	}
	l := &learned{factory: network}
	perMove := time.Until(deadline) * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(comparedWith*meanPlies(game))
	l.score, l.games, err = compare(ctx, l.factory, search, perMove, deadline)
	return l, err
}

// networkFactory returns the factory of agents that play matches with a network.
func networkFactory(game *env.Game, name string, w *infer.Weights, origin agent.Origin) *agent.Factory {
	spec := agent.NetSpec(name)
	spec.Simulations, spec.PUCT = maxSimulations, true
	return agent.NewFactory(game, spec, func(agent.Reference) (*infer.Weights, agent.Origin, error) { return w, origin, nil })
}

// trainNetwork trains a network in a temporary folder for some time, or until ctx ends, and returns the factory of its
// agents. It returns nil if the time does not suffice for a network. With cpuTime the time is CPU time.
func trainNetwork(ctx context.Context, game *env.Game, length time.Duration, cpuTime bool) (*agent.Factory, error) {
	temporary, err := os.MkdirTemp("", "ludus-ggp-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temporary)
	dir := filepath.Join(temporary, "run")
	_, err = train.Train(ctx, train.Options{
		Dir: dir, Game: game, Time: length, CPUTime: cpuTime, Threads: runtime.GOMAXPROCS(0),
		Settings: map[string]float64{"rating_share": 0, "keep_newest": 1, "keep_every": 0},
	})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("training failed: %w", err)
	}
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: dir})
	if err != nil || origin.Generation == 0 { // it ended before the first generation
		return nil, nil
	}
	return networkFactory(game, "network", weights, origin), nil
}

// compare lets two agents play pairs of games from random openings, with swapped seats, until the deadline. Both have the
// same time per move. It returns the score of the first agent with its 95 % interval, and the number of games.
func compare(ctx context.Context, a, b *agent.Factory, perMove time.Duration, deadline time.Time) (stats.Estimate, int, error) {
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	var (
		mu      sync.Mutex
		pairs   []stats.Cluster
		failed  error
		playing sync.WaitGroup
	)
	for worker := range runtime.GOMAXPROCS(0) {
		playing.Go(func() {
			err := safely(func() error {
				rng := rand.New(rand.NewPCG(uint64(worker), 4))
				agents, err := newAgents(a, b)
				for err == nil && limited.Err() == nil {
					var pair stats.Cluster
					if pair, err = playPair(limited, a.Game, agents, perMove, rng); err == nil {
						mu.Lock()
						pairs = append(pairs, pair)
						mu.Unlock()
					}
				}
				return err
			})
			if end := limited.Err(); err != nil && (end == nil || !errors.Is(err, end)) {
				mu.Lock()
				failed = err
				mu.Unlock()
			}
		})
	}
	playing.Wait()
	if failed == nil {
		failed = ctx.Err()
	}
	if len(pairs) == 0 {
		return stats.Estimate{}, 0, failed
	}
	return stats.Mean(pairs), 2 * len(pairs), failed
}

// meanPlies returns the mean length of random games, at least 1.
func meanPlies(game *env.Game) int {
	const games = 20
	source := rand.NewPCG(1, 4)
	plies := 0
	state := game.NewState()
	start := game.NewState()
	for range games {
		state.CopyFrom(start)
		for ; !state.Done(); plies++ {
			state.Apply(state.RandomAction(source.Uint64()))
		}
	}
	return max(1, plies/games)
}

// openingPlies is the number of random plies before compared agents play.
const openingPlies = 2

// newAgents makes an agent of each factory. They must be [agent.Timed].
func newAgents(factories ...*agent.Factory) (agents [2]agent.Timed, err error) {
	for i, f := range factories {
		made, err := f.New(0)
		if err != nil {
			return agents, err
		}
		agents[i] = made.(agent.Timed)
	}
	return agents, nil
}

// playPair plays a game twice from the same random opening, with swapped seats, and returns the scores of the first agent.
func playPair(ctx context.Context, game *env.Game, agents [2]agent.Timed, perMove time.Duration, rng *rand.Rand) (stats.Cluster, error) {
	opening, before := game.NewState(), game.NewState()
	for range openingPlies {
		before.CopyFrom(opening)
		if opening.Apply(opening.RandomAction(rng.Uint64())); opening.Done() {
			opening.CopyFrom(before)
			break
		}
	}
	pair := stats.Cluster{N: 2}
	for _, seat := range []env.Player{env.First, env.Second} {
		state := game.NewState()
		state.CopyFrom(opening)
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
