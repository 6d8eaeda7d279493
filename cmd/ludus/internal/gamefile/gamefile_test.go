package gamefile

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// readAll returns the games and the errors of a file.
func readAll(t testing.TB, game *env.Game, text, name string) (records []*Record, faults []error) {
	t.Helper()
	r, err := NewReader(game, strings.NewReader(text), name, "")
	if err != nil {
		return nil, []error{err}
	}
	for {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return records, faults
		case errors.As(err, new(*Error)):
			faults = append(faults, err)
		case err != nil:
			t.Fatal(err)
		default:
			records = append(records, record)
		}
	}
}

// one returns the only game of a text.
func one(t testing.TB, game *env.Game, text string) *Record {
	t.Helper()
	records, faults := readAll(t, game, text, "")
	if len(records) != 1 || len(faults) > 0 {
		t.Fatalf("%d games and errors %v in\n%s", len(records), faults, text)
	}
	return records[0]
}

// moves returns the names of a record's moves.
func moves(r *Record) string { return strings.Join(r.Game.Names(r.Actions()), " ") }

// randomRecord plays a random game with all that a record can hold.
func randomRecord(game *env.Game, rng *rand.Rand, plain bool) *Record {
	p := newPosition(game)
	r := &Record{Game: game}
	line := func(p *position, n int) (list []Move) {
		for ; n > 0 && !p.state.Done(); n-- {
			a := p.legal[rng.IntN(len(p.legal))]
			list = p.play(list, a)
		}
		return list
	}
	for !p.state.Done() {
		m := Move{}
		if !plain && rng.IntN(5) == 0 {
			m.Instead = append(m.Instead, line(p.branch(), 1+rng.IntN(4)))
			if rng.IntN(2) == 0 {
				inner := line(p.branch(), 3)
				inner[len(inner)-1].Comment = "a [variation] \\ with\nlines"
				m.Instead = append(m.Instead, inner)
			}
		}
		m.Action = p.legal[rng.IntN(len(p.legal))]
		p.play(nil, m.Action)
		if !plain && rng.IntN(3) == 0 {
			m.Value = new(float64(rng.IntN(129)-64) / 64)
			m.Seconds = float64(1+rng.IntN(500)) / 100
			m.Comment = []string{"", "why not a1?", "]) ;B[aa]"}[rng.IntN(3)]
			m.Bad = rng.IntN(3)
		}
		r.Moves = append(r.Moves, m)
		if rng.IntN(200) == 0 && !p.state.Done() {
			r.Result, r.End = Lost(p.state.Player()), "resigned"
			break
		}
	}
	if !plain {
		r.Players, r.Date, r.Event, r.Place = [2]string{"Ann [1]", `Bo\b; ünal`}, "2026-11-28", "a match", "here"
		r.Comment = "one\ntwo"
	}
	r.finish(p.state)
	return r
}

// Every format gives back what it was given, of every game.
func TestRoundTrip(t *testing.T) {
	for _, name := range append(games.Names(), "hex(size=19,swap=0)", "quad(size=4,quads=4,whites=2)", "line-up(width=9,height=7,line=4,gravity=0,swap=1)", "line-up(width=9,height=4,line=4,gravity=1)") {
		game, rng := games.Must(name), rand.New(rand.NewPCG(1, 2))
		for _, format := range []Format{SGF, GGF, Moves, JSON} {
			if format == GGF && game.Family != "othello" {
				if _, err := Text(New(game, nil), format); err == nil {
					t.Errorf("%s is written as %s", name, format)
				}
				continue
			}
			file := ""
			var want []*Record
			for range 3 {
				r := randomRecord(game, rng, format != SGF && format != JSON)
				if format == GGF {
					r.Moves[0].Value, r.Moves[0].Seconds = new(-0.25), 1.25
				}
				if format == Moves {
					r.End = ""
				}
				text, err := Text(r, format)
				if err != nil {
					t.Fatal(err)
				}
				if format == GGF && strings.Contains(text, "RE[-") != (r.Result == SecondWon) {
					t.Errorf("%s has the wrong sign: %s", r.Result, text)
				}
				file += text
				want = append(want, r)
			}
			got, faults := readAll(t, game, file, "")
			if len(faults) > 0 || len(got) != len(want) {
				t.Fatalf("%s as %s: %d games, errors %v\n%s", name, format, len(got), faults, file)
			}
			for i := range want {
				if !reflect.DeepEqual(got[i], want[i]) {
					t.Fatalf("%s as %s: game %d is another one\n%s", name, format, i+1, file)
				}
			}
			if format == SGF || format == JSON || format == GGF {
				if game.Family == "gdl" {
					continue
				}
				if got, faults := readAll(t, nil, file, ""); len(got) != len(want) || format != GGF && got[0].Game != game {
					t.Errorf("%s as %s is not found from the file: %v", name, format, faults)
				}
			}
		}
	}
}

