package sheets

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Natives maps sheets to the same games in package games, which have the same texts of moves.
var Natives = map[string]string{
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

// Foreign calls test, as a subtest, with each sheet in the folder that LUDUS_SHEETS names; without the variable it skips
// the test. A game is a folder in it with a sheet, and has its name. Of the versions in folders v1, v2 and so on of the
// game's, the newest counts.
func Foreign(t *testing.T, test func(t *testing.T, name, text string)) {
	t.Helper()
	root := os.Getenv("LUDUS_SHEETS")
	if root == "" {
		t.Skip("LUDUS_SHEETS does not name a folder with rule sheets")
	}
	files := map[string]string{} // by game
	for _, pattern := range []string{"*.kif", "v*/*.kif"} {
		paths, err := filepath.Glob(filepath.Join(root, "*", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			inside, _ := filepath.Rel(root, path)
			game, _, _ := strings.Cut(filepath.ToSlash(inside), "/")
			files[game] = path
		}
	}
	if len(files) == 0 {
		t.Fatalf("no sheets in folders of %s", root)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(files[name])
			if err != nil {
				t.Fatal(err)
			}
			test(t, name, string(text))
		})
	}
}
