package games

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// played is the position after the given legal moves, separated by ";".
func played(t *testing.T, name, moves string) env.State {
	t.Helper()
	s, _, err := env.ReplayText(Must(name), strings.Split(moves, ";"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantEnd checks that the game is over with the given class, as First sees it, and goals.
func wantEnd(t *testing.T, s env.State, class int, goals [2]int) {
	t.Helper()
	if !s.Done() || s.Outcome() != class || s.Goals() != goals {
		t.Errorf("done %t, class %d, goals %v; want class %d, goals %v, after %s",
			s.Done(), s.Outcome(), s.Goals(), class, goals, s.Detail())
	}
}

// quadMoves turns "23 b11 45" into (mark r2 c3), (block r1 c1), (mark r4 c5).
func quadMoves(cells string) string {
	var moves []string
	for _, c := range strings.Fields(cells) {
		verb := "mark"
		if rest, ok := strings.CutPrefix(c, "b"); ok {
			verb, c = "block", rest
		}
		moves = append(moves, fmt.Sprintf("(%s r%c c%c)", verb, c[0], c[1]))
	}
	return strings.Join(moves, ";")
}

// TestQuadOutcomes reaches each way to end Quad.
func TestQuadOutcomes(t *testing.T) {
	for _, test := range []struct {
		what, game, cells string
		class             int
		goals             [2]int
	}{
		{"x owns a square", "quad-5x5", "22 12 23 13 32 14 33", 0, [2]int{100, 0}},
		{"x owns a tilted square", "quad-5x5", "12 22 25 23 54 24 41", 0, [2]int{100, 0}},
		{"x owns a diamond", "quad-5x5", "23 12 32 13 34 14 43", 0, [2]int{100, 0}},
		{"o owns a square", "quad-5x5", "12 22 13 23 14 32 25 33", 6, [2]int{0, 100}},
		{"o's square counts on the last quad", "quad(size=5,quads=4,whites=0)", "12 22 13 23 14 32 25 33", 6, [2]int{0, 100}},
		{"x has three corners, the fourth is empty", "quad(size=4,quads=3,whites=0,corners=full)", "11 44 12 34 21 43", 1, [2]int{95, 5}},
		{"three corners before more whites of o", "quad(size=4,quads=3,whites=1,corners=full)", "11 44 b31 12 34 21 43", 1, [2]int{95, 5}},
		{"the fourth corner is o's", "quad(size=4,quads=3,whites=0,corners=full)", "11 44 12 34 21 22", 3, [2]int{50, 50}},
		{"the fourth corner is white", "quad(size=4,quads=3,whites=1,corners=full)", "11 44 b22 12 b31 34 21 43", 3, [2]int{50, 50}},
		{"only x's three corners count", "quad(size=4,quads=3,whites=0,corners=full)", "11 44 12 43 24 34", 3, [2]int{50, 50}},
		{"x has more whites", "quad(size=4,quads=2,whites=2,corners=full)", "11 b31 12 34 43", 2, [2]int{90, 10}},
		{"o has more whites", "quad(size=4,quads=2,whites=2,corners=full)", "b31 b32 11 b33 12 34 43", 4, [2]int{10, 90}},
		{"as many whites", "quad(size=4,quads=1,whites=1,corners=full)", "b11 12 b34 43", 3, [2]int{50, 50}},
	} {
		t.Run(test.what, func(t *testing.T) {
			wantEnd(t, played(t, test.game, quadMoves(test.cells)), test.class, test.goals)
		})
	}
}

// TestQuadBlock checks that a block keeps the turn and uses a white.
func TestQuadBlock(t *testing.T) {
	s := played(t, "quad(size=5,quads=3,whites=2)", quadMoves("b22 b23"))
	if s.Player() != env.First {
		t.Fatal("x does not move again after a block")
	}
	legal := s.Legal(nil)
	if len(legal) != 19 || slices.Contains(legal, env.Action(6)) || legal[18] >= 25 {
		t.Errorf("without whites x has %v; want marks of the 19 empty cells", legal)
	}
	s = played(t, "quad(size=5,quads=3,whites=2)", quadMoves("b22 b23 33"))
	if s.Player() != env.Second || len(s.Legal(nil)) != 36 {
		t.Errorf("after x's mark o has %d moves, want 18 marks and 18 blocks", len(s.Legal(nil)))
	}
}

// TestQuadSquares compares the squares with their definition: corner vectors (a, b) and (-b, a) from every cell.
func TestQuadSquares(t *testing.T) {
	for size, want := range map[int]int{4: 20, 5: 50, 7: 196, 11: 1210} { // size^2 (size^2 - 1) / 12
		if got := len(squares(quadOf(size, "full"))); got != want {
			t.Errorf("full %dx%d board: %d squares, want %d", size, size, got, want)
		}
	}
	for _, corners := range []string{"cut", "left", "full"} {
		for size := 4; size <= 11; size++ {
			q := quadOf(size, corners)
			if got, want := squares(q), naiveSquares(q); !maps.Equal(got, want) {
				t.Errorf("%d, %s: squares %v, want %v", size, corners, got, want)
			}
		}
	}
	if got := len(squares(quadOf(5, "cut"))); got != 37 {
		t.Errorf("5x5 without corners has %d squares, want 37", got)
	}
}

func quadOf(size int, corners string) *quad[[2]uint64] {
	q := &quad[[2]uint64]{size: size, cells: size * size, board: quadBoard[[2]uint64](size, corners)}
	q.findSquares()
	return q
}

// squares collects the squares of all cells and checks that each is listed by its four cells.
func squares(q *quad[[2]uint64]) map[[2]uint64]bool {
	set, listed := map[[2]uint64]bool{}, 0
	for cell, list := range q.through {
		for _, others := range list {
			set[union(others, bit[[2]uint64](cell))] = true
			listed++
		}
	}
	if listed != 4*len(set) {
		panic("a square is listed twice by a cell, or not by all of its cells")
	}
	return set
}

func naiveSquares(q *quad[[2]uint64]) map[[2]uint64]bool {
	found := map[[2]uint64]bool{}
	for cell := range q.cells {
		for a := -q.size; a <= q.size; a++ {
			for b := -q.size; b <= q.size; b++ {
				r, c := cell/q.size, cell%q.size
				var square [2]uint64
				inside := a != 0 || b != 0
				for _, p := range [4][2]int{{r, c}, {r + a, c + b}, {r + a - b, c + b + a}, {r - b, c + a}} {
					if p[0] < 0 || p[1] < 0 || p[0] >= q.size || p[1] >= q.size {
						inside = false
						break
					}
					square = union(square, bit[[2]uint64](p[0]*q.size+p[1]))
				}
				if inside && contains(q.board, square) {
					found[square] = true
				}
			}
		}
	}
	return found
}

func TestGoldenRectangleOutcomes(t *testing.T) {
	// Columns 1 and 4, rows 0 and 3 are just far enough apart.
	s := played(t, "golden-rectangle", "mark 1 0;mark 2 0;mark 4 0;mark 1 1;mark 1 2;mark 4 1;mark 4 2;mark 2 1;"+
		"mark 1 3;mark 2 2;mark 4 3")
	wantEnd(t, s, 0, [2]int{100, 0})
	// Columns 1 and 3 are too near.
	s = played(t, "golden-rectangle", "mark 1 0;mark 2 0;mark 3 0;mark 1 1;mark 1 2;mark 3 1;mark 3 2;mark 2 1;"+
		"mark 1 3;mark 2 2;mark 3 3")
	if s.Done() {
		t.Error("the game is over")
	}
}

// TestGoldenRectangleFullBoard checks that yellow wins on a full board, and that play reaches row 7.
func TestGoldenRectangleFullBoard(t *testing.T) {
	g := Must("golden-rectangle")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		s, next := game[*goldenRectangleState[[1]uint64]](g), g.NewState()
		plies := 0
		for ; !s.Done(); plies++ {
			// A random move that does not end the game, if there is one.
			legal := s.Legal(nil)
			rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
			for _, a := range legal {
				next.CopyFrom(s)
				if next.Apply(a); !next.Done() {
					break
				}
			}
			s.CopyFrom(next)
		}
		if count(s.playable) == 0 && !ownsRectangle(s, 0) && !ownsRectangle(s, 1) {
			if wantEnd(t, s, 1, [2]int{0, 100}); plies != 56 {
				t.Errorf("full after %d moves, want 56", plies)
			}
			return
		}
	}
	t.Fatal("no full board was found")
}

// ownsRectangle tries every pair of cells as opposite corners.
func ownsRectangle(s *goldenRectangleState[[1]uint64], p int) bool {
	own := func(x, y int) bool { return has(s.owned[p], y*7+x) }
	for x := range 7 {
		for y := range 8 {
			for x2 := x + 3; x2 < 7; x2++ {
				for y2 := y + 3; y2 < 8; y2++ {
					if own(x, y) && own(x2, y) && own(x, y2) && own(x2, y2) {
						return true
					}
				}
			}
		}
	}
	return false
}

func TestBreakthroughEnds(t *testing.T) {
	// White reaches the last row by captures.
	wantEnd(t, played(t, "breakthrough(columns=2,rows=4)",
		"move 1 2 2 3;move 1 4 2 3;move 2 2 1 3;move 2 3 2 2;move 1 3 2 4"), 0, [2]int{100, 0})
	position := func(g *env.Game, white, black uint64) env.State {
		s := game[*breakthroughState](g)
		s.owned = [2]uint64{white, black}
		return s
	}
	g := Must("breakthrough-6x6")
	// The last black piece is captured.
	s := position(g, 1<<14, 1<<21)
	capture, _ := g.ParseAction("(move 3 3 4 4)")
	s.Apply(capture)
	wantEnd(t, s, 0, [2]int{100, 0})
	// Without captures a player who cannot move loses. Black's last piece is on (1,5), above white's on (1,4).
	g = Must("breakthrough(columns=2,rows=6,captures=false)")
	s = position(g, 1<<6|1<<3, 1<<8)
	forward, _ := g.ParseAction("(move 2 2 2 3)")
	s.Apply(forward)
	if s.Done() {
		t.Fatal("the game is over, but black can step onto (2,4)")
	}
	s = position(g, 1<<6|1<<5, 1<<8)
	forward, _ = g.ParseAction("(move 2 3 2 4)")
	s.Apply(forward)
	wantEnd(t, s, 0, [2]int{100, 0})
}

// game is the starting position of g with its own type.
func game[S env.State](g *env.Game) S { return g.NewState().(S) }

func TestFreeForAllNoop(t *testing.T) {
	g := Must("free-for-all(size=5,steps=4)")
	s := game[*freeForAllState](g)
	// Red's own pieces fill the inner cells: no empty cell, nobody to capture.
	s.owned[0] |= s.game.inner
	noop, err := g.ParseAction("noop")
	if err != nil {
		t.Fatal(err)
	}
	if legal := s.Legal(nil); !slices.Equal(legal, []env.Action{noop}) {
		t.Fatalf("legal moves %v, want noop alone", legal)
	}
	s.Apply(noop)
	if s.Player() != env.Second || s.turnsLeft != 3 || s.Done() {
		t.Errorf("after noop: player %d, %d turns left", s.Player(), s.turnsLeft)
	}
	// Blue's spawn piece at (5,3) captures on (4,2), (4,3) and (4,4).
	texts := texts(g, s)
	if want := []string{"(move 5 3 4 2)", "(move 5 3 4 3)", "(move 5 3 4 4)"}; !slices.Equal(texts, want) {
		t.Errorf("blue's moves %v, want %v", texts, want)
	}
}

// TestFreeForAllCaptures checks that the tenth capture earns the last points, and that the higher goal wins.
func TestFreeForAllCaptures(t *testing.T) {
	for objective, classes := range map[string][4]int{"win": {0, 1, 1, 2}, "score": {9, 10, 10, 11}} {
		for i, test := range []struct{ red, blue, wantRed, wantBlue int }{
			{9, 9, 100, 90}, {9, 10, 100, 100}, {10, 10, 100, 100}, {8, 10, 90, 100},
		} {
			g := Must("free-for-all(objective=" + objective + ")")
			s := game[*freeForAllState](g)
			s.captures, s.turnsLeft = [2]uint8{uint8(test.red), uint8(test.blue)}, 1
			spawn, blue := s.owned, s.game.bitOf(1, 3) // blue at (2,4), next to red's spawn cell
			s.owned[1] |= blue
			capture, err := g.ParseAction("(move 1 4 2 4)")
			if err != nil || !slices.Contains(s.Legal(nil), capture) {
				t.Fatal("red cannot capture from its spawn cell")
			}
			s.Apply(capture)
			wantEnd(t, s, classes[i], [2]int{test.wantRed, test.wantBlue})
			if s.owned != [2]uint64{spawn[0] | blue, spawn[1]} {
				t.Errorf("after the capture: %x", s.owned)
			}
		}
	}
}

// TestWinningCells checks by coordinates that winning cells form the winning shape, in order around it.
func TestWinningCells(t *testing.T) {
	for name, fits := range map[string]func(g *env.Game, x, y []int) bool{
		"quad-5x5":                           isSquare,
		"quad(size=11,quads=20)":             isSquare,
		"quad(size=4,quads=6,whites=0)":      isSquare,
		"quad(size=5,quads=3,whites=2)":      isSquare, // with an empty corner
		"golden-rectangle":                   isRectangle,
		"golden-rectangle(rows=9,columns=9)": isRectangle,
		"breakthrough-6x6":                   inLastRow,
		"breakthrough(captures=false)":       inLastRow,
		"free-for-all-2p":                    nil,
	} {
		g := Must(name)
		shown := 0
		for i := range 300 {
			s := g.NewState()
			env.Playout(s, rand.NewPCG(uint64(i), 8))
			cells := s.WinningCells(nil)
			if want := wonByCells(s); (len(cells) > 0) != want {
				t.Fatalf("%s: cells %v won, and a shape: %v\n%s", name, cells, want, g.Board(s))
			}
			if len(cells) == 0 {
				continue
			}
			shown++
			var x, y []int
			for _, cell := range cells {
				x, y = append(x, int(cell)%g.Tensor.W), append(y, int(cell)/g.Tensor.W)
			}
			pieces := s.Pieces(nil)
			empty := slices.ContainsFunc(cells, func(cell int32) bool { return pieces[cell] == 0 })
			if !fits(g, x, y) || empty != (g.Family == "quad" && s.Outcome() == quadThree) {
				t.Fatalf("%s: cells %v won\n%s", name, cells, g.Board(s))
			}
		}
		if (shown > 0) != (fits != nil) {
			t.Errorf("%s: %d of 300 random games were won by a shape", name, shown)
		}
	}
}

// wonByCells reports whether pieces on certain cells won the game.
func wonByCells(s env.State) bool {
	switch s := s.(type) {
	case *quadState[[1]uint64]:
		return s.outcome == quadSquare || s.outcome == quadThree || s.outcome == quadLast
	case *quadState[[2]uint64]:
		return s.outcome == quadSquare || s.outcome == quadThree || s.outcome == quadLast
	case *goldenRectangleState[[1]uint64]:
		return s.outcome == int8(env.First) || !isEmpty(s.playable) || ownsRectangle(s, 1)
	case *goldenRectangleState[[2]uint64]:
		return s.outcome == int8(env.First) || !isEmpty(s.playable)
	case *breakthroughState:
		return s.owned[s.outcome]&s.game.goalRow[s.outcome] != 0
	}
	return false
}

// isSquare reports whether the cells are corners of a square, in order around it.
func isSquare(_ *env.Game, x, y []int) bool {
	if len(x) != 4 {
		return false
	}
	for i := range 4 {
		j, k := (i+1)%4, (i+2)%4
		if x[k]-x[j] != y[i]-y[j] || y[k]-y[j] != x[j]-x[i] {
			return false
		}
	}
	return true
}

// isRectangle reports whether the cells are corners of an upright rectangle with sides of at least 3, in order around
// it.
func isRectangle(_ *env.Game, x, y []int) bool {
	return len(x) == 4 && y[0] == y[1] && x[1] == x[2] && y[2] == y[3] && x[3] == x[0] &&
		max(x[0]-x[1], x[1]-x[0]) >= 3 && max(y[1]-y[2], y[2]-y[1]) >= 3
}

// inLastRow reports whether there is one cell, in the first or the last row.
func inLastRow(g *env.Game, _, y []int) bool {
	return len(y) == 1 && (y[0] == 0 || y[0] == g.Tensor.H-1)
}

// TestRulesPromise checks that the rules name no result that the game's parameters exclude, and none without its
// reason.
func TestRulesPromise(t *testing.T) {
	names := slices.Concat(Names(), variants, []string{
		"quad(size=4,quads=1,whites=0)", "quad(size=4,quads=3,whites=0)", "quad(size=4,quads=6,whites=0)", "quad(size=5,quads=1,whites=1)",
		"quad(size=5,quads=2,whites=0)", "quad(size=4,quads=3,whites=3)", "quad(size=4,quads=4,whites=1)",
	})
	for _, name := range names {
		g := Must(name)
		for _, c := range g.Classes {
			result := fmt.Sprintf("%d to %d", c.Goals[0], c.Goals[1])
			if mentioned := strings.Contains(g.Rules, result); c.Impossible && mentioned {
				t.Errorf("%s: the rules promise %s:\n%s", name, result, g.Rules)
			} else if g.Family == "quad" && !c.Impossible && c.Utility > 0 && !mentioned {
				t.Errorf("%s: the rules do not mention %s:\n%s", name, result, g.Rules)
			}
		}
		if g.Family == "quad" && (g.Classes[quadSquare].Impossible == strings.Contains(g.Strategy, "two squares") ||
			g.Classes[quadMoreWhites].Impossible == strings.Contains(g.Rules, "white") || strings.Contains(g.Rules, "1 whites")) {
			t.Errorf("%s:\n%s\n%s", name, g.Rules, g.Strategy)
		}
	}
}

// TestRulesExamples plays the shapes that the rules name as examples and checks that they win.
func TestRulesExamples(t *testing.T) {
	cells := regexp.MustCompile(`([a-z]\d+), ([a-z]\d+), ([a-z]\d+) and ([a-z]\d+)`)
	for name, want := range map[string]int{
		"quad-7x7": 2, "quad-5x5": 2, "quad(size=4,quads=4,whites=0)": 2, "quad(size=11,quads=20,whites=0,corners=full)": 2,
		"golden-rectangle": 1, "golden-rectangle(columns=9,rows=9,span=1)": 1, "golden-rectangle(columns=5,rows=5,span=4)": 1,
	} {
		g := Must(name)
		examples := cells.FindAllStringSubmatch(g.Rules, -1)
		if len(examples) != want {
			t.Errorf("%s: the rules have %d examples, want %d:\n%s", name, len(examples), want, g.Rules)
		}
		for _, example := range examples {
			var corners [4]int32
			for i, text := range example[1:] {
				a, err := g.ParseAction(text)
				if err != nil {
					t.Fatal(err)
				}
				corners[i] = g.Drawing.ActionCells[a].To
			}
			slices.Sort(corners[:])
			if !slices.ContainsFunc(g.Figures, func(f []int32) bool { return slices.Equal(f, corners[:]) }) {
				t.Errorf("%s: %v is no winning shape", name, example)
			}
		}
	}
}

// TestFigures compares the numbers of figures with formulas, checks the shapes of lines and rectangles, and compares
// those of quad-5x5 with the definition of a square.
func TestFigures(t *testing.T) {
	for name, want := range map[string]int{
		"tic-tac-toe": 8, "connect-four": 69, "gomoku-9x9": 2*9*5 + 2*5*5, "golden-rectangle": (4 + 3 + 2 + 1) * (5 + 4 + 3 + 2 + 1),
		"quad(size=7,corners=full)": 49 * 48 / 12, "hex": 0, "quad(size=13,corners=full)": 169 * 168 / 12,
		"golden-rectangle(columns=13,rows=13,span=5)": (8 * 9 / 2) * (8 * 9 / 2), "gomoku-19x19": 2*19*15 + 2*15*15,
		"othello": 2*8 + 2*(2*8-5), "othello-6x6": 2*6 + 2*(2*6-5),
	} {
		if got := len(Must(name).Figures); got != want {
			t.Errorf("%s has %d figures, want %d", name, got, want)
		}
	}
	for _, name := range []string{"connect-four", "gomoku-9x9", "othello"} {
		for _, cells := range Must(name).Figures {
			w := int32(Must(name).Tensor.W)
			for i := 2; i < len(cells); i++ {
				if d := cells[1] - cells[0]; cells[i]-cells[i-1] != d || cells[i]%w-cells[i-1]%w != cells[1]%w-cells[0]%w {
					t.Errorf("%s: cells %v are no line", name, cells)
				}
			}
		}
	}
	for _, c := range Must("golden-rectangle").Figures { // of seven columns
		if c[0]/7 != c[1]/7 || c[2]/7 != c[3]/7 || c[2]/7-c[0]/7 < 3 || c[0]%7 != c[2]%7 || c[1]%7 != c[3]%7 || c[1]-c[0] < 3 {
			t.Errorf("cells %v are no rectangle with sides of at least 3", c)
		}
	}
	quads := map[[2]uint64]bool{}
	for _, cells := range Must("quad-5x5").Figures {
		var figure [2]uint64
		for _, cell := range cells {
			figure = union(figure, bit[[2]uint64](int(cell)))
		}
		quads[figure] = true
	}
	if want := naiveSquares(quadOf(5, "cut")); !maps.Equal(quads, want) {
		t.Errorf("quad-5x5 has figures %v, want %v", quads, want)
	}
}
