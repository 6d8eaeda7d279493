package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/rundir"
)

// Kind and version in the header of a file of finished games.
const (
	fileKind    = "ludus-games"
	fileVersion = 3
)

// Write writes the games that finished in a generation to the run directory. first is the number of records[0] among the
// run's games.
func Write(dir string, generation, first int, records []*Record) error {
	path := rundir.GamesPath(dir, generation)
	if err := checkpoints.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	payload := append(binary.AppendUvarint(nil, uint64(first)), marshal(records)...)
	return checkpoints.WriteFile(path, checkpoints.Seal(fileKind, fileVersion, payload))
}

// Read reads the games that finished in a generation of a run of game; they may be on other sizes of its board. first is
// the number of records[0] among the run's games. Errors wrap fs.ErrNotExist, checkpoints.ErrDamaged or
// checkpoints.ErrVersion.
func Read(game *env.Game, dir string, generation int) (records []*Record, first int, err error) {
	path := rundir.GamesPath(dir, generation)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, fmt.Errorf("games of generation %d: %w", generation, err)
	}
	find := func(side int) (*env.Game, error) {
		if side == game.Tensor.W {
			return game, nil
		}
		return games.Resized(game, side)
	}
	payload, err := checkpoints.Unseal(fileKind, fileVersion, data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	n, size := binary.Uvarint(payload)
	if size <= 0 {
		return nil, 0, fmt.Errorf("%s: %w", path, checkpoints.ErrDamaged)
	}
	if records, err = unmarshal(find, payload[size:]); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %w", path, checkpoints.ErrDamaged, err)
	}
	return records, int(n), nil
}

// IsLost reports whether an error of [Read] means that the file is damaged or missing.
func IsLost(err error) bool {
	return errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}
