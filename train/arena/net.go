package arena

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
)

// net plays with a network and a search without noise: Gumbel with sequential halving, in a new tree for each move, or
// PUCT, which keeps its tree from move to move.
type net struct {
	game    *env.Game
	options Options
	rng     *rand.Rand
	judge   *judge
	cache   *mcts.Cache
	search  *mcts.Search
	analyst *mcts.Search // PUCT; nil until it is needed
	waiting int          // leaves of analyst

	kept   bool      // the tree of search stands at position
	at     env.State // while kept
	legal  []env.Action
	shares []float64
}

const (
	maxLeaves    = 16      // in flight within one tree
	cacheEntries = 1 << 13 // evaluations remembered from move to move
)

// puctLeaves is the number of leaves in flight of a PUCT search: each is selected without knowing of the others' values,
// which distorts the shares of few simulations. Gumbel has all of a round in flight anyway.
func puctLeaves(simulations int) int { return max(1, min(maxLeaves, simulations/16)) }

func newNet(game *env.Game, network *infer.Network, options Options) *net {
	n := &net{game: game, options: options, rng: newRand(0), at: game.NewState()}
	n.judge = newJudge(game, network, options.Symmetries)
	if !options.Symmetries { // or the cache would hold averages of roots beside plain evaluations
		n.cache = mcts.NewCache(cacheEntries)
	}
	if options.PUCT {
		n.search = n.newSearch(mcts.PUCT, puctLeaves(n.budget()))
	} else {
		n.search = n.newSearch(mcts.Gumbel, maxLeaves)
	}
	return n
}

func (n *net) newSearch(rule mcts.Rule, leaves int) *mcts.Search {
	config := mcts.DefaultConfig()
	config.Rule, config.Leaves = rule, leaves
	return mcts.New(n.game, config, n.cache)
}

func (n *net) Reset(seed uint64) {
	n.rng = newRand(seed)
	n.kept = false
}

// Observe moves the tree that is kept on to the next position.
func (n *net) Observe(a env.Action) {
	if !n.kept {
		return
	}
	n.legal = n.at.Legal(n.legal[:0])
	if n.kept = slices.Contains(n.legal, a); !n.kept {
		return
	}
	n.search.Advance(a)
	n.at.Apply(a)
	n.kept = !n.at.Done()
}

func (n *net) Choose(ctx context.Context, state env.State) (env.Action, error) {
	if n.kept && n.at.Key() == state.Key() {
		n.search.Continue(n.budget())
	} else {
		n.search.Start(state, n.budget(), nil)
		n.judge.averageNext()
	}
	n.kept = n.options.PUCT && !n.options.Symmetries
	n.at.CopyFrom(state)
	if err := n.run(ctx, n.search); err != nil {
		return 0, err
	}
	if n.options.Temperature == 0 {
		return n.search.Best(), nil
	}
	n.shares = n.shares[:0]
	moves := n.search.Moves()
	for i := range moves {
		n.shares = append(n.shares, math.Log(float64(moves[i].Policy)))
	}
	return moves[drawTempered(n.rng, n.shares, n.options.Temperature)].Action, nil
}

// budget is the number of simulations of a move.
func (n *net) budget() int {
	if n.options.Simulations == 0 {
		return MaxSimulations
	}
	return n.options.Simulations
}

// run lets a search go on until its simulations or the time of a move are used up.
func (n *net) run(ctx context.Context, search *mcts.Search) error {
	deadline := time.Now().Add(n.options.Time)
	search.RunUntil(n.judge, func() bool {
		return ctx.Err() != nil || n.options.Time > 0 && time.Now().After(deadline)
	})
	return ctx.Err()
}

// Analyze searches with PUCT in a new tree, so that the answer depends on the position alone.
func (n *net) Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	if simulations == 0 {
		simulations = n.budget()
	}
	if leaves := puctLeaves(simulations); n.analyst == nil || n.waiting != leaves {
		n.analyst, n.waiting = n.newSearch(mcts.PUCT, leaves), leaves
	}
	n.analyst.Start(state, simulations, nil)
	n.judge.averageNext()
	if err := n.run(ctx, n.analyst); err != nil {
		return nil, err
	}
	value := n.analyst.Value()
	a := &Analysis{Player: state.Player(), Value: &value, Simulations: n.analyst.Simulations()}
	classes := make([]float32, len(n.game.Classes))
	n.analyst.Classes(classes)
	_, a.Proven = n.analyst.Proven()
	a.Goals = n.judge.expectedGoals(state, classes)
	moves := n.analyst.Moves()
	for i := range moves {
		m := &moves[i]
		visits, value, prior := m.Visits, m.Value, float64(m.Prior)
		j := Judgement{Action: m.Action, Visits: &visits, Prior: &prior}
		if m.Visits > 0 || m.Lo == m.Hi {
			j.Value = &value
		}
		a.Moves = append(a.Moves, j)
	}
	sortMoves(a.Moves, n.analyst.Best())
	return a, nil
}

// drawTempered draws an index with probability proportional to p^(1/temperature), given the logarithms of p.
func drawTempered(rng *rand.Rand, logs []float64, temperature float64) int {
	best := slices.Max(logs)
	sum := 0.0
	for i := range logs {
		logs[i] = math.Exp((logs[i] - best) / temperature)
		sum += logs[i]
	}
	at := rng.Float64() * sum
	last := 0
	for i, p := range logs {
		if p > 0 {
			last = i
		}
		if at -= p; at < 0 {
			break
		}
	}
	return last
}
