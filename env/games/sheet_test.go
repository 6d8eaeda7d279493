package games

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env/gdl"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
	"ludus/env/naming"
)

// writeFile writes a file in dir and returns its path.
func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSheetNames(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, dir, "Three In Line.kif", sheets.Text("tic-tac-toe"))
	g := Must("gdl(" + path + ")")
	if !gdl.IsName(g.Name, g.Sheet) || !strings.HasPrefix(g.Name, "gdl(three-in-line-") || g.Sheet == "" {
		t.Errorf("name %q", g.Name)
	}
	for _, name := range []string{g.Name, " gdl( " + path + " ) ", path} {
		if Must(name) != g {
			t.Errorf("%q is another game", name)
		}
	}
	if found, err := Find(g.Name); err != nil || found != g {
		t.Errorf("Find: %v", err)
	}
	if restored, err := Restore(g.Name, g.Sheet); err != nil || restored != g {
		t.Errorf("Restore: %v", err)
	}
	if restored, err := Restore("quad-5x5", ""); err != nil || restored != Must("quad-5x5") {
		t.Errorf("Restore: %v", err)
	}
}

// TestCap makes a game whose name has a cap on plies.
func TestCap(t *testing.T) {
	text := sheets.Text("race") + "(<= (legal ?p stay) (true (turn ?p))) (<= (next (gone ?p ?a)) (does ?p stay) (true (gone ?p ?a)))"
	g := Must("gdl(" + writeFile(t, t.TempDir(), "capped.kif", text) + ")")
	base := strings.TrimSuffix(gdl.Name("capped", text), ")")
	if g.Name != fmt.Sprintf("%s-%d)", base, g.MaxPlies) {
		t.Fatalf("name %s, %d plies", g.Name, g.MaxPlies)
	}
	if restored, err := Restore(g.Name, text); err != nil || restored != g {
		t.Errorf("Restore: %v", err)
	}
	// A run of a version that found another cap.
	if old, err := Restore(base+"-77)", text); err != nil || old.MaxPlies != 77 || old.Name != base+"-77)" {
		t.Errorf("Restore: %v", err)
	}
	for _, name := range []string{base + "-0)", base + "-x)", base + "-+5)", base + ")", base + "-77-)", base + "-77-v2)", "gdl(capped-00000000-77)"} {
		if _, err := Restore(name, text); err == nil {
			t.Errorf("Restore accepts %s", name)
		}
	}
}

// TestSheetInRuns makes games from what runs and weights files carry.
func TestSheetInRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	name := gdl.Name("hex", sheets.Text("hex"))
	run := filepath.Join("runs", naming.FileName(name))
	if err := os.MkdirAll(run, 0o700); err != nil {
		t.Fatal(err)
	}
	config := `{"game": "` + name + `", "sheet": ` + quoted(sheets.Text("hex")) + `}`
	writeFile(t, run, "config.json", config)
	g := Must("gdl(" + run + ")")
	// The file of the sheet is gone.
	for _, gone := range []string{"gdl(hex.kif)", "gdl(elsewhere/Hex.kif)", name} {
		if other, err := NewOfRun(gone, run); err != nil || other != g {
			t.Errorf("a deleted sheet, %s: %v", gone, err)
		}
	}
	if _, err := NewOfRun("gdl(nim.kif)", run); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a run on another sheet: %v", err)
	}
	header := `{"__metadata__": ` + config + `}`
	weights := writeFile(t, dir, "hex.safetensors", string([]byte{byte(len(header)), byte(len(header) >> 8), 0, 0, 0, 0, 0, 0})+header)
	if Must("gdl("+weights+")") != g {
		t.Error("the weights file's game is another one")
	}
}

// quoted returns a JSON string.
func quoted(text string) string {
	return `"` + strings.NewReplacer("\n", `\n`, `"`, `\"`).Replace(text) + `"`
}

func TestSheetErrors(t *testing.T) {
	dir := t.TempDir()
	broken := writeFile(t, dir, "broken.kif", "(role a)\n(role b")
	single := writeFile(t, dir, "single.kif", "(role a) (init p) (legal a go) terminal (goal a 100)")
	large := writeFile(t, dir, "large.kif", strings.Repeat(" ", kif.MaxBytes+1))
	const gdlNull = "gdl(" + os.DevNull + ")"
	for name, want := range map[string]string{
		"gdl(nowhere.kif)":    "a rule sheet is named by its file",
		"gdl(" + broken + ")": "the sheet " + broken + " is refused: line 2, column 1: this bracket is never closed",
		"gdl(" + single + ")": "one role",
		"gdl(" + dir + ")":    "config.json",
		"gdl(" + large + ")":  "is refused: line 1, column 1: the text has",
		gdlNull:               "is not a regular file",
		"gdl":                 "did you mean",
	} {
		if _, err := New(name); !errors.Is(err, ErrName) || name != "gdl" && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", name, err, want)
		}
	}
	if _, err := Find("gdl(" + broken + ")"); !errors.Is(err, ErrName) {
		t.Errorf("Find reads files: %v", err)
	}
	if _, err := Restore("gdl(x-00000000)", sheets.Text("hex")); !errors.Is(err, ErrName) {
		t.Errorf("Restore accepts another game's sheet: %v", err)
	}
}

// TestSheetPerft compares sheets, also with other names and in another order, with the same games in Go, by the number
// of sequences of moves. TestPerft and TestClassicPerft compare these with known numbers.
func TestSheetPerft(t *testing.T) {
	limit := uint64(300_000)
	if testing.Short() {
		limit = 20_000
	}
	for sheet, name := range sheets.Natives {
		scrambled, _, err := sheets.Scramble(sheets.Text(sheet), rand.New(rand.NewPCG(9, 9)))
		if err != nil {
			t.Fatal(err)
		}
		native := Must(name)
		for i, text := range []string{sheets.Text(sheet), scrambled} {
			g, _, err := gdl.New(t.Context(), sheet, text)
			if err != nil {
				t.Fatal(err)
			}
			for depth, want := 1, uint64(1); want > 0; depth++ {
				if want, err = Perft(t.Context(), native, depth); err != nil || want > limit {
					break
				}
				if got, err := Perft(t.Context(), g, depth); err != nil || got != want {
					t.Errorf("%s, version %d: %d sequences of %d moves, error %v; want %d", sheet, i, got, depth, err, want)
				}
			}
		}
	}
}

// TestSheetTranscripts replays the referee's games by sheets.
func TestSheetTranscripts(t *testing.T) {
	for _, tr := range transcripts {
		g, _, err := gdl.New(t.Context(), tr.game, sheets.Text(tr.game))
		if err != nil {
			t.Fatal(err)
		}
		report, err := VerifyTranscript(g, strings.NewReader(transcript(t, tr.file)))
		if err != nil || report != tr.report {
			t.Errorf("%s: %+v, %v; want %+v", tr.file, report, err, tr.report)
		}
	}
}