// A rule sheet's game is found by its name.
func TestSheet(t *testing.T) {
	game := games.Must("../../../../env/gdl/testdata/slabs.kif")
	r := randomRecord(game, rand.New(rand.NewPCG(3, 4)), false)
	for _, format := range []Format{SGF, JSON, Moves} {
		text, err := Text(r, format)
		if err != nil {
			t.Fatal(err)
		}
		if got := one(t, game, text); !slices.Equal(got.Actions(), r.Actions()) || got.Result != r.Result {
			t.Errorf("%s: %s", format, text)
		}
	}
	for _, text := range []string{`(;FF[4]LUDUS[gdl(/etc/passwd)];B[a1])`, `{"game":"gdl(/etc/passwd)","moves":[]}`, `{"game":"/etc/x.kif","moves":[]}`} {
		if _, faults := readAll(t, nil, text, ""); len(faults) != 1 || !strings.Contains(faults[0].Error(), "no such game") {
			t.Errorf("%s: %v", text, faults)
		}
	}
}

// TestSamples reads a file of each kind of program and writes it again in its format and as JSON: both are the same
// games.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		file, game string
		games      int
		first      string // start of the first game's moves
		players    [2]string
		result     Result
		end        string
	}{
		{"edax.sgf", "othello", 1, "f5 d6 c3 d3 c4", [2]string{"Ann", "Bo"}, "", ""},
		{"quarry.sgf", "othello", 1, "f5 d6 c3 d3 c4", [2]string{"Ann", "Bo"}, SecondWon, "resigned"},
		{"ggs.ggf", "othello", 3, "f5 d6 c3 d3 c2 g5", [2]string{"ann", "bo"}, FirstWon, ""},
		{"littlegolem.hsgf", "hex-13x13", 2, "m6 swap k10 i5 f8", [2]string{"Ann", "Bo;]"}, FirstWon, "resigned"},
		{"hexgui.sgf", "hex", 2, "a9 b10 f7 f6", [2]string{"", ""}, "", ""},
		{"gomocup.sgf", "gomoku-15x15", 2, "h8 g7 i9", [2]string{"brain-a", "brain-b"}, FirstWon, ""},
		{"pons.txt", "connect-four", 3, "b1 b2 e1 b3 e2", [2]string{"", ""}, "", ""},
		{"othello.txt", "othello", 3, "f5 d6 c3 d3 c4", [2]string{"", ""}, "", ""},
		{"match.jsonl", "tic-tac-toe", 2, "b3 b2 a3 b1 c3", [2]string{"mcts:100", "random"}, FirstWon, ""},
		{"transcript.txt", "hex(size=2,swap=0)", 1, "a1 b2 a2", [2]string{"", ""}, FirstWon, ""},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		game := games.Must(c.game)
		records, faults := readAll(t, game, string(data), c.file)
		if len(faults) > 0 || len(records) != c.games {
			t.Errorf("%s: %d games, errors %v", c.file, len(records), faults)
			continue
		}
		r := records[0]
		if !strings.HasPrefix(moves(r), c.first) || r.Players != c.players || r.Result != c.result || r.End != c.end {
			t.Errorf("%s: %s\n%q %s %q", c.file, moves(r), r.Players, r.Result, r.End)
		}
		if want := map[string]int{"match.jsonl": 2}[c.file]; r.Opening != want {
			t.Errorf("%s: an opening of %d random plies, want %d", c.file, r.Opening, want)
		}
		for _, format := range []Format{JSON, SGF} {
			for _, r := range records {
				if format == SGF {
					r.Date, r.Opening = day(r.Date), 0
				}
				text, err := Text(r, format)
				if err != nil {
					t.Fatal(err)
				}
				if again := one(t, game, text); !reflect.DeepEqual(again, r) {
					t.Errorf("%s as %s is another game\n%s", c.file, format, text)
				}
			}
		}
	}
}

