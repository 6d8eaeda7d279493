package train

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/rundir"
)

// The header of a file of finished games.
const (
	gamesKind    = "ludus-games"
	gamesVersion = 2
)

// writeGames writes the games that finished in a generation. first is the index in the run of games[0].
func writeGames(dir string, generation, first int, games []*record) error {
	path := rundir.GamesPath(dir, generation)
	if err := checkpoints.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	payload := append(binary.AppendUvarint(nil, uint64(first)), marshalRecords(games)...)
	return checkpoints.WriteFile(path, checkpoints.Seal(gamesKind, gamesVersion, payload))
}

// readGames reads the games that finished in a generation and the index in the run of games[0]. Errors wrap
// fs.ErrNotExist, checkpoints.ErrDamaged or checkpoints.ErrVersion.
func readGames(game *env.Game, dir string, generation int) (games []*record, first int, err error) {
	path := rundir.GamesPath(dir, generation)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, err
	}
	payload, err := checkpoints.Unseal(gamesKind, gamesVersion, data)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	n, size := binary.Uvarint(payload)
	if size <= 0 {
		return nil, 0, fmt.Errorf("%s: %w", path, checkpoints.ErrDamaged)
	}
	if games, err = unmarshalRecords(game, payload[size:]); err != nil {
		return nil, 0, fmt.Errorf("%s: %w: %w", path, checkpoints.ErrDamaged, err)
	}
	return games, int(n), nil
}

// isLost reports whether err means that a file of games is damaged or missing.
func isLost(err error) bool {
	return errors.Is(err, checkpoints.ErrDamaged) || errors.Is(err, fs.ErrNotExist)
}

// positionsOf is the number of searched positions in games.
func positionsOf(games []*record) int {
	n := 0
	for _, r := range games {
		n += len(r.plies)
	}
	return n
}

// SelfPlayGame is a finished game of self-play.
type SelfPlayGame struct {
	Number  int           // index in the run
	Opening int           // number of moves before the search took over
	Moves   []env.Action  // of the whole game
	Goals   [2]int        // First's and Second's, 0 to 100
	Plies   []SearchedPly // one per move after the opening
}

// SearchedPly is the result of the search at one ply.
type SearchedPly struct {
	Value  float64   // First's expected utility in the position, by the search; exact if proven
	Proven bool      // search or solver proved the position's value
	Policy []float32 // policy target over the legal actions in ascending order; sums to 1, or all 0: none
	// Trained says that the policy target is trained on: there is a choice, and moves may differ in value.
	Trained bool
}

// ReadGames reads the self-play games that ended in a generation, in ascending order of Number. Errors wrap
// fs.ErrNotExist, checkpoints.ErrDamaged or checkpoints.ErrVersion.
func ReadGames(game *env.Game, dir string, generation int) ([]SelfPlayGame, error) {
	records, first, err := readGames(game, dir, generation)
	if err != nil {
		return nil, fmt.Errorf("games of generation %d: %w", generation, err)
	}
	games := make([]SelfPlayGame, len(records))
	for i, r := range records {
		games[i] = SelfPlayGame{
			Number: first + i, Opening: len(r.opening), Moves: r.moves(), Goals: r.goals, Plies: r.searchedPlies(game),
		}
	}
	return games, nil
}

// searchedPlies returns the plies after the opening, with values from First's perspective.
func (r *record) searchedPlies(game *env.Game) []SearchedPly {
	all := make([]SearchedPly, len(r.plies))
	movers := moversOf(game, r)
	for i := range r.plies {
		p := &r.plies[i]
		all[i] = SearchedPly{
			Value: movers[i].Sign() * p.value(game), Proven: p.proven >= 0, Policy: make([]float32, len(p.policy)), Trained: p.trainPolicy,
		}
		normalise(all[i].Policy, p.policy)
	}
	return all
}

// value is the mover's expected utility in the position, exact if proven.
func (p *ply) value(game *env.Game) float64 {
	if p.proven >= 0 {
		return float64(game.Classes[p.proven].Utility)
	}
	classes := make([]float32, len(p.classes))
	normalise(classes, p.classes)
	return game.ExpectedUtility(classes)
}
