package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// quickRun are the arguments of a short run.
var quickRun = []string{"train", "quad-5x5", "--run", "quad", "--generations", "2", "--set", "parallel_games=8", "--set", "plies_per_generation=20",
	"--set", "simulations=4", "--set", "channels=4", "--set", "blocks=1", "--set", "batch_size=16"}

// Training writes the report; the command writes the same one.
func TestReportCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, errs, code := ludus(t, dir, "", quickRun...)
	page := filepath.Join("quad", "report.html")
	if code != 0 || !strings.Contains(out, "report:   "+page) || strings.Contains(errs, "warning") {
		t.Fatalf("exit %d, %s\n%s", code, out, errs)
	}
	written, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil || !strings.Contains(string(written), "generation 2, game ") {
		t.Fatalf("the report has no games of the last generation; error %v", err)
	}
	if out := run(t, dir, "", "report", "quad"); out != page+"\n" {
		t.Errorf("report prints %q", out)
	}
	again, err := os.ReadFile(filepath.Join(dir, page))
	if err != nil || string(again) != string(written) {
		t.Errorf("the report of the same run is another; error %v", err)
	}
	// --run alone names the game, too. Training continues with one warning if it cannot write the report.
	if err := errors.Join(os.Remove(filepath.Join(dir, page)), os.MkdirAll(filepath.Join(dir, page, "in the way"), 0o777)); err != nil {
		t.Fatal(err)
	}
	more, errs, code := ludus(t, dir, "", "train", "--run", "quad", "--generations", "3")
	if code != 0 || !strings.Contains(errs, "quad has 2 of 2 generations already\n") || strings.Count(errs, "warning: no report") != 1 ||
		!strings.Contains(more, "quad-5x5: 3 generations") {
		t.Errorf("a continued run: exit %d, %s, %s", code, errs, more)
	}
	if _, errs, code := ludus(t, t.TempDir(), "", "report", "."); code != 1 || !strings.Contains(errs, "not a run directory") {
		t.Errorf("of a folder that is no run: exit %d, %s", code, errs)
	}
}
