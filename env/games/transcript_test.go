package games

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"ludus/env"
)

// transcripts are the referee's games, with what they hold.
var transcripts = []struct {
	file, game string
	report     Report
}{
	{"breakthrough_6x6", "breakthrough-6x6", Report{40, 1188}},
	{"quad_7x7", "quad-7x7", Report{12, 363}},
	{"quad_7x7_long", "quad-7x7", Report{8, 238}},
	{"quad_5x5", "quad-5x5", Report{40, 581}},
	{"golden_rectangle", "golden-rectangle", Report{40, 1202}},
	{"ffa_2p", "free-for-all-2p", Report{60, 1800}},
}

// transcript reads a compressed transcript from testdata.
func transcript(t testing.TB, file string) string {
	t.Helper()
	f, err := os.Open("testdata/" + file + ".txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// mustNew returns a game that exists.
func mustNew(t testing.TB, name string) *env.Game {
	t.Helper()
	g, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTranscripts(t *testing.T) {
	for _, tr := range transcripts {
		report, err := Verify(mustNew(t, tr.game), strings.NewReader(transcript(t, tr.file)))
		if err != nil || report != tr.report {
			t.Errorf("%s: %+v, %v; want %+v", tr.file, report, err, tr.report)
		}
	}
}

// Counts handed down with the rules.
func TestPerft(t *testing.T) {
	for name, counts := range map[string][]uint64{
		"breakthrough-6x6": {1, 16, 256, 4308, 71478, 1248290},
		"quad-5x5":         {1, 21, 420, 7980},
		"quad-7x7":         {1, 90, 7920},
		"golden-rectangle": {1, 7, 49, 343, 2401, 16807},
		"free-for-all-2p":  {1, 4, 16, 96, 572, 4788},
	} {
		for depth, want := range counts {
			if got := Perft(mustNew(t, name), depth); got != want {
				t.Errorf("%s: %d sequences of %d moves, want %d", name, got, depth, want)
			}
		}
	}
}
