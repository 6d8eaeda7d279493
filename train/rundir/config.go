package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
)

// configVersion is the format version of config.json.
const configVersion = 4

// Config is the content of config.json. Games and weights follow from it and, if any, the weights file named by From
// and the files named by Import.
type Config struct {
	Version  int      `json:"version"`
	Game     string   `json:"game"`
	Seed     uint64   `json:"seed"`
	From     string   `json:"from,omitempty"`   // SHA-256 of the weights file that the run started from, in hexadecimal
	Sheet    string   `json:"sheet,omitempty"`  // the rule sheet, if the game has one
	Import   *Import  `json:"import,omitempty"` // games of other players that the run learned from first; nil: none
	ID       string   `json:"id,omitempty"`     // random id of a run with workers, by which they know whose games they play
	Settings Settings `json:"settings"`
	Plan     Plan     `json:"plan"`
}

// Import says which games of other players a run learned from.
type Import struct {
	Files       []ImportedFile `json:"files"`
	Games       int            `json:"games"`       // that count: with a result, and moves to learn
	Positions   int            `json:"positions"`   // of these games
	Generations int            `json:"generations"` // the first ones of the run, which learn from them
	Every       int            `json:"every"`       // they learn from one in so many of the games
}

// ImportedFile is a file of games.
type ImportedFile struct {
	Name   string `json:"name"` // its path, as given
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // in hexadecimal
}

// Plan is the length of a run and the size of its generations. With --time it is estimated by measuring the machine,
// adjusted a few times to the run's own speed, and cut short when the time is over. Nothing else in a run depends on
// the clock. People can change the length.
type Plan struct {
	Seconds            float64 `json:"seconds,omitempty"`    // the run's time limit; 0 if it was given as generations
	CPU                bool    `json:"cpu,omitempty"`        // Seconds is CPU time of the process
	Generations        int     `json:"generations"`          // at least 1
	ParallelGames      int     `json:"parallel_games"`       // at least 1
	PliesPerGeneration int     `json:"plies_per_generation"` // plies by which a generation advances each game, at least 1
	Adjusted           int     `json:"adjusted,omitempty"`   // number of times that Generations was adjusted
	Stopped            int     `json:"stopped,omitempty"`    // last generation of a run whose time was over early; 0: none
	Changed            int     `json:"changed,omitempty"`    // newest generation after which Generations changed while the learning rate was at its peak
	// Decayed is the newest generation after which Generations changed while the learning rate decayed; 0: none.
	// DecayedShare is the share of the learning rate's schedule that was complete then. The rest of it spreads over the
	// generations left.
	Decayed      int     `json:"decayed,omitempty"`
	DecayedShare float64 `json:"decayed_share,omitempty"`
	Diverged     int     `json:"diverged,omitempty"` // generation in which training diverged, which was not committed; 0: none
	// Fields of a run that was extended after its learning rate had decayed. Resumed is the last generation before the
	// extension. Rewound is the earlier generation, before the learning rate's final decay, whose weights the learner
	// went back to.
	Resumed int `json:"resumed,omitempty"`
	Rewound int `json:"rewound,omitempty"`
}

// Last returns the generation that ends the run.
func (p *Plan) Last() int {
	if p.Stopped > 0 {
		return p.Stopped
	}
	return p.Generations
}

// LengthOption returns the option of "ludus train" that gives a run this length, and the option's value, times in whole
// milliseconds.
func (p *Plan) LengthOption() (name, value string) {
	length := time.Duration(p.Seconds * float64(time.Second)).Round(time.Millisecond)
	switch {
	case p.CPU:
		return "--cpu", ShortDuration(length)
	case p.Seconds > 0:
		return "--time", ShortDuration(length)
	}
	return "--generations", strconv.Itoa(p.Generations)
}

// ShortDuration formats a duration like 16m or 1h30m, without units of 0.
func ShortDuration(d time.Duration) string {
	return strings.NewReplacer("h0m0s", "h", "h0m", "h", "m0s", "m").Replace(d.String())
}

// NewConfig returns the config of a new run, without a plan.
func NewConfig(game string, seed uint64, settings Settings) *Config {
	return &Config{Version: configVersion, Game: game, Seed: seed, Settings: settings}
}

// ReadConfig reads the config.json of a run directory and validates it. Without one the error wraps fs.ErrNotExist.
func ReadConfig(dir string) (*Config, error) {
	c, err := readFile[Config](filepath.Join(dir, ConfigFile))
	if err == nil {
		c.Game = env.Renamed(c.Game)
	}
	return c, err
}

// Open reads the config of the run in dir and restores its game. Without a config the error wraps ErrNoRun and
// fs.ErrNotExist.
func Open(dir string) (*Config, *env.Game, error) {
	config, err := ReadConfig(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w: %w", dir, ErrNoRun, err)
	}
	if err != nil {
		return nil, nil, err
	}
	game, err := games.Restore(config.Game, config.Sheet)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), err)
	}
	return config, game, nil
}

func (c *Config) check() error {
	if c.Version != configVersion {
		return versionError(c.Version, configVersion)
	}
	if err := c.Settings.Validate(); err != nil {
		return err
	}
	if c.Plan.Generations < 1 || c.Plan.PliesPerGeneration < 1 || c.Plan.ParallelGames < 1 {
		return errors.New("a plan needs at least 1 generation, game and ply")
	}
	if i := c.Import; i != nil && (i.Generations < 1 || i.Every < 1 || i.Games < i.Generations) {
		return errors.New("an import needs at least 1 generation, and a game for each")
	}
	return nil
}

// Write replaces the config.json of a run directory atomically.
func (c *Config) Write(dir string) error { return writeJSON(filepath.Join(dir, ConfigFile), c) }

// readFile reads and parses the file at path.
func readFile[T any](path string) (*T, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	x, err := parseFile[T](data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return x, nil
}

// parseFile parses the content of a file. Errors wrap [checkpoints.ErrVersion] or [checkpoints.ErrDamaged].
func parseFile[T any](data []byte) (*T, error) {
	x, err := parse[T](env.SkipByteOrderMark(data))
	if err != nil && !errors.Is(err, checkpoints.ErrVersion) {
		err = fmt.Errorf("%w: %w", checkpoints.ErrDamaged, err)
	}
	return x, err
}

// versionError returns the error for a file of the given format version if this program reads want.
func versionError(version, want int) error {
	return fmt.Errorf("format version %d, this program reads %d: %w", version, want, checkpoints.ErrVersion)
}

// writeJSON replaces the file at path atomically with x as JSON.
func writeJSON(path string, x any) error {
	data, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	return checkpoints.WriteFile(path, append(data, '\n'))
}
