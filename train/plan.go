package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model"
	"ludus/model/infer"
)

// configVersion is the newest format of config.json that is understood.
const configVersion = 1

// DefaultTime is the plan of a run where neither time nor generations are asked for.
const DefaultTime = 8 * time.Minute

// Config is config.json: everything that a run's games and weights follow from.
type Config struct {
	Version  int      `json:"version"`
	Game     string   `json:"game"`
	Seed     uint64   `json:"seed"`
	From     string   `json:"from,omitempty"` // SHA-256 of the weights file that the run started from
	Settings Settings `json:"settings"`
	Plan     Plan     `json:"plan"`
}

// Plan is how far a run goes. It is made once and recorded, so that nothing later depends on the clock, except that a
// run over its time stops after a generation, which is recorded too.
type Plan struct {
	Seconds     float64 `json:"seconds,omitempty"` // time asked for; 0 where generations were
	Generations int     `json:"generations"`
	Slots       int     `json:"slots"`             // games in play
	Plies       int     `json:"plies"`             // that every slot advances in a generation
	Settled     int     `json:"settled,omitempty"` // how often Generations was set right by the run's own speed
	Stopped     int     `json:"stopped,omitempty"` // the generation after which the time was over; 0: it was not
	// More was asked of a run that had ended after generation Resumed: its learner went back to generation Rewound,
	// the last one kept from before the final fall of the learning rate.
	Resumed int `json:"resumed,omitempty"`
	Rewound int `json:"rewound,omitempty"`
}

// Last is the generation that ends the run.
func (p *Plan) Last() int {
	if p.Stopped > 0 {
		return p.Stopped
	}
	return p.Generations
}

// lastConstant is the last generation before the final fall of the learning rate.
func (p *Plan) lastConstant() int { return int(constantShare*float64(p.Generations)) + 1 }

// share is how much of the plan lies behind at the start of a generation, from 0 to 1.
func (p *Plan) share(generation int) float64 { return float64(generation-1) / float64(p.Generations) }

// A planned run keeps room for judging, and for a machine that turns out slower than it was when measured.
const (
	judgingShare = 0.05
	safety       = 0.95
	leastGens    = 60 // generations a plan should have
	leastGames   = 12 // games that each slot should finish, of the greatest length
	leastSlots   = 16
	mostSlots    = 256
	mostPlies    = 8 // plies of a generation
)

// fill makes the plan for the given seconds: slots and plies where the settings leave them open, and generations.
func (p *Plan) fill(seconds float64, game *env.Game, s *Settings, cost cost) {
	position := cost.position + s.Reuse*(1-s.HeldOut)/float64(s.Batch)*cost.step
	room := seconds * (1 - judgingShare) * safety
	if p.Slots = s.Slots; p.Slots == 0 {
		p.Slots = min(max(int(room/position/float64(leastGames*game.MaxPlies)), leastSlots), mostSlots)
	}
	if p.Plies = s.Plies; p.Plies == 0 {
		p.Plies = min(max(int(room/position/float64(p.Slots*leastGens)), 1), mostPlies)
	}
	generation := position*float64(p.Slots*p.Plies) + cost.generation
	p.Generations = max(1, int(room/generation))
}

// settleAt are the shares of the plan after which it is set right by what the last settleOver generations took, all of
// them in the rate's constant stage.
var settleAt = []float64{0.1, 0.35, 0.6}

const settleOver = 3

// settle sets the plan right by the seconds of each of the last generations, when the run has spent some.
func (p *Plan) settle(generation int, seconds []float64, spent float64) {
	recent := 0.0
	for _, s := range seconds {
		recent += s / float64(len(seconds))
	}
	for p.Settled < len(settleAt) && p.share(generation+1) >= settleAt[p.Settled] {
		p.Settled++
	}
	p.Generations = generation + max(1, int((p.Seconds*(1-judgingShare)*safety-spent)/recent))
}

// cost is what work takes on this machine, in seconds.
type cost struct{ position, step, generation float64 }

