package games

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// transcripts are the referee's games and their counts.
var transcripts = []struct {
	file, game string
	report     TranscriptCounts
}{
	{"breakthrough_6x6", "breakthrough-6x6", TranscriptCounts{40, 1188}},
	{"quad_7x7", "quad-7x7", TranscriptCounts{12, 363}},
	{"quad_7x7_long", "quad-7x7", TranscriptCounts{8, 238}},
	{"quad_5x5", "quad-5x5", TranscriptCounts{40, 581}},
	{"golden_rectangle", "golden-rectangle", TranscriptCounts{40, 1202}},
	{"ffa_2p", "free-for-all-2p", TranscriptCounts{60, 1800}},
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

func TestTranscripts(t *testing.T) {
	for _, tr := range transcripts {
		report, err := VerifyTranscript(Must(tr.game), strings.NewReader(transcript(t, tr.file)))
		if err != nil || report != tr.report {
			t.Errorf("%s: %+v, %v; want %+v", tr.file, report, err, tr.report)
		}
	}
}

// TestPerft compares with the counts that came with the rules.
func TestPerft(t *testing.T) {
	for name, counts := range map[string][]uint64{
		"breakthrough-6x6": {1, 16, 256, 4308, 71478, 1248290},
		"quad-5x5":         {1, 21, 420, 7980},
		"quad-7x7":         {1, 90, 7920},
		"golden-rectangle": {1, 7, 49, 343, 2401, 16807},
		"free-for-all-2p":  {1, 4, 16, 96, 572, 4788},
	} {
		for depth, want := range counts {
			if got, err := Perft(t.Context(), Must(name), depth); err != nil || got != want {
				t.Errorf("%s: %d sequences of %d moves, want %d", name, got, depth, want)
			}
		}
	}
}

// smallGame is a short game for hand-made transcripts.
const smallGame = "golden-rectangle(columns=4,rows=4,span=3)"

// smallTranscript is the transcript of a game in which both players choose the first legal move.
func smallTranscript() string {
	g := Must(smallGame)
	var b strings.Builder
	b.WriteString("game 1\n")
	s := g.NewState()
	for !s.Done() {
		list := texts(g, s)
		fmt.Fprintf(&b, "%s %d %s | %s;\n", g.Players[s.Player()], len(list), list[0], strings.Join(list, ";"))
		a, _ := g.ParseAction(list[0])
		s.Apply(a)
	}
	fmt.Fprintf(&b, "goals red=[%d] yellow=[%d]\n", s.Goals()[0], s.Goals()[1])
	return b.String()
}

func TestVerifyAccepts(t *testing.T) {
	text := smallTranscript()
	plies := strings.Count(text, "|")
	for what, text := range map[string]string{
		"as written":          text,
		"CRLF":                strings.ReplaceAll(text, "\n", "\r\n"),
		"blank lines":         "\n\n" + strings.ReplaceAll(text, "\n", "\n\n"),
		"no newline at end":   strings.TrimSuffix(text, "\n"),
		"blanks at line ends": strings.ReplaceAll(text, "\n", " \t\n"),
	} {
		report, err := VerifyTranscript(Must(smallGame), strings.NewReader(text))
		if want := (TranscriptCounts{1, plies}); err != nil || report != want {
			t.Errorf("%s: %+v, %v; want %+v", what, report, err, want)
		}
	}
	report, err := VerifyTranscript(Must(smallGame), strings.NewReader(text+text))
	if want := (TranscriptCounts{2, 2 * plies}); err != nil || report != want {
		t.Errorf("two games: %+v, %v; want %+v", report, err, want)
	}
}

// TestVerifyErrors checks that errors name the line, the game and the difference.
func TestVerifyErrors(t *testing.T) {
	text := smallTranscript()
	lines := strings.SplitAfter(text, "\n")
	first := lines[1] // red 4 (mark 1 0) | (mark 1 0);(mark 2 0);(mark 3 0);(mark 4 0);
	replace := func(old, new string) string {
		return strings.Replace(text, first, strings.Replace(first, old, new, 1), 1)
	}
	for what, test := range map[string]struct {
		text string
		want []string
	}{
		"empty":             {"", []string{"no game"}},
		"blank":             {"\n \n", []string{"no game"}},
		"no game line":      {first, []string{"line 1", `"game 1"`}},
		"no game number":    {"game one\n" + first, []string{"line 1", `"game 1"`, `"game one"`}},
		"wrong mover":       {replace("red", "yellow"), []string{"line 2, game 1", "yellow to move", "red"}},
		"unknown player":    {replace("red", "green"), []string{"line 2, game 1", "green", "red and yellow"}},
		"wrong count":       {replace("red 4", "red 5"), []string{"line 2, game 1", "counts 5", "has 4"}},
		"count is a word":   {replace("red 4", "red four"), []string{"line 2, game 1", "reads like"}},
		"no list":           {replace("|", ""), []string{"line 2, game 1", "reads like"}},
		"no move":           {replace(" (mark 1 0) |", " |"), []string{"line 2, game 1", "reads like"}},
		"wrong legal move":  {replace("(mark 2 0);", "(mark 2 1);"), []string{"line 2, game 1", "(mark 2 1)", "(mark 2 0)"}},
		"wrong order":       {replace("(mark 2 0);(mark 3 0)", "(mark 3 0);(mark 2 0)"), []string{"line 2, game 1", "legal moves differ"}},
		"list cut off":      {replace("(mark 4 0);", ""), []string{"line 2, game 1", `""`, "(mark 4 0)"}},
		"list goes on":      {replace("(mark 4 0);", "(mark 4 0);(mark 5 0);"), []string{"line 2, game 1", "after the game's last", "(mark 5 0)"}},
		"illegal move":      {replace(" (mark 1 0) |", " (mark 1 3) |"), []string{"line 2, game 1", "illegal move a4 (mark 1 3)"}},
		"unknown move":      {replace(" (mark 1 0) |", " (mork 1 0) |"), []string{"line 2, game 1", "unknown move \"(mork 1 0)\""}},
		"two games in one":  {lines[0] + first + text, []string{"line 3, game 1", "before the goals"}},
		"goals too early":   {lines[0] + first + "goals red=[0] yellow=[100]\n", []string{"line 3, game 1", "yellow is to move"}},
		"wrong goals":       {strings.Replace(text, "=[100]", "=[90]", 1), []string{"game 1", "=[90]", "=[100]"}},
		"players exchanged": {strings.Replace(strings.Replace(text, "goals red", "goals x", 1), "yellow=", "red=", 1), []string{"game 1", "x=["}},
		"bare goals":        {strings.Join(lines[:len(lines)-2], "") + "goals", []string{"game 1", `goals ""`}},
		"goes on after end": {strings.Join(lines[:len(lines)-2], "") + first, []string{"game 1", "the game is over"}},
		"no goals":          {strings.Join(lines[:len(lines)-2], ""), []string{"game 1", "ends before the goals"}},
		"cut in a line":     {text[:len(text)/2], []string{"line ", "game 1"}},
		"second game cut":   {text + lines[0], []string{"ends before the goals"}},
		"too long a line":   {lines[0] + "red 4 " + strings.Repeat("x", maxLine), []string{"line 2, game 1", "longer"}},
		"long nonsense":     {lines[0] + strings.Repeat("x", 1000), []string{"line 2, game 1", "xxx..."}},
	} {
		_, err := VerifyTranscript(Must(smallGame), strings.NewReader(test.text))
		if err == nil {
			t.Errorf("%s: no error", what)
			continue
		}
		for _, part := range test.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q in it", what, err, part)
			}
		}
	}
	// Games before the first difference count.
	report, _ := VerifyTranscript(Must(smallGame), strings.NewReader(text+lines[0]))
	if report.Games != 1 {
		t.Errorf("one whole game and a half: %+v", report)
	}
	// The rules of another game differ.
	if _, err := VerifyTranscript(Must("golden-rectangle"), strings.NewReader(text)); err == nil {
		t.Error("a transcript of another game passes")
	}
	broken := errors.New("broken pipe")
	if _, err := VerifyTranscript(Must(smallGame), iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("reader fails: %v, want its error", err)
	}
}

// FuzzVerify checks that no text causes a panic, and that accepted transcripts hold whole games.
func FuzzVerify(f *testing.F) {
	text := smallTranscript()
	f.Add(text)
	f.Add(strings.ReplaceAll(text, "\n", "\r\n"))
	for cut := 0; cut < len(text); cut += 37 {
		f.Add(text[:cut])
		f.Add(text[:cut] + "\n" + text[cut:])
	}
	for _, text := range []string{
		"game", "game 1\ngoals", "game 1\nred", "game 1\nred 4 |", "game 1\nred 4 noop | ;;;;", "game 1\nred -1 x|",
	} {
		f.Add(text)
	}
	g := Must(smallGame)
	f.Fuzz(func(t *testing.T, text string) {
		if report, err := VerifyTranscript(g, strings.NewReader(text)); err == nil && (report.Games < 1 || report.Positions < report.Games) {
			t.Errorf("accepted %+v", report)
		}
	})
}
