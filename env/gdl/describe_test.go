package gdl

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"ludus/env/gdl/sheets"
)

// TestDescription reads the comments at the start of sheets.
func TestDescription(t *testing.T) {
	for sheet, want := range map[string]string{
		"":                              "",
		"(role x) ; comment\n; another": "",
		"; Go.\n; Two lines.\n\n;\n;; More.\n;;;;;;\n; -----\n(role x) ; no":  "Go. Two lines.\nMore.",
		"\ufeff;Rules:\r\n;  - take  one\r\n;\t- or two,\r\n;   or three\r\n": "Rules:\n- take one\n- or two, or three",
		"; a\n   ; b\n(role x)\n; c":                                          "a b",
		"; <b>bold</b> \x1b[31mred\x07 \u202ert\u009b \xff ünï\n":             "<b>bold</b> [31mred rt ünï",
	} {
		if got := descriptionOf(sheet); got != want {
			t.Errorf("%q: %q, want %q", sheet, got, want)
		}
	}
	long := descriptionOf("; " + strings.Repeat("ä word ", 2000))
	if n := utf8.RuneCountInString(long); n != maxDescription || !strings.HasSuffix(long, "…") {
		t.Errorf("%d characters, ending with %q", n, long[len(long)-20:])
	}
}

// TestRulesOfSheet shows people the comments at the start of a sheet as rules, and authors what was found.
func TestRulesOfSheet(t *testing.T) {
	text := sheets.Text("tic-tac-toe")
	e, _, err := New(t.Context(), "t", text)
	if err != nil {
		t.Fatal(err)
	}
	want := "Tic-tac-toe: three in a line win.\nThe players are x and o; x moves first. Each gets 0 to 100 points at the end, and more points win."
	if e.Rules != want {
		t.Errorf("rules %q", e.Rules)
	}
	found := strings.Join(Findings(e), "\n")
	for _, want := range []string{"Games are proven to end", "In random games each player had exactly one goal", "The board is 3 x 3", "gates compute"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is missing in %s", want, found)
		}
	}
	if e, _, err = New(t.Context(), "t", strings.SplitN(text, "\n", 2)[1]); err != nil || !strings.HasPrefix(e.Rules, noDescription+"\n") {
		t.Errorf("error %v, rules %q", err, e.Rules)
	}
	if e, _, err = New(t.Context(), "r", sheets.Text("reversi")); err != nil || !strings.HasSuffix(e.Rules, " After 144 moves the game is a draw.") {
		t.Errorf("error %v, rules %q", err, e.Rules)
	}
}

// TestGoalsOfSheet says what training aims at.
func TestGoalsOfSheet(t *testing.T) {
	sheet := func(values int, second string) string {
		text := "(role x) (role y) (init start) (<= (legal x (pick ?v ?w)) (true start) (pair ?v ?w))" +
			"(<= (legal y noop) (true start)) (<= (next (picked ?v ?w)) (does x (pick ?v ?w)))" +
			"(<= terminal (true (picked ?v ?w))) (<= (goal x ?v) (true (picked ?v ?w)))" +
			"(<= (goal y ?w) (true (picked ?v ?w)))"
		for i := range values {
			text += strings.NewReplacer("V", strconv.Itoa(4*i), "W", strconv.Itoa(100-4*i)).Replace("(pair V " + second + ")")
		}
		return text
	}
	for text, want := range map[string]string{
		sheet(5, "W"):  "Goals add up to 100. ",
		sheet(26, "W"): "Goals differ by more than 21 amounts. The higher goal wins; training aims at the win alone. ",
		sheet(2, "0"):  "Goals do not add up to 100. The higher goal wins. ",
		sheet(5, "40"): "Goals do not add up to 100. The higher goal wins; training aims at the difference. ",
	} {
		e, _, err := New(t.Context(), "t", text)
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(Findings(e), "\n"); !strings.Contains(found, want) {
			t.Errorf("%q is missing in %s", want, found)
		}
	}
}
