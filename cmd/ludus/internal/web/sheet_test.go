package web

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/sheet"
	"ludus/env"
	"ludus/env/gdl/sheets"
)

// TestSheet serves a watched sheet: its page, its checks, random games, and play by it.
func TestSheet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hex.kif")
	if err := os.WriteFile(path, []byte(sheets.Text("hex")), 0o600); err != nil {
		t.Fatal(err)
	}
	w := sheet.NewWatcher(path, func(*env.Game) string { return "found" })
	ctx, cancel := context.WithCancel(t.Context())
	checks, ended := make(chan *sheet.Check, 1), make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Run(ctx, func(c *sheet.Check) { checks <- c })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	c := start(t, Options{Sheet: w})
	checked := <-checks
	get := func(path string, status int, want string) {
		t.Helper()
		r, err := http.Get(c.base + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != status || !strings.Contains(string(body), want) {
			t.Errorf("%s: status %d, error %v, %.300s", path, r.StatusCode, err, body)
		}
	}
	get("sheet", http.StatusOK, "sheet.js")
	get("api/sheet", http.StatusOK, `"state":"accepted"`)
	get("api/sheet/game?seed=1&name="+checked.Game, http.StatusOK, `"positions":[`)
	get("api/sheet/game?seed=1&name=other", http.StatusNotFound, "the sheet has changed")
	get("api/sheet/game?name="+checked.Game, http.StatusBadRequest, "seed must be")
	body, err := json.Marshal(map[string]string{"game": checked.Game, "agent": "mcts:10"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Post(c.base+"api/choose", "application/json", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Errorf("choose: status %d", r.StatusCode)
	}
	plain := start(t, Options{})
	for _, path := range []string{"sheet", "api/sheet"} {
		r, err := http.Get(plain.base + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusNotFound {
			t.Errorf("%s without a sheet: status %d", path, r.StatusCode)
		}
	}
}
