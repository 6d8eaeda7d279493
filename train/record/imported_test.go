package record_test

import (
	"math"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
)

// movesOf returns the moves with the given names, from the start of a game.
func movesOf(t *testing.T, game *env.Game, names ...string) []env.Action {
	t.Helper()
	_, moves, err := env.ReplayText(game, names)
	if err != nil {
		t.Fatal(err)
	}
	return moves
}

// unknown returns n unknown values.
func unknown(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }

// TestImportedRecord: moves become policy targets, and results and values become class distributions of the mover.
func TestImportedRecord(t *testing.T) {
	game := games.Must("tic-tac-toe")
	win := movesOf(t, game, "a1", "b1", "a2", "b2", "a3") // First wins
	values := unknown(5)
	values[1] = -0.5 // for Second: a loss or a draw
	m := &record.Imported{Moves: win, Opening: 1, Values: values, Result: -1}
	r := m.Record(game)
	if r == nil || len(r.Opening) != 1 || len(r.Plies) != 4 || !r.Done || r.Adjudicated || r.Outcome != 0 || r.Goals != [2]int{100, 0} {
		t.Fatalf("%+v", r)
	}
	state := game.NewState()
	for i, p := range r.Positions(state) {
		legal := state.Legal(nil)
		for j, a := range legal {
			if want := a == win[i+1]; (p.Policy[j] == record.Unit) != want || !want && p.Policy[j] > 0 {
				t.Errorf("ply %d: policy %v", i, p.Policy)
			}
		}
		if p.TrainPolicy != (i%2 == 1) || p.Explored || p.Proven != -1 { // the winner's moves are examples
			t.Errorf("ply %d: %+v", i, p)
		}
	}
	r.Plies[2].Proven = 2 // Second to move has lost
	r.FillClasses()
	for i, want := range []float64{-0.5, 1, -1, 1} {
		if got := r.Plies[i].Value(game); math.Abs(got-want) > 1e-4 {
			t.Errorf("ply %d: value %v, want %v", i, got, want)
		}
	}
	if err := r.CheckSearch(); err != nil {
		t.Error(err)
	}
	r.Plies[2].Proven, r.Plies[1].Classes, r.Plies[0].Classes = 1, make(record.Shares, 3), make(record.Shares, 3)
	r.FillClasses()
	if a, b, c := r.Plies[0].Value(game), r.Plies[1].Value(game), r.Plies[3].Value(game); a != 0 || b != 0 || c != 1 {
		t.Errorf("values %v, %v before a proven draw, %v after it", a, b, c)
	}
}

// TestImportedDraw: both players of a draw teach the policy.
func TestImportedDraw(t *testing.T) {
	game := games.Must("tic-tac-toe")
	r := (&record.Imported{Moves: movesOf(t, game, "a1", "b2", "c3", "c2", "a2", "a3", "c1", "b1", "b3"), Values: unknown(9)}).Record(game)
	if r == nil || slices.ContainsFunc(r.Plies, func(p record.Ply) bool { return !p.TrainPolicy }) {
		t.Errorf("%+v", r)
	}
}

// TestFillClasses: without values every mover learns the result as he sees it, and values spare classes that are
// impossible.
func TestFillClasses(t *testing.T) {
	game := games.Must("tic-tac-toe")
	r := (&record.Imported{Moves: movesOf(t, game, "a1", "b1", "a2", "b2", "a3"), Values: unknown(5), Result: 1}).Record(game)
	r.FillClasses()
	for i := range r.Plies {
		if got, want := r.Plies[i].Value(game), float64(1-i%2*2); got != want {
			t.Errorf("ply %d of a game that First wins: value %v, want %v", i, got, want)
		}
	}
	quad := games.Must("quad-5x5") // without whites, so 90 to 10 is impossible
	r = (&record.Imported{Moves: movesOf(t, quad, "c3"), Values: []float64{0.8}, Result: 1}).Record(quad)
	for k, share := range r.Plies[0].Classes {
		if share > 0 && quad.Classes[k].Impossible {
			t.Errorf("class %s is impossible and has share %d", quad.Classes[k].Name, share)
		}
	}
	if got := r.Plies[0].Value(quad); math.Abs(got-0.8) > 1e-4 {
		t.Errorf("value %v, want 0.8", got)
	}
}

// TestAdjudicated: a game that ends early has the given result, in the record and in its file, if the game has such
// results.
func TestAdjudicated(t *testing.T) {
	for _, c := range []struct {
		game, move string
		result     float64
		outcome    int // -1: the game is left out
		goals      [2]int
	}{
		{"tic-tac-toe", "b2", 1, 0, [2]int{100, 0}},
		{"tic-tac-toe", "b2", 0, 1, [2]int{50, 50}},
		{"tic-tac-toe", "b2", -1, 2, [2]int{0, 100}},
		{"tic-tac-toe", "b2", math.NaN(), -1, [2]int{}},
		{"hex-5x5", "c3", -1, 1, [2]int{0, 100}},
		{"hex-5x5", "c3", 0, -1, [2]int{}},
		{"free-for-all-2p", "", 1, 0, [2]int{100, 0}},
		{"quad-5x5", "c3", -1, -2, [2]int{0, 100}},
	} {
		game := games.Must(c.game)
		move := game.NewState().Legal(nil)[:1]
		if c.move != "" {
			move = movesOf(t, game, c.move)
		}
		m := &record.Imported{Moves: move, Values: unknown(1), Result: c.result}
		r := m.Record(game)
		if c.outcome == -1 {
			if r != nil {
				t.Errorf("%s, result %v: %+v", c.game, c.result, r)
			}
			continue
		}
		if c.outcome == -2 {
			c.outcome = len(game.Classes) - 1
		}
		if r == nil || !r.Adjudicated || !r.Done || r.Outcome != c.outcome || r.Goals != c.goals {
			t.Errorf("%s, result %v: %+v", c.game, c.result, r)
			continue
		}
		r.FillClasses()
		dir := t.TempDir()
		if err := record.Write(dir, 1, 0, []*record.Record{r}); err != nil {
			t.Fatal(err)
		}
		read, _, err := record.Read(game, dir, 1)
		if err != nil || !read[0].Adjudicated || read[0].Outcome != r.Outcome || read[0].Goals != r.Goals {
			t.Errorf("%s: from the file %+v, error %v", c.game, read, err)
		}
		message := record.Message{Run: "run", Process: "process", Records: []*record.Record{r}}
		if _, err := record.ReadMessage([]*env.Game{game}, "run", message.Marshal()); err == nil {
			t.Errorf("%s: a worker's message has an adjudicated game", c.game)
		}
		damaged := *r
		damaged.Outcome = len(game.Classes)
		if rd := record.NewReader(game, damaged.Append(nil)); rd.Record() == nil || rd.Err() == nil {
			t.Errorf("%s: outcome %d is read", c.game, damaged.Outcome)
		}
	}
	if (&record.Imported{Opening: 1, Moves: movesOf(t, games.Must("hex-5x5"), "c3"), Values: unknown(1), Result: 1}).Record(games.Must("hex-5x5")) != nil {
		t.Error("a game without moves to learn is a record")
	}
}
