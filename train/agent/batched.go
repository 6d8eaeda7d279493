package agent

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"ludus/env"
	"ludus/env/solver"
	"ludus/mcts"
	"ludus/model/infer"
)

// Batched plays with a network, by search without noise or by the policy alone. Its evaluations can be batched with
// those of other agents: [Batched.Choose] flushes the batch itself, or the caller alternates [Batched.Proceed] and
// [Batchers.Flush]. Both choose the same moves.
//
// Gumbel searches a new tree for each move; PUCT keeps its tree from move to move. A policy agent is a search without
// simulations: it uses the evaluation of the root alone. With solve=NODES an exact search follows; see [exactSearch],
// and [defence] for play against people. In positions of its book an agent with book=FILE plays without a search.
type Batched struct {
	spec     Spec
	dial     Dial // the network's strength dial
	play     Spec // settings for the current move: spec, or what the dial draws for elo=N
	network  *infer.Network
	rng      *rand.Rand
	batcher  *mcts.Batcher
	search   *mcts.Search
	analysis *mcts.Search // search for Analyze; nil until needed
	leaves   int          // number of pending leaves of analysis
	exact    *exactSearch // nil without solve=N
	defence  *defence     // nil unless the agent plays against people, with solve=N
	reader                // with the book of book=FILE
	known    *Analysis    // the book's, of the position whose move is chosen; nil if the book does not have it

	kept     bool      // the search tree is reused for the next move
	position env.State // position at the root of search, if kept
	legal    []env.Action
	weights  []float64 // [legal moves]
}

// threadLeaves is the maximum number of leaves for each thread that a search evaluates in one batch. It is the number
// of candidates in the first phase of sequential halving. On one thread a round of a Gumbel search has at most one leaf
// per candidate, so batching costs no strength.
const threadLeaves = 16

// candidateShare is [mcts.Config].CandidateShare of searches on several threads. Up to some 250
// simulations a candidate thus has one pending leaf, as on one thread.
const candidateShare = 1. / 32

// newBatched returns the agent of a factory for Net or Policy; s is its solver, if it needs one.
func (f *Factory) newBatched(batchers *Batchers, s *solver.Solver, r reader) (Agent, error) {
	l, err := f.loaded()
	if err != nil {
		return nil, err
	}
	b := &Batched{
		spec: f.Spec, play: f.Spec, dial: l.origin.Dial, network: l.network, rng: newRand(0), reader: r, position: f.Game.NewState(),
		batcher: batchers.forNetwork(l.network, l.origin.Digest, f.Threads),
	}
	b.search = b.newSearch(f.maxLeaves(f.maxMoveSimulations()))
	if s != nil {
		b.exact = newExactSearch(f.Game, s, f.Nodes)
		if f.people {
			b.defence = newDefence(b.exact, l.network)
		}
	}
	return b, nil
}

// maxLeaves is the maximum number of leaves that a search of the given number of simulations evaluates in one batch.
// With PUCT it is smaller for fewer simulations: leaves of a batch are selected without each other's values, which
// distorts the visit counts.
func (s Spec) maxLeaves(simulations int) int {
	leaves := threadLeaves * max(1, s.Threads)
	if s.PUCT {
		return max(1, min(leaves, simulations/16))
	}
	return leaves
}

// newSearch returns a search by the agent's rule that evaluates at most the given number of leaves in one batch.
func (b *Batched) newSearch(leaves int) *mcts.Search {
	config := mcts.DefaultConfig()
	if b.spec.PUCT {
		config.Rule = mcts.PUCT
	}
	config.PendingLeaves = leaves
	if b.spec.Threads > 1 {
		config.CandidateShare = candidateShare
	}
	config.ValueScale = b.network.ValueScale
	return mcts.New(b.network.Game, config)
}

// Dial returns the strength dial of the agent's network; it is empty if it was not measured.
func (b *Batched) Dial() Dial { return b.dial }

// Reset implements [Agent].
func (b *Batched) Reset(seed uint64) {
	b.rng = newRand(seed)
	b.kept = false
	if b.exact != nil {
		b.exact.cleared = false
	}
}

// LimitSolver divides the node limit of solve=, if the agent has a solver, until the next call; by 1 it is whole.
func (b *Batched) LimitSolver(divisor int) {
	if b.exact != nil {
		b.exact.nodes = b.spec.Nodes / divisor
	}
}

// Observe implements [Agent]. It advances the kept tree to the next position.
func (b *Batched) Observe(a env.Action) {
	if !b.kept {
		return
	}
	b.legal = b.position.Legal(b.legal[:0])
	b.kept = slices.Contains(b.legal, a)
	if !b.kept {
		return
	}
	b.search.Advance(a)
	b.position.Apply(a)
	b.kept = !b.position.Done()
}

