package train

import (
	"ludus/checkpoints"
	"ludus/model/infer"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// state is what the parts of a run share. The opener makes it; after that only files changes config and count.
type state struct {
	Options
	config *rundir.Config
	count  counters // as of the last commit
	clock  *plan.Clock
	store  *checkpoints.Store
}

// counters are the totals of a run, kept in each checkpoint's manifest.
type counters struct {
	Game       string         `json:"game"`
	Network    infer.Config   `json:"network"`
	Generation int            `json:"generation"`
	Steps      int            `json:"steps"`     // of training
	Games      int            `json:"games"`     // finished
	Plies      int            `json:"plies"`     // of the finished games, openings included
	Positions  int            `json:"positions"` // searched
	Sets       learn.Counts   `json:"sets"`      // positions ever added to the training and validation sets
	Seconds    float64        `json:"seconds"`   // spent on the run
	CPUSeconds float64        `json:"cpu_seconds"`
	Received   numbers        `json:"received,omitempty"`           // games of workers
	Factor     float64        `json:"simulations_factor,omitempty"` // see nextFactor; 0 without workers
	Config     *rundir.Config `json:"config"`                       // at that time
}

// done is what a plan needs to know of the counters.
func (c *counters) done() plan.Done {
	return plan.Done{Generation: c.Generation, Seconds: c.Seconds, CPUSeconds: c.CPUSeconds}
}

// meanPlies is the mean length of the finished games; a guess before there are any.
func (s *state) meanPlies() float64 {
	if s.count.Games == 0 {
		return float64(s.Game.UsualPlies) / 2
	}
	return float64(s.count.Plies) / float64(s.count.Games)
}

// playShare is roughly self-play's share of a generation's time; only the progress display uses it.
const playShare = 0.6

// progress reports the phase and how much of the next generation is done, from 0 to 1; while rating done is 0.
func (s *state) progress(phase Phase, done float64) {
	p := Progress{
		Phase: phase, Generation: s.count.Generation, Generations: s.config.Plan.Generations, Games: s.count.Games,
		Speed: s.clock.Speed, Elapsed: s.clock.Elapsed(),
	}
	p.Share, p.Remaining = s.clock.Progress(&s.config.Plan, float64(s.count.Generation)+done)
	if share, known := plan.DoneShare(s.config, s.count.done()); known {
		p.Positions = int(float64(s.count.Positions) / share)
	}
	if phase != Rating {
		p.Generation++
	}
	s.Observe(Event{Progress: &p})
}
