package rundir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints"
)

// Names of files and folders in a run directory.
const (
	ConfigFile     = "config.json"
	RatingsFile    = "ratings.json"
	LockFile       = "lock"
	CheckpointsDir = "checkpoints"
	ServerDir      = "nats" // folder of the NATS server's files

	gamesDir    = "games"
	gamesSuffix = ".games"
)

// Names of the parts of a checkpoint.
const (
	WeightsPart         = "weights.safetensors"   // averaged weights, which play
	OptimizerPart       = "optimizer.safetensors" // current weights, and moments of the optimizer
	GamesInProgressPart = "games_in_progress"     // unfinished self-play games with their random generators
)

// GamesInProgressOf returns the name of the part with the games in progress on another size of the board than the run's
// game, with the given side.
func GamesInProgressOf(side int) string { return fmt.Sprintf("%s_%d", GamesInProgressPart, side) }

// ErrNoRun means that a directory is not a run directory.
var ErrNoRun = errors.New("not a run directory")

// Is reports whether dir looks like a run directory, possibly a new or damaged one.
func Is(dir string) bool {
	for _, name := range []string{ConfigFile, CheckpointsDir, LockFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// Lock makes the caller the run's only writer until it calls release. If the run has a writer already, the error wraps
// [checkpoints.ErrLocked].
func Lock(dir string) (release func(), err error) {
	if release, err = checkpoints.Lock(filepath.Join(dir, LockFile)); err != nil {
		return nil, fmt.Errorf("run %s: %w", dir, err)
	}
	return release, nil
}

// Locked reports whether a process holds the run's lock; false if the lock cannot be checked.
func Locked(dir string) bool { return checkpoints.Locked(filepath.Join(dir, LockFile)) }

// Checkpoints returns the run's checkpoints; there may be none.
func Checkpoints(dir string) *checkpoints.Store {
	return checkpoints.NewStore(filepath.Join(dir, CheckpointsDir))
}

// GamesPath returns the path of the file of a generation's self-play games.
func GamesPath(dir string, generation int) string {
	return filepath.Join(dir, gamesDir, fmt.Sprintf("%06d", generation)+gamesSuffix)
}

// GamesGenerations lists, in ascending order, the generations that have a file of self-play games.
func GamesGenerations(dir string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, gamesDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var generations []int
	for _, e := range entries {
		stem, isGames := strings.CutSuffix(e.Name(), gamesSuffix)
		if g, err := strconv.Atoi(stem); isGames && err == nil && filepath.Base(GamesPath(dir, g)) == e.Name() {
			generations = append(generations, g)
		}
	}
	slices.Sort(generations)
	return generations, nil
}
