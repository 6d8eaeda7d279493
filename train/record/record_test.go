package record_test

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

// read parses one record that nothing follows.
func read(game *env.Game, data []byte) (*record.Record, error) {
	r := record.NewReader(game, data)
	rec := r.Record()
	return rec, r.End()
}

func TestRoundTrip(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		rng := rand.New(rand.NewPCG(1, 2))
		r := recordtest.Random(game, rng)
		for i := range r.Plies {
			r.Plies[i].Explored, r.Plies[i].Proven = rng.IntN(2) > 0, int8(rng.IntN(1+len(game.Classes))-1)
		}
		data := r.Append(nil)
		back, err := read(game, data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !reflect.DeepEqual(r, back) {
			t.Errorf("%s: a record changes on the way through bytes", name)
		}
		for cut := 0; cut < len(data); cut += 1 + len(data)/20_000 { // not at every byte of the longest games
			if _, err := read(game, data[:cut]); !errors.Is(err, record.ErrRecord) {
				t.Fatalf("%s: cut at byte %d gives %v", name, cut, err)
			}
		}
		if _, err := read(game, append(data, 0)); !errors.Is(err, record.ErrRecord) {
			t.Errorf("%s: a byte too many gives %v", name, err)
		}
	}
}

// FuzzReader parses any record: one that parses, and is written, parses the same again.
func FuzzReader(f *testing.F) {
	game := games.Must("free-for-all-2p")
	f.Add(recordtest.Random(game, rand.New(rand.NewPCG(1, 2))).Append(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := read(game, data)
		if err != nil {
			if !errors.Is(err, record.ErrRecord) {
				t.Fatal(err)
			}
			return
		}
		if back, err := read(game, r.Append(nil)); err != nil || !reflect.DeepEqual(back, r) {
			t.Errorf("a record changes on the way through bytes: %v", err)
		}
	})
}

// TestPositions compares the positions with those of a replay by hand, and values with the classes in them.
func TestPositions(t *testing.T) {
	game := games.Must("quad-5x5")
	r := recordtest.Random(game, rand.New(rand.NewPCG(3, 4)))
	for i := 0; i < len(r.Plies); i += 3 {
		r.Plies[i].Proven = 0 // the mover's best class
	}
	moves := r.Moves()
	if len(moves) != r.Length() || record.Count([]*record.Record{r, r}) != 2*len(r.Plies) {
		t.Errorf("%d moves, %d plies", len(moves), len(r.Plies))
	}
	state, n := game.NewState(), 0
	for i, p := range r.Positions(state) {
		want, err := env.Replay(game, moves[:len(r.Opening)+i])
		if err != nil || state.Key() != want.Key() || i != n || p != &r.Plies[i] {
			t.Fatalf("ply %d is %d, in another position; %v", n, i, err)
		}
		value := float64(game.Classes[0].Utility)
		if i%3 > 0 {
			sum, weighted := 0.0, 0.0
			for class, share := range p.Classes {
				sum, weighted = sum+float64(share), weighted+float64(share)*float64(game.Classes[class].Utility)
			}
			value = weighted / sum
		}
		if got := p.Value(game); math.Abs(got-value) > 1e-6 {
			t.Errorf("ply %d has the value %v, want %v", i, got, value)
		}
		n++
	}
	if n != len(r.Plies) || !state.Done() {
		t.Errorf("%d plies of %d", n, len(r.Plies))
	}
	state = game.NewState()
	for i := range r.Positions(state) {
		if i == 1 {
			break
		}
	}
	if want, _ := env.Replay(game, moves[:len(r.Opening)+1]); state.Key() != want.Key() {
		t.Error("after a break the position is not that of the ply")
	}
}

func TestShares(t *testing.T) {
	s := record.Quantise(record.Shares{7}, []float32{-1, 0.5, 2})
	if !slices.Equal(s, record.Shares{7, 0, 32768, record.Unit}) {
		t.Errorf("quantised to %v", s)
	}
	dst := make([]float32, 3)
	record.Shares{1, 0, 3}.Normalise(dst)
	if !slices.Equal(dst, []float32{0.25, 0, 0.75}) {
		t.Errorf("normalised to %v", dst)
	}
	record.Shares{0, 0, 0}.Normalise(dst)
	if !slices.Equal(dst, []float32{0, 0, 0}) {
		t.Errorf("nothing is normalised to %v", dst)
	}
}

func TestFile(t *testing.T) {
	game, dir := games.Must("quad-5x5"), t.TempDir()
	rng := rand.New(rand.NewPCG(1, 2))
	written := []*record.Record{recordtest.Random(game, rng), recordtest.Random(game, rng)}
	if err := record.Write(dir, 3, 17, written); err != nil {
		t.Fatal(err)
	}
	if back, first, err := record.Read(game, dir, 3); err != nil || first != 17 || !reflect.DeepEqual(back, written) {
		t.Errorf("%d games from number %d, %v", len(back), first, err)
	}
	sized := append(written, recordtest.Random(games.Must("quad(size=6,quads=8,whites=0)"), rng))
	if err := record.Write(dir, 4, 19, sized); err != nil {
		t.Fatal(err)
	}
	if back, _, err := record.Read(game, dir, 4); err != nil || !reflect.DeepEqual(back, sized) {
		t.Errorf("games of two sizes: %v", err)
	}
	for i, name := range []string{"connect-four", "gdl(../../env/gdl/testdata/slabs.kif)"} { // without other sizes
		other := games.Must(name)
		written := []*record.Record{recordtest.Random(other, rng)}
		if err := record.Write(dir, 5+i, 0, written); err != nil {
			t.Fatal(err)
		}
		if back, _, err := record.Read(other, dir, 5+i); err != nil || !reflect.DeepEqual(back, written) {
			t.Errorf("games of %s: %v", name, err)
		}
	}
	old := checkpoints.Seal("ludus-games", 2, nil)
	if err := os.WriteFile(rundir.GamesPath(dir, 1), old, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := record.Read(game, dir, 1); !errors.Is(err, checkpoints.ErrVersion) {
		t.Errorf("an old file: %v", err)
	}
	if _, _, err := record.Read(games.Must("hex-5x5"), dir, 3); !errors.Is(err, checkpoints.ErrDamaged) {
		t.Errorf("games of another game: %v", err)
	}
	if _, _, err := record.Read(game, dir, 9); !errors.Is(err, fs.ErrNotExist) || !record.IsLost(err) {
		t.Errorf("a generation that is not there: %v", err)
	}
	if err := os.WriteFile(rundir.GamesPath(dir, 2), []byte("torn"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := record.Read(game, dir, 2); !errors.Is(err, checkpoints.ErrDamaged) || !record.IsLost(err) {
		t.Errorf("a damaged file: %v", err)
	}
}
