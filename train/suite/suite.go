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

// Suite is a number of positions of one game.
type Suite struct {
	Game      *env.Game
	Origin    Origin
	Positions []Position // those of one game side by side
}

// Origin says how a suite was made; it is empty where the file does not tell.
type Origin struct {
	Seed    uint64   `json:"seed"`
	Nodes   int      `json:"nodes"`    // the solver's limit a position
	PerGame int      `json:"per_game"` // positions taken of a game at most
	Agents  []string `json:"agents"`   // those who played
}

// Position is one position in which the choice matters, with the exact value of every move.
type Position struct {
	Moves []env.Action // from the start
	// Values are the classes after each legal action, ascending, for the player to move, under best play by both.
	Values []int
	Number int // of the game that it was taken from: positions of one game are not independent
	Source Source
	ToGo   int // plies until that game ended; 0: not known
	UCT    Answer
}

// Source says who played the game that a position was taken from.
type Source uint8

const (
	UnknownSource Source = iota
	Random               // random moves alone
	Mixed                // agents, with random moves between
	Agents               // agents, after a random opening and at least two plies of theirs
)

var sourceNames = []string{"", "random", "mixed", "agents"}

// String is the source's name in files.
func (s Source) String() string { return sourceNames[s] }

// Answer says how UCT with [Playouts] playouts does in a position.
type Answer uint8

const (
	UnknownAnswer Answer = iota
	Keeps                // its move keeps the value
	Loses                // its move loses value
)

// Playouts is the number of playouts of the UCT search that tells easy positions from hard ones.
const Playouts = 1000

// ErrSuite is wrapped by errors about the content of a suite.
var ErrSuite = errors.New("bad suite")

// best is the class of the best moves.
func (p *Position) best() int { return slices.Min(p.Values) }

// matters says whether some move loses value.
func matters(values []int) bool { return slices.Min(values) < slices.Max(values) }

// keeping is the share of moves that keep the value.
func (p *Position) keeping() float64 {
	best, n := p.best(), 0
	for _, v := range p.Values {
		if v == best {
			n++
		}
	}
	return float64(n) / float64(len(p.Values))
}

// lost is the utility that the move of the given index loses.
func (p *Position) lost(game *env.Game, move int) float64 {
	return float64(game.Classes[p.best()].Utility) - float64(game.Classes[p.Values[move]].Utility)
}

// replay returns the position's state. It fails where a move is not legal, the game is over, or the values do not fit.
func (p *Position) replay(game *env.Game) (env.State, error) {
	state, err := env.Replay(game, p.Moves)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSuite, err)
	}
	if state.Done() {
		return nil, fmt.Errorf("%w: the game is over", ErrSuite)
	}
	if legal := state.Legal(nil); len(legal) != len(p.Values) {
		return nil, fmt.Errorf("%w: %d values for %d legal moves", ErrSuite, len(p.Values), len(legal))
	}
	for _, v := range p.Values {
		if v < 0 || v >= len(game.Classes) {
			return nil, fmt.Errorf("%w: there is no class %d", ErrSuite, v)
		}
	}
	if !matters(p.Values) {
		return nil, fmt.Errorf("%w: all moves are worth the same", ErrSuite)
	}
	return state, nil
}

// identity is the same for two positions that are alike, and for no others.
type identity [sha256.Size]byte

// identify returns the least hash of the images of state's tensor: equal tensors have equal futures.
func identify(game *env.Game, state env.State) (least identity) {
	tensor, image := make([]float32, game.Tensor.Size()), make([]float32, game.Tensor.Size())
	state.Encode(tensor)
	data := make([]byte, 0, 4*len(image))
	for s := range game.Symmetries {
		game.Symmetries[s].Transform(image, tensor)
		data = data[:0]
		for _, x := range image {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		if id := identity(sha256.Sum256(data)); s == 0 || slices.Compare(id[:], least[:]) < 0 {
			least = id
		}
	}
	return least
}
