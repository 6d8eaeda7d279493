package games

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// This file tests the rules of line-up, Othello and Hex.

// TestClassicPerft compares with known counts of sequences of moves. Connect Four has 7^n until a game can end. Source
// for Othello: Aart Bik, http://www.aartbik.com/MISC/reversi.html; a pass counts as a move.
func TestClassicPerft(t *testing.T) {
	for name, counts := range map[string][]uint64{
		"tic-tac-toe":  {1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872},
		"connect-four": {1, 7, 49, 343, 2401, 16807, 117649},
		"othello":      {1, 4, 12, 56, 244, 1396, 8200, 55092, 390216},
	} {
		for depth, want := range counts {
			if got, err := Perft(t.Context(), Must(name), depth); err != nil || got != want {
				t.Errorf("%s: %d sequences of %d moves, want %d", name, got, depth, want)
			}
		}
	}
}

// TestConnectFourPositions counts different positions by ply. Source: https://oeis.org/A212693.
func TestConnectFourPositions(t *testing.T) {
	g := Must("connect-four")
	level := map[env.Key]env.State{g.NewState().Key(): g.NewState()}
	for ply, want := range []int{7, 49, 238, 1120, 4263, 16422, 54859, 184275} {
		next := map[env.Key]env.State{}
		for _, s := range level {
			for _, a := range s.Legal(nil) {
				n := g.After(s, a)
				next[n.Key()] = n
			}
		}
		if level = next; len(level) != want {
			t.Errorf("%d positions after %d plies, want %d", len(level), ply+1, want)
		}
	}
}

// TestNumberOfGames counts all games: 255,168 of tic-tac-toe; for Connect Four on small boards see
// https://oeis.org/A342329.
func TestNumberOfGames(t *testing.T) {
	for name, want := range map[string]int{
		"tic-tac-toe": 255168,
		"line-up(width=4,height=3,line=4,gravity=1)": 356232,
	} {
		g := Must(name)
		memory := map[env.Key]int{}
		var games func(s env.State) int
		games = func(s env.State) (n int) {
			if s.Done() {
				return 1
			}
			if n, ok := memory[s.Key()]; ok {
				return n
			}
			for _, a := range s.Legal(nil) {
				n += games(g.After(s, a))
			}
			memory[s.Key()] = n
			return n
		}
		if got := games(g.NewState()); got != want {
			t.Errorf("%s has %d games, want %d", name, got, want)
		}
	}
}

// cellBoard is a position cell by cell, for slow and obvious rules: the owner of each cell, or nobody.
type cellBoard struct {
	height, width int
	owner         []int // by cell
}

const nobody = -1

func boardOf(g *env.Game, s env.State) *cellBoard {
	b := &cellBoard{height: g.Tensor.H, width: g.Tensor.W}
	for _, piece := range s.Pieces(nil) {
		b.owner = append(b.owner, int(piece)-1)
	}
	return b
}

// at returns the owner of the cell in row r and column c, or nobody beyond the board.
func (b *cellBoard) at(r, c int) int {
	if r < 0 || r >= b.height || c < 0 || c >= b.width {
		return nobody
	}
	return b.owner[r*b.width+c]
}

// eachDirection visits the eight directions.
func eachDirection(visit func(dr, dc int)) {
	for dr := -1; dr <= 1; dr++ {
		for dc := -1; dc <= 1; dc++ {
			if dr != 0 || dc != 0 {
				visit(dr, dc)
			}
		}
	}
}

// eachFinished plays random games, 10 to 100, fewer on larger boards, and visits every position, the final ones
// included.
func eachFinished(g *env.Game, visit func(s env.State)) {
	for i := range min(max(2000/g.Tensor.Cells(), 10), 100) {
		rng := rand.NewPCG(uint64(i), 9)
		s := g.NewState()
		for visit(s); !s.Done(); visit(s) {
			s.Apply(s.RandomAction(rng.Uint64()))
		}
	}
}

