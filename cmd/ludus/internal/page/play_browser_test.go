package page

import (
	"os"
	"path/filepath"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
)

// People play on the page, opened from disk.
func TestPlaying(t *testing.T) {
	front := browsertest.Front{Name: "page", Address: func(t *testing.T, game string) string {
		path := filepath.Join(t.TempDir(), "an agent.html")
		if err := os.WriteFile(path, made(t, game, "a run", 8, 1), 0o666); err != nil {
			t.Fatal(err)
		}
		return browsertest.File(t, path)
	}}
	front.Test(t)
}