// TestErrors: an error names the game, the move and the place, and the other games are read.
func TestErrors(t *testing.T) {
	const good = "(;FF[4]GM[2];B[f5];W[d6])\n"
	for _, c := range []struct{ game, text, want string }{
		{"othello", good + "(;FF[4]GM[2];B[f5]\n;W[a1])\n" + good, "line 3, column 2: game 2, move 2: a1 is not legal now"},
		{"othello", good + "(;FF[4]GM[2];B[f5];B[d6])\n" + good, "line 2, column 20: game 2, move 2: B[d6]: it is white's turn"},
		{"othello", good + "(;FF[4]GM[2];B[f5]W[d6])\n" + good, "line 2, column 19: game 2, move 1: the node has two moves"},
		{"othello", good + "(;FF[4]GM[2];B[z9])\n" + good, "move 1: \"z9\" is not on the board, which has 8 columns and 8 rows"},
		{"othello", good + "(;FF[4]GM[2];B[f5];AB[a1])\n" + good, "move 2: AB changes the position within the game"},
		{"othello", good + "(;FF[4]GM[2]AB[a1])\n" + good, "game 2: AB[a1]: ludus plays from the usual starting position"},
		{"othello", good + "(;FF[4]GM[2]AE[d4])\n" + good, "game 2: AE[d4] takes away pieces"},
		{"hex-5x5", "(;)\n(;FF[4]AB[b1][b2];B[a1])\n(;)", "line 2, column 8: game 2: no game leads to this position: it has 2 black and 0 white stones, and black is to move"},
		{"hex-5x5", "(;)\n(;FF[4];AB[b1]AW[b1])\n(;)", "line 2, column 15: game 2: AW[b1]: b1 is not legal: red is on b1"},
		{"hex-5x5", "(;)\n(;FF[4]AB[b1]AW[z9])\n(;)", "line 2, column 14: game 2: AW[z9]: \"z9\" is not on the board"},
		{"hex-5x5", "(;)\n(;FF[4](;AB[b1])(;AW[b2]))\n(;)", "line 2, column 19: game 2, move 1: AW changes the position within the game"},
		{"hex-5x5", "(;)\n(;FF[4];AE[b1];B[b1])\n(;)", "line 2, column 9: game 2: AE[b1] takes away pieces"},
		{"tic-tac-toe", "(;)\n(;FF[4]AB[a1][a2][a3][b1]AW[c1][c2][b3])\n(;)", "line 2, column 26: game 2: AW[b3]: the position is that of a finished game"},
		{"tic-tac-toe", "(;)\n(;FF[4];B[a1]AW[a2])\n(;)", "line 2, column 14: game 2, move 1: AW changes the position within the game"},
		{"othello", good + "(;FF[4]GM[2];B[f5];AE[a1])\n" + good, "move 2: AE changes the position within the game"},
		{"othello", good + "(;FF[4]GM[2];W[f5])\n" + good, "move 1: W[f5]: it is black's turn"},
		{"othello", good + "(;FF[4]GM[2]PB[Zoë];B[a1])\n" + good, "line 2, column 21: game 2, move 1: a1 is not legal now"},
		{"othello", good + "(;GM[2]" + strings.Repeat("A[]", 200_000) + ")\n" + good, "larger than 16 MiB"},
		{"othello", good + "(;GM[2]" + strings.Repeat("(;", maxNest+1) + "\n" + good, "nested more than 10000 deep"},
		{"connect-four", "4444\n" + strings.Repeat("4", maxGame+9) + "\n1", "line 2: game 2: the game is larger than 16 MiB"},
		{"othello", good + "(;FF[4]GM[1]SZ[19];B[pd])\n" + good, "line 2, column 8: game 2: the file is of GM[1], a game that ludus does not have"},
		{"othello", good + "(;FF[4]GM[11]SZ[8];B[d4])\n" + good, "game 2: the file is of Hex (GM[11]), not of othello"},
		{"othello", good + "(;FF[4]GM[2]b[f5])\n" + good, "game 2: the name of a property needs capital letters"},
		{"othello", good + "(;FF[4]GM[2]SZ[10];B[f5])\n" + good, "the board has 10 columns and 10 rows, and that of othello has 8 and 8"},
		{"othello", good + "(;FF[4]GM[2]LUDUS[hex];B[f5])\n" + good, "game 2: the game is hex, not othello"},
		{"othello", good + "(;FF[4]GM[2]LUDUS[hox];B[f5])\n" + good, "game 2: no such game"},
		{"othello", good + "(;FF[4]GM;B[f5])\n" + good, "game 2: the property GM has no value"},
		{"othello", good + "(;FF[4]GM[2];B[f5]7;W[d6])\n" + good, "line 2, column 19: game 2: '7' is not expected here"},
		{"othello", good + good + "(;FF[4]GM[2];B[f5];W[d6]", "game 3: the file ends within this game"},
		{"othello", good + good + "(;FF[4]GM[2];B[f5", "game 3: the file ends within this game"},
		{"othello", good + "(;GM[Othello]TY[8a]BO[8 - *]B[f5];)" + good, "anti-Othello"},
		{"othello", good + "(;GM[Othello]TY[10]BO[10 - *]B[f5];)" + good, "the board has 10 columns"},
		{"othello", good + "(;GM[Othello]TY[8r18]BO[8 --*O--- *]B[f5];)" + good, "line 2, column 22: game 2: BO: ludus plays from the usual starting position of othello only"},
		{"othello", good + "(;GM[Othello]TY[8]BO[8 " + strings.Repeat("-", 27) + "O*------*O" + strings.Repeat("-", 27) + " *]B[f5]B[f4];)" + good, "move 2: B[f4]: it is white's turn"},
		{"gomoku", "a1 b1\na1 a1 b1\nc1 d1", "line 2, column 4: game 2, move 2: a1 is not legal: x is on a1"},
		{"breakthrough-6x6", "a2-a3\na2–a3 a2-a3\nb2-b3", "line 2, column 7: game 2, move 2: "},
		{"quad-7x7", "block a4, c3; d4\nc3, block zz, d4\nd1", "line 2, column 5: game 2, move 2: \"block\" is incomplete"},
		{"connect-four", "4444\n44444448\n1", "line 2, column 7: game 2, move 7: "},
		{"connect-four", "4444\n4 4 x\n1", "line 2, column"},
		{"connect-four", "4444\n44 53\n1", "line 2, column 1: game 2, move 1"},
		{"connect-four", "4444\n4444444 2\n1", "move 7: column 4 is full"},
		{"hex", "{\"moves\":[]}\n{\"moves\":[],\"players\":[\"x\"]}\n{\"moves\":[]}", "line 2: game 2: players has 1 names"},
		{"hex", "{\"moves\":[]}\n{\"moves\":[" + strings.Repeat(`{"move":"a1","instead":[[`, 65) + strings.Repeat("]]}", 65) + "]}\n{\"moves\":[]}", "nested more than 64 deep"},
		{"othello", good + "(;GM[2]" + strings.Repeat(";", 200_000) + ")\n" + good, "larger than 16 MiB"},
		{"connect-four", "4444\n48\n1", "line 2, column 2: game 2, move 2: column 8 is not on the board, which has 7"},
		{"tic-tac-toe", "a1\na1 a2 b1 b2 c1 c2\na1", "line 2, column 16: game 2, move 6: the game is over"},
		{"hex", "{\"game\":\"hex\",\"moves\":[\"a1\"]}\n{\"game\":\"hex\",\"moves\":[\"a1\",\"a1\"]}\n{\"moves\":[\"a1\"]}", "line 2: game 2, move 2: a1 is not legal"},
		{"hex", "{\"game\":\"hex\",\"moves\":[]}\n{\"game\":\"othello\",\"moves\":[]}\n{\"moves\":[]}", "line 2: game 2: the game is othello, not hex"},
		{"gomoku", "{\"moves\":[]}\n{\"game\":\"gomoku\",\"moves\":[]}\n{\"moves\":[]}", "line 2: game 2: the game is gomoku-9x9, not gomoku-15x15"},
		{"gomoku-9x9", "{\"match\":3,\"game\":\"gomoku\"}\n{\"game\":0,\"moves\":[]}\n{\"game\":1}\n{\"game\":2,\"moves\":[]}", "line 3: game 2: it is not a game"},
		{"hex", "{\"game\":\"hex\",\"moves\":[]}\n{\"moves\":7}\n{\"moves\":[]}", "line 2: game 2: it is not a game"},
		{"hex", "{\"moves\":[]}\n{}\n{\"moves\":[]}", "line 2: game 2: it is not a game: moves are missing"},
		{"hex", "{\"moves\":[]}\n{\"moves\":[],\"result\":\"red\"}\n{\"moves\":[]}", "line 2: game 2: the result \"red\" is unknown"},
		{"hex", "{\"match\":2,\"game\":\"hex\"}\n{\"match\":3,\"game\":\"hex\"}\n{\"game\":0,\"moves\":[]}\n{\"game\":1,\"moves\":[]}", "line 1: game 1: the match record has format 2"},
		{"hex(size=2,swap=0)", "game 1\nred 4 (mark r1 c1) | x;\ngame 2\nred 4 (mark r1 c1) | x;\nred 4 (mark r1 c1) | x;\ngoals\ngame 3\nred 4 (mark r1 c1) | x;", "line 5: game 2, move 2: red[(mark r1 c1)]: it is blue's turn"},
	} {
		records, faults := readAll(t, games.Must(c.game), c.text, "")
		if len(records) != 2 || len(faults) != 1 || !strings.Contains(faults[0].Error(), c.want) {
			t.Errorf("%s: %s: %d games, errors %v, not %s", c.game, c.text, len(records), faults, c.want)
		}
	}
	if _, err := NewReader(games.Must("othello"), strings.NewReader("\x7fELF\x00"), "x.bin", ""); err == nil || !strings.Contains(err.Error(), "not a text file") {
		t.Errorf("a program: %v", err)
	}
	if _, err := NewReader(nil, strings.NewReader("f5 d6"), "x.txt", ""); !errors.Is(err, errGame) {
		t.Errorf("moves of an unknown game: %v", err)
	}
	if _, err := NewReader(nil, strings.NewReader(""), "", "pgn"); err == nil || !strings.Contains(err.Error(), "unknown format") {
		t.Errorf("unknown format: %v", err)
	}
}

