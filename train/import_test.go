package train

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
)

// randomGames returns n games of random moves. Every third one is resigned halfway, every tenth has no result.
func randomGames(game *env.Game, n int) (games []*record.Imported) {
	rng := rand.New(rand.NewPCG(5, 0))
	for i := range n {
		g, state := &record.Imported{Opening: i % 2, Result: math.NaN()}, game.NewState()
		for !state.Done() {
			legal := state.Legal(nil)
			a := legal[rng.IntN(len(legal))]
			state.Apply(a)
			g.Moves, g.Values = append(g.Moves, a), append(g.Values, math.NaN())
		}
		switch {
		case i%10 == 9:
			g.Moves = g.Moves[:2]
		case i%3 == 0:
			g.Moves, g.Result = g.Moves[:(len(g.Moves)+2)/2], 1
		}
		games = append(games, g)
	}
	return games
}

// importOf returns games as an import from files with the given digests.
func importOf(games []*record.Imported, digests ...string) *Import {
	i := &Import{Games: func(yield func(*record.Imported, error) bool) {
		for _, g := range games {
			if !yield(g, nil) {
				return
			}
		}
	}}
	for n, d := range digests {
		i.Files = append(i.Files, rundir.ImportedFile{Name: fmt.Sprintf("file%d", n), SHA256: d})
	}
	return i
}

// tinyImport is a tiny run whose first two generations, of 8, learn from 100 games.
func tinyImport(t testing.TB, dir string, generations int) Options {
	o := tiny(t, dir, generations)
	o.Import = importOf(randomGames(o.Game, 100), "a", "b")
	return o
}

// TestImport: all games with a result enter the run, in their order and with their results, at most a quarter of the
// generations learn from them, and the network does.
func TestImport(t *testing.T) {
	const generations = 8
	o := tinyImport(t, t.TempDir(), generations)
	said := ""
	notes(&o, &said)
	s := mustTrain(t, o)
	if !strings.Contains(said, "left out: 10 of 100") || !strings.Contains(said, "learns up to generation 2 from 90 games") {
		t.Errorf("notes:\n%s", said)
	}
	c := s.Config.Import
	if c == nil || c.Games != 90 || c.Generations != 2 || len(c.Files) != 2 || c.Files[1].SHA256 != "b" {
		t.Fatalf("config %+v", c)
	}
	var records []*record.Record
	for g := 1; g <= c.Generations; g++ {
		some, first, err := record.Read(o.Game, o.Dir, g)
		if err != nil || first != len(records) || len(some) != 45 {
			t.Fatalf("generation %d: %d games from %d, error %v", g, len(some), first, err)
		}
		records = append(records, some...)
	}
	for i, g := range randomGames(o.Game, 100) {
		if i%10 == 9 {
			continue
		}
		r := records[0]
		records = records[1:]
		state, err := env.Replay(o.Game, g.Moves)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(r.Moves()) != fmt.Sprint(g.Moves) || len(r.Opening) != i%2 || r.Adjudicated == state.Done() {
			t.Fatalf("game %d: %v, opening of %d, adjudicated %t; want %v", i, r.Moves(), len(r.Opening), r.Adjudicated, g.Moves)
		}
		if r.Adjudicated && r.Outcome != 0 || state.Done() && r.Outcome != state.Outcome() {
			t.Errorf("game %d: outcome %d", i, r.Outcome)
		}
	}
	metrics := metricsOf(t, o.Dir)
	for i, m := range metrics {
		if imports := i < c.Generations; imports != (m.ImportedGames == m.Games && m.Positions == 0) || imports && (m.Simulations > 0 || m.SolvedShare == 0) {
			t.Errorf("generation %d: %+v", i+1, m)
		}
	}
	// One generation's weight is that of as many positions as a generation plays, at most.
	settings, played := &s.Config.Settings, plan.Positions(&s.Config.Plan)
	most := int(float64(played) * settings.SamplesPerPosition / float64(settings.BatchSize))
	if first := metrics[0].Steps; first < 1 || first > most {
		t.Errorf("%d training steps in the first generation, at most %d are due", first, most)
	}
	// The window holds all games of a generation, but then no more positions than without an import, up to a game's.
	if imported, later := metrics[1].ReplayPositions, metrics[2].ReplayPositions; imported < 200 || later > 3*played+16 {
		t.Errorf("%d positions in the window after the import, %d after a generation of self-play", imported, later)
	}
	if metrics[1].PolicyLoss >= metrics[0].PolicyLoss && metrics[1].OutcomeLoss >= metrics[0].OutcomeLoss {
		t.Errorf("nothing is learned from the games: %+v", metrics[:2])
	}
	if later := metrics[generations-1]; later.TotalGames <= c.Games || later.Positions == 0 {
		t.Errorf("no self-play after the import: %+v", later)
	}
}

