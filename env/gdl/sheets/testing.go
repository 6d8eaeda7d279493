package sheets

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// Foreign calls test, as a subtest, with each game that [ForeignPaths] finds.
func Foreign(t *testing.T, test func(t *testing.T, name, text string)) {
	t.Helper()
	for _, path := range ForeignPaths(t) {
		t.Run(path.Name, func(t *testing.T) { test(t, path.Name, path.Text(t)) })
	}
}

// Path is a file with a sheet.
type Path struct{ Name, File string }

// Text returns the text of the sheet.
func (p Path) Text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ForeignPaths returns the sheets below the folder that LUDUS_SHEETS names, smallest first. A game is a folder with a
// sheet, and has its name; of several versions, which lie in folders v1, v2 and so on below it, the newest counts. Without
// the variable it skips the test.
func ForeignPaths(t *testing.T) []Path {
	t.Helper()
	root := os.Getenv("LUDUS_SHEETS")
	if root == "" {
		t.Skip("LUDUS_SHEETS does not name a folder with rule sheets")
	}
	type version struct {
		file   string
		number int
		size   int64
	}
	games := map[string]version{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".kif" {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		folder, number := filepath.Dir(path), 0
		if versionName.MatchString(filepath.Base(folder)) {
			number, _ = strconv.Atoi(filepath.Base(folder)[1:])
			folder = filepath.Dir(folder)
		}
		name := filepath.Base(folder)
		if old, ok := games[name]; !ok || old.number < number {
			games[name] = version{path, number, info.Size()}
		}
		return nil
	})
	if err != nil || len(games) == 0 {
		t.Fatalf("no sheets below %s (%v)", root, err)
	}
	var list []Path
	for name, v := range games {
		list = append(list, Path{name, v.file})
	}
	slices.SortFunc(list, func(a, b Path) int {
		if x, y := games[a.Name].size, games[b.Name].size; x != y {
			return int(x - y)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}

var versionName = regexp.MustCompile(`^v[0-9]+$`)
