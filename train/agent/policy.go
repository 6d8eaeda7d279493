package agent

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
)

// policy plays what the network likes best, or draws from its policy, without any search.
type policy struct {
	game    *env.Game
	spec    Spec
	rng     *rand.Rand
	judge   *evaluator
	state   env.State // that is judged
	asked   bool      // the judge about it
	judged  bool
	legal   []env.Action
	logs    []float64 // log probabilities of the legal moves
	classes []float32 // [K]
}

func newPolicy(evaluator *evaluator, spec Spec) *policy {
	return &policy{game: evaluator.game, spec: spec, rng: newRand(0), judge: evaluator}
}

func (p *policy) Reset(seed uint64)  { p.rng = newRand(seed) }
func (p *policy) Observe(env.Action) {}

func (p *policy) Choose(ctx context.Context, state env.State) (env.Action, error) {
	p.evaluate(state)
	return p.chosen(), ctx.Err()
}

func (p *policy) Begin(state env.State) { p.state, p.asked, p.judged = state, false, false }

func (p *policy) Proceed(ctx context.Context) (a env.Action, done bool, err error) {
	if !p.asked {
		p.asked = true
		p.judge.ask(question{asker: p, state: p.state, average: p.spec.Symmetries})
	}
	if !p.judged {
		return 0, false, ctx.Err()
	}
	return p.chosen(), true, ctx.Err()
}

// chosen is the move to play in the state that was judged.
func (p *policy) chosen() env.Action {
	if p.spec.Temperature > 0 {
		return p.legal[drawTempered(p.rng, p.logs, p.spec.Temperature)]
	}
	return p.best()
}

// best is the likeliest move, the first of equals.
func (p *policy) best() env.Action {
	best := 0
	for i, x := range p.logs {
		if x > p.logs[best] {
			best = i
		}
	}
	return p.legal[best]
}

// evaluate judges a state at once.
func (p *policy) evaluate(state env.State) {
	p.Begin(state)
	logits, classes := p.judge.evaluate(state, p.spec.Symmetries)
	p.Backup(0, logits, classes)
}

// Backup takes the judgement of the state: it fills legal, logs and classes.
func (p *policy) Backup(_ int, logits, classes []float32) {
	p.judged = true
	p.classes = append(p.classes[:0], classes...)
	p.legal = p.state.Legal(p.legal[:0])
	frame := p.game.Frame(p.state.Player())
	p.logs = p.logs[:0]
	best := math.Inf(-1)
	for _, a := range p.legal {
		x := float64(logits[frame[a]])
		p.logs = append(p.logs, x)
		best = max(best, x)
	}
	sum := 0.0
	for _, x := range p.logs {
		sum += math.Exp(x - best)
	}
	for i := range p.logs {
		p.logs[i] -= best + math.Log(sum)
	}
}

func (p *policy) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	p.evaluate(state)
	value := p.game.ExpectedUtility(p.classes)
	a := &Analysis{Player: state.Player(), Value: &value}
	for i, action := range p.legal {
		prior := math.Exp(p.logs[i])
		a.Moves = append(a.Moves, MoveInfo{Action: action, Prior: &prior})
	}
	sortMoves(a.Moves, p.best())
	a.Goals = p.judge.expectedGoals(state, p.classes, p.spec.Symmetries)
	return a, ctx.Err()
}
