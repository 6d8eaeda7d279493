package ratings

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
	"ludus/train/match"
	"ludus/train/rundir"
)

// program returns the factory of a fake program of a spec.
func program(t *testing.T, game *env.Game, spec string, p *agenttest.Programs) *agent.Factory {
	t.Helper()
	f, err := agent.ParseFactory(game, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.WithPrograms(p.Start)
}

// find returns an agent's rating; nil if it has none.
func find(table *rundir.Ratings, name string) *rundir.Rating {
	i := slices.IndexFunc(table.Agents, func(r rundir.Rating) bool { return r.Agent == name })
	if i < 0 {
		return nil
	}
	return &table.Agents[i]
}

// An anchor is rated like a baseline. Later the run shows its rating without starting it. With a rating of its own it
// defines the scale: differences stay, and random moves with the others.
func TestAnchor(t *testing.T) {
	const spec = `gtp:"engine -l 5",time=1s`
	dir, game := testRun(t, 1)
	p := openPool(t, dir, game)
	fake := new(agenttest.Programs)
	p.AddAnchor(program(t, game, spec, fake), nil)
	rate := func(p *Pool) {
		t.Helper()
		if err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), Within: 100, Threads: 2}); err != nil {
			t.Fatal(err)
		}
	}
	rate(p)
	if fake.Chosen.Load() == 0 || fake.Running.Load() != 0 {
		t.Fatalf("the program chose %d moves; %d run", fake.Chosen.Load(), fake.Running.Load())
	}
	first := written(t, p, dir)
	rated := find(first, spec)
	if rated == nil || rated.Gone || rated.Known || rated.Games == 0 || find(first, Anchor).Rating != 0 || first.Anchor != Anchor {
		t.Fatalf("%+v", first)
	}
	later := openPool(t, dir, game) // as rate without --anchor, and training, open it
	if again := find(later.Ratings(), spec); again == nil || !again.Gone || again.Rating != rated.Rating || again.Games != rated.Games {
		t.Errorf("later %+v, at first %+v", again, rated)
	}

	fixed, elo := openPool(t, dir, game), 1500.0
	fixed.AddAnchor(program(t, game, spec, fake), &elo)
	table := fixed.Ratings()
	if a := find(table, spec); table.Anchor != "" || a == nil || !a.Known || a.Rating != 1500 || a.Low != 1500 || a.High != 1500 {
		t.Errorf("%+v", table)
	}
	for _, a := range first.Agents {
		b := find(table, a.Agent)
		if b == nil {
			t.Fatalf("%s is not rated", a.Agent)
		}
		near(t, "the rating of "+a.Agent, b.Rating-1500, a.Rating-rated.Rating, 1)
	}
	if low := find(table, Anchor).Low; low >= find(table, Anchor).Rating {
		t.Error("random has no interval")
	}

	chosen := fake.Chosen.Load()
	rate(later) // plays on without the program
	if fake.Chosen.Load() != chosen {
		t.Error("a program of another day has played")
	}
}

// With an anchor of known rating the shipped agents get ratings from games.
func TestAnchorAndShipped(t *testing.T) {
	dir, game := testRun(t, 1)
	p, _, err := Open(dir, game, 4, fewer, balance)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Play(context.Background(), p.Index("net@1"), p.Index("zoo"), 16, 2, false); err != nil {
		t.Fatal(err)
	}
	elo := 1500.0
	p.AddAnchor(program(t, game, `gtp:"engine"`, new(agenttest.Programs)), &elo)
	if table, err := p.Write(); err != nil || len(table.Agents) != 0 {
		t.Errorf("%+v, %v before the anchor has played", table, err)
	}
	if _, err := rundir.ReadRatings(dir); err == nil {
		t.Error("ratings without an agent are written")
	}
	if _, err := p.Play(context.Background(), p.Index("net@1"), p.Index(`gtp:"engine"`), 16, 2, false); err != nil {
		t.Fatal(err)
	}
	if zoo := find(p.Ratings(), "zoo"); zoo == nil || zoo.Known || zoo.Low == zoo.High {
		t.Errorf("%+v", zoo)
	}
}