// After an error of syntax the next game is read, wherever it begins; variations of the wrong game are none.
func TestAfterError(t *testing.T) {
	for text, want := range map[string]int{
		"1 (;GM[2];B[f5]7)\n2 (;GM[2];B[f5])\n3 (;GM[2];B[f5])":                     2,
		"(;GM[2];B[f5])(;GM[2];B[f5]7;W[d6])(;GM[2];B[f5])(;FF[4];B[f5])":           3,
		"(;GM[2];B[f5]7(;W[d6];B[c3])\n(;W[f4]))(;GM[2];B[f5])":                     1,
		"(;GM[2];B[f5]7(;W[d6](;B[c3])\n(;B[c4]7(;W[a1]))(;W[f4])(;LUDUS[othello])": 1,
	} {
		records, faults := readAll(t, games.Must("othello"), text, "")
		if len(records) != want || len(faults) != 1 {
			t.Errorf("%s: %d games, errors %v", text, len(records), faults)
		}
	}
}

// After a swap in Hex the colours tell how it is meant.
func TestSwap(t *testing.T) {
	hex := games.Must("hex-5x5")
	for text, want := range map[string]string{
		"(;GM[11]SZ[5];B[b1];W[swap-pieces];B[e2];W[c3])":             "b1 swap e2 c3",
		"(;GM[11]SZ[5];B[b1];W[swap-sides];W[e2];B[c3];W[resign])":    "b1 swap b5 c3", // the first player is white now
		"(;GM[11]SZ[5]RE[B+R];B[b1];W[swap-sides];W[e2];B[c3])":       "b1 swap b5 c3",
		"(;FF[4]EV[x]SZ[5]SO[y];W[ba];B[swap];W[eb];B[cc];W[resign])": "b1 swap e2 c3",
	} {
		r := one(t, hex, text)
		if moves(r) != want || !strings.Contains(text, "pieces") && (r.Result != SecondWon || r.End != "resigned") {
			t.Errorf("%s: %s %s", text, moves(r), r.Result)
		}
	}
}

