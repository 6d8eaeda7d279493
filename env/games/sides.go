package games

import (
	"fmt"

	"ludus/env"
)

// unfinished is the progress of a new game.
var unfinished = progress{outcome: env.Unfinished}

// progress is the part of a state that all games share: who is to move, and how the game ended.
type progress struct {
	player  env.Player
	outcome int8 // a class as First sees it (0 is First's best), or env.Unfinished
}

func (p *progress) Player() env.Player { return p.player }
func (p *progress) Done() bool         { return p.outcome != env.Unfinished }
func (p *progress) Outcome() int       { return int(p.outcome) }

// sides is the part of a state that games of two kinds of pieces share: each player's cells, and progress.
type sides[B bitboard] struct {
	owned [2]B // by player
	progress
}

// key returns the key of the position with the given players' cells instead of its own. Sets of one or two words have
// First's cells in words 0 and 1, Second's in words 2 and 3, and the player to move in word 4. Sets of four words have
// First's in words 0 to 3 and Second's in words 4 to 7, with the player in the highest bit of word 3. They serve boards
// of 129 to 255 cells, and Othello 10x10, whose machine code is that of Othello 12x12.
//
// Two sets of 361 cells do not fit into the 512 bits of a key. So on boards of more than 255 cells First's are words 0
// to 5, with the player in the highest bit, and words 6 and 7 are a [digest] of Second's: see [env.Key].
func (s *sides[B]) key(first, second B) (k env.Key) {
	player := uint64(s.player)
	switch n := len(first); n {
	case 1, 2:
		for i := range n {
			k[i], k[2+i] = first[i], second[i]
		}
		k[4] = player
	case 4:
		for i := range n {
			k[i], k[4+i] = first[i], second[i]
		}
		k[3] |= player << 63
	default:
		for i := range n {
			k[i] = first[i]
		}
		k[5] |= player << 63
		h := digest(second)
		k[6], k[7] = h[0], h[1]
	}
	return k
}

func (s *sides[B]) Key() env.Key { return s.key(s.owned[0], s.owned[1]) }

// noSwap stands for the swap in games without that rule.
const noSwap = env.Action(-1)

// addSwap adds the swap rule to a game, all of whose other actions have been added: instead of its first move, Second
// takes First's piece. how says how the piece changes, apart from its owner. addSwap returns the action, the policy's
// extra entry.
func addSwap(g *env.Game, how string) env.Action {
	first, second := g.Players[env.First], g.Players[env.Second]
	g.Rules += fmt.Sprintf("\nInstead of its first piece, %[2]s may swap: %[1]s's piece becomes %[2]s's%[3]s. "+
		"So %[1]s should not begin with too strong a move.", first, second, how)
	g.Planes = append(g.Planes, "swap: 1 on every cell if the mover may swap, otherwise 0")
	g.PolicyNames, g.PolicyExtras = append(g.PolicyNames, "swap"), 1
	g.MaxPlies++
	g.Drawing.Flips = true
	g.AddAction("swap", env.NoCells)
	return env.Action(g.Tensor.Cells())
}

// maySwap reports whether the swap is legal.
func (s *sides[B]) maySwap(swap env.Action) bool {
	return swap != noSwap && s.player == env.Second && isEmpty(s.owned[env.Second]) && count(s.owned[env.First]) == 1
}

// legal appends the actions that fill the given cells, then the swap if it is legal. The action that fills a cell has
// its number.
func (s *sides[B]) legal(dst []env.Action, cells B, swap env.Action) []env.Action {
	if s.Done() {
		return dst
	}
	dst = appendActions(dst, cells, 0)
	if s.maySwap(swap) {
		dst = append(dst, swap)
	}
	return dst
}

// randomAction returns the action of index floor(r n / 2^64) among the n that legal appends.
func (s *sides[B]) randomAction(r uint64, cells B, swap env.Action) env.Action {
	n := count(cells)
	if !s.maySwap(swap) {
		return env.Action(nth(cells, below(r, n)))
	}
	if k := below(r, n+1); k < n {
		return env.Action(nth(cells, k))
	}
	return swap
}

// encodeSwap writes the plane of the swap, which fills dst; there is none without the rule.
func (s *sides[B]) encodeSwap(dst []float32, swap env.Action) {
	switch {
	case s.maySwap(swap):
		encodeValue(dst, len(dst), 1)
	case swap != noSwap:
		encodeValue(dst, len(dst), 0)
	}
}

// filling is the part of a state that games share in which pieces fall or players mark cells: sides, and the cells to
// fill.
type filling[B bitboard] struct {
	playable B // cells that can be filled: the lowest empty one of each column if pieces fall, otherwise all empty ones
	sides[B]
}
