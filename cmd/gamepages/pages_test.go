package main

import (
	"encoding/xml"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

const root = "../.."

// Pages, pictures and README are what the program writes today.
func TestCurrent(t *testing.T) {
	files, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): run go generate ./cmd/gamepages", name, err)
		}
	}
	for _, pattern := range []string{pagesFolder + "/*.md", pictureFolder + "/*"} {
		there, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range there {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if _, known := files[filepath.ToSlash(name)]; !known {
				t.Errorf("%s belongs to no page", name)
			}
		}
	}
}

// Every game that the program lists has a page.
func TestEveryGame(t *testing.T) {
	var covered []string
	for _, p := range pages {
		covered = append(append(covered, p.name), p.more...)
	}
	for _, name := range games.Names() {
		if !slices.Contains(covered, name) {
			t.Errorf("%s has no page", name)
		}
	}
}

// Pictures are well-formed XML.
func TestPictures(t *testing.T) {
	files, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if filepath.Ext(name) != ".svg" {
			continue
		}
		for decoder := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
	}
}

// TestStanding: a comment names the player who is ahead, and compares moves for the player who moved. Scores are those of First.
func TestStanding(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		player       int
		after        float64 // the score after b2
		played, next float64 // the analysis's scores of b2 and c3
		want         string
	}{
		{0, 52, 52, 50, "About even. About as good: c3."},
		{0, 60, 60, 40, "x is ahead. The analysis sees nothing as good: c3 would leave x 40."},
		{0, 80, 60, 75, "x is clearly ahead. The analysis likes c3 more."},
		{1, 20, 20, 40, "o is clearly ahead. The analysis sees nothing as good: c3 would leave o 60."},
		{1, 60, 60, 40, "x is ahead. The analysis likes c3 more."},
	} {
		top := []topMove{{Move: "c3", Score: c.next}, {Move: "b2", Score: c.played}}
		study := &study{Sample: []ply{{Move: "b2", Top: top}, {Move: "a2", Score: c.after}}}
		commentator := commentator{game, study}
		if got := commentator.standing(&note{player: c.player}, 0, nil); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
		study.Sample[1].Exact = true
		if got := commentator.standing(&note{player: c.player}, 0, nil); got != "" {
			t.Errorf("of a solved position: %s", got)
		}
	}
}

// If no reply saves the other player, the position is won by the solver, too; after a reply that saves it at once there is
// no win in one move.
func TestThreats(t *testing.T) {
	for _, name := range []string{"quad-5x5", "quad(size=5,quads=6,whites=1)", "connect-four", "breakthrough(columns=4,rows=5)"} {
		game, err := games.New(name)
		if err != nil {
			t.Fatal(err)
		}
		c, exact, decided := &commentator{game: game}, solver.New(game, 1<<20), 0
		for seed := range uint64(60) {
			rng := rand.NewPCG(seed, 0)
			for state := game.NewState(); !state.Done(); {
				me := state.Player()
				state.Apply(state.RandomAction(rng.Uint64()))
				if state.Done() || state.Player() == me {
					continue
				}
				_, saves := c.threats(state, me)
				if len(saves) > 0 {
					checkSaves(t, c, state, saves, me)
				} else if class, ok := exact.Solve(state, solver.Limits{Nodes: 100_000}); ok {
					decided++
					if game.UtilityFor(me, class) != 1 {
						t.Errorf("%s: nothing saves in\n%sbut the solver says class %d", name, game.Board(state), class)
					}
				}
			}
		}
		if decided == 0 {
			t.Errorf("%s: no decided position in the test", name)
		}
	}
}

func checkSaves(t *testing.T, c *commentator, state env.State, saves []env.Action, me env.Player) {
	t.Helper()
	child := c.game.NewState()
	for _, r := range saves {
		child.CopyFrom(state)
		child.Apply(r)
		if !child.Done() && child.Player() == me && len(c.wins(child)) > 0 {
			t.Errorf("%s: %s does not save in\n%s", c.game.Name, c.game.ActionNames[r], c.game.Board(state))
		}
	}
}
