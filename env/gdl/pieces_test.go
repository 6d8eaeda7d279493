package gdl

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/gdl/sheets"
)

// TestVoids draws cells of which no fact is true apart from those that the sheet calls empty.
func TestVoids(t *testing.T) {
	text, err := os.ReadFile("testdata/slabs.kif")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"slab":  "3  S  S  B\n2  R  S  S\n1  .  S  S\n   a  b  c\nblue to move\n",
		"blank": "3  .  .  B\n2  R  .  .\n1     .  .\n   a  b  c\nblue to move\n",
		"wall":  "3  W  W  B\n2  R  W  W\n1  .  W  W\n   a  b  c\nblue to move\n",
	} {
		e, _, err := New(t.Context(), "slabs", strings.ReplaceAll(string(text), "slab", name))
		if err != nil {
			t.Fatal(err)
		}
		s := e.NewState()
		a, err := e.ParseAction("a1-a2")
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(a)
		if got := e.Board(s); got != want {
			t.Errorf("%s is drawn\n%swant\n%s", name, got, want)
		}
		kind := s.Pieces(nil)[0]
		if isVoid := name == "blank"; e.Drawing.IsVoid(kind) != isVoid || e.Drawing.IsPiece(kind) {
			t.Errorf("%s: kind %d on a1", name, kind)
		}
		if kind := s.Pieces(nil)[3]; !e.Drawing.IsOf(kind, env.First) || e.Drawing.IsOf(kind, env.Second) {
			t.Errorf("%s: kind %d on a2", name, kind)
		}
	}
}

// TestNoVoids: in our sheets each cell has a fact in every position.
func TestNoVoids(t *testing.T) {
	for _, name := range sheets.Names() {
		e, _, err := New(t.Context(), name, sheets.Text(name))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.NewPCG(1, 1)
		for range 20 {
			for s := e.NewState(); !s.Done(); s.Apply(s.RandomAction(rng.Uint64())) {
				if slices.ContainsFunc(s.Pieces(nil), e.Drawing.IsVoid) {
					t.Fatalf("%s has a void:\n%s", name, e.Board(s))
				}
			}
		}
	}
}
