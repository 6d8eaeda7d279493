package match

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// recorded returns a match with a file.
func recorded(t *testing.T, games int) Config {
	t.Helper()
	game := quad()
	return Config{
		Game: game, A: parse(t, game, "greedy"), B: parse(t, game, "random"), Games: games, Seed: 4, OpeningPlies: 1, Threads: 2, Balance: checkerOf(game),
		File: filepath.Join(t.TempDir(), "match.jsonl"),
	}
}

func mustRun(t *testing.T, m Config) Result {
	t.Helper()
	r, err := Run(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds = 0
	return r
}

// A match continues from the complete lines of its file, wherever that is cut, and has the same result.
func TestFileGoesOn(t *testing.T) {
	m := recorded(t, 10)
	want := mustRun(t, m)
	data, err := os.ReadFile(m.File)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(data); cut += 61 {
		writeFile(t, m.File, data[:cut])
		whole := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
		shown := 0
		again := m
		again.Progress = func(r Result) { shown = r.Games }
		if got := mustRun(t, again); !reflect.DeepEqual(got, want) {
			t.Fatalf("cut at %d: %+v; want %+v", cut, got, want)
		}
		if whole < m.Games && shown != m.Games {
			t.Fatalf("cut at %d: %d games shown", cut, shown)
		}
		lines, err := checkpoints.ReadLines(m.File)
		if err != nil || len(lines) != m.Games+1 {
			t.Fatalf("cut at %d: %d lines, %v", cut, len(lines), err)
		}
		if now, _ := os.ReadFile(m.File); whole > 0 && !bytes.HasPrefix(now, data[:bytes.LastIndexByte(data[:cut], '\n')+1]) {
			t.Fatalf("cut at %d: the lines that were whole have changed", cut)
		}
	}
	writeFile(t, m.File, append([]byte("\ufeff"), data...)) // as some editors save it
	if got := mustRun(t, m); !reflect.DeepEqual(got, want) {
		t.Errorf("after a byte order mark: %+v; want %+v", got, want)
	}
	m.Games = 14 // more games of the same match
	more := mustRun(t, m)
	m.File = ""
	if fresh := mustRun(t, m); !reflect.DeepEqual(more, fresh) {
		t.Errorf("10 and 4 games: %+v; 14 games: %+v", more, fresh)
	}
}

// An interrupted match keeps its finished games.
func TestInterruptedFile(t *testing.T) {
	m := recorded(t, 100000)
	ctx, cancel := context.WithCancel(context.Background())
	m.Progress = func(r Result) { cancel() }
	r, err := Run(ctx, m)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	lines, err := checkpoints.ReadLines(m.File)
	if err != nil || r.Games == 0 || len(lines) != r.Games+1 {
		t.Errorf("%d lines of %d games, %v", len(lines), r.Games, err)
	}
}

func TestOtherFiles(t *testing.T) {
	m := recorded(t, 4)
	mustRun(t, m)
	other := m
	other.Seed = 5
	if _, err := Run(context.Background(), other); !errors.Is(err, errFile) || !strings.Contains(err.Error(), "it is of another match") {
		t.Errorf("error %v", err)
	}
	other = m
	other.A = parse(t, m.Game, "random")
	if _, err := Run(context.Background(), other); !errors.Is(err, errFile) || !strings.Contains(err.Error(), "it is of another match") {
		t.Errorf("error %v", err)
	}
	whole, err := os.ReadFile(m.File)
	if err != nil {
		t.Fatal(err)
	}
	cut := func(end string) string { // every game without its last move
		return regexp.MustCompile(`,"[^"]*"\],"goals"`).ReplaceAllString(string(whole), `],`+end+`"goals"`)
	}
	for content, want := range map[string]string{
		"my letter":       "another kind of file",
		"my letter\n":     "not a match file",
		"{\"match\":2}\n": "its format is 2, and this program reads 3",
		strings.Replace(string(whole), `],"goals"`, `],"end":"died","loser":"a","goals"`, 1): "it is finished, and cannot end by",
		cut(``):                           "it is not finished",
		cut(`"end":"tired",`):             "it ends in an unknown way",
		cut(`"end":"lost","loser":"a",`):  "it is void",
		cut(`"end":"died","loser":"no",`): "is to move",
		strings.Replace(string(whole), `]}`, `],"restarts":[-1,0]}`, 1):         "must be 0 or more",
		strings.Replace(string(whole), `"game":2,`, `"game":-1,`, 1):            "it is not a game",
		strings.Replace(string(whole), `"goals":[`, `"goals":[1`, 1):            "ends with goals",
		strings.Replace(string(whole), `"moves":["(mark`, `"moves":["(marc`, 1): "unknown move",
	} {
		writeFile(t, m.File, []byte(content))
		if _, err := Run(context.Background(), m); !errors.Is(err, errFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: error %v; want one that says %q", content, err, want)
		}
		if now, _ := os.ReadFile(m.File); string(now) != content {
			t.Errorf("%.20s: the file was changed", content)
		}
	}
	folder := m
	folder.File = t.TempDir()
	if _, err := Run(context.Background(), folder); !errors.Is(err, errFile) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: error %v", err)
	}
	game := m.Game
	const run = "1"
	m.A, m.File = parse(t, game, "net:"+run+",sims=2"), filepath.Join(t.TempDir(), "r")
	mustRun(t, m)
	m.A, err = agent.ParseFactory(game, "net:"+run+",sims=2", func(agent.Reference) (*infer.Weights, agent.Origin, error) {
		return infertest.RandomWeights(game, 4, 1, 2), agent.Origin{Digest: "newer"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), m); !errors.Is(err, errFile) || !strings.Contains(err.Error(), "it is of another match") {
		t.Errorf("a newer checkpoint: error %v", err)
	}
}

func TestParseFile(t *testing.T) {
	m := recorded(t, 6)
	mustRun(t, m)
	lines, err := checkpoints.ReadLines(m.File)
	if err != nil {
		t.Fatal(err)
	}
	h, list, err := parseFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(list, func(a, b fileGame) int { return a.Number - b.Number })
	if h.Game != m.Game.Name || h.A != "greedy" || h.B != "random" || len(list) != 6 {
		t.Errorf("%s: %s against %s, %d games", h.Game, h.A, h.B, len(list))
	}
	for i, g := range list {
		state, _, err := env.ReplayText(m.Game, g.Moves)
		if err != nil || !state.Done() || g.Number != i || g.AFirst != (i%2 == 0) {
			t.Fatalf("game %d: number %d, A first %v, %v", i, g.Number, g.AFirst, err)
		}
		goals := state.Goals()
		if !g.AFirst {
			goals[0], goals[1] = goals[1], goals[0]
		}
		if goals != g.Goals {
			t.Errorf("game %d ends with %v, recorded is %v", i, goals, g.Goals)
		}
	}

	if h, _, err := parseFile([][]byte{[]byte(`{"match":3,"game":"gomoku"}`)}); err != nil || h.Game != "gomoku-9x9" {
		t.Errorf("a file of gomoku is one of %s, %v", h.Game, err)
	}
	for _, text := range []string{"", "{}", `{"generation":1}`, `{"match":99,"game":"quad-5x5"}`, `{"match":3,"game":"quad-5x5"}` + "\n{]"} {
		if h, list, err := parseFile(bytes.Split([]byte(text), []byte("\n"))); err == nil {
			t.Errorf("%q: %+v, %+v", text, h, list)
		}
	}
}
