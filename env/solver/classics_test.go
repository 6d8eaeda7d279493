package solver_test

import (
	"bufio"
	"cmp"
	"os"
	"strconv"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

// TestConnectFour solves the positions of testdata/connect-four.txt, which says where they come from.
func TestConnectFour(t *testing.T) {
	g := games.Must("connect-four")
	s := solver.New(g, 64<<20)
	file, err := os.Open("testdata/connect-four.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	solved, nodes := 0, 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		columns, text, ok := strings.Cut(lines.Text(), " ")
		if !ok || columns == "#" {
			continue
		}
		score, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		state := dropped(t, g, columns)
		class, ok := s.Solve(state, solver.Limits{Nodes: 20_000_000})
		if want := 1 - cmp.Compare(score, 0); !ok || g.ClassFor(state.Player(), class) != want {
			t.Errorf("%s: class %d, %v; the score is %d", columns, class, ok, score)
		}
		solved++
		nodes += s.Nodes()
	}
	if solved < 30 {
		t.Errorf("%d positions are too few", solved)
	}
	t.Logf("%d positions, %d nodes", solved, nodes)
}

// dropped returns the position after pieces were dropped into the columns, 1 to 7.
func dropped(t *testing.T, g *env.Game, columns string) env.State {
	t.Helper()
	state := g.NewState()
	for _, c := range columns {
		column := int(c - '1')
		for _, a := range state.Legal(nil) {
			if int(a)%g.Tensor.W == column {
				state.Apply(a)
				break
			}
		}
	}
	if stones := strings.Trim(pieces(state), "0"); state.Done() || len(strings.ReplaceAll(stones, "0", "")) != len(columns) {
		t.Fatalf("%s is no unfinished position", columns)
	}
	return state
}

// pieces writes a digit per cell.
func pieces(s env.State) string {
	var b strings.Builder
	for _, piece := range s.Pieces(nil) {
		b.WriteByte('0' + piece)
	}
	return b.String()
}

// TestKnownValues solves games whose value is known.
func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		name  string
		class int // First's
	}{
		{"tic-tac-toe", 1},
		// m,n,k-games: first wins on 4x3 with 3 in a row and larger boards, and 4x4 with 4 in a row is a draw.
		{"line-up(width=4,height=3,line=3,gravity=0)", 0},
		{"line-up(width=4,height=4,line=4,gravity=0)", 1},
		// John Tromp's table of Connect Four by width and height (http://tromp.github.io/c4/c4.html).
		{"line-up(width=4,height=4,line=4,gravity=1)", 1},
		{"line-up(width=5,height=4,line=4,gravity=1)", 1},
		{"line-up(width=4,height=5,line=4,gravity=1)", 1},
		{"line-up(width=5,height=5,line=4,gravity=1)", 1},
		{"line-up(width=6,height=4,line=4,gravity=1)", 2},
		// First wins Hex by strategy stealing (Nash), Second with the swap rule.
		{"hex(size=2,swap=0)", 0},
		{"hex(size=3,swap=0)", 0},
		{"hex(size=4,swap=0)", 0},
		{"hex(size=2,swap=1)", 1},
		{"hex(size=3,swap=1)", 1},
		{"hex(size=4,swap=1)", 1},
		{"othello(size=4)", 2}, // by 8 discs, see TestSmallOthello
	} {
		g := games.Must(c.name)
		s := solver.New(g, 64<<20)
		class, ok := s.Solve(g.NewState(), solver.Limits{})
		if !ok || class != c.class {
			t.Errorf("%s: class %d, %v; want %d", c.name, class, ok, c.class)
		}
		t.Logf("%s: %d nodes", c.name, s.Nodes())
	}
}

// TestSmallOthello checks by plain negamax that white wins Othello on 4x4 cells by 8 discs.
func TestSmallOthello(t *testing.T) {
	g := games.Must("othello(size=4)")
	values := map[env.Key]int{}
	var lead func(s env.State) int // black's lead in discs under perfect play
	lead = func(s env.State) int {
		if s.Done() {
			p := pieces(s)
			return strings.Count(p, "1") - strings.Count(p, "2")
		}
		if v, ok := values[s.Key()]; ok {
			return v
		}
		best, sign := -100, int(s.Player().Sign())
		for _, a := range s.Legal(nil) {
			best = max(best, sign*lead(g.After(s, a)))
		}
		values[s.Key()] = sign * best
		return sign * best
	}
	if v := lead(g.NewState()); v != -8 {
		t.Errorf("black's lead is %d; want -8", v)
	}
}

// TestHexOpenings solves each first mark on small Hex boards: on 4x4 only the short diagonal wins.
func TestHexOpenings(t *testing.T) {
	for name, wins := range map[string]string{
		"hex(size=3,swap=0)": "" +
			"..x" +
			"xxx" +
			"x..",
		"hex(size=4,swap=0)": "" +
			"...x" +
			"..x." +
			".x.." +
			"x...",
	} {
		g := games.Must(name)
		got := ""
		for _, class := range solver.New(g, 64<<20).SolveMoves(g.NewState(), solver.Limits{}, nil) {
			got += []string{"x", "."}[class]
		}
		if got != wins {
			t.Errorf("%s: openings %s win; want %s", name, got, wins)
		}
	}
}
