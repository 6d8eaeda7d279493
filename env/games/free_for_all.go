package games

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"ludus/env"
)

var _ = register(family{
	Family: Family{
		Name: "free-for-all",
		Params: []Param{
			number("size", 7, 5, 9),
			number("steps", 30, 2, 100),
			word("objective", "win", "score"),
		},
		Shorts: []Short{{"free-for-all-2p", "free-for-all(size=7,steps=30,objective=win)"}},
	},
	order: 4,
	build: buildFreeForAll,
})

// goalPerCapture and mostCaptures make a player's goal; further captures earn nothing.
const (
	goalPerCapture = 10
	mostCaptures   = 10
)

// hops are the directions (dx, dy) of a knight's step, then of a king's step.
var hops = [16][2]int{
	{-2, -1}, {-1, -2}, {1, -2}, {2, -1}, {-2, 1}, {-1, 2}, {1, 2}, {2, 1},
	{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1},
}

const knightHops = 8 // the first of hops

// freeForAll is the board of one game of the family. Row 0 of the tensor is y = 1, column 0 is x = 1, in the mover's
// frame: blue sees left and right exchanged.
//
// An action is its direction's plane and the cell it starts from; noop is the extra. Bitboards hold the inner cells
// alone, row by row: the pieces on the spawn cells are always there and never captured.
type freeForAll struct {
	size, width, steps int
	byScore            bool // objective=score
	classes            []env.Class
	moves              []step          // by action; a step from a spawn cell or a noop leaves no cell
	from               [16]uint64      // inner cells from which the hop stays on inner cells
	distance           [16]int         // bit stepped onto - bit stepped from
	cellOf             []env.Action    // inner bit to board cell
	spawn              [2]env.Action   // each player's spawn cell
	startOf            [2][]env.Action // each player's start cells ascending: the inner cells and its spawn cell
	below              [2]uint64       // the inner cells before its spawn cell
	spawnTo            [2][16]uint64   // the inner bit that a hop from the spawn cell enters, if any
	noop               env.Action
}

// freeForAllState is a position of Free-For-All.
type freeForAllState struct {
	game     *freeForAll
	owned    [2]uint64 // without the spawn cells' pieces
	captures [2]uint8  // at most mostCaptures
	left     uint8     // turns until the end
	player   env.Player
	outcome  int8
}

func buildFreeForAll(v values) (*env.Game, error) {
	f := &freeForAll{size: v.number("size"), steps: v.number("steps"), byScore: v.word("objective") == "score"}
	f.width = f.size - 2
	cells := f.size * f.size
	f.noop = env.Action(len(hops) * cells)
	middle := (f.size + 1) / 2
	f.spawn = [2]env.Action{env.Action((middle - 1) * f.size), env.Action((middle-1)*f.size + f.size - 1)}
	f.classes = f.makeClasses()
	g := &env.Game{
		Players:      [2]string{"red", "blue"},
		Rules:        f.rules(middle),
		Tensor:       env.Shape{C: 6, H: f.size, W: f.size},
		Planes:       []string{"board", "own pieces", "other's pieces", "turns left", "own captures", "other's captures"},
		PolicyPlanes: len(hops),
		PolicyExtras: 1,
		Classes:      f.classes,
		GoalHead:     true,
		MaxPlies:     f.steps,
		NewState:     f.newState,
	}
	for i, hop := range hops {
		kind := "knight"
		if i >= knightHops {
			kind = "king"
		}
		g.PolicyNames = append(g.PolicyNames, fmt.Sprintf("%s %+d %+d", kind, hop[0], hop[1]))
	}
	g.PolicyNames = append(g.PolicyNames, "noop")
	f.makeMoves(g)

	mirrorX := func(r, c int) (int, int) { return r, f.size - 1 - c }
	mirrorY := func(r, c int) (int, int) { return f.size - 1 - r, c }
	g.Symmetries = []env.Symmetry{turn(g, same, nil)}
	if f.size%2 == 1 { // otherwise the spawn cells are not on the middle row
		g.Symmetries = append(g.Symmetries, turn(g, mirrorY, turnHop(1, -1)))
	}
	return g.Finish(turn(g, mirrorX, turnHop(-1, 1)).Actions), nil
}

