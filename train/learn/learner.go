package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/seed"
)

// The learning rate rises for warmUpSteps steps or warmUpShare of the plan's generations, whichever ends first. It
// stays constant until [ConstantShare] of the generations and then decays along a cosine to finalFraction of its peak.
// For the first outcomeOnlyShare of the generations, the value target is the game's outcome alone.
const (
	warmUpSteps      = 200
	warmUpShare      = 0.05
	ConstantShare    = 0.5
	finalFraction    = 0.02
	outcomeOnlyShare = 0.1
)

// learningRateFactor returns the learning rate as a fraction of its peak: warm-up, constant, then cosine decay. share
// is the completed share of the plan's generations, in [0, 1]; step is the number of training steps done.
func learningRateFactor(share float64, step int) float64 {
	warm := min(1, max(float64(step+1)/warmUpSteps, share/warmUpShare))
	if share <= ConstantShare {
		return warm
	}
	decayed := min(1, (share-ConstantShare)/(1-ConstantShare))
	return warm * (finalFraction + (1-finalFraction)*(1+math.Cos(math.Pi*decayed))/2)
}

// maxLoss is the mean loss of a generation, in nats, above which training has diverged. Uniform play has a policy loss
// of 2 to 5, and a network that is sure of wrong moves one of about 20.
const maxLoss = 1000

// Learner trains the network on a replay window for each size of the board. It keeps a share of the games out of the
// windows as validation sets. It owns the weights, the optimizer's state, and all sets. Its methods must not be called
// concurrently.
type Learner struct {
	Trainer *model.Trainer // holds the weights and the optimizer's state; only the learner takes steps

	settings *rundir.Settings
	seed     uint64
	sizes    []*size
	samples  []sample // samples of the next batch to write
	next     []sample // samples of the batch after that
	parallel func(n int, do func(i int))
}

// size is what a learner keeps for one size of the board.
type size struct {
	game       *env.Game
	training   window
	validation window
	batch      *model.Batch
	samplers   [batchParts]*sampler // one for each part of a batch
}

// batchParts is the number of parts into which a batch is divided for writing in parallel.
const batchParts = 32

// Counts are the numbers of positions of one size added to the training set and the validation set.
type Counts struct {
	Training   int     `json:"training"`
	Validation int     `json:"validation"`
	Weight     float64 `json:"weight"` // total weight of the training set's positions; repeated ones count less, see window.add
}

// New returns a learner with empty sets for each of the games, which differ in the size of the board. It trains the
// given weights, those of the last game, on several threads. It keeps settings. seed is the run's. It returns an error
// if the weights do not fit the games.
func New(games []*env.Game, settings *rundir.Settings, seed uint64, weights *infer.Weights, threads int) (*Learner, error) {
	config, run := model.DefaultConfig(), parallel.Runner(threads)
	config.WeightDecay = settings.WeightDecay
	trainer, err := model.NewTrainer(games, weights, config, run)
	if err != nil {
		return nil, err
	}
	return newLearner(games, settings, seed, trainer, run), nil
}

// newLearner returns a learner with empty sets; run is a [parallel.Runner].
func newLearner(
	games []*env.Game, settings *rundir.Settings, seed uint64, trainer *model.Trainer, run func(n int, do func(i int)),
) *Learner {
	l := &Learner{Trainer: trainer, settings: settings, seed: seed, parallel: run}
	for _, game := range games {
		s := &size{
			game: game, training: window{game: game}, validation: window{game: game},
			batch: model.NewBatch(game, settings.BatchSize),
		}
		for i := range s.samplers {
			s.samplers[i] = newSampler(game)
		}
		l.sizes = append(l.sizes, s)
	}
	return l
}

// index returns the index in l.sizes of game's size; -1 if the learner does not train it.
func (l *Learner) index(game *env.Game) int {
	return slices.IndexFunc(l.sizes, func(s *size) bool { return s.game == game })
}

// Positions returns the number of positions in the replay windows.
func (l *Learner) Positions() (n int) {
	for _, s := range l.sizes {
		n += s.training.positions
	}
	return n
}

// Ready reports whether the replay window of each size holds enough positions for a batch of distinct samples.
func (l *Learner) Ready() (ready []bool) {
	for _, s := range l.sizes {
		ready = append(ready, s.training.positions >= l.settings.BatchSize)
	}
	return ready
}

// split divides games into those of each size, and these into training games (0) and validation games (1). It leaves
// out games of sizes that the learner does not train. first is the number in the run of games[0]. The names of the
// random streams in this file must not change, since then a seed would give other weights.
func (l *Learner) split(games []*record.Record, first int) [][2][]*record.Record {
	sets := make([][2][]*record.Record, len(l.sizes))
	for i, r := range games {
		set := 0
		if rand.New(seed.New(l.seed, "held out", first+i)).Float64() < l.settings.ValidationShare {
			set = 1
		}
		if at := l.index(r.Game); at >= 0 {
			sets[at][set] = append(sets[at][set], r)
		}
	}
	return sets
}

// Add splits games into training and validation games and adds them to the windows of their sizes. first is the number
// in the run of games[0]. before counts the positions of all earlier games by size; Add returns the counts with these
// games, each of whose positions counts as the given share of one.
func (l *Learner) Add(games []*record.Record, first int, before []Counts, share float64) []Counts {
	after := slices.Clone(before)
	for i, sets := range l.split(games, first) {
		c, s := &after[i], l.sizes[i]
		c.Training += int(share * float64(record.Count(sets[0])))
		c.Validation += int(share * float64(record.Count(sets[1])))
		most := l.windowSizes(*c)
		c.Weight += share * s.training.add(sets[0], most.Training)
		s.validation.add(sets[1], most.Validation)
	}
	return after
}

