package games

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"ludus/env"
)

func TestNames(t *testing.T) {
	want := []string{"breakthrough-6x6", "breakthrough-8x8", "quad-7x7", "quad-5x5", "quad-11x11",
		"golden-rectangle", "golden-rectangle-9x9", "free-for-all-2p"}
	if names := Names(); len(names) < len(want) || !slices.Equal(names[:len(want)], want) { // a new game comes last
		t.Errorf("Names() = %v, want %v first", names, want)
	}
	for _, f := range Families() {
		if g := Must(f.Name); g.Family != f.Name || g.Name != f.Aliases[0].Name || len(g.Params) != len(f.Params) {
			t.Errorf("family %s by default is %s %v", f.Name, g.Name, g.Params)
		}
		for _, s := range f.Aliases {
			if Must(s.Name) != Must(s.Full) {
				t.Errorf("%s and %s are different games", s.Name, s.Full)
			}
			if g := Must(s.Name); !g.Is(g.Name) || !g.Is(g.Full) || g.Is("") || g.Is(f.Name+"()") || Must(g.Full) != g {
				t.Errorf("%s, in full %s, is not itself", g.Name, g.Full)
			}
		}
	}
}

func TestNew(t *testing.T) {
	for name, want := range map[string]string{
		"quad-5x5":                               "quad-5x5",
		" quad ( whites = 0 , size=5,quads=8 ) ": "quad-5x5",
		"quad()":                                 "quad-7x7",
		"quad(corners=full,size=07)":             "quad(size=7,quads=12,whites=5,corners=full)",
		"breakthrough(rows=8,columns=8)":         "breakthrough-8x8",
		"breakthrough(rows=7,columns=8)":         "breakthrough(columns=8,rows=7,captures=true)",
		"gomoku":                                 "gomoku-15x15",
		"gomoku-standard":                        "gomoku-15x15-standard",
		"hex-11x11":                              "hex",
		"othello-8x8":                            "othello",
		"line-up(gravity=0,line=5,width=9,height=9,swap=0,overline=1)":   "gomoku-9x9",
		"line-up(gravity=0,line=5,width=15,height=15,overline=0)":        "gomoku-15x15-standard",
		"line-up(gravity=0,line=5,width=15,height=15,overline=0,swap=1)": "line-up(width=15,height=15,line=5,gravity=0,overline=0,swap=1)",
		"line-up(line=6,width=11,height=11,gravity=1)":                   "line-up(width=11,height=11,line=6,gravity=1)",
		"golden-rectangle(columns=9)":                                    "golden-rectangle(columns=9,rows=8,span=3)",
		"free-for-all(objective=score)":                                  "free-for-all(size=7,steps=30,objective=score)",
		"quad(size=11,quads=20,whites=7)":                                "quad(size=11,quads=20,whites=7,corners=cut)",
		"breakthrough(columns=6,rows=6,captures=false)":                  "breakthrough(columns=6,rows=6,captures=false)",
	} {
		g := Must(name)
		if g.Name != want {
			t.Errorf("New(%q) is %s, want %s", name, g.Name, want)
		}
		if again := Must(g.Name); again != g {
			t.Errorf("New(%q) makes a second game", g.Name)
		}
	}
}

