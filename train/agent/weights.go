package agent

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
)

// Origin says where weights were read from.
type Origin struct {
	Path       string // the file, checkpoint or run that was named, without @GENERATION
	Generation int    // of the checkpoint; -1 for a weights file
	Digest     string // SHA-256 of the weights that were read, in hexadecimal
	// Damaged names what was passed over: checkpoints of the run, newer than this one, that are not whole.
	Damaged []error
}

// ErrWeights is wrapped by errors about what [ReadWeights] is to read.
var ErrWeights = errors.New("no network")

// weightsPart is the part of a checkpoint that holds the averaged weights.
const weightsPart = "weights.safetensors"

// ReadWeights reads the network of a reference PATH[@GENERATION|@best]: PATH is a run's folder, of which the newest whole
// checkpoint is read, or the one that is asked for; a checkpoint's folder; or a weights file. Errors wrap [ErrWeights].
func ReadWeights(reference string) (*infer.Weights, Origin, error) {
	path, at := SplitReference(reference)
	data, origin, err := readWeights(path, at)
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %s: %w", ErrWeights, reference, err)
	}
	origin.Digest = fmt.Sprintf("%x", sha256.Sum256(data))
	weights, err := infer.Unmarshal(data)
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %s: %w", ErrWeights, reference, err)
	}
	return weights, origin, nil
}

// readNetwork reads a network that plays game.
func readNetwork(game *env.Game, reference string, read Loader) (*infer.Network, Origin, error) {
	weights, origin, err := read(reference)
	if err != nil {
		return nil, origin, err
	}
	if weights.Config.Game != game.Name {
		return nil, origin, fmt.Errorf("%w of %s in %s: it plays %s", ErrWeights, game.Name, reference, weights.Config.Game)
	}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %s: %w", ErrWeights, reference, err)
	}
	if overflows(network) {
		return nil, origin, fmt.Errorf("%w in %s: its weights are so large that what it says of the first position is no number",
			ErrWeights, reference)
	}
	return network, origin, nil
}

// overflows tells whether the network says no finite number of the first position. Finite weights, which files must hold, can
// still be too large: those of a run that diverged, say.
func overflows(network *infer.Network) bool {
	game := network.Game()
	logits, classes := make([]float32, game.NumActions()), make([]float32, len(game.Classes))
	network.NewEvaluator(1).Evaluate([]env.State{game.NewState()}, logits, classes)
	return slices.ContainsFunc(slices.Concat(logits, classes), func(x float32) bool { return x-x != 0 })
}

// SplitReference splits PATH@12 into PATH and 12, and PATH@best; any other @ belongs to the path.
func SplitReference(reference string) (path, at string) {
	if i := strings.LastIndexByte(reference, '@'); i > 0 {
		if n, err := strconv.Atoi(reference[i+1:]); reference[i+1:] == "best" || err == nil && n >= 0 {
			return reference[:i], reference[i+1:]
		}
	}
	return reference, ""
}

// readWeights finds out what path is and returns the bytes of the weights.
func readWeights(path, at string) ([]byte, Origin, error) {
	origin := Origin{Path: path, Generation: -1}
	info, err := os.Stat(path)
	if err != nil {
		return nil, origin, missing(path, err)
	}
	if !info.IsDir() {
		if at != "" {
			return nil, origin, errors.New("@ chooses a checkpoint of a run, and this is a file")
		}
		data, err := os.ReadFile(path)
		return data, origin, err
	}
	checkpoint, err := readCheckpoint(path, at, &origin)
	if err != nil {
		return nil, origin, err
	}
	origin.Generation = checkpoint.ID
	data := checkpoint.Part(weightsPart)
	if data == nil {
		return nil, origin, fmt.Errorf("checkpoint %d has no part %s", checkpoint.ID, weightsPart)
	}
	return data, origin, nil
}

