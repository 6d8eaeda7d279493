package match

import (
	"context"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
)

// Deterministic agents only repeat their games once all openings have been played: a thousand games are no more
// evidence than the different ones among them, for any number of threads.
func TestCopiesAreNoEvidence(t *testing.T) {
	game := quad()
	a, b := "net:1,sims=4", "policy:2"
	m := Config{Game: game, A: parse(t, game, a), B: parse(t, game, b), Games: 1000, Seed: 1, OpeningPlies: 2, Balance: checkerOf(game), Threads: 2}
	r := mustRun(t, m)
	different := r.Pairs - r.Repeats
	if r.Games != 1000 || r.Pairs != 500 || different < 20 || different > 40 || r.Wins+r.Draws+r.Losses != 1000 || r.Duplicates < 1000-2*different {
		t.Errorf("%+v", r)
	}
	if n := pairsIn(&r); n != different {
		t.Errorf("%d pairs by points; want %d", n, different)
	}
	m.Games = 2 * different
	once := mustRun(t, m)
	if once.Repeats != 0 || once.Pentanomial != r.Pentanomial || once.SeatPairs != r.SeatPairs {
		t.Errorf("all openings once: %+v; a thousand games: %+v", once, r)
	}
	if low, high := min(once.Low, r.Score), max(once.High, r.Score); r.Low != low || r.High != high || r.EloLow != eloOf(low) {
		t.Errorf("a thousand games: %v to %v; all openings once: %v to %v", r.Low, r.High, once.Low, once.High)
	}
	m.Games, m.OpeningPlies, m.A = 500, 0, parse(t, game, "policy:1,temp=0.05")
	if r := mustRun(t, m); r.Repeats != 0 || pairsIn(&r) != 250 || r.Duplicates < 100 {
		t.Errorf("an agent that draws, and mostly the same: %+v", r)
	}
	m.OpeningPlies, m.A, m.B = 2, parse(t, game, "random"), parse(t, game, "greedy")
	if r := mustRun(t, m); r.Repeats != 0 || pairsIn(&r) != 250 {
		t.Errorf("agents that draw their moves: %+v", r)
	}
}

// Programs that do not say whether they are deterministic are taken as their games show them: as deterministic once six
// games repeat earlier ones, unless one was played differently or the other agent draws its moves.
func TestRepeatsOfPrograms(t *testing.T) {
	game := quad()
	calls, resignAt := 0, 0
	programs := &agenttest.Programs{Fail: func([]env.Action) error {
		if calls++; calls == resignAt {
			return agent.ErrResigned
		}
		return nil
	}}
	play := func(a, b string, games int) Result {
		return mustRun(t, Config{
			Game: game, A: parse(t, game, a).WithPrograms(programs.Start), B: parse(t, game, b).WithPrograms(programs.Start), Games: games,
			Seed: 1, OpeningPlies: 2, Threads: 1, Balance: checkerOf(game),
		})
	}
	const program, said = `gtp:"x"`, `gtp:"x",deterministic=yes`
	openings := 100 - play(said, "policy:2", 200).Repeats
	if openings < 20 || openings > 40 {
		t.Fatalf("%d openings", openings)
	}
	for _, c := range []struct {
		name     string
		a, b     string
		games    int
		resignAt int
		repeats  int
	}{
		{"as if it said so", program, "policy:2", 200, 0, 100 - openings},
		{"as B", "policy:2", program, 200, 0, 100 - openings},
		{"two programs", program, program, 200, 0, 100 - openings},
		{"five games repeat", program, "policy:2", 2*openings + 5, 0, 0},
		{"six games repeat", program, "policy:2", 2*openings + 6, 0, 3},
		{"one game differs", program, "policy:2", 200, 5, 0},
		{"the other draws its moves", program, "random", 200, 0, 0},
		{"the other draws the same moves", program, "policy:2,temp=0.000001", 200, 0, 0},
	} {
		calls, resignAt = 0, c.resignAt
		if r := play(c.a, c.b, c.games); r.Repeats != c.repeats || pairsIn(&r)+r.Repeats != c.games/2 {
			t.Errorf("%s: %d repeats; want %d: %+v", c.name, r.Repeats, c.repeats, r)
		}
	}
}

func pairsIn(r *Result) (n int) {
	for _, pairs := range r.Pentanomial {
		n += pairs
	}
	return n
}

