package gdl_test

import (
	"context"
	"math/rand/v2"
	"os"
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

// TestNatives plays random games by sheets and natively.
func TestNatives(t *testing.T) {
	for sheet, name := range sheets.Natives {
		t.Run(sheet, func(t *testing.T) {
			t.Parallel()
			native := games.Must(name)
			g := mustNew(t, sheet)
			if g.Players != native.Players {
				t.Fatalf("players %v, want %v", g.Players, native.Players)
			}
			compareSymmetries(t, sheet, native, g)
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

// compareSymmetries checks that the sheet's symmetries are the native ones. Those of two sheets cannot be proven: their
// chains and counts begin at one side of the board.
func compareSymmetries(t *testing.T, sheet string, native, g *env.Game) {
	if sheet == "hex" || sheet == "reversi" {
		return
	}
	if len(g.Symmetries) != len(native.Symmetries) {
		t.Errorf("%d symmetries, want %d", len(g.Symmetries), len(native.Symmetries))
	}
	if g.Tensor.H != native.Tensor.H || g.Tensor.W != native.Tensor.W {
		return
	}
	for _, want := range native.Symmetries {
		if !slices.ContainsFunc(g.Symmetries, func(s env.Symmetry) bool { return slices.Equal(s.Cells, want.Cells) }) {
			t.Errorf("the symmetry %v is missing", want.Cells)
		}
	}
	for cell := range g.Tensor.Cells() {
		if got, want := g.FrameCell(env.Second, cell), native.FrameCell(env.Second, cell); got != want {
			t.Errorf("the frame takes cell %d to %d, want %d", cell, got, want)
		}
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

// foreign returns what is expected of foreign sheets, by name: "" if they are accepted, otherwise a part of the error.
func foreign(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/foreign.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, result, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			list[name] = strings.TrimPrefix(result, "accepted")
		}
	}
	return list
}

// checkForeign compares an error, or "", with what is expected of a foreign sheet; other sheets pass.
func checkForeign(t *testing.T, name, got string, expected map[string]string) {
	t.Helper()
	if want, ok := expected[name]; ok && ((got == "") != (want == "") || !strings.Contains(got, want)) {
		t.Errorf("%s: error %q, want %q", name, got, want)
	}
}

// TestForeignSheets builds every game in the folder that LUDUS_SHEETS names, and checks the laws of those accepted.
func TestForeignSheets(t *testing.T) {
	expected := foreign(t)
	sheets.Foreign(t, func(t *testing.T, name, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		start := time.Now()
		g, info, err := gdl.New(ctx, name, text)
		took := time.Since(start).Round(time.Millisecond)
		if err == nil {
			checkForeign(t, name, "", expected)
		} else {
			checkForeign(t, name, err.Error(), expected)
			t.Skipf("refused after %v: %v", took, err)
		}
		t.Logf("accepted after %v: %+v, tensor %v, %d actions, %d extra, %d plies, %d classes", took, *info, g.Tensor, g.NumActions(), g.PolicyExtras, g.MaxPlies, len(g.Classes))
		if !testing.Short() {
			envtest.Run(t, g)
		}
	})
}
