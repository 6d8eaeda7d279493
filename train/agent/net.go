package agent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"ludus/env"
	"ludus/mcts"
)

// net plays with a network and a search without noise: Gumbel with sequential halving, in a new tree for each move, or
// PUCT, which keeps its tree from move to move.
type net struct {
	game    *env.Game
	spec    Spec
	rng     *rand.Rand
	judge   *evaluator
	search  *mcts.Search
	analyst *mcts.Search // PUCT; nil until it is needed
	waiting int          // leaves of analyst

	average bool      // the next leaf is a root that is averaged over the symmetries
	kept    bool      // the tree of search stands at position
	at      env.State // while kept
	legal   []env.Action
	shares  []float64
}

// maxLeaves is how many leaves are in flight within one tree.
const maxLeaves = 16

// puctLeaves is the number of leaves in flight of a PUCT search: each is selected without knowing of the others' values,
// which distorts the shares of few simulations. Gumbel has all of a round in flight anyway.
func puctLeaves(simulations int) int { return max(1, min(maxLeaves, simulations/16)) }

func newNet(evaluator *evaluator, spec Spec) *net {
	n := &net{game: evaluator.game, spec: spec, rng: newRand(0), at: evaluator.game.NewState(), judge: evaluator}
	if spec.PUCT {
		n.search = n.newSearch(mcts.PUCT, puctLeaves(n.spec.maxMoveSimulations()))
	} else {
		n.search = n.newSearch(mcts.Gumbel, maxLeaves)
	}
	return n
}

func (n *net) newSearch(rule mcts.Rule, leaves int) *mcts.Search {
	config := mcts.DefaultConfig()
	config.Rule, config.Leaves = rule, leaves
	cache := n.judge.cache
	if n.spec.Symmetries {
		cache = nil // or it would hold averages of roots beside plain evaluations
	}
	return mcts.New(n.game, config, cache)
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
	n.Begin(state)
	if err := n.run(ctx, n.search); err != nil {
		return 0, err
	}
	return n.chosen(), nil
}

func (n *net) Begin(state env.State) {
	if n.kept && n.at.Key() == state.Key() {
		n.search.Continue(n.spec.maxMoveSimulations())
	} else {
		n.search.Start(state, n.spec.maxMoveSimulations(), nil)
		n.average = n.spec.Symmetries
	}
	n.kept = n.spec.PUCT && !n.spec.Symmetries
	n.at.CopyFrom(state)
}

func (n *net) Proceed(ctx context.Context) (a env.Action, done bool, err error) {
	for i := 1; ; i++ {
		switch leaf, progress := n.search.Step(); progress {
		case mcts.Selected:
			n.judge.ask(question{asker: n.search, leaf: leaf, state: n.search.Leaf(leaf), average: n.average})
			n.average = false
		case mcts.Blocked:
			if n.search.Done() {
				return n.chosen(), true, nil
			}
			return 0, false, nil
		}
		if i%256 == 0 && ctx.Err() != nil {
			n.kept = false // it has leaves in flight
			return 0, false, ctx.Err()
		}
	}
}

// chosen is the move to play after a search.
func (n *net) chosen() env.Action {
	if n.spec.Temperature == 0 {
		return n.search.Best()
	}
	n.shares = n.shares[:0]
	moves := n.search.Moves()
	for i := range moves {
		n.shares = append(n.shares, math.Log(float64(moves[i].Policy)))
	}
	return moves[drawTempered(n.rng, n.shares, n.spec.Temperature)].Action
}

// run lets a search go on until its simulations or the time of a move are used up.
func (n *net) run(ctx context.Context, search *mcts.Search) error {
	deadline := time.Now().Add(n.spec.Time)
	search.RunUntil(n, func() bool {
		return ctx.Err() != nil || n.spec.Time > 0 && time.Now().After(deadline)
	})
	return ctx.Err()
}

// Evaluate implements mcts.Evaluator for a search that has the judge to itself.
func (n *net) Evaluate(states []env.State, logits, classes []float32) {
	n.judge.network.Evaluate(states, logits, classes)
	if n.average {
		n.average = false
		rootLogits, rootClasses := n.judge.evaluate(states[0], true)
		copy(logits, rootLogits)
		copy(classes, rootClasses)
	}
}

// Analyze searches with PUCT in a new tree, so that the answer depends on the position alone.
func (n *net) Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	if simulations == 0 {
		simulations = n.spec.maxMoveSimulations()
	}
	if leaves := puctLeaves(simulations); n.analyst == nil || n.waiting != leaves {
		n.analyst, n.waiting = n.newSearch(mcts.PUCT, leaves), leaves
	}
	n.judge.cache.Grow(entriesFor(simulations, mostAloneEntries))
	n.analyst.Start(state, simulations, nil)
	n.average = n.spec.Symmetries
	if err := n.run(ctx, n.analyst); err != nil {
		return nil, err
	}
	value := n.analyst.Value()
	a := &Analysis{Player: state.Player(), Value: &value, Simulations: n.analyst.Simulations()}
	classes := make([]float32, len(n.game.Classes))
	n.analyst.Classes(classes)
	_, a.Proven = n.analyst.Proven()
	a.Goals = n.judge.expectedGoals(state, classes, n.spec.Symmetries)
	moves := n.analyst.Moves()
	for i := range moves {
		m := &moves[i]
		visits, value, prior := m.Visits, m.Value, float64(m.Prior)
		j := MoveInfo{Action: m.Action, Visits: &visits, Prior: &prior}
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
