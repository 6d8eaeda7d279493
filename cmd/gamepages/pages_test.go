package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints/zoo"
)

// Pages, pictures and README are what the program writes today, and pictures are well-formed XML.
func TestCurrent(t *testing.T) {
	files, err := render()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("%s is not current (%v): run go generate ./cmd/gamepages", name, err)
		}
		if filepath.Ext(name) != ".svg" {
			continue
		}
		for decoder := xml.NewDecoder(strings.NewReader(want)); ; {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	for _, pattern := range []string{pagesFolder + "/*.md", pictureFolder + "/*"} {
		there, err := filepath.Glob(filepath.Join(root, pattern))
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

// The two pictures of a move have texts of their own.
func TestOfTwo(t *testing.T) {
	for caption, want := range map[string][2]string{
		"Swap: the board before and after blue plays it": {"Swap: the board before blue plays it", "Swap: the board after blue plays it"},
		"Place: black plays c4":                          {"Place: black plays c4, before the move", "Place: black plays c4, after the move"},
	} {
		if got := [2]string{ofTwo(caption, 0), ofTwo(caption, 1)}; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Every shipped agent's game is on one page, and sizes of a game share one.
func TestPages(t *testing.T) {
	var covered []string
	for _, p := range pages() {
		covered = append(covered, p.names...)
		if p.name() == "hex" && len(p.names) != 3 {
			t.Errorf("the page of hex is about %q", p.names)
		}
	}
	for _, name := range zoo.Games() {
		if n := len(slices.DeleteFunc(slices.Clone(covered), func(other string) bool { return other != name })); n != 1 {
			t.Errorf("%s is on %d pages", name, n)
		}
	}
}
