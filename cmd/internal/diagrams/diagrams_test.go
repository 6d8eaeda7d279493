package diagrams

import (
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// The diagrams for the rules show every kind of move, and a won game.
func TestDiagrams(t *testing.T) {
	for name, want := range map[string]string{
		"quad-5x5": "mark, win, win", "quad-7x7": "mark, block, win, win", "golden-rectangle": "drop, win", "hex-5x5": "place, swap, win",
		"breakthrough-6x6": "diagonal move, straight move, capture, win", "free-for-all-2p": "move, move and new piece, capture, win",
		"othello-6x6": "place, win", "connect-four": "drop, win",
	} {
		game := games.Must(name)
		var kinds []string
		for i, d := range Of(game) {
			kind, _, _ := strings.Cut(d.Caption, ":")
			kind = strings.Replace(kind, ", and a new piece appears", " and new piece", 1)
			if d.Move == "" {
				kind = "win"
			}
			kinds = append(kinds, kind)
			if _, err := game.ParseAction(d.Move); d.Move != "" && err != nil {
				t.Errorf("%s, diagram %d: %+v, %v", name, i, d, err)
			}
			if cells := game.Drawing.ActionCells[max(0, slices.Index(game.ActionNames, d.Move))]; d.Move != "" && kind != "swap" {
				if placed := cells.From == env.NoCell && d.After == ""; placed != (d.Pieces[cells.To] != '0' && kind != "capture") {
					t.Errorf("%s, diagram %d: pieces %s, cells %v", name, i, d.Pieces, cells)
				}
			}
			if more := name == "othello-6x6" && kind == "place" || kind == "swap" || strings.Contains(kind, " and "); more != (d.After != "") {
				t.Errorf("%s, diagram %d: %+v", name, i, d)
			}
			if kind == "win" && !strings.Contains(d.Caption, ": ") {
				t.Errorf("%s, diagram %d does not say why the game is won: %s", name, i, d.Caption)
			}
			if won := kind == "win" && name != "free-for-all-2p" && name != "othello-6x6"; won != (len(d.WonBy) > 0) {
				t.Errorf("%s, diagram %d: %+v", name, i, d)
			}
		}
		if got := strings.Join(kinds, ", "); got != want {
			t.Errorf("%s: diagrams of %s, want %s", name, got, want)
		}
	}
}

// Variants have diagrams, too: of moves and, if somebody can win, of a won game. They are made once.
func TestDiagramsOfVariants(t *testing.T) {
	for _, name := range []string{
		"breakthrough(columns=2,rows=4)", "breakthrough(columns=3,rows=5,captures=false)", "quad(size=4,quads=4,whites=2)",
		"quad(size=6,quads=2,whites=9,corners=full)", "quad(size=11,quads=20,whites=7)", "golden-rectangle(columns=9,rows=9)",
		"golden-rectangle(columns=9,rows=4,span=3)", "free-for-all(size=5,steps=12)", "free-for-all(size=9,steps=100,objective=score)",
		"line-up(width=11,height=11,line=6,gravity=1)", "hex(size=2)", "quad(size=4,quads=2,whites=0)",
	} {
		game := games.Must(name)
		list := Of(game)
		ends := slices.ContainsFunc(list, func(d Diagram) bool { return d.Move == "" })
		if moves := slices.ContainsFunc(list, func(d Diagram) bool { return d.Move != "" }); !moves || ends != (name != "quad(size=4,quads=2,whites=0)") {
			t.Errorf("%s: diagrams %+v", name, list)
		}
		if again := Of(game); &again[0] != &list[0] {
			t.Errorf("%s: diagrams are made twice", name)
		}
	}
}

// TestDiagramsOfSheet calls a step a capture only if it ends on an opponent's piece.
func TestDiagramsOfSheet(t *testing.T) {
	game := games.Must("../../../env/gdl/testdata/slabs.kif")
	var captions []string
	for _, d := range Of(game) {
		kind, _, _ := strings.Cut(d.Caption, ":")
		captions = append(captions, kind)
	}
	if got := strings.Join(captions, "; "); got != "straight move; blue wins, 100 to 0" {
		t.Errorf("diagrams of %s", got)
	}
}
