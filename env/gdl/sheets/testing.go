package sheets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Natives are the sheets of games that package games has too, with the same texts of moves: its names by the sheets'.
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

// Foreign calls test, as a subtest, with each sheet in a folder of the folder that LUDUS_SHEETS names. Without that variable
// it skips the test.
func Foreign(t *testing.T, test func(t *testing.T, name, text string)) {
	t.Helper()
	folder := os.Getenv("LUDUS_SHEETS")
	if folder == "" {
		t.Skip("LUDUS_SHEETS does not name a folder with rule sheets")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*.kif"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sheets in %s (%v)", folder, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".kif")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			test(t, name, string(text))
		})
	}
}