// TestLineUpAgainstRules compares legal moves and ends with the rules applied cell by cell.
func TestLineUpAgainstRules(t *testing.T) {
	for _, name := range []string{
		"connect-four", "tic-tac-toe", "gomoku-9x9", "line-up(width=5,height=3,line=4,gravity=0)",
		"line-up(width=4,height=7,line=3,gravity=1)", "line-up(width=11,height=11,line=5,gravity=1)",
		"line-up(width=10,height=11,line=4,gravity=0)", "gomoku-19x19", "line-up(width=14,height=13,line=4,gravity=1)",
		"line-up(width=7,height=6,line=3,gravity=1,overline=0,swap=1)", "line-up(width=8,height=9,line=3,gravity=0,overline=0)",
		"line-up(width=16,height=13,line=4,gravity=0,overline=0)", "line-up(width=17,height=19,line=4,gravity=0,overline=0,swap=1)",
	} {
		g := Must(name)
		params := Values(g.Params)
		line, gravity, swaps := params.Number("line"), params.Number("gravity") == 1, params.Number("swap") == 1
		longer := params.Number("overline") == 1
		outcomes := map[int]bool{}
		eachFinished(g, func(s env.State) {
			b := boardOf(g, s)
			outcome, full := b.lineOutcome(line, longer), !slices.Contains(b.owner, nobody)
			if outcome == env.Unfinished && full {
				outcome = 1
			}
			if s.Outcome() != outcome {
				t.Fatalf("%s: outcome %d, want %d\n%s", name, s.Outcome(), outcome, g.Board(s))
			}
			outcomes[outcome] = true
			var want []env.Action
			for cell, owner := range b.owner {
				if owner == nobody && (!gravity || cell < b.width || b.owner[cell-b.width] != nobody) && outcome == env.Unfinished {
					want = append(want, env.Action(cell))
				}
			}
			if swaps && b.onlyFirst() {
				want = append(want, env.Action(len(b.owner)))
			}
			if got := s.Legal(nil); !slices.Equal(got, want) {
				t.Fatalf("%s: legal moves %v, want %v\n%s", name, got, want, g.Board(s))
			}
		})
		if !outcomes[0] || !outcomes[2] {
			t.Errorf("%s: outcomes %v in random games", name, slices.Sorted(maps.Keys(outcomes)))
		}
	}
}

// onlyFirst reports whether First owns one cell and Second none.
func (b *cellBoard) onlyFirst() bool {
	stones := [2]int{}
	for _, owner := range b.owner {
		if owner != nobody {
			stones[owner]++
		}
	}
	return stones == [2]int{1, 0}
}

// lineOutcome returns First's class if somebody owns n cells in a line, or also more if longer is set, otherwise
// env.Unfinished.
func (b *cellBoard) lineOutcome(n int, longer bool) int {
	outcome := env.Unfinished
	for cell, owner := range b.owner {
		r, c := cell/b.width, cell%b.width
		eachDirection(func(dr, dc int) {
			if owner == nobody || b.at(r-dr, c-dc) == owner {
				return // no line begins here
			}
			length := 1
			for b.at(r+length*dr, c+length*dc) == owner {
				length++
			}
			if length == n || longer && length > n {
				outcome = 2 * owner
			}
		})
	}
	return outcome
}

// TestOthelloAgainstRules compares moves and ends with the rules applied cell by cell, and checks that random games
// reach passes, ends before the board is full, and all outcomes.
func TestOthelloAgainstRules(t *testing.T) {
	passes, early, outcomes := 0, 0, map[int]bool{}
	for _, name := range []string{"othello(size=4)", "othello-6x6", "othello", "othello(size=10)", "othello(size=12)"} {
		g := Must(name)
		pass, _ := g.ParseAction("pass")
		next := g.NewState()
		eachFinished(g, func(s env.State) {
			b, p := boardOf(g, s), int(s.Player())
			places := b.places(p)
			if s.Done() {
				if len(places)+len(b.places(1-p)) > 0 {
					t.Fatalf("%s: over too early\n%s", name, g.Board(s))
				}
				if slices.Contains(b.owner, nobody) {
					early++
				}
				outcomes[s.Outcome()] = true
				if want := b.othelloOutcome(); s.Outcome() != want {
					t.Fatalf("%s: outcome %d, want %d\n%s", name, s.Outcome(), want, g.Board(s))
				}
				return
			}
			if len(places) == 0 {
				if passes++; len(b.places(1-p)) == 0 {
					t.Fatalf("%s: nobody can move, but the game is not over\n%s", name, g.Board(s))
				}
				places = []env.Action{pass}
			}
			if got := s.Legal(nil); !slices.Equal(got, places) {
				t.Fatalf("%s: legal moves %v, want %v\n%s", name, got, places, g.Board(s))
			}
			for _, a := range places {
				next.CopyFrom(s)
				next.Apply(a)
				after := *b
				if a != pass {
					after.owner = b.turned(p, int(a))
				}
				if got := boardOf(g, next).owner; !slices.Equal(got, after.owner) || !next.Done() && next.Player() == s.Player() {
					t.Fatalf("%s: after %s\n%s\nfollows\n%s", name, g.ActionTexts[a], g.Board(s), g.Board(next))
				}
			}
		})
	}
	if passes == 0 || early == 0 || len(outcomes) != 3 {
		t.Errorf("%d passes, %d games that end early, outcomes %v", passes, early, outcomes)
	}
}