// Anchors play before the other agents, so few games are enough to rate one.
func TestAnchorFirst(t *testing.T) {
	dir, game := testRun(t, 1, 2, 3)
	p := openPool(t, dir, game)
	p.AddAnchor(program(t, game, `gtp:"engine"`, new(agenttest.Programs)), nil)
	if err := p.Rate(context.Background(), Options{Targets: everyone(p), Players: everyone(p), MaxGames: programGames, Threads: 2}); err != nil {
		t.Fatal(err)
	}
	if table := p.Ratings(); find(table, `gtp:"engine"`) == nil || table.Games != programGames {
		t.Errorf("%+v", table)
	}
}

// Void games use up their openings, and the other games of their pairs count.
func TestVoidGames(t *testing.T) {
	dir, game := testRun(t, 1)
	p := openPool(t, dir, game)
	calls := 0
	p.AddAnchor(program(t, game, `gtp:"engine"`, &agenttest.Programs{Fail: func([]env.Action) error {
		if calls++; calls == 1 || calls == 30 {
			return &agent.Fault{Kind: agent.Lost}
		}
		return nil
	}}), nil)
	a, b := p.Index("net@1"), p.Index(`gtp:"engine"`)
	for match := 1; match <= 2; match++ {
		m, err := p.Play(context.Background(), a, b, 8, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		if state := p.pairs[twoOf(a, b)]; m.Played() != 8 || state != (pairState{matches: match, games: 8 * match}) {
			t.Errorf("match %d: %+v after %+v", match, state, m)
		}
		if match > 1 {
			continue
		}
		played := p.pairings[0]
		if m.Games != 6 || played.pairs() != 2 || played.games() != 6 || played.points() != float64(m.Wins)+float64(m.Draws)/2 {
			t.Errorf("%+v of %+v", played, m)
		}
	}
}

// The results of incomplete pairs follow from those of all games.
func TestSingles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var r match.Result
		var want, all [3]int
		for range 20 {
			one, two := rng.IntN(3), rng.IntN(3)
			all[one]++
			if rng.IntN(3) == 0 {
				want[one]++
				continue
			}
			all[two]++
			r.Pentanomial[one+two]++
			if one+two == 2 && one != 1 {
				r.SeatPairs++
			}
		}
		r.Losses, r.Draws, r.Wins = all[0], all[1], all[2]
		if got := singles(&r); got != want {
			t.Errorf("%v of %+v; want %v", got, r, want)
		}
	}
}

// A program that does not work is dropped with a warning, unless its rating is the scale's: then rating ends with an
// error. The match counts for nobody, now and later.
func TestAnchorFails(t *testing.T) {
	for _, fault := range []agent.FaultKind{agent.Died, agent.NoStart} {
		dir, game := testRun(t, 1)
		p := openPool(t, dir, game)
		var failures atomic.Int64
		fake := &agenttest.Programs{Fail: func([]env.Action) error {
			failures.Add(1)
			return &agent.Fault{Kind: fault, Detail: "exit status 7"}
		}}
		p.AddAnchor(program(t, game, `gtp:"engine"`, fake), nil)
		var warnings []error
		o := Options{
			Targets: everyone(p), Players: everyone(p), Within: 200, Threads: 2,
			Warn: func(err error) { warnings = append(warnings, err) },
		}
		if err := p.Rate(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "exit status 7") || failures.Load() > programGames {
			t.Errorf("%s: %d failures, warnings %v", fault, failures.Load(), warnings)
		}
		if a := find(p.Ratings(), `gtp:"engine"`); a != nil {
			t.Errorf("%s: %+v", fault, a)
		}
		if kept := strings.Contains(string(bytes.Join(lines(t, dir), nil)), "exit status 7"); kept != (fault == agent.Died) {
			t.Errorf("%s: arena.jsonl has its match: %v", fault, kept)
		}
		p = openPool(t, dir, game)
		elo := 1000.0
		p.AddAnchor(program(t, game, `gtp:"engine"`, fake), &elo)
		o.Players = everyone(p)
		if err := p.Rate(context.Background(), o); !errors.Is(err, agent.ErrProgram) || !strings.Contains(err.Error(), "exit status 7") {
			t.Errorf("%s, as the scale: %v", fault, err)
		}
		if table := p.Ratings(); len(table.Agents) > 0 {
			t.Errorf("%s, as the scale: %+v", fault, table)
		}
	}
}
