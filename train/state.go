package train

import (
	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/learn"
	"ludus/train/plan"
	"ludus/train/rundir"
)

// state is what the parts of a run share. The opener creates it; after that only run changes config and count.
type state struct {
	Options
	config *rundir.Config
	games  []*env.Game // the sizes of the board that the run trains, ascending; the last is Game
	count  counters    // at the last commit, but for Factor
	clock  *plan.Clock
	store  *checkpoints.Store
}

// counters are the totals of a run, kept in each checkpoint's manifest.
type counters struct {
	Game       string         `json:"game"`
	Network    infer.Config   `json:"network"`
	Generation int            `json:"generation"`
	Steps      int            `json:"steps"`           // training steps
	Games      int            `json:"games"`           // finished games
	Plies      int            `json:"plies"`           // of the finished games, openings included
	Positions  int            `json:"positions"`       // searched positions
	Sets       learn.Counts   `json:"sets"`            // positions ever added to the training and validation sets; 0 in a run of several sizes
	Sizes      []sizeCounters `json:"sizes,omitempty"` // totals of each size, in a run of several
	Seconds    float64        `json:"seconds"`         // time spent on the run
	CPUSeconds float64        `json:"cpu_seconds"`
	Received   numbers        `json:"received,omitempty"`           // numbers of the games received from workers
	Factor     float64        `json:"simulations_factor,omitempty"` // factor of the workers' simulations per move, see nextFactor; 0 without workers
	Config     *rundir.Config `json:"config"`                       // config at that time
}

// done returns the counters in the form that package plan uses.
func (c *counters) done() plan.Done {
	return plan.Done{Generation: c.Generation, Seconds: c.Seconds, CPUSeconds: c.CPUSeconds}
}

// meanPlies is the mean length of the finished games of a size; before there are any, it is a guess.
func (s *state) meanPlies(game *env.Game) float64 {
	c := s.count.bySize()[s.index(game)]
	if c.Games == 0 {
		return float64(game.UsualPlies) / 2
	}
	return float64(c.Plies) / float64(c.Games)
}

// playShare is roughly self-play's share of a generation's time; only the progress display uses it.
const playShare = 0.6

// progress reports the phase and the completed share of the next generation, 0 to 1 (while rating: 0).
func (s *state) progress(phase Phase, done float64) {
	next := s.nextGame()
	p := Progress{
		Phase: phase, Generation: s.count.Generation, Generations: s.config.Plan.Generations, Games: s.count.Games,
		Size: s.side(next), Elapsed: s.clock.Elapsed(),
		Speed: s.clock.Speed * float64(s.Game.Tensor.Cells()) / float64(next.Tensor.Cells()),
	}
	p.Share, p.Remaining = s.clock.Progress(&s.config.Plan, float64(s.count.Generation)+done)
	if share, known := plan.DoneShare(s.config, s.count.done()); known {
		share = plan.PositionsShare(&s.config.Plan, s.games, s.count.Generation, share)
		p.Positions = int(float64(s.count.Positions) / share)
	}
	if phase != Testing {
		p.Generation++
	}
	s.Observe(Event{Progress: &p})
}
