package games

import (
	"fmt"
	"math/bits"

	"ludus/env"
)

var _ = Register(Family{
	Name:    "free-for-all",
	Params:  []Param{Number("size", 7, 5, 9), Number("steps", 30, 2, 100), Word("objective", "win", "score")},
	Aliases: []Alias{{"free-for-all-2p", "free-for-all(size=7,steps=30,objective=win)"}},
	Order:   4,
	Build:   buildFreeForAll,
})

const (
	goalPerCapture = 10
	mostCaptures   = 10 // most captures of a player that count
)

// directions are (dx, dy) of a knight's steps, then of a king's steps.
var directions = [16][2]int{
	{-2, -1}, {-1, -2}, {1, -2}, {2, -1}, {-2, 1}, {-1, 2}, {1, 2}, {2, 1},
	{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
}

const knightDirections = 8 // directions[:knightDirections] are a knight's, the others a king's

// freeForAll holds the tables of one game of the family. Row 0 of the tensor is y = 1. Column 0 is x = 1 if red is to
// move, and the highest x if blue is, because blue sees left and right exchanged.
//
// An action is a direction (its plane) and the cell where the step starts; noop is the policy's extra entry. Bitboards
// hold the inner cells row by row. Each row of inner cells is preceded by a spare bit. The spare bit before the middle
// row is the left spawn cell, the one after it the right. So bits ascend as cells do, and a step in one direction moves
// every piece by the same number of bits.
type freeForAll struct {
	size, width, turns int
	byScore            bool           // objective=score: classes are leads in captures, not just win, draw and loss
	steps              []step         // by action; from is empty for a spawn cell, which gets a fresh piece, and for noop
	from               [16]uint64     // by direction: inner and spawn cells from which the step enters an inner cell
	distance           [16]int        // by direction: target bit - starting bit
	cellOf             [64]env.Action // by bit: absolute cell
	frameCell          [2][64]uint8   // by player and bit: cell in the player's frame
	spawn              [2]uint64      // each player's spawn cell
	inner              uint64
	board              [2][]float32 // by player: the tensor's first plane
	noop               env.Action
	mirror             *reflection[[1]uint64] // upside down, of bits; nil if that is no symmetry
}

// freeForAllState is a position; it implements env.State.
type freeForAllState struct {
	game      *freeForAll
	owned     [2]uint64 // by player; always includes the player's spawn cell
	captures  [2]uint8  // by player; at most mostCaptures
	turnsLeft uint8
	progress
}

// buildFreeForAll makes the game with the given parameters, and tables of the moves for its states.
func buildFreeForAll(v Values) (*env.Game, error) {
	f := &freeForAll{size: v.Number("size"), turns: v.Number("steps"), byScore: v.Word("objective") == "score"}
	f.width = f.size - 2
	cells := f.size * f.size
	f.noop = env.Action(len(directions) * cells)
	g := &env.Game{
		Players:  [2]string{"red", "blue"},
		Summary:  "move by knight's steps, capture by king's steps; capture more than the other",
		Rules:    f.rules(),
		Strategy: "Do not step next to an opposing piece: it would capture first. Let it come to you.",
		Tensor:   env.Shape{H: f.size, W: f.size},
		Planes: append(piecePlanes("1 on the inner cells and both spawn cells, 0 elsewhere"),
			fmt.Sprintf("turns left: on every cell the remaining turns, including this one / %d", f.turns),
			fmt.Sprintf("own captures: on every cell the mover's captures, at most %[1]d, / %[1]d", mostCaptures),
			fmt.Sprintf("other's captures: on every cell the opponent's captures, at most %[1]d, / %[1]d", mostCaptures)),
		PolicyExtras: 1,
		Classes:      f.classes(),
		GoalHead:     true,
		FewReplies:   true,
		MaxPlies:     f.turns,
		NewState: func() env.State {
			return &freeForAllState{game: f, owned: f.spawn, turnsLeft: uint8(f.turns), progress: unfinished}
		},
		Drawing: env.Drawing{
			Rows: env.Labels("", 1, f.size), Columns: env.Labels("", 1, f.size), ColumnsFirst: true,
		},
	}
	for i, direction := range directions {
		kind := "knight"
		if i >= knightDirections {
			kind = "king"
		}
		g.PolicyNames = append(g.PolicyNames, fmt.Sprintf("%s %+d %+d", kind, direction[0], direction[1]))
	}
	g.PolicyNames = append(g.PolicyNames, "pass")
	f.makeCells()
	f.makeMoves(g)

	mirrorX := func(r, c int) (int, int) { return r, f.size - 1 - c }
	mirrorY := func(r, c int) (int, int) { return f.size - 1 - r, c }
	g.Symmetries = []env.Symmetry{g.Permute(nil, nil)}
	if f.size%2 == 1 { // otherwise the spawn cells are not on the middle row
		g.Symmetries = append(g.Symmetries, g.Permute(mirrorY, mirrorDirection(1, -1)))
		f.mirror = f.upsideDown()
	}
	return g.Finish(g.Permute(mirrorX, mirrorDirection(-1, 1)).Actions), nil
}

// mirrorDirection returns the permutation of the directions that multiplies dx by sx and dy by sy.
func mirrorDirection(sx, sy int) func(int) int {
	return func(from int) int {
		for to, direction := range directions {
			// Mirroring keeps the length, so a knight's direction maps to a knight's.
			if direction == [2]int{directions[from][0] * sx, directions[from][1] * sy} {
				return to
			}
		}
		panic("games: direction without its mirror image")
	}
}

// bitOf returns the set of the one cell at x and y, counted from 0; empty unless that is an inner or a spawn cell.
func (f *freeForAll) bitOf(x, y int) uint64 {
	inner := x > 0 && x <= f.width && y > 0 && y <= f.width
	spawn := (x == 0 || x == f.size-1) && y == (f.size-1)/2
	if !inner && !spawn {
		return 0
	}
	return 1 << ((y-1)*(f.width+1) + x)
}

// makeCells fills spawn, inner, board and the tables that map bits to cells.
func (f *freeForAll) makeCells() {
	f.spawn = [2]uint64{f.bitOf(0, (f.size-1)/2), f.bitOf(f.size-1, (f.size-1)/2)}
	for cell := range f.size * f.size {
		x, y := cell%f.size, cell/f.size
		if b := f.bitOf(x, y); b != 0 {
			f.inner |= b &^ (f.spawn[0] | f.spawn[1])
			i := bits.TrailingZeros64(b)
			f.cellOf[i] = env.Action(cell)
			f.frameCell[env.First][i] = uint8(cell)
			f.frameCell[env.Second][i] = uint8(cell - x + f.size - 1 - x)
		}
	}
	for p := range f.board {
		f.board[p] = make([]float32, f.size*f.size)
		f.mark(f.board[p], env.Player(p), f.inner|f.spawn[0]|f.spawn[1])
	}
}

// upsideDown returns the reflection of the bits that reverses the order of the rows; the size is odd.
func (f *freeForAll) upsideDown() *reflection[[1]uint64] {
	to := make([]int32, 64)
	for i := range to {
		to[i] = int32(i)
	}
	for cell := range f.size * f.size {
		x, y := cell%f.size, cell/f.size
		if b := f.bitOf(x, y); b != 0 {
			to[bits.TrailingZeros64(b)] = int32(bits.TrailingZeros64(f.bitOf(x, f.size-1-y)))
		}
	}
	mirror := newReflection[[1]uint64](to)
	return &mirror
}

// makeMoves fills steps, from and distance and adds the game's actions.
func (f *freeForAll) makeMoves(g *env.Game) {
	for cell := range f.size * f.size {
		g.Drawing.Cells = append(g.Drawing.Cells, f.bitOf(cell%f.size, cell/f.size) != 0)
	}
	for i, direction := range directions {
		f.distance[i] = direction[1]*(f.width+1) + direction[0]
		for cell := range f.size * f.size {
			x, y := cell%f.size, cell/f.size
			verb, cells, move := "", env.NoCells, step{}
			if from, to := f.bitOf(x, y), f.bitOf(x+direction[0], y+direction[1])&f.inner; from != 0 && to != 0 {
				verb, cells = "move", env.Moved(cell, cell+direction[1]*f.size+direction[0])
				f.from[i] |= from
				move = step{from & f.inner, to}
			}
			g.AddAction(verb, cells)
			f.steps = append(f.steps, move)
		}
	}
	g.AddAction("noop", env.NoCells)
	f.steps = append(f.steps, step{})
}

// classes returns win, draw and loss, or with objective=score one class for every lead in captures, the largest first.
func (f *freeForAll) classes() []env.Class {
	if !f.byScore {
		return []env.Class{
			{Name: "win", Goals: env.OpenGoals, Utility: 1},
			{Name: "draw", Goals: env.OpenGoals, Utility: 0},
			{Name: "loss", Goals: env.OpenGoals, Utility: -1},
		}
	}
	var classes []env.Class
	for lead := mostCaptures; lead >= -mostCaptures; lead-- {
		classes = append(classes, env.Class{
			Name: fmt.Sprintf("%+d", lead*goalPerCapture), Goals: env.OpenGoals, Utility: float32(lead) / mostCaptures,
		})
	}
	return classes
}

func (f *freeForAll) rules() string {
	middle := env.RowName((f.size - 1) / 2)
	red, blue := env.ColumnName(0)+middle, env.ColumnName(f.size-1)+middle
	inner := env.ColumnName(1) + env.RowName(1) + " to " + env.ColumnName(f.size-2) + env.RowName(f.size-2)
	result := "Whoever has more points wins, by however few; equal points are a draw, even 100 to 100."
	if f.byScore {
		result = "What counts is by how many points you are ahead."
	}
	turns := fmt.Sprintf("%d of each player", f.turns/2)
	if f.turns%2 == 1 {
		turns = fmt.Sprintf("%d of red's and %d of blue's", f.turns/2+1, f.turns/2)
	}
	return fmt.Sprintf("Pieces live on the inner cells, %s, and on two more, the spawn cells: red's is %s, blue's %s. A spawn "+
		"cell is never empty: when the piece on it leaves, by a step or a capture, a new one stands there at once. No piece "+
		"can enter a spawn cell, so the piece there cannot be captured.\n"+
		"Red moves first, then the players take turns. On your turn you move one of your pieces in one of two ways.\n"+
		"A knight's step, as in chess (two cells in one direction and one to the side), leads onto an empty inner cell. It "+
		"captures nothing.\n"+
		"A king's step (one cell in any direction) leads onto an inner cell held by the other side and captures the piece "+
		"there. You may make a king's step only to capture. The piece on a spawn cell may make both kinds of steps.\n"+
		"You need not capture if you have another move. If you have no move at all, you pass, which counts as a turn.\n"+
		"The game lasts exactly %d turns, %s. Each capture is worth %d points to the player who made it; after %d captures "+
		"further ones add nothing, so nobody gets more than %d points. %s",
		inner, red, blue, f.turns, turns, goalPerCapture, mostCaptures, goalPerCapture*mostCaptures, result)
}

func (s *freeForAllState) Goals() [2]int {
	return [2]int{goalPerCapture * int(s.captures[0]), goalPerCapture * int(s.captures[1])}
}

func (s *freeForAllState) CopyFrom(src env.State) { *s = *src.(*freeForAllState) }

// stepMoves are the moves of a position other than noop, by direction.
type stepMoves struct {
	starts [len(directions)]uint64  // by direction: the mover's pieces that can step so
	before [len(directions) + 1]int // number of moves in earlier directions; the last entry counts all moves
}

// find lists the mover's steps from s, all moves except noop.
func (m *stepMoves) find(s *freeForAllState) {
	own, other := s.owned[s.player], s.owned[s.player.Opponent()]
	from, distance, open, n := &s.game.from, &s.game.distance, ^(own | other), 0
	for i := range knightDirections {
		m.starts[i] = own & from[i] & bits.RotateLeft64(open, -distance[i])
		n += bits.OnesCount64(m.starts[i])
		m.before[i+1] = n
	}
	for i := knightDirections; i < len(directions); i++ {
		m.starts[i] = own & from[i] & bits.RotateLeft64(other, -distance[i])
		n += bits.OnesCount64(m.starts[i])
		m.before[i+1] = n
	}
}

// Legal appends the steps of each direction, or noop if there are none.
func (s *freeForAllState) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	var m stepMoves
	m.find(s)
	if m.before[len(directions)] == 0 {
		return append(dst, s.game.noop)
	}
	first := env.Action(0)
	for _, starts := range &m.starts {
		for ; starts != 0; starts &= starts - 1 {
			dst = append(dst, first+s.game.cellOf[bits.TrailingZeros64(starts)])
		}
		first += env.Action(s.game.size * s.game.size)
	}
	return dst
}

