package kif_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

func TestReadRules(t *testing.T) {
	rules, err := kif.ReadRules("; a comment\n(ROLE White)\n(<= (next (cell ?X b)) ; more\n  (not (true (p))) (or q (distinct ?X 1)))\n(<= terminal)")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"(role white)", "(<= (next (cell ?x b)) (not (true p)) (or q (distinct ?x 1)))", "terminal"}
	if len(rules) != len(want) {
		t.Fatalf("%d rules, want %d", len(rules), len(want))
	}
	for i, r := range rules {
		if r.String() != want[i] {
			t.Errorf("rule %d is %s, want %s", i, r, want[i])
		}
	}
	if p := rules[1].Body[1].Args[1].Pos; p != (kif.Pos{Line: 4, Column: 26}) {
		t.Errorf("distinct is at %v", p)
	}
}

// TestCase: case counts if two names, or two variables of one rule, differ in nothing else. Keywords have no case.
func TestCase(t *testing.T) {
	for text, want := range map[string]string{
		"(Role White) (<= (Legal White) (p ?X)) (p ?x)":           "[(role white) (<= (legal white) (p ?x)) (p ?x)] []",
		"(ROLE White) (init (nextRank ?A)) (<= (p ?a) (q White))": "[(role white) (init (nextrank ?a)) (<= (p ?a) (q white))] []",
		"(nextRank A) (nextrank a) (INIT B)":                      "[(nextRank A) (nextrank a) (init B)] [nextRank nextrank]",
		"(<= (p ?X) (q ?X ?x) (Distinct ?X ?x))":                  "[(<= (p ?X) (q ?X ?x) (distinct ?X ?x))] [?X ?x]",
		"(<= (Next True) (Not (Or (TRUE goal) (Does x Init))))":   "[(<= (next true) (and (not (true goal)) (not (does x init))))] []",
		"(Legal x Role) (Role role)":                              "[(legal x Role) (role role)] [Role role]",
		"(<= (p TRUE) (Distinct ?x TRUE) (TRUE true))":            "[(<= (p TRUE) (distinct ?x TRUE) (true true))] [TRUE true]",
		"(p Ä) (q ä)": "[(p Ä) (q ä)] [Ä ä]",
	} {
		nodes, err := kif.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		rules, err := kif.Rules(nodes)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(rules, kif.CaseOf(nodes).Twins); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	nodes, _ := kif.Read("(legal x (knightMove 1))")
	words := kif.CaseOf(nodes)
	move, _ := kif.Read("(KNIGHTMOVE 1)")
	if folded := words.Fold(move[0]); folded.String() != "(knightmove 1)" || words.Written("knightmove") != "knightMove" {
		t.Errorf("%s, %s", folded, words.Written("knightmove"))
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"(role x":                       "line 1, column 1: this bracket is never closed",
		"(role x))":                     "line 1, column 9: a closing bracket without an opening one",
		"\n ()":                         "line 2, column 2: an empty list",
		"(<=)":                          "a rule without a head",
		"(<= ?x p)":                     "cannot be the head",
		"(<= p ?x)":                     "the variable ?x stands where a condition must stand, such as (p ?x)",
		"(<= p (not a b))":              "not takes one condition, not 2",
		"(<= (not p) q)":                "not cannot be the head",
		"(<= p (distinct a))":           "distinct takes two terms, not 1",
		"((a) b)":                       "a list must begin with a name, not with (a)",
		"(p \x00)":                      "line 1, column 4: the control character 0x00",
		strings.Repeat("(p ", 200):      "nested more than 100 deep",
		strings.Repeat("a", 5<<20):      "the text has 5242880 bytes",
		strings.Repeat("a ", 1<<20+100): "more than 1048576 words",
		"?x":                            "cannot be the head",
		"(role x)\n; \xe4\n":            "line 2, column 3: the byte 0xe4 is not UTF-8; save the text in UTF-8",
		"(role é\xe9)":                  "line 1, column 8: the byte 0xe9 is not UTF-8",
		"(role \xed\xa0\x80)":           "line 1, column 7: the byte 0xed is not UTF-8", // half of a pair of UTF-16
		"(role \xc0\xaf)":               "line 1, column 7: the byte 0xc0 is not UTF-8", // a longer form than needed
		"\xff\xfe(\x00":                 "line 1, column 1: the text is in UTF-16; save it in UTF-8",
		"(role ä\ufffd)":                "line 1, column 8: the character U+FFFD stands where a conversion lost another",
		"(ö x)\n(role\u00a0x)":          "line 2, column 6: the character U+00A0 (no-break space) is invisible",
		"(ö \u200bx)":                   "line 1, column 4: the character U+200B (zero-width space) is invisible",
		"(p x\u200dy)":                  "line 1, column 5: the character U+200D is invisible",
		"(p \ufeff)":                    "line 1, column 4: a byte order mark (U+FEFF) stands here, where nobody can see it; delete it",
		"\ufeff\ufeff(role x)":          "line 1, column 1: a byte order mark",
		"\xff\xfe\x00\x00(\x00\x00\x00": "the text is in UTF-32; save it in UTF-8",
		"\x00\x00\xfe\xff\x00\x00\x00(": "the text is in UTF-32; save it in UTF-8",
		wide("(role x)", 4):             "the text is in UTF-32; save it in UTF-8",
		wide("(role x)", 2):             "line 1, column 1: the text is in UTF-16; save it in UTF-8",
		wide("; \xe4", 2):               "the text is in UTF-16; save it in UTF-8",
		"\x00" + wide("; ab", 2):        "the text is in UTF-16; save it in UTF-8",
		"(p \u0085)":                    "line 1, column 4: the character U+0085 is invisible",
		"(p \u3164)":                    "line 1, column 4: the character U+3164 is invisible",
		"; old\r(role x)\r":             "line 1, column 6: a carriage return without a line feed",
		"(role x)\r\r\n":                "line 1, column 9: a carriage return without a line feed",
		"(=> (p) q)":                    "line 1, column 1: => makes no rule; write (<= HEAD CONDITION ...)",
		"(<= p\n (=> q r))":             "line 2, column 2: => makes no rule",
		"(:- p q)":                      ":- makes no rule",
		"(p ?x)\n:- (q ?x)":             "line 2, column 1: :- makes no rule",
		"((p ?x) :- (q ?x))":            "line 1, column 9: :- makes no rule",
		"(terminal :- (not some))":      "line 1, column 11: :- makes no rule",
		"(p ?x :- q)":                   "line 1, column 7: :- makes no rule",
		"(terminal <- (not some))":      "line 1, column 11: <- makes no rule",
		"(<- terminal (not some))":      "line 1, column 1: <- makes no rule",
		"(⇐ p (q))":                     "line 1, column 1: ⇐ makes no rule",
		"(<== (p ?x) (q ?x))":           "line 1, column 1: <== makes no rule",
		"(-> (q) (p))":                  "line 1, column 1: -> makes no rule",
		"(<= p (→ q r))":                "line 1, column 7: → makes no rule",
		"terminal ← (not some)":         "line 1, column 10: ← makes no rule",
		"((p ?x) <- (q ?x))":            "line 1, column 9: <- makes no rule",
		"(<= (p) :- (q))":               "line 1, column 9: :- makes no rule",
	} {
		_, err := kif.ReadRules(text)
		var e *kif.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: error %v, want one with %q", text, err, want)
		}
	}
}

