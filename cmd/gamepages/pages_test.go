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
	"ludus/env/games"
)

const root = "../.."

// Pages, pictures and README are what the program writes today, and pictures are well-formed XML.
func TestCurrent(t *testing.T) {
	files, err := render(root)
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

// A comment says what a move did to the score, as its player sees it. Scores are those of the first player.
func TestComment(t *testing.T) {
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	top := []topMove{{Move: "c3"}}
	for _, test := range []struct {
		player        int
		before, after ply
		want          string
		weight        int
	}{
		{0, ply{Score: 50}, ply{Score: 52}, "", 0},
		{0, ply{Score: 50, Top: top}, ply{Score: 52}, "The analysis prefers c3.", 0},
		{0, ply{Move: "b2", Score: 70, Top: top}, ply{Score: 50}, "x's expected score falls from 70 to 50. The analysis prefers c3.", jumpNote},
		{1, ply{Move: "b2", Score: 70, Top: top}, ply{Score: 50}, "o's expected score changes from 30 to 50.", jumpNote},
		{1, ply{Score: 40}, ply{Score: 100, Exact: true}, "Solved from here: x wins 100 to 0 with perfect play.", 0},
		{0, ply{Score: 100, Exact: true, Keep: []string{"c3"}}, ply{Score: 100, Exact: true}, "The only move that keeps the value.", 0},
		{0, ply{Score: 100, Exact: true, Keep: []string{"c3", "d3"}}, ply{Score: 100, Exact: true}, "", 0},
		{0, ply{Score: 100, Exact: true, Keep: []string{"c3", "d3"}}, ply{Score: 50, Exact: true},
			"A mistake: c3 or d3 would have kept 100 for x; now the game is a draw with perfect play.", mistakeNote},
	} {
		c := commentator{game: game}
		if text, weight := c.comment(&test.before, &test.after, test.player, 20); text != test.want || weight != test.weight {
			t.Errorf("%+v: %q, %d", test, text, weight)
		}
	}
}