// RandomAction returns the move of index k in the order of Legal, for a k that is uniform if r is. It finds the move's
// direction first, then its piece. &15 spares bounds checks.
func (s *freeForAllState) RandomAction(r uint64) env.Action {
	var m stepMoves
	m.find(s)
	f, n := s.game, m.before[len(directions)]
	if n == 0 {
		return f.noop
	}
	k, direction := below(r, n), 0
	for _, before := range m.before[1:len(directions)] {
		direction -= (before - 1 - k) >> 63 // adds 1 if k >= before; a branch would often be predicted wrong
	}
	return env.Action(direction*f.size*f.size) + f.cellOf[nthBit(m.starts[direction&15], k-m.before[direction&15])]
}

// TerminalActions appends all moves if this is the last turn, otherwise none.
func (s *freeForAllState) TerminalActions(dst []env.TerminalAction) []env.TerminalAction {
	if s.turnsLeft != 1 {
		return dst
	}
	var moves [len(directions) * 64]env.Action
	for _, a := range s.Legal(moves[:0]) {
		next := *s
		next.Apply(a)
		dst = append(dst, env.TerminalAction{Action: a, Outcome: int(next.outcome)})
	}
	return dst
}

func (s *freeForAllState) Apply(a env.Action) {
	p, o := s.player, s.player.Opponent()
	// from is empty for a step from a spawn cell, which gets a fresh piece; noop has no cells.
	move := s.game.steps[a]
	if s.owned[o]&move.to != 0 && s.captures[p] < mostCaptures { // a capture: only king's steps lead onto a piece
		s.captures[p]++
	}
	s.owned[p] = s.owned[p]&^move.from | move.to
	s.owned[o] &^= move.to
	s.player = o
	s.turnsLeft--
	if s.turnsLeft == 0 {
		s.outcome = s.finalOutcome()
	}
}

