package arena

import (
	"context"
	"math"
	"math/rand/v2"

	"ludus/env"
	"ludus/model/infer"
)

// judge evaluates positions for one agent. It is the search's evaluator, and averages a root over the symmetries of
// the board where the agent asks for it.
type judge struct {
	game      *env.Game
	network   *infer.Evaluator
	symmetric bool
	average   bool // the next state is a root that is averaged

	tensor []float32 // [C, H, W]
	turned []float32 // [S, C, H, W] images of the tensor
	logits []float32 // [S, A]
	class  []float32 // [S, K]
	goals  [2]float64
}

func newJudge(game *env.Game, network *infer.Network, symmetric bool) *judge {
	images := 1
	if symmetric {
		images = len(game.Symmetries)
	}
	return &judge{
		game: game, network: network.NewEvaluator(max(maxLeaves, images)), symmetric: symmetric,
		tensor: make([]float32, game.Tensor.Size()),
		turned: make([]float32, images*game.Tensor.Size()),
		logits: make([]float32, images*game.NumActions()),
		class:  make([]float32, images*len(game.Classes)),
	}
}

// averageNext says that a search of a new tree begins: the first state that it evaluates is its root.
func (j *judge) averageNext() { j.average = j.symmetric }

// Evaluate implements mcts.Evaluator.
func (j *judge) Evaluate(states []env.State, logits, classes []float32) {
	j.network.Evaluate(states, logits, classes)
	if j.average {
		j.average = false
		rootLogits, rootClasses := j.root(states[0])
		copy(logits, rootLogits)
		copy(classes, rootClasses)
	}
}

// root evaluates one state: logits [A] and class probabilities [K] in its mover's frame, and j.goals. With symmetric, all
// are means over the images of the board, brought back to the state's own orientation. Both slices are the judge's.
func (j *judge) root(state env.State) (logits, classes []float32) {
	size, cells, A, K := len(j.tensor), j.game.Tensor.Cells(), j.game.NumActions(), len(j.game.Classes)
	state.Encode(j.tensor)
	images := len(j.turned) / size
	for s := range images {
		image, to := j.turned[s*size:(s+1)*size], j.game.Symmetries[s].Cells
		for i, x := range j.tensor {
			image[i/cells*cells+int(to[i%cells])] = x
		}
	}
	j.network.EvaluateTensors(j.turned, j.logits, j.class)
	logits, classes = j.logits[:A], j.class[:K] // the first image is the state itself
	for s := 1; s < images; s++ {
		for a, to := range j.game.Symmetries[s].Actions {
			logits[a] += j.logits[s*A+int(to)]
		}
		for k := range classes {
			classes[k] += j.class[s*K+k]
		}
	}
	j.goals = [2]float64{}
	for i, g := range j.network.Goals() {
		j.goals[i%2] += 100 * float64(g) / float64(images)
	}
	scale := 1 / float32(images)
	for i := range logits {
		logits[i] *= scale
	}
	for i := range classes {
		classes[i] *= scale
	}
	return logits, classes
}

// expectedGoals are First's and Second's goals, expected from the mover's class distribution, or predicted by the network
// where classes leave the goals open.
func (j *judge) expectedGoals(state env.State, classes []float32) *[2]float64 {
	own, other, sum := 0.0, 0.0, 0.0
	if j.game.GoalHead {
		j.root(state)
		own, other = min(max(j.goals[0], 0), 100), min(max(j.goals[1], 0), 100)
	} else {
		for k, p := range classes {
			own += float64(p) * float64(j.game.Classes[k].Own)
			other += float64(p) * float64(j.game.Classes[k].Other)
			sum += float64(p)
		}
		own, other = own/sum, other/sum // float32 probabilities add up to nearly 1
	}
	if state.Player() == env.Second {
		own, other = other, own
	}
	return &[2]float64{own, other}
}

// policy plays what the network likes best, or draws from its policy, without any search.
type policy struct {
	game    *env.Game
	options Options
	rng     *rand.Rand
	judge   *judge
	legal   []env.Action
	logs    []float64 // log probabilities of the legal moves
	classes []float32
}

func newPolicy(game *env.Game, network *infer.Network, options Options) *policy {
	return &policy{game: game, options: options, rng: newRand(0), judge: newJudge(game, network, options.Symmetries)}
}

func (p *policy) Reset(seed uint64)  { p.rng = newRand(seed) }
func (p *policy) Observe(env.Action) {}

func (p *policy) Choose(ctx context.Context, state env.State) (env.Action, error) {
	p.evaluate(state)
	if p.options.Temperature > 0 {
		return p.legal[drawTempered(p.rng, p.logs, p.options.Temperature)], ctx.Err()
	}
	return p.best(), ctx.Err()
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

// evaluate fills legal, logs and classes.
func (p *policy) evaluate(state env.State) {
	logits, classes := p.judge.root(state)
	p.classes = classes
	p.legal = state.Legal(p.legal[:0])
	frame := p.game.Frame(state.Player())
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
	value := 0.0
	for k, x := range p.classes {
		value += float64(x) * float64(p.game.Classes[k].Utility)
	}
	a := &Analysis{Player: state.Player(), Value: &value}
	for i, action := range p.legal {
		prior := math.Exp(p.logs[i])
		a.Moves = append(a.Moves, Judgement{Action: action, Prior: &prior})
	}
	sortMoves(a.Moves, p.best())
	a.Goals = p.judge.expectedGoals(state, p.classes)
	return a, ctx.Err()
}