// places returns the actions with which p places a disc.
func (b *cellBoard) places(p int) (list []env.Action) {
	for cell, owner := range b.owner {
		if owner == nobody && !slices.Equal(b.turned(p, cell)[:cell], b.owner[:cell]) ||
			owner == nobody && !slices.Equal(b.turned(p, cell)[cell+1:], b.owner[cell+1:]) {
			list = append(list, env.Action(cell))
		}
	}
	return list
}

// turned returns the owners after p has placed a disc on the cell.
func (b *cellBoard) turned(p, cell int) []int {
	owner := slices.Clone(b.owner)
	owner[cell] = p
	eachDirection(func(dr, dc int) {
		n := 1
		for b.at(cell/b.width+n*dr, cell%b.width+n*dc) == 1-p {
			n++
		}
		if b.at(cell/b.width+n*dr, cell%b.width+n*dc) != p {
			return
		}
		for i := 1; i < n; i++ {
			owner[cell+i*(dr*b.width+dc)] = p
		}
	})
	return owner
}

// othelloOutcome returns First's class by the number of discs.
func (b *cellBoard) othelloOutcome() int {
	lead := 0
	for _, owner := range b.owner {
		switch owner {
		case 0:
			lead++
		case 1:
			lead--
		}
	}
	switch {
	case lead > 0:
		return 0
	case lead < 0:
		return 2
	}
	return 1
}

// TestHexAgainstRules compares moves and ends with the rules applied cell by cell.
func TestHexAgainstRules(t *testing.T) {
	for _, name := range []string{"hex(size=2)", "hex(size=4,swap=0)", "hex-5x5", "hex(size=8)", "hex(size=9,swap=0)", "hex", "hex-13x13", "hex-19x19"} {
		g := Must(name)
		swaps := Values(g.Params).Number("swap") == 1
		eachFinished(g, func(s env.State) {
			b := boardOf(g, s)
			outcome := env.Unfinished
			for p := range 2 {
				if b.connects(p) {
					outcome = p
				}
			}
			if s.Outcome() != outcome {
				t.Fatalf("%s: outcome %d, want %d\n%s", name, s.Outcome(), outcome, g.Board(s))
			}
			if outcome != env.Unfinished {
				return
			}
			var want []env.Action
			for cell, owner := range b.owner {
				if owner == nobody {
					want = append(want, env.Action(cell))
				}
			}
			if swaps && b.onlyFirst() {
				want = append(want, env.Action(len(b.owner)))
			}
			if got := s.Legal(nil); !slices.Equal(got, want) {
				t.Fatalf("%s: legal moves %v, want %v\n%s", name, got, want, g.Board(s))
			}
		})
	}
}

// connects reports whether p's pieces connect its two edges: the first row with the last for First, columns for Second.
func (b *cellBoard) connects(p int) bool {
	seen := map[[2]int]bool{}
	var visit func(r, c int) bool
	visit = func(r, c int) bool {
		if b.at(r, c) != p || seen[[2]int{r, c}] {
			return false
		}
		seen[[2]int{r, c}] = true
		if p == 0 && r == b.height-1 || p == 1 && c == b.width-1 {
			return true
		}
		return visit(r, c-1) || visit(r, c+1) || visit(r-1, c) || visit(r-1, c+1) || visit(r+1, c) || visit(r+1, c-1)
	}
	for i := range b.height {
		if p == 0 && visit(0, i) || p == 1 && visit(i, 0) {
			return true
		}
	}
	return false
}

