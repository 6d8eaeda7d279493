package ratings

import (
	"context"
	"math"
	"slices"
	"testing"

	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/shipped"
)

// With several known ratings, an agent's rating is that with the highest likelihood, and its interval is of the rating.
func TestKnownRatings(t *testing.T) {
	unknown := math.NaN()
	games := []pairing{
		{a: 2, b: 0, singles: [3]int{10, 0, 90}},
		{a: 2, b: 1, singles: [3]int{80, 0, 20}},
		{a: 3, b: 2, singles: [3]int{50, 0, 50}},
	}
	f := newFit([]float64{0, 600, unknown, unknown}, games)
	f.setCentre(func(agent int) bool { return agent == 0 })
	likelihood := func(x, y float64) float64 {
		v := slices.Clone(f.rating)
		v[2], v[3] = x/eloPerUnit, y/eloPerUnit
		return f.likelihood(v)
	}
	best, at := math.Inf(-1), [2]float64{}
	for x := 200.0; x < 600; x += 2 {
		for y := 200.0; y < 600; y += 2 {
			if l := likelihood(x, y); l > best {
				best, at = l, [2]float64{x, y}
			}
		}
	}
	near(t, "a rating", f.elo(2), at[0], 2)
	near(t, "the rating of its equal", f.elo(3), at[1], 2)
	near(t, "the second known rating", f.elo(1), 600, 1e-9)
	if low, high := f.interval(1); low != high {
		t.Errorf("a known rating has an interval from %v to %v", low, high)
	}
	near3, far3 := f.deviation(2), f.deviation(3)
	if !(near3 < far3) {
		t.Errorf("deviation %v of an agent that played two known ones, %v of one that played none", near3, far3)
	}
	low, high := f.interval(2)
	near(t, "the interval's width in deviations", (high-low)/near3, 4, 0.3)
}

// A run's ladder has the shipped agent and weakened ones, with the ratings of the card. Matches of another shipped
// network do not count.
func TestScale(t *testing.T) {
	dir, game := testRun(t, 1)
	card := zoo.CardOf(game.Name)
	p, _, err := Open(dir, game, 4, fewer, balance)
	if err != nil {
		t.Fatal(err)
	}
	net, weakest := p.Index("net@1"), p.Index(p.scale.agents[len(p.scale.agents)-1].name)
	if weakest != net-1 {
		t.Errorf("the weakest shipped agent is number %d, the first checkpoint %d", weakest, net)
	}
	m, err := p.Play(context.Background(), net, weakest, 64, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	if m.Shipped != card.Network.SHA256[:16] {
		t.Errorf("the match names the shipped network %q", m.Shipped)
	}
	table := written(t, p, dir)
	if !table.Known() || len(table.Agents) != 3 { // with random
		t.Fatalf("%+v", table.Agents)
	}
	for _, a := range table.Agents {
		if a.Known != (a.Agent == p.agents[weakest].name) || a.Known && (a.Rating != float64(p.agents[weakest].factory.Elo) || !a.Weakened()) {
			t.Errorf("%+v", a)
		}
	}
	other := *m
	other.Number, other.Shipped = 2, "0123456789abcdef"
	if err := rundir.MatchesFile.Append(dir, &other); err != nil {
		t.Fatal(err)
	}
	again, _, err := Open(dir, game, 4, fewer, balance)
	if err != nil {
		t.Fatal(err)
	}
	if got := again.Ratings().Games; got != table.Games {
		t.Errorf("%d games count, want %d", got, table.Games)
	}
}

// Agents of known rating have nothing to play: their ratings are given.
func TestKnownDoNotPlay(t *testing.T) {
	dir, game := testRun(t)
	p, _, err := Open(dir, game, 4, []string{Anchor}, balance)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Rate(context.Background(), Options{Targets: p.Baselines(), Players: p.Baselines(), Within: 30, Threads: 1}); err != nil {
		t.Fatal(err)
	}
	if n := len(lines(t, dir)); n > 0 {
		t.Errorf("%d matches", n)
	}
}

// A game without a shipped agent has no scale.
func TestNoScale(t *testing.T) {
	game := games.Must("quad(size=4,quads=6,whites=0)")
	p, _, err := Open(t.TempDir(), game, 4, fewer, match.NewBalanceChecker(game))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.agents); n != len(fewer) || p.Ratings().Known() {
		t.Errorf("%d agents", n)
	}
}

// The pool of every game has the opponent of its runs, also where the shipped agent has no known rating. Such an agent
// gets its rating from games.
func TestOpponents(t *testing.T) {
	for _, name := range zoo.Games() {
		game := games.Must(name)
		p, _, err := Open(t.TempDir(), game, 4, fewer, match.NewBalanceChecker(game))
		if err != nil {
			t.Fatal(err)
		}
		i := p.Index(shipped.Opponent(game))
		card := zoo.CardOf(name)
		if a := &p.agents[i]; !p.canPlay(i) || slices.Contains(p.Baselines(), i) || (a.known == nil) != (card.Rating == nil) || (len(p.scale.agents) == 1) != (card.Dial == nil) {
			t.Errorf("%s: %+v", name, a)
		}
		if card.Rating != nil {
			continue
		}
		p.pairings = []pairing{{a: i, b: 0, singles: [3]int{10, 0, 90}}}
		if r := p.Ratings(); len(r.Agents) != 2 || r.Known() || r.Agents[0].Agent != agent.Zoo || r.Agents[0].Rating < 100 ||
			r.Agents[1].Low >= 0 { // random's interval is of its distance to the pool's centre
			t.Errorf("%s: %+v", name, r)
		}
	}
}