// Choose implements [Agent].
func (b *Batched) Choose(ctx context.Context, state env.State) (env.Action, error) {
	return b.ChooseWithin(ctx, state, 0)
}

// ChooseWithin implements [Timed]. A limit of 0 is none.
func (b *Batched) ChooseWithin(ctx context.Context, state env.State, limit time.Duration) (env.Action, error) {
	if b.spec.Time > 0 && (limit == 0 || b.spec.Time < limit) {
		limit = b.spec.Time
	}
	b.Begin(state)
	if b.known != nil {
		return b.move(b.known, b.rng), ctx.Err()
	}
	stop := b.stopAfter(ctx, limit)
	if err := b.run(ctx, b.search, limit); err != nil {
		return 0, err
	}
	return b.chosen(stop), ctx.Err()
}

// Begin starts the search for a move in state, which is not terminal, unless the book has it. It reuses the kept tree
// if state is its root.
func (b *Batched) Begin(state env.State) {
	b.known = b.find(state)
	if b.known == nil {
		b.begin(state)
	}
}

// begin is Begin without the book.
func (b *Batched) begin(state env.State) {
	if b.spec.Elo > 0 {
		b.play = b.dial.draw(b.spec, b.rng)
	}
	if b.kept && b.position.Key() == state.Key() {
		b.search.Continue(b.play.maxMoveSimulations())
	} else {
		b.search.Start(state, b.play.maxMoveSimulations(), nil) // nil: no noise
	}
	b.kept = b.spec.PUCT
	b.position.CopyFrom(state)
}

// Proceed continues until the move is chosen (done), or until the agent waits for [Batchers.Flush]. It ignores the time
// limit. The only error is that of a cancelled ctx, after which its batchers must be cleared and the
// agent needs a Reset.
func (b *Batched) Proceed(ctx context.Context) (a env.Action, done bool, err error) {
	if b.known != nil {
		return b.move(b.known, b.rng), true, ctx.Err()
	}
	for i := 1; b.search.Step(b.batcher); i++ {
		if i%256 == 0 && ctx.Err() != nil { // now and then
			b.kept = false // the tree has pending leaves, so it cannot be reused
			return 0, false, ctx.Err()
		}
	}
	if !b.search.Done() {
		return 0, false, nil
	}
	return b.chosen(func() bool { return ctx.Err() != nil }), true, ctx.Err()
}

// run searches until the simulations or the time of a move are used up; limit is 0 if there is none. It leaves time for
// the exact search.
func (b *Batched) run(ctx context.Context, search *mcts.Search, limit time.Duration) error {
	if b.exact != nil {
		limit -= min(limit/2, time.Duration(b.exact.nodes)*nodeTime) // 0, no limit, stays 0
	}
	search.RunUntil(b.batcher, b.stopAfter(ctx, limit))
	return ctx.Err()
}

// nodeTime is roughly the solver's time per node.
const nodeTime = 500 * time.Nanosecond

// stopAfter returns a function that reports whether ctx is cancelled or the limit, if not 0, has passed since now.
func (b *Batched) stopAfter(ctx context.Context, limit time.Duration) func() bool {
	deadline := time.Now().Add(limit)
	return func() bool { return ctx.Err() != nil || limit > 0 && time.Now().After(deadline) }
}

// chosen returns the move to play after a search. With solve=N an exact search may correct it, until stop returns true.
func (b *Batched) chosen(stop func() bool) env.Action {
	a := b.favourite()
	if b.exact == nil {
		return a
	}
	b.exact.setMoves(b.search, a)
	b.exact.solve(b.position, stop)
	a = b.exact.choose()
	if b.defence != nil {
		equals := b.defence.equals(b.position, a, stop)
		a = equals[b.rng.IntN(len(equals))]
	}
	return a
}

// favourite returns the move that the network's search prefers: the best one, or one sampled at the agent's
// temperature.
func (b *Batched) favourite() env.Action {
	temperature, policyOnly := b.play.Temperature, b.play.Kind == Policy
	if temperature == 0 && !policyOnly {
		return b.search.Best()
	}
	b.weights = b.weights[:0]
	moves := b.search.Moves()
	for i := range moves {
		p := moves[i].Policy
		if policyOnly {
			p = moves[i].Prior
		}
		b.weights = append(b.weights, float64(p))
	}
	if temperature == 0 {
		return moves[slices.Index(b.weights, slices.Max(b.weights))].Action
	}
	return moves[mcts.DrawIndex(b.rng, b.weights, temperature)].Action
}

