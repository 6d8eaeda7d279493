package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/rundir"
)

// gamesKind and gamesVersion mark a file of finished games.
const (
	gamesKind    = "ludus-games"
	gamesVersion = 1
)

// writeGames leaves a generation's finished games in the run directory.
func (r *run) writeGames(generation int, games []*record) error {
	path := rundir.GamesPath(r.Dir, generation)
	if err := checkpoints.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	payload := binary.AppendUvarint(nil, uint64(r.count.Games)) // the number of the first
	payload = append(payload, marshalRecords(games)...)
	return checkpoints.WriteFile(path, checkpoints.Seal(gamesKind, gamesVersion, payload))
}

// readGames reads a generation's finished games and the number of the first in the run.
func readGames(game *env.Game, dir string, generation int) (records []*record, first int, err error) {
	path := rundir.GamesPath(dir, generation)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	payload, version, err := checkpoints.Unseal(gamesKind, data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	if version > gamesVersion {
		return nil, 0, fmt.Errorf("%s: format version %d: %w", path, version, checkpoints.ErrVersion)
	}
	n, size := binary.Uvarint(payload)
	if size <= 0 {
		return nil, 0, fmt.Errorf("%s: %w", path, checkpoints.ErrDamaged)
	}
	if records, err = unmarshalRecords(game, payload[size:]); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %w", path, checkpoints.ErrDamaged, err)
	}
	return records, int(n), nil
}

// loadWindow fills the learner's windows as they were at the checkpoint: from the newest files back until both hold
// what they need. A damaged file's games are missed, since nothing else holds them.
func (r *run) loadWindow() error {
	l := r.learner
	l.entered = r.count.Entered
	size, keptSize := l.sizes()
	var generations [][2][]*record // taught and held out, newest first
	for g, need, needKept := r.count.Generation, size, keptSize; g > 0 && (need > 0 || needKept > 0); g-- {
		records, first, err := readGames(r.Game, r.Dir, g)
		if isLost(err) {
			r.tell(Event{Note: fmt.Sprintf("%v; going on without its games", err)})
			continue
		}
		if err != nil {
			return err
		}
		taught, kept := l.split(records, first)
		generations = append(generations, [2][]*record{taught, kept})
		need -= positionsOf(taught)
		needKept -= positionsOf(kept)
	}
	for _, games := range slices.Backward(generations) {
		l.window.add(games[0], size)
		l.heldOut.add(games[1], keptSize)
	}
	return nil
}

// isLost says that a file of games is damaged or gone.
func isLost(err error) bool {
	return errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}

func positionsOf(records []*record) int {
	n := 0
	for _, r := range records {
		n += len(r.plies)
	}
	return n
}

// dropNewer removes what a stopped process wrote of generations after the checkpoint; their files of games are
// overwritten in their turn.
func (r *run) dropNewer() error {
	if err := rundir.DropAfter(r.Dir, r.count.Generation); err != nil {
		return err
	}
	return r.dropNewerRatings()
}

// summary reads back what the run has come to.
func (r *run) summary(already bool) (*Summary, error) {
	s := &Summary{
		Dir: r.Dir, Config: *r.config, Already: already, Games: r.count.Games, Positions: r.count.Positions,
		Steps: r.learner.trainer.Steps(), Seconds: r.count.Seconds,
	}
	judged, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return nil, err
	}
	for _, j := range judged {
		if j.Generation == r.count.Generation && j.Final {
			s.Judged = append(s.Judged, j)
		}
	}
	if table, err := rundir.ReadRatings(r.Dir); err == nil {
		s.Rated = table.Find(r.count.Generation)
	}
	var varied variety
	for g := r.count.Generation; g > 0 && varied.searched < mostVariety; g-- {
		records, _, err := readGames(r.Game, r.Dir, g)
		if isLost(err) {
			r.tell(Event{Note: fmt.Sprintf("%v; it is left out of the summary", err)})
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, rec := range records {
			varied.add(r.Game, rec)
		}
	}
	s.Diversity = varied.result()
	return s, nil
}

// mostVariety bounds the positions that a summary looks at, the newest ones, and so its memory.
const mostVariety = 1_000_000