// wide returns a text with each byte in as many bytes, the low one first.
func wide(text string, bytes int) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(text[i:i+1] + strings.Repeat("\x00", bytes-1))
	}
	return b.String()
}

// TestCharacters reads a byte order mark, other scripts, emoji and their joiners, arrows as terms, and line ends of Windows.
func TestCharacters(t *testing.T) {
	const text = "\ufeff(p é 走 →)\r\n; \u00a0\u200b\ufffd\r\n(q 👩\u200d🚀 ☂\ufe0f می\u200cخواهم (=> a) :-)"
	nodes, err := kif.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(nodes), "[(p é 走 →) (q 👩\u200d🚀 ☂\ufe0f می\u200cخواهم (=> a) :-)]"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	if pos := nodes[0].List[3].Pos; pos != (kif.Pos{Line: 1, Column: 8}) {
		t.Errorf("the arrow is at %v", pos)
	}
	if _, err := kif.Rules(nodes); err != nil {
		t.Error(err)
	}
}

// TestNegations moves negations inwards.
func TestNegations(t *testing.T) {
	rules, err := kif.ReadRules("(<= p (not (or q (and (not r) (distinct a b)))) (not (not (or q r))) (not (not (not s))))")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rules[0].String(), "(<= p (and (not q) (or r (not (distinct a b)))) (or q r) (not s))"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestTruthTables: in all formulas with the atoms p and q up to depth 2, and in larger ones, moving negations inwards
// keeps the truth value and leaves negations of atoms only.
func TestTruthTables(t *testing.T) {
	grow := func(fs, gs []kif.Term) []kif.Term { // the formulas with one more connective, and fs
		all := slices.Clone(fs)
		for _, f := range fs {
			all = append(all, kif.Term{Name: "not", Args: []kif.Term{f}})
			for _, g := range gs {
				all = append(all, kif.Term{Name: "or", Args: []kif.Term{f, g}}, kif.Term{Name: "and", Args: []kif.Term{g, f}})
			}
		}
		return all
	}
	atoms := []kif.Term{{Name: "p"}, {Name: "q"}}
	one := grow(atoms, atoms)
	formulas := grow(grow(grow(one, one), atoms), nil)
	var text strings.Builder
	for _, f := range formulas {
		fmt.Fprintf(&text, "(<= h %s)\n", f)
	}
	rules, err := kif.ReadRules(text.String())
	if err != nil {
		t.Fatal(err)
	}
	allowed := strings.NewReplacer("(not p)", "", "(not q)", "")
	for i, f := range formulas {
		got := rules[i].Body[0]
		for world := range 4 {
			if truth(f, world) != truth(got, world) {
				t.Fatalf("%s is read as %s", f, got)
			}
		}
		if strings.Contains(allowed.Replace(got.String()), "not") {
			t.Fatalf("%s is read as %s", f, got)
		}
	}
}

// truth evaluates a formula; bit 0 of world says whether p is true, bit 1 whether q is.
func truth(f kif.Term, world int) bool {
	switch f.Name {
	case "not":
		return !truth(f.Args[0], world)
	case "or":
		return truth(f.Args[0], world) || truth(f.Args[1], world)
	case "and":
		return truth(f.Args[0], world) && truth(f.Args[1], world)
	case "p":
		return world&1 != 0
	}
	return world&2 != 0
}

// TestForeignSheets reads every foreign sheet.
func TestForeignSheets(t *testing.T) {
	sheets.Foreign(t, func(t *testing.T, _, text string) {
		if _, err := kif.ReadRules(text); err != nil {
			t.Error(err)
		}
	})
}

// FuzzReadRules checks that what was read and printed reads the same again.
func FuzzReadRules(f *testing.F) {
	f.Add("(<= (next (cell ?x b)) (not (true (p))) (or q (distinct ?x 1)))")
	f.Add("(role x) ; comment\nterminal")
	f.Add("(<= p) ((")
	f.Add("\ufeff(p é 👩\u200d🚀)\r\n; \u00a0")
	f.Add("(p ä\xe4)")
	f.Fuzz(func(t *testing.T, text string) {
		rules, err := kif.ReadRules(text)
		if err != nil {
			return
		}
		var b strings.Builder
		for _, r := range rules {
			b.WriteString(r.String() + "\n")
		}
		again, err := kif.ReadRules(b.String())
		if err != nil || len(again) != len(rules) {
			t.Fatalf("%q prints as %q, which reads as %d rules (%v)", text, b.String(), len(again), err)
		}
		for i := range rules {
			if rules[i].String() != again[i].String() {
				t.Fatalf("%s reads again as %s", rules[i], again[i])
			}
		}
	})
}

// TestSplitGoals splits goals that depend on each other, and leaves others alone.
func TestSplitGoals(t *testing.T) {
	for text, want := range map[string]string{
		"(goal a 100) (<= (goal a 0) (p))": "(goal a 100) (<= (goal a 0) p)",
		"(<= (goal a 0) (or (p) (not (goal a 100)))) (<= (goal a 100) (q))": "(<= (goal ?player 0) (goal 0 ?player)) " +
			"(<= (goal 0 a) (or p (not (goal 100 a)))) (<= (goal ?player 100) (goal 100 ?player)) (<= (goal 100 a) q)",
		"(<= (goal a ?x) (p ?x)) (<= (goal b 0) (goal a 100))": "(<= (goal a ?x) (p ?x)) (<= (goal b 0) (goal a 100))",
	} {
		rules, err := kif.ReadRules(text)
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(rules)
		got := fmt.Sprint(kif.SplitGoals(rules))
		if got != "["+want+"]" || fmt.Sprint(rules) != before {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestReadFile reads the begin of a file, and refuses what is no regular file.
// TestExpand: or makes alternatives, also inside of and, and the order of conditions stays.
func TestExpand(t *testing.T) {
	rules, err := kif.ReadRules("(<= h (or p (and q (or (not r) s u))) t)")
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := new(kif.Expander).Expand(rules[0].Body, rules[0].Pos)
	if got := fmt.Sprint(bodies); err != nil || got != "[[p t] [q (not r) t] [q s t] [q u t]]" {
		t.Errorf("%s, %v", got, err)
	}
	limited := &kif.Expander{MaxCopied: 10}
	if _, err := limited.Expand(rules[0].Body, rules[0].Pos); err == nil {
		t.Error("more literals were copied than may be")
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sheet.kif")
	if err := os.WriteFile(path, []byte("(role x)"), 0o600); err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{3: "(ro", 100: "(role x)"} {
		if data, err := kif.ReadFile(path, most); err != nil || string(data) != want {
			t.Errorf("%q, error %v, want %q", data, err, want)
		}
	}
	for _, path := range []string{filepath.Dir(path), os.DevNull} {
		if _, err := kif.ReadFile(path, 100); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: error %v", path, err)
		}
	}
	if _, err := kif.ReadFile(path+"x", 100); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
