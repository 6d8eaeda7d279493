package games

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"ludus/env"
)

// TestKeysOfFirstMoves checks that all positions of large boards after two more moves, and a third if one is a swap,
// have equal keys only if they are equal. A swap is needed for positions that differ in who is to move only.
func TestKeysOfFirstMoves(t *testing.T) {
	seed := maphash.MakeSeed()
	for _, c := range []struct{ game, opening string }{
		{"line-up(width=16,height=16,line=5,gravity=0,swap=1)", ""},
		{"line-up(width=19,height=19,line=5,gravity=0,swap=1)", ""},
		{"quad(size=13,quads=24,whites=8)", ""},
		{"quad(size=13,quads=24,whites=8)", "mark r1 c2"}, // o moves
	} {
		g := Must(c.game)
		start := g.NewState()
		if c.opening != "" {
			start = played(t, c.game, c.opening)
		}
		positions := map[env.Key]uint64{} // hash of what is seen of a position
		var pieces []uint8
		var visit func(s env.State, plies int)
		visit = func(s env.State, plies int) {
			if plies == 0 {
				pieces = append(append(s.Pieces(pieces[:0]), uint8(s.Player())), s.Detail()...)
				key, seen := s.Key(), maphash.Bytes(seed, pieces)
				if other, ok := positions[key]; ok && other != seen {
					t.Fatalf("%s: two positions have the key %x; one is\n%s", c.game, key, g.Board(s))
				}
				positions[key] = seen
				return
			}
			next := g.NewState()
			for _, a := range s.Legal(nil) {
				next.CopyFrom(s)
				next.Apply(a)
				rest := plies - 1
				if g.ActionTexts[a] == "swap" {
					rest++
				}
				visit(next, rest)
			}
		}
		visit(start, 2)
	}
}

// TestKeysOfChangedCells checks that a change of one cell of either player, or of the player to move, changes the key.
func TestKeysOfChangedCells(t *testing.T) {
	t.Run("1 word", testChangedCells[[1]uint64](64))
	t.Run("2 words", testChangedCells[[2]uint64](128))
	t.Run("4 words", testChangedCells[[4]uint64](255))
	t.Run("6 words", testChangedCells[[6]uint64](383))
}

func testChangedCells[B bitboard](cells int) func(t *testing.T) {
	return func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			var s sides[B]
			for cell := range cells {
				if k := rng.IntN(3); k < 2 {
					s.owned[k] = union(s.owned[k], bit[B](cell))
				}
			}
			seen := map[env.Key]string{s.Key(): "nothing"}
			add := func(s sides[B], changed string) {
				if other, ok := seen[s.Key()]; ok {
					t.Errorf("equal keys if %s and if %s changes", other, changed)
				}
				seen[s.Key()] = changed
			}
			turn := s
			turn.player = s.player.Opponent()
			add(turn, "the player")
			for p := range s.owned {
				for cell := range cells {
					changed, one := s, bit[B](cell)
					changed.owned[p] = union(subtract(s.owned[p], one), subtract(one, s.owned[p]))
					add(changed, fmt.Sprintf("cell %d of player %d", cell, p))
				}
			}
		}
	}
}

// TestDigests checks that either word of a digest tells all sets of at most two cells apart, as random words do.
func TestDigests(t *testing.T) {
	type set = [6]uint64
	seen := [2]map[uint64]set{{}, {}}
	for a := range 384 {
		for b := range a + 1 {
			cells := union(bit[set](a), bit[set](b))
			key := (&sides[set]{owned: [2]set{{}, cells}}).Key()
			for i, word := range key[6:] {
				if other, ok := seen[i][word]; ok || word == 0 {
					t.Fatalf("word %d of the keys of %x and %x is %x", 6+i, other, cells, word)
				}
				seen[i][word] = cells
			}
		}
	}
}
