package games

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
)

// texts are the sorted texts of the legal moves.
func texts(g *env.Game, s env.State) []string {
	list := g.Texts(s.Legal(nil))
	slices.Sort(list)
	return list
}

// eachGame plays n random games and visits every unfinished position.
func eachGame(g *env.Game, n int, visit func(s env.State)) {
	for i := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		for s := g.NewState(); !s.Done(); {
			visit(s)
			legal := s.Legal(nil)
			s.Apply(legal[rng.IntN(len(legal))])
		}
	}
}

// TestFreeForAllAgainstRules compares legal moves with the rules applied cell by cell, on boards that no transcript
// covers.
func TestFreeForAllAgainstRules(t *testing.T) {
	for _, name := range []string{"free-for-all(size=5)", "free-for-all(size=6)", "free-for-all(size=9,steps=100)"} {
		g := Must(name)
		eachGame(g, 5, func(s env.State) {
			if got, want := texts(g, s), naiveFreeForAll(s.(*freeForAllState)); !slices.Equal(got, want) {
				t.Fatalf("%s: legal moves %v, want %v\n%s", name, got, want, g.Board(s))
			}
		})
	}
}

func naiveFreeForAll(s *freeForAllState) []string {
	size, middle := s.game.size, (s.game.size+1)/2
	holder := func(x, y int) int { // 0 or 1, or -1
		for p, spawn := range []int{1, size} {
			if x == spawn && y == middle {
				return p
			}
		}
		for p := range 2 {
			if s.owned[p]&s.game.bitOf(x-1, y-1) != 0 {
				return p
			}
		}
		return -1
	}
	mover, list := int(s.player), []string{}
	for x1 := 1; x1 <= size; x1++ {
		for y1 := 1; y1 <= size; y1++ {
			for x2 := 2; x2 < size; x2++ {
				for y2 := 2; y2 < size; y2++ {
					distance := (x1-x2)*(x1-x2) + (y1-y2)*(y1-y2)
					knight := distance == 5 && holder(x2, y2) == -1
					king := (distance == 1 || distance == 2) && holder(x2, y2) == 1-mover
					if holder(x1, y1) == mover && (knight || king) {
						list = append(list, fmt.Sprintf("(move %d %d %d %d)", x1, y1, x2, y2))
					}
				}
			}
		}
	}
	if len(list) == 0 {
		list = append(list, "noop")
	}
	slices.Sort(list)
	return list
}

// TestBreakthroughAgainstRules compares legal moves with the rules applied cell by cell, on boards that no transcript
// covers.
func TestBreakthroughAgainstRules(t *testing.T) {
	for _, name := range []string{
		"breakthrough(columns=2,rows=5)", "breakthrough(columns=8,rows=8)", "breakthrough(columns=7,rows=4)",
		"breakthrough(columns=5,rows=7,captures=false)",
	} {
		g := Must(name)
		eachGame(g, 10, func(s env.State) {
			if got, want := texts(g, s), naiveBreakthrough(s.(*breakthroughState)); !slices.Equal(got, want) {
				t.Fatalf("%s: legal moves %v, want %v\n%s", name, got, want, g.Board(s))
			}
		})
	}
}