// measure plays in so many slots for at least so long.
const (
	measuredSlots = 64
	measuring     = 1500 * time.Millisecond
)

// measure plays and learns for a few seconds, with generators of its own, to find the cost of work.
func measure(ctx context.Context, game *env.Game, s *Settings, weights *infer.Weights, threads int) (cost, error) {
	c := cost{generation: 0.05}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return c, err
	}
	slots := make([]*slot, measuredSlots)
	for i := range slots {
		slots[i] = newSlot(game, s, uint64(i), -1)
		slots[i].scatter()
	}
	workers := newWorkers(game, s, slots, threads)
	start := time.Now()
	var played atomic.Int64
	for time.Since(start) < measuring {
		if err := playGeneration(ctx, workers, network, 1, &played); err != nil {
			return c, err
		}
	}
	c.position = time.Since(start).Seconds() / float64(played.Load())

	trainer, err := model.NewTrainer(game, weights, trainerConfig(s), parallel(threads))
	if err != nil {
		return c, err
	}
	defer trainer.Close()
	batch := anyBatch(game, s.Batch)
	const steps = 4
	for i := range steps + 1 {
		if i == 1 {
			start = time.Now() // the first one warms up
		}
		if _, err := trainer.Step(batch, s.Rate); err != nil {
			return c, err
		}
	}
	c.step = time.Since(start).Seconds() / steps
	return c, ctx.Err()
}

// scatter puts a fresh slot somewhere along a random game, so that slots together look like a run under way.
func (s *slot) scatter() {
	for plies := s.rng.IntN(max(1, s.game.MaxPlies)); plies > 0; plies-- {
		s.legal = s.state.Legal(s.legal[:0])
		s.playOpening(s.legal[s.rng.IntN(len(s.legal))])
		if s.state.Done() {
			s.state, s.rec.opening = s.game.NewState(), nil
		}
	}
	s.beginSearched()
}

// anyBatch is a batch whose step takes as long as any other's.
func anyBatch(game *env.Game, size int) *model.Batch {
	b := model.NewBatch(game, size)
	rng := rand.New(newPCG(0, "measure", 0))
	for i := range b.Inputs {
		b.Inputs[i] = rng.Float32()
	}
	for i := range b.Legal {
		b.Legal[i], b.Policy[i] = 1, 1/float32(game.NumActions())
	}
	for i := range b.Classes {
		b.Classes[i] = 1 / float32(len(game.Classes))
	}
	return b
}

// trainerConfig turns the settings into the trainer's.
func trainerConfig(s *Settings) model.Config {
	c := model.DefaultConfig()
	c.Decay = s.Decay
	return c
}

// Errors of opening a run; each is wrapped with what would be right.
var (
	ErrOtherGame = errors.New("the run directory belongs to another game")
	ErrContrary  = errors.New("what is asked for contradicts the run's config.json")
	ErrNoRun     = errors.New("not a run directory")
	ErrNetwork   = errors.New("the settings do not fit the network to start from")
)

// settingsBefore are what runs used that were made before a setting existed.
var settingsBefore = Settings{KeepNewest: 5, KeepEvery: 10}

// readConfig reads config.json of a run directory.
func readConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := &Config{Settings: settingsBefore}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, checkpoints.ErrDamaged, err)
	}
	if c.Version > configVersion {
		return nil, fmt.Errorf("%s: format version %d: %w", path, c.Version, checkpoints.ErrNewer)
	}
	if err := c.Settings.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if c.Plan.Generations < 1 || c.Plan.Plies < 1 || c.Plan.Slots < 1 {
		return nil, fmt.Errorf("%s: %w: a plan needs generations, slots and plies of at least 1", path, checkpoints.ErrDamaged)
	}
	return c, nil
}

// write makes config the run directory's config.json.
func (c *Config) write(dir string) error {
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return checkpoints.WriteFile(filepath.Join(dir, "config.json"), append(data, '\n'))
}