// finalOutcome returns First's class at the end: by its lead in captures, where class 0 is the largest lead or a win.
func (s *freeForAllState) finalOutcome() int8 {
	lead := int8(s.captures[0]) - int8(s.captures[1])
	if s.game.byScore {
		return mostCaptures - lead
	}
	return 1 - min(max(lead, -1), 1)
}

// Key packs the pieces, then a byte each for the player, the turns left and both counts of captures.
func (s *freeForAllState) Key() env.Key {
	return env.Key{
		s.owned[0], s.owned[1],
		uint64(s.player) | uint64(s.turnsLeft)<<8 | uint64(s.captures[0])<<16 | uint64(s.captures[1])<<24,
	}
}

func (s *freeForAllState) CanonicalKey() (env.Key, int) {
	key := s.Key()
	if s.game.mirror == nil {
		return key, 0
	}
	red, blue, symmetry := s.game.mirror.canonical([1]uint64{s.owned[0]}, [1]uint64{s.owned[1]})
	key[0], key[1] = red[0], blue[0]
	return key, symmetry
}

func (s *freeForAllState) Encode(dst []float32) {
	f, p := s.game, s.player
	n := f.size * f.size
	o := p.Opponent()
	copy(dst, f.board[p])
	clear(dst[n : 3*n])
	f.mark(dst[n:], p, s.owned[p])
	f.mark(dst[2*n:], p, s.owned[o])
	dst = dst[3*n:]
	dst = encodeValue(dst, n, float32(s.turnsLeft)/float32(f.turns))
	dst = encodeValue(dst, n, float32(s.captures[p])/mostCaptures)
	encodeValue(dst, n, float32(s.captures[o])/mostCaptures)
}

// mark writes 1 into the given cells (a set of bits) of a plane in p's frame.
func (f *freeForAll) mark(plane []float32, p env.Player, cells uint64) {
	for frameCell := &f.frameCell[p]; cells != 0; cells &= cells - 1 {
		plane[frameCell[bits.TrailingZeros64(cells)]] = 1
	}
}

func (s *freeForAllState) Pieces(dst []uint8) []uint8 {
	start := len(dst)
	dst = append(dst, make([]uint8, s.game.size*s.game.size)...)
	for p, owned := range s.owned {
		for ; owned != 0; owned &= owned - 1 {
			dst[start+int(s.game.cellOf[bits.TrailingZeros64(owned)])] = uint8(p + 1)
		}
	}
	return dst
}

// WinningCells appends none: captures win the game, and captured pieces are gone.
func (s *freeForAllState) WinningCells(dst []int32) []int32 { return dst }

func (s *freeForAllState) Detail() string {
	if s.Done() {
		return "" // the goals show the captures already
	}
	goals := s.Goals()
	return fmt.Sprintf("turns left %d; points red %d, blue %d", s.turnsLeft, goals[0], goals[1])
}