// TestHexNeverDraws fills boards at random: exactly one player connects its edges.
func TestHexNeverDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		b := &cellBoard{height: 6, width: 6, owner: make([]int, 36)}
		for i, cell := range rng.Perm(36) {
			b.owner[cell] = i % 2
		}
		if b.connects(0) == b.connects(1) {
			t.Fatalf("both or neither connect: %v", b.owner)
		}
	}
}

// TestSwap checks that the swap changes the owner of the only piece, exchanges its row and column in Hex, and is legal
// only at once.
func TestSwap(t *testing.T) {
	for _, c := range []struct {
		game, first string
		cell        int // of the piece after the swap
	}{
		{"hex-5x5", "mark r2 c4", 3*5 + 1},
		{"line-up(width=15,height=15,line=5,gravity=0,swap=1)", "mark r8 c7", 7*15 + 6},
	} {
		g, s := Must(c.game), played(t, c.game, c.first+";swap")
		want := make([]uint8, g.Tensor.Cells())
		want[c.cell] = 2
		if got := s.Pieces(nil); !slices.Equal(got, want) || s.Player() != env.First {
			t.Errorf("%s: after the swap:\n%s", c.game, g.Board(s))
		}
		for _, moves := range []string{";swap", ";swap;mark r1 c1", ";mark r3 c3", ";mark r3 c3;mark r4 c4"} {
			if slices.Contains(texts(g, played(t, c.game, c.first+moves)), "swap") {
				t.Errorf("%s: a swap is legal after %s", c.game, c.first+moves)
			}
		}
		if slices.Contains(texts(g, g.NewState()), "swap") {
			t.Errorf("%s: a swap is legal at the start", c.game)
		}
	}
}

// TestClassicWinningCells checks the form of the winning cells: neighbours in a line, or a chain from edge to edge.
func TestClassicWinningCells(t *testing.T) {
	for _, name := range []string{"connect-four", "tic-tac-toe", "gomoku-9x9", "line-up(width=9,height=9,line=3,gravity=1)", "gomoku-15x15-standard",
		"gomoku-19x19", "hex-5x5", "hex", "hex-19x19",
	} {
		g := Must(name)
		w := g.Tensor.W
		for i := range 200 {
			s := g.NewState()
			env.Playout(s, rand.NewPCG(uint64(i), 8))
			cells := s.WinningCells(nil)
			if drawn := g.Classes[s.Outcome()].Utility == 0; (len(cells) == 0) != drawn {
				t.Fatalf("%s: winning cells %v\n%s", name, cells, g.Board(s))
			}
			var steps [][2]int // rows, columns
			for k := 1; k < len(cells); k++ {
				a, b := int(cells[k-1]), int(cells[k])
				steps = append(steps, [2]int{b/w - a/w, b%w - a%w})
			}
			if g.Family == "hex" {
				first, last := int(cells[0]), int(cells[len(cells)-1])
				ends := [][2]int{{first / w, last / w}, {first % w, last % w}}[s.Outcome()]
				if max(ends[0], ends[1]) != w-1 || min(ends[0], ends[1]) != 0 {
					t.Fatalf("%s: the chain %v does not connect the edges\n%s", name, cells, g.Board(s))
				}
			}
			for _, step := range steps {
				if g.Family == "hex" && !slices.Contains([][2]int{{0, -1}, {0, 1}, {-1, 0}, {-1, 1}, {1, 0}, {1, -1}}, step) ||
					g.Family != "hex" && (step != steps[0] || max(step[0], step[1]) > 1 || min(step[0], step[1]) < -1) {
					t.Fatalf("%s: winning cells %v\n%s", name, cells, g.Board(s))
				}
			}
		}
	}
}