// turnHop is the permutation of the hops that multiplies dx by sx and dy by sy.
func turnHop(sx, sy int) func(int) int {
	return func(from int) int {
		for to, hop := range hops {
			// A knight's and a king's hop never have the same length.
			if hop == [2]int{hops[from][0] * sx, hops[from][1] * sy} {
				return to
			}
		}
		panic("games: hop without its mirror image")
	}
}

// makeMoves fills the tables of moves, and the texts of the actions.
func (f *freeForAll) makeMoves(g *env.Game) {
	inner := func(x, y int) uint64 { // the bit of an inner cell, coordinates from 0
		if x < 1 || y < 1 || x > f.width || y > f.width {
			return 0
		}
		return 1 << ((y-1)*f.width + x - 1)
	}
	for cell := range f.size * f.size {
		if inner(cell%f.size, cell/f.size) != 0 {
			f.cellOf = append(f.cellOf, env.Action(cell))
		}
	}
	for p, spawn := range f.spawn {
		rank, _ := slices.BinarySearch(f.cellOf, spawn)
		f.startOf[p] = slices.Insert(slices.Clone(f.cellOf), rank, spawn)
		f.below[p] = 1<<rank - 1
	}
	for i, hop := range hops {
		f.distance[i] = hop[1]*f.width + hop[0]
		for cell := range f.size * f.size {
			x, y := cell%f.size, cell/f.size
			move := step{inner(x, y), inner(x+hop[0], y+hop[1])}
			text := ""
			spawner := slices.Index(f.spawn[:], env.Action(cell))
			if spawner >= 0 {
				f.spawnTo[spawner][i] = move.to
			}
			if move.to != 0 && (move.from != 0 || spawner >= 0) {
				text = fmt.Sprintf("(move %d %d %d %d)", x+1, y+1, x+1+hop[0], y+1+hop[1])
				f.from[i] |= move.from
			}
			g.ActionTexts = append(g.ActionTexts, text)
			f.moves = append(f.moves, move)
		}
	}
	g.ActionTexts = append(g.ActionTexts, "noop")
	f.moves = append(f.moves, step{})
}

// makeClasses lists win, draw and loss, or every difference of the goals.
func (f *freeForAll) makeClasses() []env.Class {
	if !f.byScore {
		return []env.Class{
			{Name: "win", Own: -1, Other: -1, Utility: 1},
			{Name: "draw", Own: -1, Other: -1, Utility: 0},
			{Name: "loss", Own: -1, Other: -1, Utility: -1},
		}
	}
	var classes []env.Class
	for ahead := mostCaptures; ahead >= -mostCaptures; ahead-- {
		classes = append(classes, env.Class{
			Name: fmt.Sprintf("%+d", ahead*goalPerCapture), Own: -1, Other: -1, Utility: float32(ahead) / mostCaptures,
		})
	}
	return classes
}

func (f *freeForAll) rules(middle int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Pieces move on the inner cells, 2 to %d both ways.\n", f.size-1)
	fmt.Fprintf(&b, "A fresh red piece always stands on (1,%d), a fresh blue one on (%d,%d).\n", middle, f.size, middle)
	b.WriteString("A turn is a knight's step of an own piece onto an empty inner cell, or a king's step\n")
	b.WriteString("onto an inner cell held by the opponent, which captures it; noop only if there is neither. Red begins.\n")
	fmt.Fprintf(&b, "After %d turns each has 10 points for each of its captures, at most 100; ", f.steps)
	if f.byScore {
		b.WriteString("the difference counts.")
	} else {
		b.WriteString("more points win.")
	}
	return b.String()
}

func (f *freeForAll) newState() env.State {
	return &freeForAllState{game: f, left: uint8(f.steps), outcome: unfinished}
}

func (s *freeForAllState) Player() env.Player { return s.player }
func (s *freeForAllState) Done() bool         { return s.outcome != unfinished }
func (s *freeForAllState) Outcome() int       { return int(s.outcome) }

func (s *freeForAllState) Goals() [2]int {
	return [2]int{goalPerCapture * int(s.captures[0]), goalPerCapture * int(s.captures[1])}
}

func (s *freeForAllState) CopyFrom(src env.State) { *s = *src.(*freeForAllState) }

