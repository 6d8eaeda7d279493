package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ludus/env/games"
)

const root = "../../../.."

// Pages, pictures and README are what the program writes today.
func TestCurrent(t *testing.T) {
	files, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): run go generate ./cmd/ludus/internal/gamepages", name, err)
		}
	}
	for _, pattern := range []string{pagesFolder + "/*.md", pictureFolder + "/*"} {
		there, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range there {
			name, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if _, known := files[filepath.ToSlash(name)]; !known {
				t.Errorf("%s belongs to no page", name)
			}
		}
	}
}

// Every game that the program lists has a page.
func TestEveryGame(t *testing.T) {
	var covered []string
	for _, p := range pages {
		covered = append(append(covered, p.name), p.more...)
	}
	for _, name := range games.Names() {
		if !slices.Contains(covered, name) {
			t.Errorf("%s has no page", name)
		}
	}
}
