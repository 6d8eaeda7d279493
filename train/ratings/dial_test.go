package ratings

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// trained loads a small trained network of quad-5x5, with a dial.
func trained(dial agent.Dial) agent.Loader {
	return func(agent.Reference) (w *infer.Weights, origin agent.Origin, err error) {
		w, origin, err = rundir.LoadWeights(agent.Reference{Path: "../agent/testdata/quad-5x5.safetensors"})
		origin.Dial = dial
		return w, origin, err
	}
}

// Agents on a dial play as strong as they claim: their ratings in other games against other agents differ from the claims by no
// more than the intervals of both allow.
func TestDialClaims(t *testing.T) {
	game := games.Must("quad-5x5")
	o := DialOptions{Game: game, Load: trained(nil), within: 60, Balance: balance, Threads: 2}
	dial, table, err := MeasureDial(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	low, high, ok := dial.Range()
	if !ok || low > 200 || high < 600 || math.Abs(dial[len(dial)-1].Rating-table.Agents[0].Rating) > 60 {
		t.Fatalf("the dial goes from %d to %d: %+v", low, high, dial)
	}
	o.Load = trained(dial)
	claims, _, err := CheckDial(context.Background(), o, dial)
	if err != nil || len(claims) != CheckedClaims {
		t.Fatal(claims, err)
	}
	for _, c := range claims {
		from, to := dial.Interval(c.Elo)
		r, elo := c.Rating, float64(c.Elo)
		allowed := math.Hypot(max(to-elo, elo-from), max(r.High-r.Rating, r.Rating-r.Low)) + pairingError
		log := t.Logf
		if math.Abs(r.Rating-elo) > allowed {
			log = t.Errorf
		}
		log("elo=%d is rated %.0f; %.0f Elo are allowed", c.Elo, r.Rating, allowed)
	}
}

// The strengths of a checkpoint are part of its run's matches and of ratings.json, not of the ladder.
func TestDialOfRun(t *testing.T) {
	dir, game := testRun(t, 3, 7)
	reopen := func() *Pool {
		p, warnings, err := open(dir, game, agent.DefaultSimulations, fewer, balance, scale{})
		if err != nil || len(warnings) > 0 {
			t.Fatal(err, warnings)
		}
		return p
	}
	p := reopen()
	newest := p.Best() // none is rated
	strengths := p.AddStrengths(newest)
	if last := strengths[len(strengths)-1]; last != newest || len(strengths) != len(agent.Strengths()) {
		t.Errorf("strengths %v; the strongest must be %d", strengths, newest)
	}
	o := Options{Targets: strengths, Players: append(p.Baselines(), strengths...), Within: 1, Dial: true, Threads: 2,
		MaxGames: connectGames * (len(strengths) + 1)} // connects all
	if err := p.Rate(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	table := written(t, p, dir)
	if len(table.Agents) != 3 || len(table.Dials) != 1 || table.Dials[0].Generation != 7 || len(table.Dials[0].Strengths) == 0 {
		t.Fatalf("%+v", table)
	}
	for _, a := range table.Agents {
		if strings.Contains(a.Agent, ",") {
			t.Errorf("%s is on the ladder", a.Agent)
		}
	}
	if again := reopen().Ratings(); !reflect.DeepEqual(again.Dials, table.Dials) {
		t.Errorf("the matches give the dial %+v; written was %+v", again.Dials, table.Dials)
	}
	for generation, want := range map[int]agent.Dial{3: nil, 7: table.DialOf(7)} {
		_, origin, err := rundir.LoadWeights(agent.CheckpointOf(dir, generation))
		if err != nil || !reflect.DeepEqual(origin.Dial, want) {
			t.Errorf("generation %d has the dial %v, %v; want %v", generation, origin.Dial, err, want)
		}
	}
	if err := rundir.DropAfter(dir, 6); err != nil {
		t.Fatal(err)
	}
	if table := reopen().Ratings(); table.Dials != nil {
		t.Errorf("a generation that was dropped has the dial %+v", table.Dials)
	}
}

// The matches that measure a dial do not depend on the clock. Two agents without a network do not play for it.
func TestDialMatches(t *testing.T) {
	game := games.Must("quad-5x5")
	specs := []string{Anchor, "greedy", "policy:zoo,temp=4", "zoo,sims=4,temp=0.5"}
	var want *rundir.Ratings
	for _, threads := range []int{2, 1} {
		p, err := poolOf(game, specs, trained(nil), 1, balance)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Players: p.Baselines(), Dial: true, Within: 60, MaxGames: 1500, Threads: threads}
		o.Targets = o.Players[1:]
		if err := p.Rate(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		table := p.Ratings()
		table.Seconds = 0
		if want == nil {
			want = table
		}
		if !reflect.DeepEqual(table, want) {
			t.Errorf("%d threads: %+v\n2 threads: %+v", threads, table, want)
		}
		if p.pairs[twoOf(0, 1)].games > 0 {
			t.Error("two agents without a network have played")
		}
	}
}
