package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/sheets"
)

// TestBestPlay says of small games who wins with best play, or that it is a draw, and nothing of large ones.
func TestBestPlay(t *testing.T) {
	t.Parallel()
	broken := strings.Replace(sheets.Text("tic-tac-toe"), "(cell ?r c1 ?p)) (true (cell ?r c2 ?p)) (true (cell ?r c3 ?p))", "(cell ?r c1 ?p)) (true (cell ?r c2 ?p))", 1)
	dir := writeFiles(t, map[string]string{
		"nim.kif": sheets.Text("nim"), "ttt.kif": sheets.Text("tic-tac-toe"), "four.kif": sheets.Text("connect-four"), "two.kif": broken,
	})
	for name, want := range map[string]string{
		"nim.kif": "second wins by force in 16 plies.", "ttt.kif": "The game is a draw with best play.", "two.kif": "x wins by force in 5 plies.", "four.kif": "",
	} {
		for _, flag := range []string{"--json=false", "--json"} {
			out := run(t, dir, "", "games", name, flag)
			if !strings.Contains(out, want) || want == "" && (strings.Contains(out, "by force") || strings.Contains(out, "best play")) {
				t.Errorf("%s: want %q in\n%s", name, want, out)
			}
		}
	}
}

// TestWatchSheet watches a sheet while it is written, broken and mended, and ends with Ctrl-C.
func TestWatchSheet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nim.kif")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(sheets.Text("nim"))
	cmd := command("", "games", "--watch", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(60*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	lines := bufio.NewScanner(out)
	expect := func(want string) string {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), want) {
				return lines.Text()
			}
		}
		t.Fatalf("%q is not printed", want)
		return ""
	}
	page := expect("http://127.0.0.1:")
	r, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(body), "sheet.js") {
		t.Errorf("the page is %.200s, error %v", body, err)
	}
	expect("nim.kif: accepted")
	expect("gdl(nim-")
	expect("longest game")
	write(sheets.Text("nim") + "(")
	expect("nim.kif: refused")
	expect("this bracket is never closed")
	write(strings.Replace(sheets.Text("nim"), "(true (control ?p))", "(true (contro ?p))", 1))
	expect("no init and no next makes (contro ?p) true (perhaps control is meant). The sheet is refused because ")
	write(strings.Replace(sheets.Text("nim"), "(role ", "(role q) (role ", 1))
	expect("nim.kif: refused")
	expect("3 roles")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect("nim.kif: missing")
	write(sheets.Text("nim"))
	expect("nim.kif: accepted")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitStopped {
		t.Errorf("exit %d", code)
	}
}

func TestWatchUsage(t *testing.T) {
	fails(t, "", exitUsage, "--watch takes no GAME", "games", "quad-5x5", "--watch", "x.kif")
	fails(t, "", exitUsage, "--open needs --watch", "games", "--open")
}

// TestMistakesInSheet prints mistakes first. A sure one makes the command fail, a likely one does not.
func TestMistakesInSheet(t *testing.T) {
	dir, good := t.TempDir(), sheets.Text("tic-tac-toe")
	for _, c := range []struct{ from, to, first, problem string }{
		{"(<= (next (cell ?r ?c ?v))", "(<= (nxt (cell ?r ?c ?v))", "Mistakes in the sheet:\n  line 22, ", "the sheet has mistakes (1); they"},
		{"(<= (goal x 0) (line o))", "(<= (goal x 0) (line o) (not (lin x)) (not (rol x)))", "Mistakes in the sheet:\n  line 39, ", "the sheet has mistakes (2); they"},
		{"(row r1) ", "(int 0) (row r1) ", "There may be mistakes in the sheet:\n  line 6, column 1: nothing asks for (int 0)", ""},
		{"(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (marked ?r ?c)))", "", "There may be mistakes in the sheet:\n  line 12, ", ""},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if err := os.WriteFile(filepath.Join(dir, "t.kif"), []byte(text), 0o600); err != nil || text == good {
			t.Fatal(c.from, err)
		}
		out, errs, code := ludus(t, dir, "", "games", "t.kif")
		if !strings.HasPrefix(out, c.first) || !strings.Contains(errs, c.problem) || (code == 1) != (c.problem != "") || (code == 0) != (errs == "") {
			t.Errorf("%s: exit %d, error %s, output %s", c.to, code, errs, out)
		}
	}
}

// TestExportOfSheet says that a sheet has no network yet.
func TestExportOfSheet(t *testing.T) {
	fails(t, "", 1, "train 'my game.kif' --run runs/my-game, then ", "export", "my game.kif")
}

// TestGamesOfSheet prints a sheet's description as rules, and what was found for its author.
func TestGamesOfSheet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.kif")
	if err := os.WriteFile(path, []byte("; Be <b>quick</b>.\n"+sheets.Text("tic-tac-toe")), 0o600); err != nil {
		t.Fatal(err)
	}
	out := run(t, "", "", "games", path)
	for _, want := range []string{"\nBe <b>quick</b>. Tic-tac-toe: three in a line win.\n", "\nfor authors of the sheet:\n  In 1000 random games: 5 to 9 plies", "\n  Games are proven to end"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if out := run(t, "", "rules\nquit\n", "play", path, "random"); !strings.Contains(out, "three in a line win") || strings.Contains(out, "gates") {
		t.Errorf("play prints\n%s", out)
	}
}