// In a file gomoku is the board of 9x9, which had that name.
func TestOldName(t *testing.T) {
	for _, name := range []string{"gomoku", "gomoku-9x9"} {
		if g, err := Restore(name, ""); err != nil || g != Must("gomoku-9x9") {
			t.Errorf("%s in a file is %v, %v", name, g, err)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for name, want := range map[string][]string{
		"":                                    {"there are breakthrough-6x6"},
		"quad-5x6":                            {"quad-5x6", "did you mean quad-5x5?", "golden-rectangle", "free-for-all"},
		"quad-4x4":                            {"other sizes are written like quad(size=4..13,quads=1..60,whites=0..20,corners=cut|left|full); did you mean quad-7x7?"},
		"hex-9x9":                             {"hex(size=2..19,swap=0..1); did you mean hex(size=9)?"},
		"hex-14x14":                           {"did you mean hex(size=14)?"},
		"hex-14x13":                           {"did you mean hex-13x13?"},
		"hex-20x20":                           {"hex(size=2..19,swap=0..1); there are"},
		"othello-10x10":                       {"did you mean othello(size=10)?"},
		"gomoku-11x11":                        {"did you mean line-up(width=11,height=11,line=5,gravity=0)?"},
		"connect-four-9x7":                    {"did you mean line-up(width=9,height=7)?"},
		"breakthrough-7x6":                    {"did you mean breakthrough(columns=7,rows=6)?"},
		"chess":                               {"there are breakthrough-6x6"},
		"quadd(size=5)":                       {"did you mean quad?"},
		"quad(size=3)":                        {"size=3", "4..13"},
		"quad(size=14)":                       {"size=14", "4..13"},
		"quad(size=99999999999999999999)":     {"4..13"},
		"quad(size=five)":                     {"size=five", "4..13"},
		"quad(corners=round)":                 {"corners=round", "cut|left|full"},
		"quad(siez=5)":                        {`parameter "siez"`, "did you mean size?", "size, quads, whites, corners"},
		"quad(size=5,size=5)":                 {"size is given twice"},
		"quad(size=5":                         {"the ) at the end is missing: quad(size=5)"},
		"quad(size=5))":                       {"reads like"},
		"quad(size)":                          {`"size"`, "name=value"},
		"quad(size=)":                         {"name=value"},
		"quad(size=7,)":                       {"name=value"},
		"quad(size=5)":                        {"34", "21 cells", "at most 10, such as quads=8,whites=2"},
		"tic-tac-toe(size=4)":                 {"takes no parameters; it is line-up(width=3,"},
		"golden-rectangle(span=7)":            {"span=7", "columns=7", "1..6"},
		"golden-rectangle(span=0)":            {"span=0", "1..12"},
		"breakthrough(captures=maybe)":        {"true|false"},
		"breakthrough(rows=9)":                {"4..8"},
		"breakthrough(columns=1)":             {"2..8"},
		"breakthrough(rows=4,captures=false)": {"rows is 5..8"},
		"free-for-all(steps=101)":             {"2..100"},
		"free-for-all(size=4)":                {"5..9"},
	} {
		_, err := New(name)
		if !errors.Is(err, ErrName) {
			t.Errorf("New(%q): %v, want ErrName", name, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("New(%q): %v; want %q in it", name, err, part)
			}
		}
	}
}

// TestExtremes checks that every combination of extreme parameters is a playable game or an error.
func TestExtremes(t *testing.T) {
	for _, f := range Families() {
		names := []string{f.Name + "("}
		for i, p := range f.Params {
			choices := p.Words
			if choices == nil {
				choices = []string{Number("", p.Min, 0, 0).Default, Number("", p.Max, 0, 0).Default}
			}
			var longer []string
			for _, name := range names {
				for _, c := range choices {
					if i > 0 {
						longer = append(longer, name+","+p.Name+"="+c)
					} else {
						longer = append(longer, name+p.Name+"="+c)
					}
				}
			}
			names = longer
		}
		for _, name := range names {
			g, err := New(name + ")")
			if err != nil {
				continue
			}
			if s := g.NewState(); s.Done() || len(s.Legal(nil)) == 0 {
				t.Errorf("%s is over before it begins", g.Name)
			}
		}
	}
}

func TestNewFromManyGoroutines(t *testing.T) {
	const name = "quad(size=6,quads=3,whites=1)"
	made := make([]*env.Game, 8)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i], _ = New(name) })
	}
	wg.Wait()
	for _, g := range made {
		if g == nil || g != made[0] {
			t.Fatal("one name makes several games")
		}
	}
}

// FuzzNew checks that New returns ErrName or a game whose name makes the same game.
func FuzzNew(f *testing.F) {
	for _, name := range append(Names(), variants...) {
		f.Add(name)
	}
	for _, name := range []string{"", "(", "quad(", "quad()(", "quad(=)", "quad(size=-0)", "quad(,)", "\x00"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		g, err := New(name)
		if err != nil {
			if !errors.Is(err, ErrName) {
				t.Errorf("error %v is not ErrName", err)
			}
			return
		}
		if again, err := New(g.Name); err != nil || again != g {
			t.Errorf("%q makes %s, which makes %v, %v", name, g.Name, again, err)
		}
	})
}

// Every game has a short summary, rules and a line of strategy, without GDL's words.
func TestRulesForPeople(t *testing.T) {
	for _, name := range Names() {
		g := Must(name)
		text := g.Rules + g.Strategy
		if g.Strategy == "" || strings.Contains(text, "noop") || strings.Contains(text, "%!") {
			t.Errorf("%s: rules %q, strategy %q", name, g.Rules, g.Strategy)
		}
		if g.Summary == "" || len(g.Summary) > 80 {
			t.Errorf("%s: summary %q", name, g.Summary)
		}
	}
}

// Outcomes that the parameters exclude are marked.
func TestImpossibleClasses(t *testing.T) {
	for name, want := range map[string]string{
		"quad-7x7": "100 95 90 50 10 5 0", "quad-5x5": "100 95 50 5 0", "quad(size=4,quads=3,whites=0)": "95 50 5",
		"quad(size=4,quads=6,whites=0)": "100 50 0", "quad(size=4,quads=2,whites=1)": "90 50 10", "free-for-all-2p": "win draw loss",
	} {
		g := Must(name)
		var possible []string
		for _, c := range g.Classes {
			if !c.Impossible {
				possible = append(possible, c.Name)
			}
		}
		if got := strings.Join(possible, " "); got != want {
			t.Errorf("%s ends with %s, want %s", name, got, want)
		}
	}
}
