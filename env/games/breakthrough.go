package games

import (
	"errors"
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:   "breakthrough",
	Params: []Param{Number("columns", 6, 2, 8), Number("rows", 6, 4, 8), Word("captures", "true", "false")},
	Aliases: []Alias{
		{"breakthrough-6x6", "breakthrough(columns=6,rows=6,captures=true)"},
		{"breakthrough-8x8", "breakthrough(columns=8,rows=8,captures=true)"},
	},
	Order: 1,
	Build: buildBreakthrough,
})

// breakthrough holds the tables of one game of the family. Column 0 of the tensor is x = 1. Row 0 is y = 1 if white is
// to move, and the highest y if black is, because black sees the board upside down.
//
// An action is a direction (its plane) and the cell where the step starts. Planes 0 to 2 lead up the board and 3 to 5
// down it: to the left, straight and to the right. In the mover's frame only the first three are ever legal.
type breakthrough struct {
	columns, rows, cells int
	captures             bool
	steps                []step        // by action
	from                 [2][3]uint64  // by player and direction: cells from which the step stays on the board
	goalRow              [2]uint64     // the row that each player wants to reach
	firstAction          [2]env.Action // by player: the least of its actions; those of each direction follow one another
	distance             [2][3]int     // by player and direction: target cell - starting cell
	mirror               reflection[[1]uint64]
}

// step is a move of one piece, as sets of one cell each.
type step struct{ from, to uint64 }

// breakthroughState is a position; it implements env.State.
type breakthroughState struct {
	game  *breakthrough
	owned [2]uint64
	progress
}

// buildBreakthrough makes the game with the given parameters, and tables of the steps for its states.
func buildBreakthrough(v Values) (*env.Game, error) {
	b := &breakthrough{columns: v.Number("columns"), rows: v.Number("rows"), captures: v.Word("captures") == "true"}
	if !b.captures && b.rows == 4 {
		return nil, errors.New("with rows=4 and captures=false nobody could move at the start; rows is 5..8 there")
	}
	b.cells = b.columns * b.rows
	g := &env.Game{
		Players:     [2]string{"white", "black"},
		Summary:     b.summary(),
		Rules:       b.rules(),
		Strategy:    b.strategy(),
		Tensor:      env.Shape{H: b.rows, W: b.columns},
		Planes:      piecePlanes("1 on every cell"),
		PolicyNames: []string{"up left", "up", "up right", "down left", "down", "down right"},
		Classes:     env.WinLoss,
		// Each move takes one piece one row on, and a piece that reaches the last row ends the game.
		MaxPlies: 2*b.columns*(2*b.rows-5) + 1,
		NewState: b.newState,
		Drawing: env.Drawing{
			Rows: env.Labels("", 1, b.rows), Columns: env.Labels("", 1, b.columns), ColumnsFirst: true,
		},
	}
	row := uint64(1)<<b.columns - 1
	b.goalRow = [2]uint64{row << (b.cells - b.columns), row}
	b.firstAction = [2]env.Action{0, env.Action(3 * b.cells)}
	for p, dy := range []int{1, -1} {
		for i, dx := range []int{-1, 0, 1} {
			b.distance[p][i] = dy*b.columns + dx
			for cell := range b.cells {
				x, y := cell%b.columns+dx, cell/b.columns+dy
				if x < 0 || x >= b.columns || y < 0 || y >= b.rows {
					g.AddAction("", env.NoCells)
					b.steps = append(b.steps, step{})
					continue
				}
				to := y*b.columns + x
				g.AddAction("move", env.Moved(cell, to))
				b.steps = append(b.steps, step{1 << cell, 1 << to})
				b.from[p][i] |= 1 << cell
			}
		}
	}
	mirror := func(r, c int) (int, int) { return r, b.columns - 1 - c }
	upsideDown := func(r, c int) (int, int) { return b.rows - 1 - r, c }
	g.Symmetries = []env.Symmetry{
		g.Permute(nil, nil),
		g.Permute(mirror, func(p int) int { return p/3*3 + 2 - p%3 }), // left and right exchanged
	}
	b.mirror = newReflection[[1]uint64](g.Symmetries[1].Cells)
	return g.Finish(g.Permute(upsideDown, func(p int) int { return (p + 3) % 6 }).Actions), nil
}