// A position that is set up before the first move is a series of opening moves.
func TestSetUp(t *testing.T) {
	for _, c := range []struct {
		game, text, want string
		opening          int
	}{
		{"hex-5x5", "(;GM[11]SZ[5]AB[b1][c3]AW[d4]PL[W];W[a5])", "b1 d4 c3 a5", 3},
		{"hex-5x5", "(;GM[11]SZ[5]C[x]\n;AB[b1]\nAW[d4]C[y];C[z];B[a5](;W[a4])(;W[a3]))", "b1 d4 a5 a4", 2},
		{"hex-5x5", "(;GM[11]SZ[5]AB[b1]AW[d4][e1]PL[black];B[a5])", "d4 swap b1 e1 a5", 4},
		{"hex-5x5", "(;GM[11]SZ[5]AB[b1]AW[e2];W[a5])", "b5 swap b1 a5", 3}, // white's e2 was black's b5
		{"gomoku-15x15", "(;GM[4]SZ[15]AB[hh][ii]AW[hi];W[gg])", "h8 h7 i7 g9", 3},
		{"tic-tac-toe", "(;AB[b2]AW[c3]PL[1])", "", 0},
	} {
		records, faults := readAll(t, games.Must(c.game), c.text, "")
		if c.want == "" {
			if len(faults) != 1 || !strings.Contains(faults[0].Error(), "PL[1]: it must be B or W") {
				t.Errorf("%s: %v", c.text, faults)
			}
			continue
		}
		if len(faults) > 0 || moves(records[0]) != c.want || records[0].Opening != c.opening {
			t.Errorf("%s: %+v, %v, not %s", c.text, records, faults, c.want)
		}
		for _, format := range []Format{SGF, JSON} {
			text, err := Text(records[0], format)
			if back := one(t, games.Must(c.game), text); err != nil || moves(back) != c.want || back.Opening != c.opening {
				t.Errorf("%s: %+v, %v, not %s", text, back, err, c.want)
			}
		}
		if strings.Contains(c.text, "C[x]") && records[0].Comment != "x\ny\nz" {
			t.Errorf("%s: %q", c.text, records[0].Comment)
		}
	}
}

