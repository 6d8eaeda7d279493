package train

import (
	"slices"

	"ludus/env"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
)

// sizeCounters are the totals of a run on one size of the board.
type sizeCounters struct {
	Games  int          `json:"games"`  // finished games
	Plies  int          `json:"plies"`  // of the finished games, openings included
	Sets   learn.Counts `json:"sets"`   // positions ever added to the training and validation sets
	Behind float64      `json:"behind"` // work (positions times cells) by which the size is behind its share
	Due    float64      `json:"due"`    // fraction of a training step that is due
}

// bySize returns the totals of each size.
func (c *counters) bySize() []sizeCounters {
	if len(c.Sizes) > 0 {
		return slices.Clone(c.Sizes)
	}
	return []sizeCounters{{Games: c.Games, Plies: c.Plies, Sets: c.Sets}}
}

// setSizes sets the totals of each size.
func (c *counters) setSizes(sizes []sizeCounters) {
	if len(sizes) > 1 {
		c.Sizes = sizes
	} else {
		c.Sets = sizes[0].Sets
	}
}

// setsOf returns the counts of the sets of each size.
func setsOf(sizes []sizeCounters) (sets []learn.Counts) {
	for i := range sizes {
		sets = append(sets, sizes[i].Sets)
	}
	return sets
}

// index returns the index of game among the run's sizes.
func (s *state) index(game *env.Game) int { return slices.Index(s.games, game) }

// weights returns how the work divides among the run's sizes in the next generation.
func (s *state) weights() []float64 {
	return plan.SizeWeights(len(s.games), plan.Share(&s.config.Plan, s.count.Generation+1))
}

// nextGame returns the game that the next generation plays; imported games are of the largest size.
func (s *state) nextGame() *env.Game {
	if s.importing() {
		return s.Game
	}
	var behind []float64
	var work []int
	for i, c := range s.count.bySize() {
		behind, work = append(behind, c.Behind), append(work, plan.Work(&s.config.Plan, s.Game, s.games[i]))
	}
	return s.games[plan.NextSize(behind, s.weights(), work)]
}

// setSpeed sets the clock's speed from positions of self-play on the board of game.
func (s *state) setSpeed(game *env.Game, positions int, seconds float64) {
	s.clock.Speed = float64(positions*game.Tensor.Cells()) / float64(s.Game.Tensor.Cells()) / seconds
}

// side returns the side of game's board if the run trains several sizes, otherwise 0.
func (s *state) side(game *env.Game) int {
	if len(s.games) == 1 {
		return 0
	}
	return game.Tensor.W
}

// inProgressPart returns the name of the checkpoint's part with the games in progress of game.
func (s *state) inProgressPart(game *env.Game) string {
	if game == s.Game {
		return rundir.GamesInProgressPart
	}
	return rundir.GamesInProgressOf(game.Tensor.W)
}

// countGames adds the generation's finished games and its work to the totals of their sizes.
func (r *run) countGames(sizes []sizeCounters, games []*record.Record) {
	for _, g := range games {
		c := &sizes[r.index(g.Game)]
		c.Games++
		c.Plies += g.Length()
	}
	for i, w := range r.weights() {
		sizes[i].Behind += w*float64(r.done()) - float64(r.work[i])
	}
}

// takeSteps returns the number of training steps of each size that are due after a generation, and counts them in
// sizes; nil if no size is ready. The positions that the generation added to the training sets give the cost of all
// steps, by their weight, and the sizes that are ready share it as they share the work of self-play. before are the
// counts before the generation; owed more steps are to be caught up.
func (r *run) takeSteps(sizes []sizeCounters, before []learn.Counts, owed int) (steps []int) {
	weights := r.weights()
	cost, ready := 0.0, 0.0
	for i, isReady := range r.learner.Ready() {
		if !isReady {
			weights[i] = 0
		}
		ready += weights[i]
		cost += float64(r.learner.Steps(sizes[i].Sets)-r.learner.Steps(before[i])) * r.cells(i)
	}
	if ready == 0 {
		return nil
	}
	each := 0.0 // steps per cost
	for i := range weights {
		weights[i] /= ready
		each += weights[i] / r.cells(i)
	}
	for i, w := range weights {
		c := &sizes[i]
		c.Due += w*cost/r.cells(i) + w/r.cells(i)/each*float64(owed)
		steps = append(steps, int(c.Due))
		c.Due -= float64(steps[i])
	}
	return steps
}

// cells returns the number of cells of the run's i-th size.
func (s *state) cells(i int) float64 { return float64(s.games[i].Tensor.Cells()) }