func (b *breakthrough) summary() string {
	if b.captures {
		return "step forward, capture diagonally; reach the far row"
	}
	return "step forward, capture nothing; reach the far row"
}

func (b *breakthrough) rules() string {
	move := "A piece moves one step forward: straight onto an empty cell, or diagonally onto an empty cell or onto an " +
		"opposing piece, which it captures. A piece straight ahead blocks the way and cannot be captured."
	win := "or when the other side has no pieces left. There are no draws."
	if !b.captures {
		move = "A piece moves one step forward onto an empty cell, straight or diagonally. Nothing is captured."
		win = "or when the other side is to move and cannot. There are no draws."
	}
	return fmt.Sprintf("White's pieces start on rows 1 and 2 and move up, black's on rows %d and %d and move down. "+
		"White moves first, then the players take turns.\n%s\nYou win when one of your pieces reaches the far row (row "+
		"%d for white, row 1 for black), %s",
		b.rows-1, b.rows, move, b.rows, win)
}

func (b *breakthrough) strategy() string {
	if !b.captures {
		return "Count the steps: whoever has a free way and needs fewer of them wins the race."
	}
	return "Keep your pieces where one can recapture for another, and leave some at home as guards."
}

// newState returns the start: each side fills the two rows nearest to it.
func (b *breakthrough) newState() env.State {
	white := uint64(1)<<(2*b.columns) - 1
	owned := [2]uint64{white, white << (b.cells - 2*b.columns)}
	return &breakthroughState{game: b, owned: owned, progress: unfinished}
}

func (s *breakthroughState) Goals() [2]int          { return env.GoalsOf(env.WinLoss, s.Outcome()) }
func (s *breakthroughState) CopyFrom(src env.State) { *s = *src.(*breakthroughState) }

// movable returns the sets of the mover's pieces that can step forward to the left, straight and to the right. A step
// leads from cell c to c + distance, so a set rotated by -distance has the cells from which a step enters it; from
// excludes steps that leave the board.
func (s *breakthroughState) movable() (left, straight, right uint64) {
	b, p := s.game, s.player&1 // &1 spares bounds checks
	own, other := s.owned[p], s.owned[p^1]
	from, distance := &b.from[p], &b.distance[p]
	closed := own // cells that a diagonal step cannot enter
	if !b.captures {
		closed |= other
	}
	left = own & from[0] &^ bits.RotateLeft64(closed, -distance[0])
	straight = own & from[1] &^ bits.RotateLeft64(own|other, -distance[1])
	right = own & from[2] &^ bits.RotateLeft64(closed, -distance[2])
	return left, straight, right
}

func (s *breakthroughState) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	left, straight, right := s.movable()
	first, cells := s.game.firstAction[s.player], env.Action(s.game.cells)
	dst = appendActions(dst, [1]uint64{left}, first)
	dst = appendActions(dst, [1]uint64{straight}, first+cells)
	return appendActions(dst, [1]uint64{right}, first+2*cells)
}

// RandomAction finds the move of index k in the order of Legal: left, straight, right.
func (s *breakthroughState) RandomAction(r uint64) env.Action {
	left, straight, right := s.movable()
	beforeStraight := bits.OnesCount64(left)
	beforeRight := beforeStraight + bits.OnesCount64(straight)
	k := below(r, beforeRight+bits.OnesCount64(right))
	// beyond[0] is all ones unless the step leads left, beyond[1] if it leads right; otherwise they are 0. Masks are
	// faster than branches on a random number, which are often mispredicted.
	beyond := [2]int{(beforeStraight - 1 - k) >> 63, (beforeRight - 1 - k) >> 63}
	pieces := left&^uint64(beyond[0]) | straight&uint64(beyond[0]&^beyond[1]) | right&uint64(beyond[1])
	k -= beforeStraight&beyond[0] + (beforeRight-beforeStraight)&beyond[1]
	direction := -(beyond[0] + beyond[1])
	return s.game.firstAction[s.player&1] + env.Action(direction*s.game.cells+nthBit(pieces, k))
}