// Variations and comments stand where they belong.
func TestVariations(t *testing.T) {
	r := one(t, games.Must("tic-tac-toe"), `(;GM[4]SZ[3]C[the game];B[bb]C[the middle](;W[aa](;B[cc];W[ab]C[deep])(;B[ba]))(;W[ab])(;C[lost]))`)
	if moves(r) != "b2 a3 c1 a2" || r.Comment != "the game" || r.Moves[0].Comment != "the middle" || r.Moves[3].Comment != "deep" {
		t.Errorf("%s, %+v", moves(r), r)
	}
	if len(r.Moves[1].Instead) != 1 || len(r.Moves[2].Instead) != 1 || r.Game.ActionNames[r.Moves[1].Instead[0][0].Action] != "a2" {
		t.Errorf("%+v", r.Moves)
	}
}

// Files leave out passes that are the only move.
func TestForcedPasses(t *testing.T) {
	game, rng, passes := games.Must("othello(size=4)"), rand.New(rand.NewPCG(5, 6)), 0
	for range 20 {
		want := randomRecord(game, rng, true)
		names := moves(want)
		passes += strings.Count(names, "pass")
		texts := []string{strings.Join(strings.Fields(strings.ReplaceAll(names, "pass", "")), " ")}
		for _, format := range []Format{SGF, GGF} {
			text, err := Text(want, format)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, strings.NewReplacer(";B[PA]", "", ";W[PA]", "", "B[PA]", "", "W[PA]", "").Replace(text))
		}
		for _, text := range texts {
			got := moves(one(t, game, text))
			if strings.TrimSuffix(got, " pass") != strings.TrimSuffix(names, " pass") {
				t.Errorf("%s\nis read as %s, not %s", text, got, names)
			}
		}
	}
	if passes == 0 {
		t.Error("no game has a pass")
	}
}

