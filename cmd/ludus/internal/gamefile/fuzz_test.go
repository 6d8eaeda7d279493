package gamefile

import (
	"ludus/env/games"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// fuzz reads any text as a file of a game. Each record that comes out is written and read again with the same moves and
// result, and what that gives is written and read again unchanged.
func fuzz(f *testing.F, name string, formats []Format, seeds ...string) {
	game := games.Must(name)
	for _, seed := range seeds {
		f.Add(seed)
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		records, _ := readAll(t, game, text, "")
		for _, r := range records {
			for _, format := range formats {
				first, err := Text(r, format)
				if err != nil {
					t.Fatal(err)
				}
				again := one(t, game, first)
				second, err := Text(again, format)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(again.Actions(), r.Actions()) || again.Result != r.Result || !reflect.DeepEqual(one(t, game, second), again) {
					t.Errorf("%q as %s is another game:\n%s", text, format, first)
				}
			}
		}
	})
}

func FuzzOthello(f *testing.F) {
	fuzz(f, "othello(size=4)", []Format{SGF, JSON},
		"(;GM[2]SZ[4];B[ab]C[x\\]y];W[aa](;B[ba])(;B[ca];W[da]))", "(;GM[Othello]TY[4]BO[4 -----O*--*O----- *]B[a2/1/2]W[a1];)", "A2A1B1",
		`{"game":"othello(size=4)","moves":["a2",{"move":"a1","value":1e9,"instead":[["c1"]]}],"result":"0-1","end":"x"}`, "game 1\nblack 4 (place r2 c1) | x")
}

func FuzzHex(f *testing.F) {
	fuzz(f, "hex(size=3,swap=1)", []Format{SGF, JSON, Moves}, "(;GM[11]SZ[3];W[ab];B[swap];B[aa])", "(;GM[11]SZ[3];B[b1];W[swap-sides];W[a3])", "a2 swap b3, 1-0", "(;)", "(;AB[a1]AW[b2];AB[c1]PL[W];W[c2])", "(;AW[b1]AB[c3]PL[W];W[a1](;B[a2])(;AE[a2]))", "*")
}

func FuzzConnectFour(f *testing.F) {
	fuzz(f, "connect-four", []Format{SGF, JSON}, "4455667", "4 -2", "[White \"W\"]\n1. d {a\n} e $1 (1... d (e)\n) 2. d! ; e\n1-0\n[Black \"B\"]\nd (", "(drop 4 1) {(} (e {)})", "d d e", "(;LUDUS[connect-four];B[d1])")
}