func (s *freeForAllState) Legal(dst []env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	f, p, before := s.game, s.player, len(dst)
	own, other := s.owned[p], s.owned[p.Other()]
	below, cellOf, first := f.below[p], f.startOf[p], env.Action(0)
	for i := range hops {
		open := ^(own | other)
		if i >= knightHops {
			open = other
		}
		inner := own & f.from[i] & bits.RotateLeft64(open, -f.distance[i])
		starts := inner&below | inner&^below<<1 // leaves the bit between them to the spawn cell
		if open&f.spawnTo[p][i] != 0 {
			starts |= below + 1
		}
		for ; starts != 0; starts &= starts - 1 {
			dst = append(dst, first+cellOf[bits.TrailingZeros64(starts)])
		}
		first += env.Action(f.size * f.size)
	}
	if len(dst) == before {
		dst = append(dst, f.noop)
	}
	return dst
}

// Endings are all moves of the last turn.
func (s *freeForAllState) Endings(dst []env.Ending) []env.Ending {
	if s.left != 1 {
		return dst
	}
	var moves [512]env.Action
	for _, a := range s.Legal(moves[:0]) {
		next := *s
		next.Apply(a)
		dst = append(dst, env.Ending{Action: a, Outcome: int(next.outcome)})
	}
	return dst
}

func (s *freeForAllState) Apply(a env.Action) {
	p, o := s.player, s.player.Other()
	move := s.game.moves[a]
	if s.owned[o]&move.to != 0 && s.captures[p] < mostCaptures {
		s.captures[p]++
	}
	s.owned[p] = s.owned[p]&^move.from | move.to
	s.owned[o] &^= move.to
	s.player = o
	s.left--
	if s.left == 0 {
		s.outcome = s.finish()
	}
}

// finish is First's class by the captures.
func (s *freeForAllState) finish() int8 {
	ahead := int8(s.captures[0]) - int8(s.captures[1])
	if s.game.byScore {
		return mostCaptures - ahead
	}
	return 1 - min(max(ahead, -1), 1)
}

func (s *freeForAllState) Key() env.Key {
	return env.Key{
		s.owned[0], s.owned[1],
		uint64(s.player) | uint64(s.left)<<8 | uint64(s.captures[0])<<16 | uint64(s.captures[1])<<24,
	}
}

func (s *freeForAllState) Encode(dst []float32) {
	f, p := s.game, s.player
	n := f.size * f.size
	o := p.Other()
	planes := dst[3*n:]
	for i := range dst[:3*n] {
		dst[i] = 0
	}
	board := uint64(1)<<(f.width*f.width) - 1
	for i, inner := range []uint64{board, s.owned[p], s.owned[o]} {
		plane := dst[i*n : (i+1)*n]
		for ; inner != 0; inner &= inner - 1 {
			plane[f.seen(p, f.cellOf[bits.TrailingZeros64(inner)])] = 1
		}
	}
	own, other := f.seen(p, f.spawn[p]), f.seen(p, f.spawn[o])
	dst[own], dst[n+own] = 1, 1
	dst[other], dst[2*n+other] = 1, 1
	planes = encodeValue(planes, n, float32(s.left)/float32(f.steps))
	planes = encodeValue(planes, n, float32(s.captures[p])/mostCaptures)
	encodeValue(planes, n, float32(s.captures[o])/mostCaptures)
}

// seen is the cell where player p sees an absolute cell: Second has left and right exchanged.
func (f *freeForAll) seen(p env.Player, cell env.Action) int {
	if p == env.First {
		return int(cell)
	}
	i := int(cell)
	return i - i%f.size + f.size - 1 - i%f.size
}

// Board draws y = 1 at the bottom; R and B are the pieces, those on the spawn cells included.
func (s *freeForAllState) Board() string {
	f := s.game
	drawn := make([]byte, f.size*f.size)
	for i := range drawn {
		drawn[i] = ' '
	}
	for i, cell := range f.cellOf {
		drawn[cell] = owner([2][1]uint64{{s.owned[0]}, {s.owned[1]}}, i, 'R', 'B')
	}
	drawn[f.spawn[0]], drawn[f.spawn[1]] = 'R', 'B'
	goals := s.Goals()
	text := grid(f.size, f.size, 1, func(cell int) byte { return drawn[cell] }) + turnText(s, "red", "blue")
	if !s.Done() {
		text += fmt.Sprintf("; turns left %d; red %d, blue %d", s.left, goals[0], goals[1])
	}
	return text + "\n"
}
