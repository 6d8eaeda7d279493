package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestProgramSpecs parses specs of outside programs and writes them again.
func TestProgramSpecs(t *testing.T) {
	for _, c := range []struct {
		text    string
		want    Spec
		written string // "": text
	}{
		{`gtp:"gtp-rhino -l 5"`, Spec{Kind: GTP, Program: Program{Command: "gtp-rhino -l 5"}}, ""},
		{"gtp:gtp-rhino -l 5,time=2s", Spec{Kind: GTP, Time: 2 * time.Second, Program: Program{Command: "gtp-rhino -l 5"}},
			`gtp:"gtp-rhino -l 5",time=2s`},
		{"gomocup:./a,b,memory=70", Spec{Kind: Gomocup, Program: Program{Command: "./a,b", Memory: 70}},
			`gomocup:"./a,b",memory=70`},
		{`gtp:"mohex",init=param_mohex max_games 100, or so,init=boardsize 7,deterministic=yes,swap=colours`,
			Spec{Kind: GTP, Program: Program{Command: "mohex", Init: "param_mohex max_games 100, or so\nboardsize 7", Swap: "colours",
				Deterministic: true}}, ""},
		{`nboard:"e",dir=/tmp/a b,start=1m0s,colours=x/o,columns=go,rows=top,pass=none`, Spec{Kind: NBoard, Program: Program{Command: "e",
			Dir: "/tmp/a b", Start: time.Minute, Colours: "x/o", Columns: "go", Rows: "top", Pass: NoPass}}, ""},
	} {
		got, err := Parse(c.text)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.text, got, err, c.want)
			continue
		}
		written := c.written
		if written == "" {
			written = c.text
		}
		if got.String() != written {
			t.Errorf("%s is written %s", c.text, got)
		}
	}
}

// TestWrongProgramSpecs expects errors that say what would be right.
func TestWrongProgramSpecs(t *testing.T) {
	for text, want := range map[string]string{
		`gtp:`:                       "needs a command",
		`gtp:""`:                     "needs a command",
		`gtp:"a`:                     "double quotes",
		`gtp:"a"b`:                   "double quotes",
		`gtp:foo "bar"`:              "double quotes",
		`gtp:foo 'a"b',time=1s`:      "double quotes",
		`gtp:"a 'b"`:                 "single quote",
		`gtp:"a",sims=3`:             "takes only init, dir",
		`gtp:"a",time=0s`:            "duration up to 24h",
		`gtp:"a",time=1s,time=2s`:    "given twice",
		`gtp:"a",memory=x`:           "memory=x: it must be a number of megabytes from 1 to",
		`gtp:"a",memory=0`:           "memory=0: it must be",
		`gtp:"a",swap=yes`:           "swap=yes: it must be swap=stone or swap=colours",
		`gtp:"a",deterministic=`:     "it must be deterministic=yes",
		`gomocup:"a",sims=4`:         "memory, deterministic)",
		`gtp:"a",colours=red`:        "two words",
		`gtp:"a",dir=`:               "needs a value",
		"gtp:\"a\",init=a\nb":        "one line",
		"gtp:\"a\nb\"":               "one line",
		`gomocap:"a"`:                "did you mean gomocup",
		`nboard:"a",deterministic=1`: "must be deterministic=yes",
	} {
		_, err := Parse(text)
		if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %q in it", text, err, want)
		}
	}
}

// FuzzProgramSpecs parses what String writes of each spec of an outside program.
func FuzzProgramSpecs(f *testing.F) {
	for _, text := range []string{
		`gtp:foo "bar"`, `gtp:foo 'a"b'`, `gtp:"a,time=1s",time=90s`, `gtp: a , b,init= x,dir=y ,init=z"`, `nboard:" 'a' b ",start=1.5h,memory=070`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Parse(text)
		if err != nil || spec.Program.Command == "" {
			return
		}
		again, err := Parse(spec.String())
		if err != nil || again != spec {
			t.Errorf("%q: %+v is written %q, which is %+v, %v", text, spec, spec.String(), again, err)
		}
	})
}

// TestWords splits commands at spaces outside of single quotes.
func TestWords(t *testing.T) {
	p := Program{Command: `/a\b  'two words' pre'fix ed'  '' --x="y"`}
	words, err := p.Words()
	want := []string{`/a\b`, "two words", "prefix ed", "", `--x="y"`}
	if err != nil || !slices.Equal(words, want) {
		t.Errorf("%q, %v; want %q", words, err, want)
	}
}

// TestProgramsNeedAStarter asks factories without a starter for programs.
func TestProgramsNeedAStarter(t *testing.T) {
	const text = `gtp:"true"`
	game, _ := position(t, "othello")
	f, err := ParseFactory(game, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Factory{f, f.ForPeople(), f.With(f.Spec)} {
		_, loading := f.Load()
		_, making := f.New(1)
		_, choosing := f.NewChooser(10)
		for _, err := range []error{loading, making, choosing} {
			if !errors.Is(err, ErrProgram) {
				t.Errorf("%v; want %v", err, ErrProgram)
			}
		}
	}
	if _, err := ParseWithin(text, Limits{}); !errors.Is(err, ErrSpec) {
		t.Errorf("ParseWithin: %v; want %v", err, ErrSpec)
	}
}
