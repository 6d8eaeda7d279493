package suite

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"ludus/env"
)

// Suite is a list of solved positions of one game.
type Suite struct {
	Game      *env.Game
	Origin    Origin
	Positions []Position // in ascending order of GameNumber
}

// Origin records how a suite was generated. It is zero if that is unknown, as for lines of JSON.
type Origin struct {
	Seed    uint64   `json:"seed"`
	Nodes   int      `json:"nodes"`    // solver's node limit per position
	PerGame int      `json:"per_game"` // largest number of positions from a game
	Agents  []string `json:"agents"`   // players' specs

	HardShare float64 `json:"hard_share,omitzero"` // least share of hard positions, where UCT loses value; 0: not selected
	Memory    int     `json:"memory,omitzero"`     // largest size of a solver's table in MiB; 0 if unknown
}

// Position is a position in which some legal move loses value, with the exact value of every move.
type Position struct {
	Moves []env.Action `json:"moves"` // moves from the start
	// Values holds the exact class of each legal action, in ascending order of the actions, for the player to move: how
	// the game ends after the action under best play by both. The lowest class is best.
	Values     []int      `json:"values"`
	GameNumber int        `json:"game_number"` // number of the game that it comes from; positions of one game are not independent
	Source     gameSource `json:"source"`
	PliesToEnd int        `json:"plies_to_end"` // plies until that game ended, whatever the next move; 0 if unknown
	UCT        uctOutcome `json:"uct"`
}

// gameSource says who played the game that a position comes from.
type gameSource uint8

const (
	unknownSource gameSource = iota
	randomMoves              // random moves only
	mixedMoves               // agents' moves and random moves mixed
	agentMoves               // agents' moves after a random opening; they played at least two plies before the position
)

// sourceNames are the names of the sources in files.
var sourceNames = []string{"", "random", "mixed", "agents"}

// uctOutcome is whether a UCT search with uctPlayouts playouts chooses a move that loses value. It separates hard
// positions from easy ones.
type uctOutcome uint8

const (
	unknownUCT uctOutcome = iota
	uctKeeps              // the move keeps the value
	uctLoses              // the move loses value
)

// uctPlayouts is the number of playouts behind uctOutcome.
const uctPlayouts = 1000

// ErrSuite is wrapped by errors about the content of a suite.
var ErrSuite = errors.New("bad suite")

// best is the class of the best moves: the lowest one.
func (p *Position) best() int { return slices.Min(p.Values) }

// someMoveLoses reports whether some move's value is worse than the best.
func someMoveLoses(values []int) bool { return slices.Min(values) < slices.Max(values) }

// bestShare is the share of moves that keep the value.
func (p *Position) bestShare() float64 {
	best, n := p.best(), 0
	for _, v := range p.Values {
		if v == best {
			n++
		}
	}
	return float64(n) / float64(len(p.Values))
}

// loss is the utility lost by a move to a class.
func (p *Position) loss(game *env.Game, class int) float64 {
	return float64(game.Classes[p.best()].Utility) - float64(game.Classes[class].Utility)
}

// meanLoss is the expected utility lost by a random move.
func (p *Position) meanLoss(game *env.Game) float64 {
	sum := 0.0
	for _, class := range p.Values {
		sum += p.loss(game, class)
	}
	return sum / float64(len(p.Values))
}

// replay returns the state of a position. If a move is illegal or check fails, it returns an error that wraps ErrSuite.
func (p *Position) replay(game *env.Game) (env.State, error) {
	state, err := env.Replay(game, p.Moves)
	if err == nil {
		err = p.check(game, state)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	return state, nil
}

// check returns an error if the game is over in state, the values do not fit its legal moves, or a number is out of
// range.
func (p *Position) check(game *env.Game, state env.State) error {
	if min(p.GameNumber, p.PliesToEnd) < 0 {
		return fmt.Errorf("game_number is %d and plies_to_end %d; they must be 0 or more", p.GameNumber, p.PliesToEnd)
	}
	if int(p.Source) >= len(sourceNames) || p.UCT > uctLoses {
		return fmt.Errorf("there is no source %d or UCT outcome %d", uint8(p.Source), p.UCT)
	}
	if state.Done() {
		return errors.New("the game is over")
	}
	if legal := state.Legal(nil); len(legal) != len(p.Values) {
		return fmt.Errorf("%d values for %d legal moves", len(p.Values), len(legal))
	}
	for _, v := range p.Values {
		if v < 0 || v >= len(game.Classes) {
			return fmt.Errorf("there is no class %d", v)
		}
	}
	if !someMoveLoses(p.Values) {
		return errors.New("all moves have the same value")
	}
	return nil
}

// positionKey identifies positions up to symmetry and up to exchanging players that the rules treat alike.
type positionKey [sha256.Size]byte

// keyOf returns the smallest hash of the symmetric images of state's tensor. States with equal tensors are equivalent.
func keyOf(game *env.Game, state env.State) (smallest positionKey) {
	tensor, image := make([]float32, game.Tensor.Size()), make([]float32, game.Tensor.Size())
	state.Encode(tensor)
	data := make([]byte, 0, 4*len(image))
	for s := range game.Symmetries {
		game.Symmetries[s].Transform(image, tensor)
		data = data[:0]
		for _, x := range image {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		if key := positionKey(sha256.Sum256(data)); s == 0 || slices.Compare(key[:], smallest[:]) < 0 {
			smallest = key
		}
	}
	return smallest
}
