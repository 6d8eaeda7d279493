package train

import (
	"time"

	"ludus/env"
	"ludus/train/rundir"
)

// DefaultTime is the plan of a run where neither time nor generations are asked for.
const DefaultTime = 8 * time.Minute

// lastConstant is the last generation before the final fall of the learning rate.
func lastConstant(p *rundir.Plan) int { return int(constantShare*float64(p.Generations)) + 1 }

// planShare is how much of the plan lies behind at the start of a generation, from 0 to 1.
func planShare(p *rundir.Plan, generation int) float64 {
	return float64(generation-1) / float64(p.Generations)
}

const (
	safety     = 0.95 // share of the time left that is planned for: slower hours need some
	leastGens  = 60   // generations a plan should have
	mostGens   = 250  // generations after which longer ones serve better than more: each costs a checkpoint
	leastGames = 12   // games that each slot should finish, of the greatest length
	leastSlots = 16
	mostSlots  = 256
	mostPlies  = 8 // plies of a generation where there are not too many
)

// fillPlan makes the plan for the given seconds: slots and plies where the settings leave them open, and generations.
func fillPlan(p *rundir.Plan, seconds float64, game *env.Game, s *rundir.Settings, cost cost) {
	position := cost.position + s.SamplesPerPosition*(1-s.ValidationShare)/float64(s.BatchSize)*cost.step
	room := seconds * (1 - s.RatingShare) * safety
	if p.ParallelGames = s.ParallelGames; p.ParallelGames == 0 {
		p.ParallelGames = min(max(int(room/position/float64(leastGames*game.MaxPlies)), leastSlots), mostSlots)
	}
	if p.PliesPerGeneration = s.PliesPerGeneration; p.PliesPerGeneration == 0 {
		plies := room / position / float64(p.ParallelGames)
		p.PliesPerGeneration = max(1, min(int(plies/leastGens), mostPlies), int(plies/mostGens))
	}
	generation := position*float64(p.ParallelGames*p.PliesPerGeneration) + cost.generation
	p.Generations = max(1, int(room/generation))
}

// adjustAt are the shares of the plan after which it is set right by what the last adjustOver generations took, all of
// them in the rate's constant stage.
var adjustAt = []float64{0.15, 0.4, 0.65}

const adjustOver = 3

// adjustPlan sets the plan right by the seconds of each of the last generations, when the run has spent some.
func adjustPlan(p *rundir.Plan, generation int, seconds []float64, spent float64, s *rundir.Settings) {
	recent := 0.0
	for _, took := range seconds {
		recent += took / float64(len(seconds))
	}
	for p.Adjusted < len(adjustAt) && planShare(p, generation+1) >= adjustAt[p.Adjusted] {
		p.Adjusted++
	}
	p.Generations = generation + max(1, int((p.Seconds*(1-finalShare(s))-spent)*(1-wayShare(s))*safety/recent))
}
