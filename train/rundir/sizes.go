package rundir

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
)

// Sizes is the set of boards that a run trains, by their sides: bit n stands for n x n cells. The empty set stands for
// the board of the run's game alone. In JSON it is the ascending list of the sides.
type Sizes uint32

const (
	sizesKey = "sizes" // key of the setting
	ownSize  = "own"   // text of the empty set
)

// SizesOf returns the set of the given sides, which must be ascending and from 1 to 31.
func SizesOf(sides ...int) (s Sizes, err error) {
	last := 0
	for _, side := range sides {
		if side <= last || side > 31 {
			return 0, errors.New("must be sides of boards in ascending order, such as [5,7,9,11]")
		}
		s, last = s|1<<side, side
	}
	return s, nil
}

// List returns the sides in ascending order.
func (s Sizes) List() (sides []int) {
	for rest := uint32(s); rest != 0; rest &= rest - 1 {
		sides = append(sides, bits.TrailingZeros32(rest))
	}
	return sides
}

// String is the form that --set takes, such as "5,7,9,11" or "own".
func (s Sizes) String() string {
	if s == 0 {
		return ownSize
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(s.List()), " ", ","), "[]")
}

// Boards lists the boards as people write them, such as "5x5, 7x7".
func (s Sizes) Boards() string {
	var boards []string
	for _, side := range s.List() {
		boards = append(boards, fmt.Sprintf("%dx%[1]d", side))
	}
	return strings.Join(boards, ", ")
}

func (s Sizes) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

func (s *Sizes) UnmarshalJSON(data []byte) error {
	x, err := s.parseJSON(data)
	if err != nil {
		return fmt.Errorf("setting %s %w", sizesKey, err)
	}
	s.set(x)
	return nil
}

func (s *Sizes) get() float64  { return float64(*s) }
func (s *Sizes) set(x float64) { *s = Sizes(x) }
func (s *Sizes) text() string  { return s.String() }
func (s *Sizes) values(*Setting) string {
	return "sides of boards in ascending order, such as 5,7,9,11"
}

// parse reads ascending sides with commas between them, or "own".
func (*Sizes) parse(text string) (float64, error) {
	if text == ownSize {
		return 0, nil
	}
	var sides []int
	for side := range strings.SplitSeq(text, ",") {
		n, _ := strconv.Atoi(strings.TrimSpace(side)) // 0 is no side
		sides = append(sides, n)
	}
	sizes, err := SizesOf(sides...)
	return float64(sizes), err
}

func (*Sizes) parseJSON(data []byte) (float64, error) {
	var sides []int
	if err := json.Unmarshal(data, &sides); err != nil || sides == nil { // null is no list
		return 0, errors.New("must be a list of sides, such as [5,7,9,11]")
	}
	sizes, err := SizesOf(sides...)
	return float64(sizes), err
}

// Games returns the games that a run of game trains, in ascending order of their boards; the last is game. It returns
// an error if the set does not end with its board, or holds a board that its family does not have.
func (s Sizes) Games(game *env.Game) (all []*env.Game, err error) {
	if s == 0 {
		return []*env.Game{game}, nil
	}
	for _, side := range s.List() {
		sized, err := games.Resized(game, side)
		if err != nil {
			return nil, fmt.Errorf("setting sizes=%v: %w", s, err)
		}
		all = append(all, sized)
	}
	if all[len(all)-1].Tensor.W != game.Tensor.W {
		return nil, fmt.Errorf("setting sizes=%v: the last must be %d, the side of %s", s, game.Tensor.W, game.Name)
	}
	return all, nil
}

// Bounds of the default sizes.
const (
	leastSide    = 5
	defaultSizes = 4 // at most
)

// DefaultSizes returns the sizes of a new run of game. A game whose default network flattens its board (up to 64
// cells), or without other sizes, trains on its own board. A larger one trains on boards from about half its side to
// its own: at most four, evenly spaced and all of even or all of odd sides, of at least 5 cells a side (two more than
// the line of line-up), and without those that its family does not have.
func DefaultSizes(game *env.Game) Sizes {
	side := game.Tensor.W
	if _, err := games.Resized(game, side); err != nil || !infer.DefaultConfig(game).Pooled {
		return 0
	}
	least := max(leastSide, (side-1)/2)
	for _, p := range game.Params {
		if line, err := strconv.Atoi(p.Value); p.Name == "line" && err == nil {
			least = max(least, line+2) // on a smaller board hardly anybody makes a line
		}
	}
	step := max(2, 2*((side-least)/2/(defaultSizes-1)+min(1, (side-least)/2%(defaultSizes-1)))) // rounded up, 2 at least
	var sizes Sizes
	for n := side; n >= least; n -= step {
		if _, err := games.Resized(game, n); err == nil {
			sizes |= 1 << n
		}
	}
	if sizes == 1<<side {
		return 0
	}
	return sizes
}