// Restore fills the empty windows as they were after the positions counted in added, by size. read returns the games of
// a generation and the number in the run of the first game; Restore calls it for generations from last backwards until
// all windows are full. It skips generations for which read returns no games.
func (l *Learner) Restore(added []Counts, last int, read func(generation int) ([]*record.Record, int, error)) error {
	need := make([]Counts, len(added))
	for i := range added {
		need[i] = l.windowSizes(added[i])
	}
	short := func(c Counts) bool { return c.Training > 0 || c.Validation > 0 }
	var generations [][][2][]*record.Record // games by generation, newest first, by size and set
	for g := last; g > 0 && slices.ContainsFunc(need, short); g-- {
		games, first, err := read(g)
		if err != nil {
			return err
		}
		split := l.split(games, first)
		generations = append(generations, split)
		for i, sets := range split {
			need[i].Training -= record.Count(sets[0])
			need[i].Validation -= record.Count(sets[1])
		}
	}
	for _, split := range slices.Backward(generations) {
		for i, sets := range split {
			most := l.windowSizes(added[i])
			l.sizes[i].training.add(sets[0], most.Training)
			l.sizes[i].validation.add(sets[1], most.Validation)
		}
	}
	return nil
}

// windowSizes returns how many positions each window should hold when added counts all positions so far. Windows grow
// more slowly than these counts, so they never need dropped games again. Sizes of the validation window are scaled by
// validation_share.
func (l *Learner) windowSizes(added Counts) Counts {
	start, scale := l.settings.ReplayWindow, l.settings.ValidationShare
	return Counts{
		Training:   windowSize(added.Training, start, maxWindow),
		Validation: windowSize(added.Validation, max(1, int(float64(start)*scale)), int(maxWindow*scale)),
	}
}

// Steps returns the number of training steps due after the positions counted in added, by their weight.
func (l *Learner) Steps(added Counts) int {
	return int(added.Weight * l.settings.SamplesPerPosition / float64(l.settings.BatchSize))
}

// Train measures the losses on a batch of the validation set of game's size and then takes the given number of training
// steps of each size, evenly mixed. share is the completed share of the plan's generations. Train sets the losses of
// game's size and the learning rate in m, and reports the completed share of the steps. It returns ctx's error. If
// training diverges, the error wraps [model.ErrDiverged] and the weights are useless.
func (l *Learner) Train(
	ctx context.Context, m *rundir.Metrics, game *env.Game, steps []int, share float64, report func(done float64),
) error {
	valueMix := 0.0
	if share > outcomeOnlyShare {
		valueMix = l.settings.ValueMix
	}
	own := l.index(game)
	if s := l.sizes[own]; s.validation.positions > 0 {
		l.draw(&s.validation, rand.New(seed.New(l.seed, "held-out batch", m.Generation)))
		l.fill(s, &s.validation, valueMix)
		losses, err := l.Trainer.Losses(s.batch)
		if err != nil {
			return err
		}
		m.ValidationPolicyLoss, m.ValidationOutcomeLoss = losses.Policy, losses.Outcome
	}
	rng := rand.New(seed.New(l.seed, "learner", m.Generation))
	order := mixed(steps)
	draw := func(i int) {
		if i < len(order) {
			l.draw(&l.sizes[order[i]].training, rng)
		}
	}
	draw(0)
	for i, at := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := l.sizes[at]
		l.fill(s, &s.training, valueMix)
		m.LearningRate = l.settings.LearningRate * learningRateFactor(share, l.Trainer.Steps())
		losses, err := l.Trainer.Step(s.batch, m.LearningRate, func() { draw(i + 1) }) // draws the next samples meanwhile
		if err != nil {
			return err
		}
		if at == own {
			n := float64(steps[own])
			m.PolicyLoss += losses.Policy / n
			m.ReplyLoss += losses.Reply / n
			m.OutcomeLoss += losses.Outcome / n
			m.GoalsLoss += losses.Goals / n
		}
		report(float64(i+1) / float64(len(order)))
	}
	if m.PolicyLoss > maxLoss || m.OutcomeLoss > maxLoss {
		return fmt.Errorf("%w: the policy loss or the outcome loss exceeds %d", model.ErrDiverged, maxLoss)
	}
	return nil
}

// mixed returns the size of each step, given the number of steps of each size: those of a size are evenly spaced.
func mixed(steps []int) (order []int) {
	type step struct {
		time float64 // in [0, 1]
		size int
	}
	var all []step
	for at, n := range steps {
		for i := range n {
			all = append(all, step{(float64(i) + 0.5) / float64(n), at})
		}
	}
	slices.SortStableFunc(all, func(a, b step) int { return cmp.Compare(a.time, b.time) })
	for _, x := range all {
		order = append(order, x.size)
	}
	return order
}

// draw draws the samples of the batch after the next from w into l.next.
func (l *Learner) draw(w *window, rng *rand.Rand) {
	l.next = drawSamples(l.next[:0], l.settings.BatchSize, w, rng)
}

// fill makes the drawn samples current and writes them to the batch of size s. w is the window that they were drawn
// from.
func (l *Learner) fill(s *size, w *window, valueMix float64) {
	l.samples, l.next = l.next, l.samples
	l.write(s.batch, s, w, valueMix)
}

// write writes the current samples, of window w of size s, to batch, in parallel.
func (l *Learner) write(batch *model.Batch, s *size, w *window, valueMix float64) {
	n := len(l.samples)
	l.parallel(batchParts, func(part int) {
		for i := part * n / batchParts; i < (part+1)*n/batchParts; i++ {
			s.samplers[part].write(batch, i, w, l.samples[i], valueMix)
		}
	})
}
