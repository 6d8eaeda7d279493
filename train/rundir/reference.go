package rundir

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints"
	"ludus/model/infer"
	"ludus/train/agent"
)

// LoadWeights reads the network that a reference names, from a run directory, a checkpoint's directory or a weights file.
// From a run it reads the newest intact checkpoint, or the one that the reference selects: that of a generation, or the
// best one still on disk and intact. If there is no PATH, PATH@3 as a whole may be a path. Errors wrap [agent.ErrWeights],
// and fs.ErrNotExist if the path does not exist.
func LoadWeights(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
	if whole := reference.String(); !exists(reference.Path) && exists(whole) {
		reference = agent.Reference{Path: whole}
	}
	data, origin, err := readWeights(reference.Path, reference.At)
	var weights *infer.Weights
	if err == nil {
		origin.Digest = fmt.Sprintf("%x", sha256.Sum256(data))
		weights, err = infer.Unmarshal(data)
		if ratings, err := ReadRatings(reference.Path); err == nil {
			origin.Dial = ratings.DialOf(origin.Generation)
		}
	}
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %v: %w", agent.ErrWeights, reference, err)
	}
	return weights, origin, nil
}

// exists reports whether there is a file or folder at path that can be seen.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// readWeights returns a weights file, or a checkpoint's weights; at selects the checkpoint, see LoadWeights.
func readWeights(path, at string) ([]byte, agent.Origin, error) {
	origin := agent.Origin{Path: path, Generation: -1}
	info, err := os.Stat(path)
	if err != nil {
		return nil, origin, err.(*fs.PathError).Err // the caller adds the path
	}
	if !info.IsDir() {
		if at != "" {
			return nil, origin, errors.New("@ selects a checkpoint of a run, and this is a file")
		}
		data, err := os.ReadFile(path)
		return data, origin, err
	}
	checkpoint, err := readCheckpoint(path, at, &origin)
	if err != nil {
		return nil, origin, err
	}
	origin.Generation = checkpoint.ID
	data := checkpoint.Part(WeightsPart)
	if data == nil {
		return nil, origin, fmt.Errorf("checkpoint %d has no part %s", checkpoint.ID, WeightsPart)
	}
	return data, origin, nil
}

// readCheckpoint reads the checkpoint at path, or if path is a run, the checkpoint that at selects in it.
func readCheckpoint(path, at string, origin *agent.Origin) (*checkpoints.Checkpoint, error) {
	if id, ok := checkpointID(path); ok {
		if at != "" {
			return nil, errors.New("@ selects a checkpoint of a run, and this is a checkpoint")
		}
		return checkpoints.NewStore(filepath.Dir(filepath.Clean(path))).Load(id)
	}
	if _, err := os.Stat(filepath.Join(path, CheckpointsDir)); err != nil {
		return nil, errors.New("the folder is neither a run nor a checkpoint")
	}
	if _, err := ReadConfig(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	store := Checkpoints(path)
	switch at {
	case "":
		checkpoint, damaged, err := store.Newest()
		origin.Damaged = damaged
		return checkpoint, err
	case "best":
		return bestCheckpoint(store, path)
	}
	id, err := strconv.Atoi(at)
	if err != nil {
		return nil, fmt.Errorf("generation %s: %w", at, err)
	}
	checkpoint, err := store.Load(id)
	if errors.Is(err, checkpoints.ErrNoCheckpoint) {
		ids, _ := store.List()
		return nil, fmt.Errorf("the run keeps no checkpoint of generation %d, only of %s",
			id, strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ", "), "[]"))
	}
	return checkpoint, err
}

// checkpointID returns the generation of the checkpoint at path. ok is false if path is no checkpoint's directory.
func checkpointID(path string) (int, bool) {
	if _, err := os.Stat(filepath.Join(path, "manifest.json")); err != nil {
		return 0, false
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return 0, false
	}
	id, err := strconv.Atoi(filepath.Base(absolute))
	return id, err == nil
}

// bestCheckpoint loads the best intact checkpoint according to the run's ratings, if it has any; see [Ratings.Best].
func bestCheckpoint(store *checkpoints.Store, dir string) (*checkpoints.Checkpoint, error) {
	ratings, err := ReadRatings(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	ids, err := store.List()
	for err == nil && len(ids) > 0 {
		best := ratings.Best(ids)
		checkpoint, loadErr := store.Load(best)
		if loadErr == nil {
			return checkpoint, nil
		}
		ids = slices.DeleteFunc(ids, func(id int) bool { return id == best })
	}
	checkpoint, _, err := store.Newest() // reports what is missing or damaged
	return checkpoint, err
}
