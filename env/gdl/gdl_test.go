package gdl_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
)

func mustNew(t testing.TB, name string) *env.Game {
	t.Helper()
	g, info, err := gdl.New(t.Context(), name, sheets.Text(name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Logf("%s: %+v, tensor %v, %d actions, %d extra, %d plies, %d classes", g.Name, *info, g.Tensor, g.NumActions(), g.PolicyExtras, g.MaxPlies, len(g.Classes))
	return g
}

// TestConformance checks the laws of package env on all our sheets.
func TestConformance(t *testing.T) {
	for _, name := range sheets.Names() {
		if testing.Short() && slices.Contains([]string{"reversi", "quad-7x7", "free-for-all-2p"}, name) {
			continue // slow
		}
		t.Run(name, func(t *testing.T) {
			envtest.Run(t, mustNew(t, name))
		})
	}
}

// natives are sheets of games that package games has too, with the same texts of moves.
var natives = map[string]string{
	"breakthrough-6x6": "breakthrough-6x6",
	"connect-four":     "connect-four",
	"free-for-all-2p":  "free-for-all-2p",
	"golden-rectangle": "golden-rectangle",
	"hex":              "hex(size=5,swap=0)",
	"quad-5x5":         "quad-5x5",
	"quad-7x7":         "quad-7x7",
	"reversi":          "othello-6x6",
	"tic-tac-toe":      "tic-tac-toe",
}

// TestNatives plays random games by sheets and natively.
func TestNatives(t *testing.T) {
	for sheet, name := range natives {
		t.Run(sheet, func(t *testing.T) {
			t.Parallel()
			native, err := games.New(name)
			if err != nil {
				t.Fatal(err)
			}
			g := mustNew(t, sheet)
			if g.Players != native.Players {
				t.Fatalf("players %v, want %v", g.Players, native.Players)
			}
			n := 200
			if testing.Short() {
				n = 3
			}
			for i := range n {
				compareGame(t, native, g, rand.New(rand.NewPCG(uint64(i), 1)))
			}
		})
	}
}

func compareGame(t *testing.T, native, g *env.Game, rng *rand.Rand) {
	a, b := native.NewState(), g.NewState()
	for !a.Done() {
		want, got := native.Texts(a.Legal(nil)), g.Texts(b.Legal(nil))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) || a.Player() != b.Player() {
			t.Fatalf("legal moves %v, want %v\n%s", got, want, native.Board(a))
		}
		text := want[rng.IntN(len(want))]
		for _, s := range []struct {
			g *env.Game
			s env.State
		}{{native, a}, {g, b}} {
			action, err := s.g.ParseAction(text)
			if err != nil {
				t.Fatal(err)
			}
			s.s.Apply(action)
		}
	}
	if !b.Done() || a.Goals() != b.Goals() {
		t.Fatalf("over is %t with goals %v, want %v\n%s", b.Done(), b.Goals(), a.Goals(), native.Board(a))
	}
}

// TestForeignSheets builds every game in the folder that LUDUS_SHEETS names, and checks the laws of those accepted.
func TestForeignSheets(t *testing.T) {
	dir := os.Getenv("LUDUS_SHEETS")
	if dir == "" {
		t.Skip("LUDUS_SHEETS does not name a folder with rule sheets")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.kif"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sheets in %s (%v)", dir, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".kif")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
			defer cancel()
			start := time.Now()
			g, info, err := gdl.New(ctx, name, string(text))
			took := time.Since(start).Round(time.Millisecond)
			if err != nil {
				t.Skipf("refused after %v: %v", took, err)
			}
			t.Logf("accepted after %v: %+v, tensor %v, %d actions, %d extra, %d plies, %d classes", took, *info, g.Tensor, g.NumActions(), g.PolicyExtras, g.MaxPlies, len(g.Classes))
			if !testing.Short() {
				envtest.Run(t, g)
			}
		})
	}
}