// Analyze implements [Agent]. An agent with search builds a new tree at full strength (elo=N is ignored), so the
// analysis depends on the position alone. With solve=N it also depends on the solver's table, which keeps results from
// earlier positions of the game. What the book knows replaces what the search found.
func (b *Batched) Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	a, err := b.analyze(ctx, state, simulations)
	if err == nil {
		b.improve(a, state)
	}
	return a, err
}

// analyze is Analyze without the book.
func (b *Batched) analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	stop := b.stopAfter(ctx, b.spec.Time)
	var a *Analysis
	var search *mcts.Search
	var err error
	if b.spec.Kind == Policy {
		a, err = b.analyzePolicy(ctx, state)
		search = b.search
	} else {
		a, err = b.analyzeSearch(ctx, state, simulations)
		search = b.analysis
	}
	if err != nil || b.exact == nil {
		return a, err
	}
	b.exact.setMoves(search, a.Moves[0].Action)
	b.exact.solve(state, stop)
	chosen := b.exact.choose()
	if b.defence != nil {
		chosen = b.defence.equals(state, chosen, stop)[0]
	}
	b.exact.improve(a, state, chosen)
	return a, ctx.Err()
}

// analyzeSearch is Analyze for an agent with search, before the exact search.
func (b *Batched) analyzeSearch(ctx context.Context, state env.State, simulations int) (*Analysis, error) {
	if simulations == 0 {
		simulations = b.spec.maxMoveSimulations()
	}
	if leaves := b.spec.maxLeaves(simulations); b.analysis == nil || b.leaves != leaves {
		b.analysis, b.leaves = b.newSearch(leaves), leaves
	}
	b.batcher.GrowCache(cacheEntries(simulations, maxSingleCacheEntries))
	b.analysis.Start(state, simulations, nil) // nil: no noise
	if err := b.run(ctx, b.analysis, b.spec.Time); err != nil {
		return nil, err
	}
	value := b.analysis.Value()
	a := &Analysis{Player: state.Player(), Value: &value, Simulations: b.analysis.Simulations()}
	classes := make([]float32, len(b.network.Game.Classes))
	b.analysis.Classes(classes)
	_, a.Proven = b.analysis.Proven()
	_, goals := b.analysis.RootEvaluation()
	a.Goals = b.expectedGoals(a.Player, classes, goals)
	moves := b.analysis.Moves()
	for i := range moves {
		m := &moves[i]
		visits, value, prior := m.Visits, m.Value, float64(m.Prior)
		info := MoveInfo{Action: m.Action, Visits: &visits, Prior: &prior}
		if m.Visits > 0 || m.Lower == m.Upper {
			info.Value = &value
		}
		info.Line = b.analysis.Line(nil, i, lineLength)
		a.Moves = append(a.Moves, info)
	}
	sortMoves(a.Moves, b.analysis.Best())
	return a, nil
}

// analyzePolicy is Analyze for a policy agent, before the exact search. It evaluates only the root: moves have priors.
func (b *Batched) analyzePolicy(ctx context.Context, state env.State) (*Analysis, error) {
	b.begin(state)
	if err := b.run(ctx, b.search, b.spec.Time); err != nil {
		return nil, err
	}
	classes, goals := b.search.RootEvaluation()
	value := b.network.Game.ExpectedUtility(classes)
	a := &Analysis{Player: state.Player(), Value: &value, Goals: b.expectedGoals(state.Player(), classes, goals)}
	for _, m := range b.search.Moves() {
		prior := float64(m.Prior)
		a.Moves = append(a.Moves, MoveInfo{Action: m.Action, Prior: &prior})
	}
	slices.SortStableFunc(a.Moves, func(x, y MoveInfo) int { return cmp.Compare(*y.Prior, *x.Prior) })
	return a, nil
}

// expectedGoals returns First's and Second's expected goals, 0 to 100, for p's class distribution. If classes do not
// determine goals, the network predicts them: predicted has those of p and its opponent, divided by 100.
func (b *Batched) expectedGoals(p env.Player, classes, predicted []float32) *[2]float64 {
	own, other, sum := 0.0, 0.0, 0.0
	if b.network.Game.GoalHead {
		own, other = 100*min(max(float64(predicted[0]), 0), 1), 100*min(max(float64(predicted[1]), 0), 1)
	} else {
		for k, c := range classes {
			own += float64(c) * float64(b.network.Game.Classes[k].Goals[0])
			other += float64(c) * float64(b.network.Game.Classes[k].Goals[1])
			sum += float64(c)
		}
		own, other = own/sum, other/sum // float32 probabilities add up to nearly 1
	}
	goals := env.ByPlayer(p, [2]float64{own, other})
	return &goals
}