// missing explains why path cannot be used; a misspelt option that became part of it is a likely reason.
func missing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, option, ok := strings.Cut(path, ","); ok {
		key, _, assigned := strings.Cut(option, "=")
		if near := env.Nearest(key, optionKeys["net"]); assigned && near != "" {
			return fmt.Errorf("there is no such file or folder; did you mean the option %q?", near)
		}
	}
	return errors.New("there is no such file or folder")
}

// readCheckpoint reads the checkpoint that path is, or the one of the run at path that is asked for.
func readCheckpoint(path, at string, origin *Origin) (*checkpoints.Checkpoint, error) {
	if id, ok := checkpointID(path); ok {
		if at != "" {
			return nil, errors.New("@ chooses a checkpoint of a run, and this is one checkpoint")
		}
		store, err := checkpoints.Open(filepath.Dir(filepath.Clean(path)))
		if err != nil {
			return nil, err
		}
		return store.Load(id)
	}
	dir := filepath.Join(path, "checkpoints")
	if _, err := os.Stat(dir); err != nil {
		return nil, errors.New("the folder is neither a run nor a checkpoint")
	}
	store, err := checkpoints.Open(dir)
	if err != nil {
		return nil, err
	}
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
		return nil, fmt.Errorf("the run keeps no checkpoint of generation %d; it has %v", id, ids)
	}
	return checkpoint, err
}

// checkpointID reports whether path is a checkpoint's folder, and which.
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

// bestCheckpoint loads the best generation that the run in dir keeps whole, by ratings.json, or, where that rates none of
// them, by arena.jsonl.
func bestCheckpoint(store *checkpoints.Store, dir string) (*checkpoints.Checkpoint, error) {
	data, err := os.ReadFile(filepath.Join(dir, "ratings.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	matches := filepath.Join(dir, "arena.jsonl")
	lines, err := checkpoints.ReadLines(matches)
	if err != nil {
		return nil, err
	}
	for _, generation := range append(rated(data), byRating(lines)...) {
		if checkpoint, err := store.Load(generation); err == nil {
			return checkpoint, nil
		}
	}
	return nil, fmt.Errorf("%s rates no checkpoint that the run keeps", matches)
}

// rated lists the generations of ratings.json, first the one that is surely best: whose interval's lower end is highest. One
// that was lucky in a few games may have a higher rating.
func rated(data []byte) (generations []int) {
	type agent struct {
		Generation *int
		Low        float64
	}
	var table struct{ Agents []agent }
	if json.Unmarshal(data, &table) != nil {
		return nil
	}
	slices.SortStableFunc(table.Agents, func(a, b agent) int { return cmp.Compare(b.Low, a.Low) })
	for _, a := range table.Agents {
		if a.Generation != nil {
			generations = append(generations, *a.Generation)
		}
	}
	return generations
}

// byRating orders generations by their newest score against the opponent that most of them have met, the best first, the
// newer one of equals. Each line is the JSON of a match; what it says of no generation is passed over.
func byRating(lines [][]byte) []int {
	scores := make(map[string]map[int]float64) // by opponent and generation
	yardstick := ""
	for _, line := range lines {
		var match struct {
			Generation *int
			Agent      string
			Opponent   string
			Score      *float64
		}
		if json.Unmarshal(line, &match) != nil || match.Generation == nil || match.Score == nil ||
			match.Agent != "" && !strings.HasPrefix(match.Agent, "net") { // baselines meet, too
			continue
		}
		if scores[match.Opponent] == nil {
			scores[match.Opponent] = make(map[int]float64)
		}
		scores[match.Opponent][*match.Generation] = *match.Score
		if len(scores[match.Opponent]) > len(scores[yardstick]) {
			yardstick = match.Opponent
		}
	}
	rated := scores[yardstick]
	return slices.SortedFunc(maps.Keys(rated), func(a, b int) int {
		return cmp.Or(cmp.Compare(rated[b], rated[a]), cmp.Compare(b, a))
	})
}