func naiveBreakthrough(s *breakthroughState) (list []string) {
	b := s.game
	holds := func(p env.Player, x, y int) bool { return s.owned[p]>>((y-1)*b.columns+x-1)&1 == 1 }
	forward := 1 - 2*int(s.player)
	for y := 1; y <= b.rows; y++ {
		for x := 1; x <= b.columns; x++ {
			for dx := -1; dx <= 1; dx++ {
				x2, y2 := x+dx, y+forward
				if !holds(s.player, x, y) || x2 < 1 || x2 > b.columns || y2 < 1 || y2 > b.rows || holds(s.player, x2, y2) {
					continue
				}
				if !holds(s.player.Opponent(), x2, y2) || dx != 0 && b.captures {
					list = append(list, fmt.Sprintf("(move %d %d %d %d)", x, y, x2, y2))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestWordsAgree checks that bitboards of one word and of more play the same game.
func TestWordsAgree(t *testing.T) {
	for _, name := range []string{
		"quad-7x7", "quad(size=8,quads=9,whites=4,corners=left)",
		"golden-rectangle", "golden-rectangle(columns=8,rows=8,span=4)",
		"connect-four", "line-up(width=8,height=8,line=5,gravity=0)", "hex-7x7", "hex(size=8,swap=0)",
		"line-up(width=7,height=8,line=3,gravity=0,overline=0,swap=1)", "othello", "othello-6x6",
	} {
		one := Must(name)
		larger := map[string][]func(Values) (*env.Game, error){
			"quad":             {newQuad[[2]uint64], newQuad[[4]uint64]},
			"golden-rectangle": {newGoldenRectangle[[2]uint64], newGoldenRectangle[[4]uint64]},
			"line-up":          {newLineUp[[2]uint64], newLineUp[[4]uint64], newLineUp[[6]uint64]},
			"hex":              {newHex[[2]uint64], newHex[[4]uint64], newHex[[6]uint64]},
			"othello":          {newOthello[[4]uint64]},
		}
		for _, build := range larger[one.Family] {
			other, err := build(one.Params)
			if err != nil {
				t.Fatal(err)
			}
			compareGames(t, one, other)
		}
	}
}

// compareGames plays random games in two implementations of one game and compares their positions and endings.
func compareGames(t *testing.T, one, other *env.Game) {
	t.Helper()
	x, y := make([]float32, one.Tensor.Size()), make([]float32, other.Tensor.Size())
	for i := range 30 {
		rng := rand.New(rand.NewPCG(uint64(i), 6))
		a, b := one.NewState(), other.NewState()
		for !a.Done() && !b.Done() {
			a.Encode(x)
			b.Encode(y)
			legal := a.Legal(nil)
			if !slices.Equal(legal, b.Legal(nil)) || !slices.Equal(x, y) || one.Board(a) != other.Board(b) ||
				!slices.Equal(a.TerminalActions(nil), b.TerminalActions(nil)) {
				t.Fatalf("%s: one word\n%s several words\n%s", one.Name, one.Board(a), other.Board(b))
			}
			move := legal[rng.IntN(len(legal))]
			a.Apply(move)
			b.Apply(move)
		}
		if a.Done() != b.Done() || a.Outcome() != b.Outcome() || !slices.Equal(a.WinningCells(nil), b.WinningCells(nil)) {
			t.Fatalf("%s: the games end differently", one.Name)
		}
	}
}

// TestTurnedBoards checks, for games with the same rules for both players, that a position and its turned copy with
// exchanged players have the same tensor and the same continuations. Random games alone never reach both.
func TestTurnedBoards(t *testing.T) {
	for _, name := range []string{
		"breakthrough-6x6", "breakthrough(columns=5,rows=8,captures=false)",
		"free-for-all-2p", "free-for-all(size=6,objective=score)", "hex(size=4,swap=0)", "hex(size=9,swap=0)", "hex(size=17,swap=0)",
	} {
		g := Must(name)
		x, y := make([]float32, g.Tensor.Size()), make([]float32, g.Tensor.Size())
		frame := g.Frame(env.Second)
		eachGame(g, 3, func(s env.State) {
			turned := turnedState(s)
			s.Encode(x)
			turned.Encode(y)
			if !slices.Equal(x, y) {
				t.Fatalf("%s: tensors differ\n%s%s", name, g.Board(s), g.Board(turned))
			}
			legal := s.Legal(nil)
			want := make([]env.Action, len(legal))
			for i, a := range legal {
				want[i] = frame[a]
			}
			slices.Sort(want)
			if !slices.Equal(turned.Legal(nil), want) {
				t.Fatalf("%s: legal moves differ\n%s%s", name, g.Board(s), g.Board(turned))
			}
			for _, a := range legal {
				next, turnedNext := g.After(s, a), g.After(turned, frame[a])
				switch {
				case next.Done() != turnedNext.Done():
					t.Fatalf("%s: only one game ends", name)
				case next.Done() && next.Outcome() != g.ClassFor(env.Second, turnedNext.Outcome()):
					t.Fatalf("%s: classes %d and %d", name, next.Outcome(), turnedNext.Outcome())
				case !next.Done() && turnedState(next).Key() != turnedNext.Key():
					t.Fatalf("%s: positions differ after %s", name, g.ActionTexts[a])
				}
			}
		})
	}
}

// turnedState returns the position on the turned board with the players exchanged.
func turnedState(s env.State) env.State {
	switch s := s.(type) {
	case *breakthroughState:
		turned := *s
		turned.owned = [2]uint64{s.game.upsideDown(s.owned[1]), s.game.upsideDown(s.owned[0])}
		turned.player = s.player.Opponent()
		return &turned
	case *freeForAllState:
		turned := *s
		turned.owned = [2]uint64{}
		size := s.game.size
		for x := range size {
			for y := range size {
				for p := range 2 {
					if s.owned[p]&s.game.bitOf(x, y) != 0 {
						turned.owned[1-p] |= s.game.bitOf(size-1-x, y)
					}
				}
			}
		}
		turned.captures = [2]uint8{s.captures[1], s.captures[0]}
		turned.player = s.player.Opponent()
		return &turned
	case *hexState[[1]uint64]:
		return turnedHex(s)
	case *hexState[[2]uint64]:
		return turnedHex(s)
	case *hexState[[6]uint64]:
		return turnedHex(s)
	}
	panic("not a game with equal seats")
}

func turnedHex[B bitboard](s *hexState[B]) env.State {
	turned, transpose := *s, &s.game.transpose
	for p := range 2 {
		turned.owned[p] = transpose.of(s.owned[1-p])
		for edge := range 2 {
			turned.linked[p][edge] = transpose.of(s.linked[1-p][edge])
		}
	}
	turned.player = s.player.Opponent()
	return &turned
}