// Every round has every opening once, in another order, whichever opening is requested first.
func TestOpeningsComeInRounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		plies int
		count int // of openings; 0: unknown
	}{{"quad-5x5", 0, 1}, {"quad-5x5", 1, 0}, {"quad-5x5", 2, 0}, {"breakthrough-6x6", 1, 16}, {"breakthrough-6x6", 2, 256}} {
		game := games.Must(c.name)
		m := &Config{Game: game, OpeningPlies: c.plies, Seed: 2, Balance: checkerOf(game)}
		o, other := newOpenings(m), newOpenings(m)
		if _, err := other.get(context.Background(), 1000); err != nil {
			t.Fatal(err)
		}
		n := len(other.list)
		if c.count > 0 && n != c.count {
			t.Errorf("%s: %d openings of %d plies; want %d", c.name, n, c.plies, c.count)
		}
		var rounds [3][]string
		for i := range 3 * n {
			one, err := o.get(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			two, err := other.get(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(one.moves, two.moves) {
				t.Errorf("%s: opening %d depends on the openings before", c.name, i)
			}
			rounds[i/n] = append(rounds[i/n], (movesKey(one.moves)))
		}
		if n > 4 && (slices.Equal(rounds[0], rounds[1]) || slices.Equal(rounds[1], rounds[2])) {
			t.Errorf("%s: two rounds have the same order", c.name)
		}
		for r := range rounds {
			slices.Sort(rounds[r])
			if len(slices.Compact(slices.Clone(rounds[r]))) != n || !slices.Equal(rounds[r], rounds[0]) {
				t.Errorf("%s: round %d is not all %d openings", c.name, r, n)
			}
		}
	}
}

// A repeat is a pair of games, or a single game, that was played before with the same moves in the same seats.
func TestPairsPlayed(t *testing.T) {
	game := func(first bool, moves ...env.Action) *finishedGame { return &finishedGame{aFirst: first, moves: moves} }
	r := make(pairsPlayed)
	for i, c := range []struct {
		games []*finishedGame
		want  bool
	}{
		{[]*finishedGame{game(true, 1, 2), game(false, 1, 3)}, false},
		{[]*finishedGame{game(true, 1, 2), game(false, 1, 3)}, true},
		{[]*finishedGame{game(true, 1, 3), game(false, 1, 2)}, false}, // the other seats
		{[]*finishedGame{game(true, 1, 2), game(false, 1, 4)}, false},
		{[]*finishedGame{game(true, 1, 5), game(false, 1, 4)}, false},
		{[]*finishedGame{game(true, 1, 5), game(false, 1, 3)}, false}, // of two pairs
		{[]*finishedGame{game(true, 1, 5)}, true},
		{[]*finishedGame{game(false, 1, 5)}, false},
		{[]*finishedGame{game(false, 1, 5)}, true},
	} {
		if got := r.add(c.games); got != c.want {
			t.Errorf("step %d: repeat %v; want %v", i, got, c.want)
		}
	}
}

// A match that skips the games of an earlier one continues as one long match would. With NoRepeats it ends once all
// openings have been played.
func TestMatchGoesOn(t *testing.T) {
	game := quad()
	const run = "1"
	m := Config{Game: game, A: parse(t, game, "policy:"+run+",temp=1"), B: parse(t, game, "random"), Games: 100, Seed: 3, OpeningPlies: 2,
		Balance: checkerOf(game), Threads: 2}
	whole := playAll(t, &m)
	m.SkipGames, m.Games = 36, 64
	for i, g := range playAll(t, &m) {
		if want := whole[36+i]; g.aFirst != want.aFirst || !slices.Equal(g.moves, want.moves) {
			t.Fatalf("game %d after 36: %v; want %v", i, g, want)
		}
	}
	m.NoRepeats, m.SkipGames, m.Games = true, 0, 36
	total := 0
	for ; total < 200; m.SkipGames += 36 {
		r := mustRun(t, m)
		total += r.Games
		if r.Repeats != 0 || r.Games%2 != 0 {
			t.Errorf("after %d: %+v", m.SkipGames, r)
		}
		if r.Games == 0 {
			break
		}
	}
	o := newOpenings(&m)
	if _, err := o.get(context.Background(), 1000); err != nil || total != 2*len(o.list) {
		t.Errorf("%d games of %d openings, %v", total, len(o.list), err)
	}
	m.SkipGames = 3
	if m.Validate() == nil {
		t.Error("a match may begin with half a pair")
	}
}
