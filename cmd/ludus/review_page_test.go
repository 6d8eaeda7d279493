package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A page of reviews holds every game of the file, and needs nothing else. Wrong flags get an error.
func TestReviewPage(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "reviews.html")
	write(t, filepath.Join(dir, "games.txt"), lostGame+"\na1 b2\n")
	run(t, dir, "", "review", "tic-tac-toe", "games.txt", "solver:100000", "-o", "reviews.html")
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Reviews of tic-tac-toe</title>", `"grade":"blunder"`, `"move":"b1"`, "Reviewed by solver:100000"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if _, err := os.Stat(out + ".part"); err == nil {
		t.Error("the part file stays")
	}
	fails(t, dir, 2, "--to html needs --output FILE.html", "review", "tic-tac-toe", "games.txt", "--to", "html")
	fails(t, dir, 1, "reviews.html exists; --force replaces it", "review", "tic-tac-toe", "games.txt", "-o", "reviews.html")
}