// Apply moves a piece; one of the opponent on its target is captured.
func (s *breakthroughState) Apply(a env.Action) {
	p := s.player & 1 // &1 spares bounds checks
	o := p ^ 1
	move := s.game.steps[a]
	s.owned[p] = s.owned[p]&^move.from | move.to
	s.owned[o] &^= move.to
	s.player = o
	if move.to&s.game.goalRow[p] != 0 || s.owned[o] == 0 || !s.game.captures && s.stuck() {
		s.outcome = int8(p) // p has won: class 0 is First's win, class 1 Second's
	}
}

// stuck reports whether the mover has no move.
func (s *breakthroughState) stuck() bool {
	left, straight, right := s.movable()
	return left|straight|right == 0
}

// TerminalActions are the steps into the goal row and the capture of the last piece. Without captures it plays every
// step, because any may leave the opponent without a move.
func (s *breakthroughState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.Done() {
		return dst
	}
	b, p := s.game, s.player
	last := s.owned[p.Opponent()] // the opponent's last piece; empty if it has more
	if last&(last-1) != 0 {
		last = 0
	}
	left, straight, right := s.movable()
	first, before := b.firstAction[p], len(dst)
	for i, pieces := range [3]uint64{left, straight, right} {
		if b.captures {
			pieces &= bits.RotateLeft64(b.goalRow[p]|last, -b.distance[p][i])
		}
		dst = appendTerminal(dst, [1]uint64{pieces}, first, int(p))
		first += env.Action(b.cells)
	}
	if b.captures {
		return dst
	}
	steps := dst[before:]
	dst = dst[:before]
	for _, t := range steps {
		next := *s
		next.Apply(t.Action)
		if next.Done() {
			dst = append(dst, t)
		}
	}
	return dst
}

func (s *breakthroughState) Key() env.Key {
	return env.Key{s.owned[0], s.owned[1], uint64(s.player)}
}

func (s *breakthroughState) CanonicalKey() (env.Key, int) {
	white, black, symmetry := s.game.mirror.canonical([1]uint64{s.owned[0]}, [1]uint64{s.owned[1]})
	return env.Key{white[0], black[0], uint64(s.player)}, symmetry
}

func (s *breakthroughState) Encode(dst []float32) {
	b, p := s.game, s.player
	own, other := s.owned[p], s.owned[p.Opponent()]
	if p == env.Second {
		own, other = b.upsideDown(own), b.upsideDown(other)
	}
	dst = encodeValue(dst, b.cells, 1)
	dst = encodeCells(dst, b.cells, [1]uint64{own})
	encodeCells(dst, b.cells, [1]uint64{other})
}

// upsideDown returns the pieces with the order of the rows reversed. It takes rows from below; b.goalRow[1] is row 0.
func (b *breakthrough) upsideDown(pieces uint64) (turned uint64) {
	for range b.rows {
		turned = turned<<b.columns | pieces&b.goalRow[1]
		pieces >>= b.columns
	}
	return turned
}

func (s *breakthroughState) Pieces(dst []uint8) []uint8 {
	return appendPieces(dst, s.game.cells, [1]uint64{s.owned[0]}, [1]uint64{s.owned[1]})
}

// WinningCells are the cell of a piece in the goal row; there is none if the loser has no pieces left, or no move.
func (s *breakthroughState) WinningCells(dst []int32) []int32 {
	if s.Done() {
		if piece := s.owned[s.outcome] & s.game.goalRow[s.outcome]; piece != 0 {
			dst = append(dst, int32(bits.TrailingZeros64(piece)))
		}
	}
	return dst
}

// Detail describes the numbers of pieces or, once the game is over, what decided it.
func (s *breakthroughState) Detail() string {
	white, black := bits.OnesCount64(s.owned[0]), bits.OnesCount64(s.owned[1])
	if !s.Done() {
		return fmt.Sprintf("pieces white %d, black %d", white, black)
	}
	winner, loser := "white", "black"
	if s.outcome == int8(env.Second) {
		winner, loser = loser, winner
	}
	switch {
	case len(s.WinningCells(nil)) > 0:
		return winner + " has reached the far row"
	case min(white, black) == 0:
		return loser + " has no pieces left"
	}
	return loser + " cannot move"
}
