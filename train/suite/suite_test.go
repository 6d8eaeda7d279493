package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
)

// small are games that a plain search can solve.
var small = []string{
	"quad(size=4,quads=4,whites=1,corners=full)",
	"breakthrough(columns=3,rows=5)",
	"golden-rectangle(columns=4,rows=4,span=2)",
	"free-for-all(size=5,steps=10,objective=score)",
}

func options(t testing.TB, name string, positions int) Options {
	t.Helper()
	return Options{
		Game: games.Must(name), Positions: positions, Seed: 1, Nodes: 3000, PerGame: 2, Memory: DefaultMemory, Threads: 2,
		Agents: []*agent.Factory{agenttest.Factory(t, name, "greedy"), agenttest.Factory(t, name, "mcts:50")},
	}
}

func mustMake(t testing.TB, o Options) *Suite {
	t.Helper()
	s, err := Make(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// checkSuite checks the guarantees of a suite, except the values.
func checkSuite(t *testing.T, s *Suite) {
	t.Helper()
	seen := map[positionKey]bool{}
	var sources [4]int
	for i := range s.Positions {
		p := &s.Positions[i]
		state, err := p.replay(s.Game)
		if err != nil {
			t.Fatalf("position %d: %v", i, err)
		}
		if i > 0 && p.GameNumber < s.Positions[i-1].GameNumber {
			t.Errorf("position %d: games are out of order", i)
		}
		if p.Source == unknownSource || p.UCT == unknownUCT || p.PliesToEnd < 1 {
			t.Errorf("position %d: %+v leaves something open", i, p)
		}
		id := keyOf(s.Game, state)
		if seen[id] {
			t.Errorf("position %d is like one before", i)
		}
		seen[id] = true
		sources[p.Source]++
	}
	if 4*sources[randomMoves] > len(s.Positions)+3 {
		t.Errorf("%d of %d positions are from random play", sources[randomMoves], len(s.Positions))
	}
}

func TestMake(t *testing.T) {
	for _, name := range small {
		t.Run(name, func(t *testing.T) {
			s := mustMake(t, options(t, name, 60))
			if len(s.Positions) != 60 {
				t.Fatalf("%d positions", len(s.Positions))
			}
			checkSuite(t, s)
			checkValues(t, s)
		})
	}
}

// checkValues checks all values of a suite of a small game.
func checkValues(t *testing.T, s *Suite) {
	t.Helper()
	known := envtest.NewMinimax(s.Game)
	for i := range s.Positions {
		p := &s.Positions[i]
		state, err := p.replay(s.Game)
		if err != nil {
			t.Fatal(err)
		}
		for k, class := range known.Moves(state) {
			if want := s.Game.ClassFor(state.Player(), class); p.Values[k] != want {
				t.Errorf("position %d, move %d: class %d, want %d", i, k, p.Values[k], want)
			}
		}
	}
}

// A suite does not depend on threads, and a smaller one is the beginning of a larger.
func TestMakeIsDeterministic(t *testing.T) {
	o := options(t, small[0], 40)
	o.Threads = 1
	want := mustMake(t, o)
	for _, threads := range []int{2, 5} {
		o.Threads = threads
		if got := mustMake(t, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads make another suite", threads)
		}
	}
	o.Positions = 25
	if got := mustMake(t, o); !reflect.DeepEqual(got.Positions, want.Positions[:25]) {
		t.Error("a smaller suite is not the beginning of a larger")
	}
	o.Seed = 2
	if got := mustMake(t, o); reflect.DeepEqual(got.Positions, want.Positions[:25]) {
		t.Error("another seed makes the same suite")
	}
}

// An interrupted Make continues from its part file, even with a torn last line, and plays no game again.
func TestMakeGoesOn(t *testing.T) {
	o := options(t, small[0], 60)
	want := mustMake(t, o)

	o.PartFile = filepath.Join(t.TempDir(), "suite.part")
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(p Progress) {
		if p.Positions >= 20 {
			cancel()
		}
	}
	if _, err := Make(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatalf("interrupted: %v", err)
	}
	f, err := os.OpenFile(o.PartFile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`[{"game":"qu`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	games := func() (numbers []int) { // that the file keeps
		lines, err := checkpoints.ReadLines(o.PartFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range lines[1:] {
			var g partGame
			if err := json.Unmarshal(text, &g); err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, g.Number)
		}
		return numbers
	}

	before := games()
	o.Progress = nil
	if got := mustMake(t, o); !reflect.DeepEqual(got, want) {
		t.Error("an interrupted suite comes out otherwise")
	}
	if after := games(); len(before) < 10 || len(after) <= len(before) || !slices.Equal(after[:len(before)], before) {
		t.Errorf("games %v became %v", before, after)
	} else if slices.Sort(after); len(slices.Compact(slices.Clone(after))) != len(after) {
		t.Errorf("of %v, some were played again", after)
	}
	lines, err := checkpoints.ReadLines(o.PartFile)
	if err != nil {
		t.Fatal(err)
	}
	header, lacking := lines[0], games()[0]
	lines = lines[2:]
	slices.Reverse(lines)
	if err := checkpoints.WriteLines(o.PartFile, append([][]byte{header}, lines...)); err != nil {
		t.Fatal(err)
	}
	if got := mustMake(t, o); !reflect.DeepEqual(got, want) || !slices.Contains(games(), lacking) {
		t.Error("games that ended in another order give another suite")
	}
	o.Positions = 10
	if got := mustMake(t, o); !reflect.DeepEqual(got.Positions, want.Positions[:10]) {
		t.Error("a file with more positions gives others")
	}
	o.Seed++
	if _, err := Make(context.Background(), o); !errors.Is(err, ErrPartFile) {
		t.Errorf("another seed: %v", err)
	}
	o.Seed--
	if err := checkpoints.AppendLine(o.PartFile, []byte("[{}]")); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(context.Background(), o); !errors.Is(err, ErrSuite) {
		t.Errorf("a damaged line: %v", err)
	}
}

func TestMakeFails(t *testing.T) {
	o := options(t, "quad(size=4,quads=1,whites=0)", 10) // all games are equal
	if _, err := Make(context.Background(), o); !errors.Is(err, ErrTooFew) {
		t.Errorf("a game without positions: %v", err)
	}
	o.Positions, o.Agents, o.Nodes, o.PerGame, o.Threads, o.Memory = 0, nil, 0, 0, 0, 0
	_, err := Make(context.Background(), o)
	o.Agents = []*agent.Factory{agenttest.Factory(t, o.Game.Name, "net:nowhere,time=1s")}
	_, timed := Make(context.Background(), o)
	err = errors.Join(err, timed)
	for _, word := range []string{"positions", "no agent", "time limit", "nodes", "per game", "threads", "memory"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not speak of %s", err, word)
		}
	}
}

func TestForms(t *testing.T) {
	for _, name := range small {
		want := mustMake(t, options(t, name, 30))
		got, err := Parse(want.Pack())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: packed and unpacked: %v", name, err)
		}
		got, err = Parse(append([]byte("\ufeff"), want.Lines()...)) // as some editors save it
		if err != nil || !reflect.DeepEqual(got.Positions, want.Positions) || got.Game != want.Game {
			t.Errorf("%s: written and read as lines: %v", name, err)
		}
	}
}

// A line needs only the game, the moves, the player and the values.
func TestPlainLine(t *testing.T) {
	game := games.Must("breakthrough(columns=2,rows=5)")
	state, _, err := env.ReplayText(game, []string{"(move 1 2 1 3)"})
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for i, a := range state.Legal(nil) {
		values = append(values, `"`+game.ActionTexts[a]+`":`+[]string{"100", "0"}[min(i, 1)])
	}
	line := `{"game":"breakthrough(columns=2,rows=5)","moves":["(move 1 2 1 3)"],"player":"black","values":{` +
		strings.Join(values, ",") + `}}`
	s, err := Parse([]byte("\n" + line + "\n" + line))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Positions) != 2 || s.Positions[0].GameNumber == s.Positions[1].GameNumber || s.Positions[0].Values[0] != 0 {
		t.Errorf("read %+v", s.Positions)
	}
	var of []int // games, out of order
	s, err = Parse([]byte(numbered(line, 7) + numbered(line, 3) + numbered(line, 7)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Positions {
		of = append(of, s.Positions[i].GameNumber)
	}
	if r := s.Describe(0); !slices.Equal(of, []int{3, 7, 7}) || r.Games != 2 {
		t.Errorf("positions of games %v, %d games", of, r.Games)
	}
	for what, bad := range map[string]string{
		"no line":        "",
		"no JSON":        "{",
		"no game":        strings.Replace(line, "breakthrough", "chess", 1),
		"bad move":       strings.Replace(line, `["(move 1 2 1 3)"]`, `["(move 9 9 9 9)"]`, 1),
		"illegal move":   strings.Replace(line, `["(move 1 2 1 3)"]`, `["(move 1 3 1 4)"]`, 1),
		"wrong player":   strings.Replace(line, "black", "white", 1),
		"no such goal":   strings.Replace(line, "100", "50", 1),
		"equal values":   strings.Replace(line, "100", "0", 1),
		"a value lacks":  strings.Replace(line, values[0]+",", "", 1),
		"a move twice":   strings.Replace(line, values[0], values[0]+","+strings.Replace(values[0], " ", "  ", 1), 1),
		"bad number":     strings.Replace(line, `"player"`, `"game_number":-1,"player"`, 1),
		"another's move": strings.Replace(line, values[0], `"(move 1 1 1 2)":100`, 1),
		"two games":      line + "\n" + strings.Replace(line, "columns=2", "columns=3", 1),
	} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// numbered returns the line with a game number added.
func numbered(line string, game int) string {
	return strings.Replace(line, `"player"`, fmt.Sprintf(`"game_number":%d,"player"`, game), 1) + "\n"
}

// Reading a damaged payload returns an error and does not panic.
func TestDamagedPayload(t *testing.T) {
	s := mustMake(t, options(t, small[1], 10))
	payload, err := checkpoints.Unseal(packedKind, packedVersion, s.Pack())
	if err != nil {
		t.Fatal(err)
	}
	for i := range payload {
		for _, b := range []byte{0, payload[i] ^ 1, payload[i] ^ 0x80, 255} {
			bad := bytes.Clone(payload)
			bad[i] = b
			if got, err := Parse(checkpoints.Seal(packedKind, packedVersion, bad)); err == nil {
				for k := range got.Positions {
					if _, err := got.Positions[k].replay(got.Game); err != nil {
						t.Fatalf("byte %d as %d: accepted, but %v", i, b, err)
					}
				}
			}
		}
		if _, err := Parse(checkpoints.Seal(packedKind, packedVersion, payload[:i])); err == nil {
			t.Fatalf("the first %d bytes are accepted", i)
		}
	}
	if _, err := Parse(checkpoints.Seal(packedKind, packedVersion+1, payload)); !errors.Is(err, checkpoints.ErrVersion) {
		t.Errorf("a newer version: %v", err)
	}
}