// TestLineUpErrors checks that a line must fit on the board.
func TestLineUpErrors(t *testing.T) {
	_, err := New("line-up(width=4,height=5,line=6)")
	if want := "line=6 is not allowed with width=4 and height=5; it takes 3..5"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestLineUpPerft compares counts of sequences of moves with those of the rules applied cell by cell: with lines of
// exactly three, longer ones, and the swap.
func TestLineUpPerft(t *testing.T) {
	for name, depth := range map[string]int{
		"line-up(width=4,height=3,line=3,gravity=0,overline=0)":        6,
		"line-up(width=4,height=3,line=3,gravity=0,swap=1)":            6,
		"line-up(width=3,height=3,line=3,gravity=0,overline=0,swap=1)": 10,
		"line-up(width=4,height=4,line=3,gravity=1,overline=0,swap=1)": 8,
		"line-up(width=5,height=3,line=3,gravity=1,overline=0)":        8,
		"line-up(width=15,height=15,line=5,gravity=0,swap=1)":          2,
	} {
		g := Must(name)
		p := Values(g.Params)
		b := &cellBoard{height: g.Tensor.H, width: g.Tensor.W, owner: slices.Repeat([]int{nobody}, g.Tensor.Cells())}
		want := b.lineUpPerft(&p, 0, depth)
		if got, err := Perft(t.Context(), g, depth); err != nil || got != want {
			t.Errorf("%s: %d sequences of %d moves, want %d", name, got, depth, want)
		}
	}
}

// lineUpPerft returns the number of sequences of depth moves of a game with the given parameters, mover to move.
func (b *cellBoard) lineUpPerft(p *Values, mover, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	if b.lineOutcome(p.Number("line"), p.Number("overline") == 1) != env.Unfinished {
		return 0
	}
	for cell, owner := range b.owner {
		if owner != nobody || p.Number("gravity") == 1 && cell >= b.width && b.owner[cell-b.width] == nobody {
			continue
		}
		b.owner[cell] = mover
		n += b.lineUpPerft(p, 1-mover, depth-1)
		b.owner[cell] = nobody
	}
	if p.Number("swap") == 1 && mover == 1 && b.onlyFirst() {
		cell := slices.Index(b.owner, 0)
		b.owner[cell] = 1
		n += b.lineUpPerft(p, 0, depth-1)
		b.owner[cell] = 0
	}
	return n
}

// TestOverline checks that a sixth piece in a row wins in freestyle only, and that it does not spoil another line of
// five.
func TestOverline(t *testing.T) {
	row := []string{"mark r8 c3", "mark r8 c4", "mark r8 c5", "mark r8 c7", "mark r8 c8", "mark r8 c6"} // the last makes 6
	cross := []string{"mark r4 c6", "mark r5 c6", "mark r6 c6", "mark r7 c6"}
	apart := []string{"mark r10 c12", "mark r11 c12", "mark r12 c12", "mark r13 c12", "mark r14 c12"}
	for _, c := range []struct {
		game    string
		marks   []string
		outcome int
		won     []string // marks of the winning cells
	}{
		{"gomoku-15x15", row, 0, []string{"mark r8 c3", "mark r8 c4", "mark r8 c5", "mark r8 c6", "mark r8 c7"}},
		{"gomoku-15x15-standard", row, env.Unfinished, nil},
		{"gomoku-15x15-standard", slices.Concat(cross, row), 0, append(cross, "mark r8 c6")},
		{"gomoku-15x15-standard", slices.Concat(row, apart), 0, apart},
		{"gomoku-15x15-standard", row[1:], 0,
			[]string{"mark r8 c4", "mark r8 c5", "mark r8 c6", "mark r8 c7", "mark r8 c8"}},
	} {
		g := Must(c.game)
		s := g.NewState()
		for i, mark := range c.marks {
			a, err := g.ParseAction(mark)
			if err != nil {
				t.Fatal(err)
			}
			wins := slices.ContainsFunc(s.TerminalActions(nil), func(end env.TerminalAction) bool { return end.Action == a })
			if s.Apply(a); wins != s.Done() {
				t.Errorf("%s: %s is among the terminal actions: %v", c.game, mark, wins)
			}
			if !s.Done() {
				s.Apply(env.Action(i/7*2*15 + i%7*2)) // o's pieces stay two cells apart
			}
		}
		var won []string
		for _, cell := range s.WinningCells(nil) {
			won = append(won, strings.Trim(g.ActionTexts[cell], "()"))
		}
		if s.Outcome() != c.outcome || !slices.Equal(won, c.won) {
			t.Errorf("%s: outcome %d by %v after %v, want %d by %v\n%s",
				c.game, s.Outcome(), won, c.marks, c.outcome, c.won, g.Board(s))
		}
	}
}
