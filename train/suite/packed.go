package suite

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
)

const (
	packedKind    = "ludus-suite"
	packedVersion = 2
)

// packedSuite is the payload of a packed suite, as JSON. The file is sealed (see [checkpoints.Seal]).
type packedSuite struct {
	Game  string `json:"game"`
	Sheet string `json:"sheet,omitempty"` // rule sheet, if the game has one
	Origin
	Positions []Position `json:"positions"`
}

// Pack returns the suite in the packed format: sealed JSON, see packedSuite.
func (s *Suite) Pack() []byte {
	payload, err := json.Marshal(packedSuite{s.Game.Name, s.Game.Sheet, s.Origin, s.Positions})
	if err != nil {
		panic("suite: plain fields cannot be written")
	}
	return checkpoints.Seal(packedKind, packedVersion, payload)
}

// Parse reads a suite in the packed format or as lines of JSON, and checks that every position fits the game. Errors
// wrap [ErrSuite] or those of package checkpoints.
func Parse(data []byte) (*Suite, error) {
	data = env.SkipByteOrderMark(data)
	parse := parsePacked
	if text := bytes.TrimLeft(data, " \t\r\n"); len(text) > 0 && text[0] == '{' {
		parse = parseLines
	}
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	if len(s.Positions) == 0 {
		return nil, fmt.Errorf("%w: it has no positions", ErrSuite)
	}
	slices.SortStableFunc(s.Positions, func(a, b Position) int { return cmp.Compare(a.GameNumber, b.GameNumber) })
	return s, nil
}

// parsePacked parses the packed format.
func parsePacked(data []byte) (*Suite, error) {
	payload, err := checkpoints.Unseal(packedKind, packedVersion, data)
	if err != nil {
		return nil, err
	}
	var packed packedSuite
	if err := json.Unmarshal(payload, &packed); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	game, err := games.Restore(packed.Game, packed.Sheet)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	for i := range packed.Positions {
		if _, err := packed.Positions[i].replay(game); err != nil {
			return nil, fmt.Errorf("position %d: %w", i+1, err)
		}
	}
	return &Suite{game, packed.Origin, packed.Positions}, nil
}