// TestImportContinues: a run needs its files only until they are read, and only its own files.
func TestImportContinues(t *testing.T) {
	whole, o := tinyImport(t, t.TempDir(), 8), tinyImport(t, t.TempDir(), 8)
	mustTrain(t, whole)
	stop, good := errors.New("stop"), o.Import
	failing := func(reading int) *Import { // fails at game 70 of a reading
		i := importOf(nil, "a", "b")
		i.Games = func(yield func(*record.Imported, error) bool) {
			n := 0
			for g := range good.Games {
				n++
				if n == 70 && reading == 0 {
					yield(nil, stop)
					return
				}
				if !yield(g, nil) {
					return
				}
			}
			reading--
		}
		return i
	}
	o.Import = failing(0)
	if _, err := Train(t.Context(), o); !errors.Is(err, stop) {
		t.Fatalf("games that cannot be read: %v", err)
	}
	if _, err := rundir.ReadConfig(o.Dir); err == nil {
		t.Fatal("the run began, though not all games can be read")
	}
	o.Import = failing(1) // the first reading counts the games
	if _, err := Train(t.Context(), o); !errors.Is(err, stop) {
		t.Fatalf("games that cannot be read again: %v", err)
	}
	if n := committed(t, o.Dir).Generation; n != 1 {
		t.Fatalf("%d generations are committed, want 1", n)
	}
	for _, c := range []struct {
		name, says string
		games      *Import
	}{
		{"no files", "give their files again: file0 file1", nil},
		{"a changed file", "file1 has changed since the run began; give the files as they were or, after generation 2, none", importOf(nil, "a", "c")},
		{"fewer files", "began with 2 files of games, not 1", importOf(nil, "a")},
		{"fewer games", "end after 0 of 90 games", importOf(nil, "a", "b")},
	} {
		other := o
		other.Import = c.games
		if _, err := Train(t.Context(), other); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v; want one that says %q", c.name, err, c.says)
		}
	}
	o.Import = good
	mustTrain(t, o)
	sameRun(t, whole.Dir, o.Dir, 8)
	o.Import, o.Generations = nil, 9
	if s := mustTrain(t, o); s.Already {
		t.Error("without its files the run does not continue after the import")
	}
	plain := tiny(t, t.TempDir(), 1)
	mustTrain(t, plain)
	plain.Import, plain.Generations = importOf(nil, "a"), 2
	if _, err := Train(t.Context(), plain); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "began without games") {
		t.Errorf("games for a run that has begun: %v", err)
	}
}

// TestManyImported: of very many games a run learns from one in so many, spread over all of them, and continues alike.
func TestManyImported(t *testing.T) {
	games := randomGames(games.Must("quad(size=4,quads=4,whites=1)"), 1000)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	for i, dir := range dirs {
		o := tiny(t, dir, 8)
		o.Import = importOf(games, "a")
		if i == 1 {
			stopAfter(t, o, 1)
		}
		c := mustTrain(t, o).Config.Import
		if c.Games != 900 || c.Generations != 2 || c.Every < 2 {
			t.Fatalf("%+v", c)
		}
		records, _, err := record.Read(o.Game, dir, 2)
		if want := (450 + c.Every - 1) / c.Every; err != nil || len(records) != want {
			t.Fatalf("%d games in generation 2, want %d; error %v", len(records), want, err)
		}
		if got, want := records[0].Moves(), games[500].Moves; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("generation 2 begins with %v, want %v", got, want)
		}
	}
	sameRun(t, dirs[0], dirs[1], 8)
}

// TestImportSizes: imported games are of the largest board, and do not count as work that smaller boards have to catch
// up.
func TestImportSizes(t *testing.T) {
	o := tinySizes(t, t.TempDir(), 16)
	o.Import = importOf(randomGames(o.Game, 400), "a")
	s := mustTrain(t, o)
	sides := map[int]int{}
	for i, m := range metricsOf(t, o.Dir) {
		imports := i < s.Config.Import.Generations
		if imports != (m.ImportedGames > 0) || imports && m.Size != 5 {
			t.Errorf("generation %d on %dx%[2]d: %d imported games", i+1, m.Size, m.ImportedGames)
		}
		if !imports {
			sides[m.Size]++
		}
	}
	if sides[4] < 2 || sides[5] < 2 {
		t.Errorf("generations of self-play by side: %v", sides)
	}
}

// TestImportWithWorkers: the learner reads the imported games; games of workers wait until then.
func TestImportWithWorkers(t *testing.T) {
	o := tinyImport(t, t.TempDir(), 4)
	o.LearnOnly = true
	sendTo(&o, 50)
	mustTrain(t, o)
	for i, m := range metricsOf(t, o.Dir) {
		imported, received := 90, 0
		if i > 0 {
			imported, received = 0, m.Games
		}
		if m.ImportedGames != imported || m.ReceivedGames != received || m.Games == 0 {
			t.Errorf("generation %d: %d games, %d imported, %d received", i+1, m.Games, m.ImportedGames, m.ReceivedGames)
		}
	}
}