// Results in SGF and GGF are leads; in Othello the winner gets the empty cells.
func TestResults(t *testing.T) {
	wipedOut := one(t, games.Must("othello"), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
	small := games.Must("othello(size=4)")
	full := randomRecord(small, rand.New(rand.NewPCG(7, 8)), true)
	state, err := env.Replay(small, full.Actions())
	if err != nil {
		t.Fatal(err)
	}
	discs := [2]int{}
	for _, k := range state.Pieces(nil) {
		for p := range discs {
			if small.Drawing.IsOf(k, env.Player(p)) {
				discs[p]++
			}
		}
	}
	lead := discs[0] - discs[1] // there are fewer than 16 if cells are empty
	if empty := 16 - discs[0] - discs[1]; lead > 0 {
		lead += empty
	} else if lead < 0 {
		lead -= empty
	}
	overstepped := New(small, nil)
	overstepped.Result, overstepped.End = FirstWon, "overstepped"
	for _, c := range []struct {
		record *Record
		format Format
		want   string
	}{
		{wipedOut, GGF, "RE[+64]"},
		{wipedOut, SGF, "RE[B+64]"},
		{full, GGF, fmt.Sprintf("RE[%+d]", lead)},
		{overstepped, GGF, "RE[+64:t]"},
		{overstepped, SGF, "RE[B+T]"},
		{one(t, games.Must("tic-tac-toe"), "a1 a2 b1 b2 c1"), SGF, "RE[B+]"}, // 100 : 0 is no lead
		{one(t, games.Must("breakthrough-6x6"), "a2-a3"), SGF, ";W[a2-a3]"},
	} {
		text, err := Text(c.record, c.format)
		if err != nil || !strings.Contains(text, c.want) {
			t.Errorf("%v: %s has no %s", err, text, c.want)
		}
	}
	r, err := NewReader(small, strings.NewReader("(;GM[Othello]TY[4]RE[-8.50:r]BO["+startOf(small)+"]B["+small.ActionNames[small.NewState().Legal(nil)[0]]+"];)"), "", SGF)
	if err != nil {
		t.Fatal(err)
	}
	resigned, err := r.Next()
	if err != nil || resigned.Result != SecondWon || resigned.End != "resigned" || r.Format != GGF {
		t.Errorf("%+v, %s, %v", resigned, r.Format, err)
	}
}

// Limits are those of a game, not of a file, and brackets in comments are not variations.
func TestLimits(t *testing.T) {
	comment := "#" + strings.Repeat("x", maxGame*2/3) + "\n"
	one(t, games.Must("connect-four"), comment+comment+"4")
	one(t, games.Must("hex"), `{"comment":"`+strings.Repeat(`\"[`, 1000)+`","moves":[]}`)
}

// A file of many games is read as it comes.
func TestStream(t *testing.T) {
	in, out := io.Pipe()
	go func() {
		out.Write([]byte("(;GM[4]SZ[3];B[bb])(;GM[4]SZ[3];B[aa])\n"))
	}()
	r, err := NewReader(games.Must("tic-tac-toe"), in, "", SGF)
	for range 2 {
		if err == nil {
			_, err = r.Next()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	out.CloseWithError(errors.New("torn"))
	if _, err = r.Next(); err == nil || !strings.Contains(err.Error(), "torn") {
		t.Error(err)
	}
}

// Texts in other encodings and with a byte order mark are read.
func TestEncodings(t *testing.T) {
	r := one(t, games.Must("othello"), "\ufeff(;GM[2]PB[J\xfcrgen]PW[Zo\xc3\xab];B[f5])")
	if r.Players != [2]string{"Jürgen", "Zoë"} {
		t.Errorf("%q", r.Players)
	}
}

// Lines of text, the ends of games, and whose they are.
func TestDetails(t *testing.T) {
	othello := games.Must("othello")
	r := one(t, othello, "(;GM[2]PB[a\\\nb]C[one\rtwo\r\nthree];B[f5](;W[d6])(;W[f4];B[resign]))")
	if r.Players[0] != "ab" || r.Comment != "one\ntwo\nthree" || r.Result != "" || r.End != "" {
		t.Errorf("%+v", r)
	}
	if r := one(t, othello, "(;GM[2];B[f5];W[forfeit])"); r.Result != FirstWon || r.End != "forfeit" {
		t.Errorf("%+v", r)
	}
	if r := one(t, othello, "(;GM[2]RE[B+T];B[f5])"); r.Result != FirstWon || r.End != "time" {
		t.Errorf("%+v", r)
	}
	match := `{"match":3,"game":"othello","a":"x","b":"y"}` + "\n"
	for text, want := range map[string]Result{
		`{"game":0,"a_first":false,"moves":["f5"],"loser":"a"}`: FirstWon,
		`{"game":0,"a_first":false,"moves":["f5"],"loser":"b"}`: SecondWon,
	} {
		r := one(t, othello, match+text)
		if r.Players != [2]string{"y", "x"} || r.Result != want {
			t.Errorf("%s: %q %s", text, r.Players, r.Result)
		}
	}
	for end, want := range map[string]string{"time": "RE[-64:t]", "resigned": "RE[-64:r]", "": "RE[-64]", "forfeit": "RE[-64]"} {
		r := New(othello, nil)
		r.Result, r.End = SecondWon, end
		text, err := Text(r, GGF)
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%s: %s %v", end, text, err)
		}
	}
	r = New(othello, nil)
	r.Moves = []Move{{Action: othello.NewState().Legal(nil)[0], Value: new(1e-7)}}
	r.Date, r.Event = "2003.12.15_13:24:00.MST", "a\nb"
	text, err := Text(r, SGF)
	if err != nil || !strings.Contains(text, "DT[2003-12-15]EV[a b]") || !strings.Contains(text, "V[0.0000001]") {
		t.Errorf("%s %v", text, err)
	}
}

// Games with PGN's tags take lines up to the next tag, and comments in braces.
func TestTags(t *testing.T) {
	othello := games.Must("othello")
	const file = "[Event \"Cup\"]\n[Black \"Ada\"]\n[White \"Bob\"]\n[Result \"34-30\"]\n1. F5 D6 {a plan}\n# a comment\n2. C3\n\n" +
		"[Black \"Cy\"]\n[Result \"*\"]\n\n[Black \"Eve\"]\n1. f5 {no end\n2. d6\n\n[White \"Dan\"]\n1. f5 d6 30-34\n"
	r, err := NewReader(othello, strings.NewReader(file), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		players [2]string
		event   string
		moves   string
		result  Result
		err     string
	}{
		{[2]string{"Ada", "Bob"}, "Cup", "f5 d6 c3", FirstWon, ""},
		{[2]string{}, "", "", "", `line 13, column 7: game 2, move 2: the comment or variation that begins here has no end`},
		{[2]string{"", "Dan"}, "", "f5 d6", SecondWon, ""},
	} {
		got, err := r.Next()
		if want.err != "" {
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("game %d: %v, want %s", i+1, err, want.err)
			}
			continue
		}
		if err != nil || got.Players != want.players || got.Event != want.event || moves(got) != want.moves || got.Result != want.result {
			t.Errorf("game %d: %+v, %v; want %+v", i+1, got, err, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// Comments, annotations and variations of PGN are skipped; the moves come back from every format.
func TestAsides(t *testing.T) {
	for text, want := range map[string]string{
		"[White \"W\"]\n1. d {one; (two\n[%clk 1]\n# three} e $1 $14 2. d!? ; e } (\n2... d?! (2... c {:-) é}\n3. d (3. e e)\n) 3. a 1-0\n": "d1 e1 d2 d3 a1",
		"[White \"W\"]\n{a} (b) ; c\n":   "",
		"d {a (} e d c e":                "d1 e1 d2 c1 e2", // d is no short form of drop
		"d1 {a (b} e1 {c; d} d2 $3, a1!": "d1 e1 d2 a1",
		"(drop 4 1) {x} (drop 4 2)":      "d1 d2", // official texts are in brackets, too
		"[White \"W\"]\n1. (drop 4 1) ((DROP 4 1) 2. a) ( a b) 2. ( Drop 4 2) (dropped) {(drop}": "d1 d2",
	} {
		game := games.Must("connect-four")
		r := one(t, game, text)
		if moves(r) != want || strings.Contains(text, "1-0") && r.Result != FirstWon {
			t.Errorf("%q: %s, %s", text, moves(r), r.Result)
		}
		for _, format := range []Format{SGF, JSON, Moves} {
			written, err := Text(r, format)
			if err != nil || moves(one(t, game, written)) != want {
				t.Errorf("%q as %s: %q, %v", text, format, written, err)
			}
		}
	}
	for text, want := range map[string]string{
		"d {a\ne} d\nd":         "line 1, column 3: game 1, move 2: the comment or variation",
		"d (a)\n(a1)\nd":        "line 1, column 3: game 1, move 2: \"(a)\": only games with tags",
		"d d d d d d d e\nd\nd": "line 1, column 13: game 1, move 7: ",
		"d (drop 1 9)\nd\nd":    "line 1, column 3: game 1, move 2: \"(drop 1 9)\"",
		"[White \"W\"]\n(drop 4 1) (b) (DROP 1 9) d\n[White \"W\"]\nd\n[White \"W\"]\nd": "line 2, column 16: game 1, move 2: ",
		"[White \"W\"]\nd (é (e) {)}\n[Black \"B\"]\nd\n[Black \"C\"]\nd":                "line 2, column 3: game 1, move 2: the comment or variation",
		"[White \"W\"]\nd (é) {\n} x9\n[Black \"B\"]\nd\n[Black \"C\"]\nd":               "line 3, column 3: game 1, move 2: ",
	} {
		records, faults := readAll(t, games.Must("connect-four"), text, "")
		if len(faults) == 0 || !strings.HasPrefix(faults[0].Error(), want) || len(records)+len(faults) != 3 {
			t.Errorf("%q: %d games, %v, not %s", text, len(records), faults, want)
		}
	}
}

// A result may stand where a pass is forced.
func TestResultBeforePass(t *testing.T) {
	const before = "f5 d6 c5 f4 d7 f6 f3 e3 d3 e2 f1 f2 g5 g6 e7 f7 g4 e6 d2 h5 g1 e8 h6 h3 g3 h7 f8 g8 g7 h8" // black must pass
	game := games.Must("othello")
	state, err := env.Replay(game, one(t, game, before).Actions())
	if err != nil || state.Done() || len(state.Legal(nil)) != 1 {
		t.Fatalf("%v, or black need not pass", err)
	}
	for text, want := range map[string]Result{"34-30": FirstWon, "30-34": SecondWon, "32-32": Draw, "1--0": "", "+1-0": "", "1-0-0": ""} {
		if got := resultOf(text); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
	if r := one(t, game, before+" 1-0"); moves(r) != before || r.Result != FirstWon {
		t.Errorf("%s %s", moves(r), r.Result)
	}
}
