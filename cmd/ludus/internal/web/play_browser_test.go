package web

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"ludus/cmd/ludus/internal/browsertest"
	"ludus/env"
)

// People play on the server's page.
func TestPlaying(t *testing.T) {
	dir := t.TempDir()
	c := start(t, Options{Runs: dir, Threads: 2})
	front := browsertest.Front{Name: "web", Address: func(t *testing.T, name string) string {
		game := gameOf(t, name)
		file := env.FileName(game.Name) + ".safetensors"
		if err := os.WriteFile(filepath.Join(dir, file), weights(game, 1).Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
		return c.base + "?" + url.Values{"game": {game.Name}, "agent": {"net:" + file}}.Encode()
	}}
	front.Test(t)
}
