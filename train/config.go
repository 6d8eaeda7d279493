package train

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ludus/checkpoints"
	"ludus/model"
)

// configVersion is the format of config.json.
const configVersion = 2

// Config is config.json: what a run's games and weights follow from, with the weights file that it started from, if any.
type Config struct {
	Version  int      `json:"version"`
	Game     string   `json:"game"`
	Seed     uint64   `json:"seed"`
	From     string   `json:"from,omitempty"` // SHA-256 of the weights file that the run started from
	Settings Settings `json:"settings"`
	Plan     Plan     `json:"plan"`
}

// Errors of opening a run; each is wrapped with what would be right.
var (
	ErrOtherGame = errors.New("the run directory belongs to another game")
	ErrContrary  = errors.New("what is asked for contradicts the run's config.json")
	ErrNoRun     = errors.New("not a run directory")
	ErrNetwork   = errors.New("the settings do not fit the network to start from")
)

// ReadConfig reads config.json of a run directory. The error wraps fs.ErrNotExist where there is none, checkpoints.ErrDamaged or
// checkpoints.ErrVersion.
func ReadConfig(dir string) (*Config, error) {
	path := filepath.Join(dir, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parseConfig(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// parseConfig reads a config.json. Errors wrap checkpoints.ErrDamaged or checkpoints.ErrVersion.
func parseConfig(data []byte) (*Config, error) {
	c := new(Config)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoints.ErrDamaged, err)
	}
	if c.Version != configVersion {
		return nil, fmt.Errorf("format version %d, this program reads %d: %w", c.Version, configVersion, checkpoints.ErrVersion)
	}
	if err := c.Settings.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", checkpoints.ErrDamaged, err)
	}
	if c.Plan.Generations < 1 || c.Plan.PliesPerGeneration < 1 || c.Plan.ParallelGames < 1 {
		return nil, fmt.Errorf("%w: a plan needs at least 1 generation, game and ply", checkpoints.ErrDamaged)
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

// trainerConfig turns the settings into the trainer's.
func trainerConfig(s *Settings) model.Config {
	c := model.DefaultConfig()
	c.Decay = s.WeightDecay
	return c
}
