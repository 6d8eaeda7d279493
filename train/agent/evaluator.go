package agent

import (
	"slices"

	"ludus/env"
	"ludus/mcts"
	"ludus/model/infer"
)

// evaluator evaluates positions with one network for the agents of one goroutine that play with it. Leaves that they ask it
// about wait until it answers them, in batches; so the leaves of many games share a batch. A row of a batch
// depends on its own state alone, so that whose leaves are evaluated together changes nothing.
type evaluator struct {
	game    *env.Game
	network *infer.Evaluator
	cache   *mcts.Cache // of plain evaluations

	asked   []question
	states  []env.State // of a batch
	logits  []float32   // [batchRows, A]
	classes []float32   // [batchRows, K]

	tensor      []float32 // [C, H, W]
	images      []float32 // [S, C, H, W]
	imageLogits []float32 // [S, A]
	imageClass  []float32 // [S, K]
	goals       [2]float64
}

// question is a leaf that waits for its evaluation.
type question struct {
	asker   asker
	leaf    int
	state   env.State // not changed before the answer
	average bool      // over the symmetries
}

// asker takes the evaluation of a leaf: unmasked logits [A] and class probabilities [K] in the frame of its mover, both
// the judge's.
type asker interface {
	Backup(leaf int, logits, classes []float32)
}

// batchRows is how many leaves are evaluated together: as many as the network takes in one go.
const batchRows = 32

// A cache of evaluations has two entries for each simulation that it is to serve, within these bounds. The largest ones
// take some 40 MB for the games of a goroutine, and some 80 MB for an agent that searches alone.
const (
	leastEntries     = 1 << 13
	mostMatchEntries = 1 << 17
	mostAloneEntries = 1 << 18
)

func entriesFor(simulations, most int) int { return min(max(2*simulations, leastEntries), most) }

func newEvaluator(game *env.Game, network *infer.Network, entries int) *evaluator {
	return &evaluator{
		game: game, network: network.NewEvaluator(batchRows), cache: mcts.NewCache(entries),
		logits:  make([]float32, batchRows*game.NumActions()),
		classes: make([]float32, batchRows*len(game.Classes)),
		tensor:  make([]float32, game.Tensor.Size()),
	}
}

// Evaluators are the evaluators of one goroutine, one for each network that its agents play with.
type Evaluators struct {
	entries int // of each one's cache
	list    []*evaluator
	digests []string
}

// NewEvaluators returns the evaluators for a goroutine whose agents run about so many simulations between them.
func NewEvaluators(simulations int) *Evaluators {
	return &Evaluators{entries: entriesFor(simulations, mostMatchEntries)}
}

// of returns the evaluator of a network. The same network has the same evaluator, wherever it was loaded from.
func (e *Evaluators) of(game *env.Game, network *infer.Network, digest string) *evaluator {
	i := slices.Index(e.digests, digest)
	if i < 0 {
		i = len(e.list)
		e.list = append(e.list, newEvaluator(game, network, e.entries))
		e.digests = append(e.digests, digest)
	}
	return e.list[i]
}

// ask puts a question.
func (j *evaluator) ask(q question) { j.asked = append(j.asked, q) }

// EvaluateAll evaluates the leaves that wait: those that fill batches, and the others once no batch is full.
func (j *Evaluators) EvaluateAll() {
	full := false
	for _, judge := range j.list {
		full = full || len(judge.asked) >= batchRows
	}
	for _, judge := range j.list {
		count := len(judge.asked)
		if full {
			count -= count % batchRows
		}
		judge.answer(count)
	}
}

// answer answers the first count questions.
func (j *evaluator) answer(count int) {
	A, K := j.game.NumActions(), len(j.game.Classes)
	for first := 0; first < count; first += batchRows {
		batch := j.asked[first:min(first+batchRows, count)]
		j.states = j.states[:0]
		for i := range batch {
			j.states = append(j.states, batch[i].state)
		}
		j.network.Evaluate(j.states, j.logits[:len(batch)*A], j.classes[:len(batch)*K])
		for i, q := range batch {
			logits, classes := j.logits[i*A:(i+1)*A], j.classes[i*K:(i+1)*K]
			if q.average {
				logits, classes = j.evaluate(q.state, true)
			}
			q.asker.Backup(q.leaf, logits, classes)
		}
	}
	j.asked = j.asked[:copy(j.asked, j.asked[count:])]
}

// evaluate evaluators one state: logits [A] and class probabilities [K] in its mover's frame, and j.goals. With average, all
// are means over the images of the board, brought back to the state's own orientation. Both slices are the judge's.
func (j *evaluator) evaluate(state env.State, average bool) (logits, classes []float32) {
	images := 1
	if average {
		images = len(j.game.Symmetries)
	}
	size, A, K := len(j.tensor), j.game.NumActions(), len(j.game.Classes)
	if len(j.images) < images*size {
		j.images = make([]float32, images*size)
		j.imageLogits, j.imageClass = make([]float32, images*A), make([]float32, images*K)
	}
	state.Encode(j.tensor)
	for s := range images {
		j.game.Symmetries[s].Transform(j.images[s*size:(s+1)*size], j.tensor)
	}
	j.network.EvaluateTensors(j.images[:images*size], j.imageLogits[:images*A], j.imageClass[:images*K])
	logits, classes = j.imageLogits[:A], j.imageClass[:K] // the first image is the state itself
	for s := 1; s < images; s++ {
		for a, to := range j.game.Symmetries[s].Actions {
			logits[a] += j.imageLogits[s*A+int(to)]
		}
		for k := range classes {
			classes[k] += j.imageClass[s*K+k]
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
func (j *evaluator) expectedGoals(state env.State, classes []float32, average bool) *[2]float64 {
	own, other, sum := 0.0, 0.0, 0.0
	if j.game.GoalHead {
		j.evaluate(state, average)
		own, other = min(max(j.goals[0], 0), 100), min(max(j.goals[1], 0), 100)
	} else {
		for k, p := range classes {
			own += float64(p) * float64(j.game.Classes[k].Goals[0])
			other += float64(p) * float64(j.game.Classes[k].Goals[1])
			sum += float64(p)
		}
		own, other = own/sum, other/sum // float32 probabilities add up to nearly 1
	}
	goals := env.ByPlayer(state.Player(), [2]float64{own, other})
	return &goals
}
