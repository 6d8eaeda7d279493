package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
)

// A dial has ascending ratings and ends at full strength: it leaves out strengths that are not rated higher than all weaker
// ones, and those that are rated as high as the last one.
func TestNewDial(t *testing.T) {
	var ratings []float64
	for _, s := range NewDial([]Strength{
		{Rating: 50}, {Rating: 40}, {Rating: 54}, {Rating: 300}, {Rating: 55}, {Rating: 301}, {Rating: 330}, {Rating: 316}, {Rating: 320},
	}) {
		ratings = append(ratings, s.Rating)
	}
	if want := []float64{50, 300, 320}; !slices.Equal(ratings, want) {
		t.Errorf("ratings %v; want %v", ratings, want)
	}
}

func testDial() Dial {
	return Dial{
		{Temperature: 64, Rating: 80.5, Low: 60.5, High: 110.5},
		{Temperature: 4, Rating: 400, Low: 390, High: 410},
		{Simulations: 8, Temperature: 0.5, Rating: 900, Low: 850, High: 1000},
	}
}

// The mean rating of the two strengths that play for elo=N, weighted by their shares, is N, and so is that of a level. Its
// interval lies between theirs.
func TestDialInterpolates(t *testing.T) {
	d := testDial()
	low, high, ok := d.Range()
	if low != 81 || high != 900 || !ok {
		t.Fatalf("range %d to %d, %t", low, high, ok)
	}
	for elo := low; elo <= high; elo++ {
		i, share := d.find(elo)
		a, b := d[i], d[i+1]
		if mean := (1-share)*a.Rating + share*b.Rating; math.Abs(mean-float64(elo)) > 1e-9 || share < 0 || share > 1 {
			t.Fatalf("elo=%d: strengths rated %v and %v, share %v", elo, a.Rating, b.Rating, share)
		}
		from, to := d.Interval(elo)
		if up, down := to-float64(elo), float64(elo)-from; up < min(a.High-a.Rating, b.High-b.Rating)-1e-9 ||
			up > max(a.High-a.Rating, b.High-b.Rating)+1e-9 || down < min(a.Rating-a.Low, b.Rating-b.Low)-1e-9 {
			t.Fatalf("elo=%d: interval %v to %v", elo, from, to)
		}
	}
	levels := d.Levels()
	if len(levels) != 17 || levels[0] != (Level{Elo: 100, Low: 81, High: 129}) || levels[16] != (Level{Elo: 900, Low: 850, High: 1000}) {
		t.Errorf("levels %v", levels)
	}
	for _, none := range []Dial{nil, d[:1], {{Rating: 10}, {Rating: 100}}, {{Rating: -300}, {Rating: 50}}} {
		if _, _, ok := none.Range(); ok || none.Levels() != nil {
			t.Errorf("%v has an effect", none)
		}
	}
}

// Words name ranges of the dial by the share of blunders, which is interpolated as the rating is.
func TestGrades(t *testing.T) {
	d := testDial()
	if grades := d.Grades(); grades != nil || d.Blunders(100) != nil {
		t.Errorf("without measured blunders: %v", grades)
	}
	d[0].Blunders, d[1].Blunders, d[2].Blunders = new(0.6), new(0.2), new(0.0)
	if got := *d.Blunders(650); math.Abs(got-0.1) > 1e-9 {
		t.Errorf("elo=650 has a share of blunders of %v; want 0.1", got)
	}
	want := "[beginner: elo=100 to 300, 58 to 33 % blunders casual: elo=350 to 600, 26 to 12 % blunders " +
		"club: elo=650 to 750, 10 to 6.0 % blunders strong: elo=800 to 900, 4 to at most 0.2 % blunders]"
	if got := fmt.Sprint(d.Grades()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"zoo,elo=350": "casual (26 % blunders)", "zoo,elo=700": "club (8.0 % blunders)", "zoo,elo=900": "strong (at most 0.2 % blunders)",
		"zoo": "strongest (at most 0.2 % blunders)", "zoo,sims=256": "strongest (at most 0.2 % blunders)", "zoo,sims=16": "", "policy:zoo": "", "greedy": "",
	} {
		spec, err := Parse(text)
		if got := d.Words(spec); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	d[2].Blunders = new(0.0046)
	if got, want := d.Words(Spec{Kind: Net, Simulations: DefaultSimulations}), "strongest (at most 0.5 % blunders)"; got != want {
		t.Errorf("full strength: %q, want %q", got, want)
	}
	d[1].Blunders = new(1.1)
	if err := d.Validate(); err == nil {
		t.Error("a share of blunders of 1.1 is valid")
	}
}

// A dial with which an agent cannot play, or not as fast as others, is not valid.
func TestDialValidate(t *testing.T) {
	for _, d := range []Dial{nil, testDial(), {{Simulations: DefaultSimulations, Rating: -maxElo, Low: -maxElo, High: 0}}} {
		if err := d.Validate(); err != nil {
			t.Error(err)
		}
	}
	nan := math.NaN()
	for want, change := range map[string]func(s *Strength){
		"-1 simulations":       func(s *Strength) { s.Simulations = -1 },
		"65 simulations":       func(s *Strength) { s.Simulations = DefaultSimulations + 1 },
		"temperature -1":       func(s *Strength) { s.Temperature = -1 },
		"temperature NaN":      func(s *Strength) { s.Temperature = nan },
		"temperature 100.5":    func(s *Strength) { s.Temperature = 100.5 },
		"rated 5e+06":          func(s *Strength) { s.Rating, s.High = 5e6, 6e6 },
		"rated NaN":            func(s *Strength) { s.Rating = nan },
		"outside its interval": func(s *Strength) { s.Low = 401 },
		"outside":              func(s *Strength) { s.High = nan },
		"ratings ascend":       func(s *Strength) { s.Rating, s.Low = 80.5, 70 },
	} {
		d := testDial()
		change(&d[1])
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), "strength 2 ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v; want one that says %q", d[1], err, want)
		}
	}
}

// loadDialled loads random networks with the test's dial.
func loadDialled(game *env.Game) Loader {
	return func(r Reference) (*infer.Weights, Origin, error) {
		return infertest.RandomWeights(game, 4, 1, 1), Origin{Generation: -1, Digest: "1", Dial: testDial()}, nil
	}
}

// An agent with elo=N lies between two strengths: between two temperatures of the policy it has a temperature of its own, and
// otherwise it mixes their moves.
func TestEloPlays(t *testing.T) {
	game := quad()
	choices := func(text string) (moves []env.Action) {
		f, err := ParseFactory(game, text, loadDialled(game))
		if err != nil {
			t.Fatal(err)
		}
		a, err := f.New(1)
		if err != nil {
			t.Fatal(err)
		}
		for i, state := range randomPositions(game, 8, 60) {
			a.Reset(uint64(i))
			move, err := a.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			moves = append(moves, move)
		}
		return moves
	}
	if !slices.Equal(choices("zoo,elo=650"), choices("zoo,elo=650")) {
		t.Error("a game is not determined by the seed")
	}
	f, err := ParseFactory(game, "zoo,elo=650", loadDialled(game))
	if err != nil {
		t.Fatal(err)
	}
	drawn, rng := map[string]int{}, newRand(3)
	for range 10_000 {
		drawn[testDial().draw(Spec{Kind: Net, Network: Reference{Path: Zoo}, Elo: 525}, rng).String()]++
	}
	// A quarter of the way from 400 to 900.
	if weaker, stronger := drawn["policy:zoo,temp=4"], drawn["zoo,sims=8,temp=0.5"]; weaker+stronger != 10_000 || stronger < 2300 || stronger > 2700 {
		t.Errorf("elo=525 mixes %v", drawn)
	}
	for range 20 {
		between := testDial().draw(Spec{Kind: Net, Network: Reference{Path: Zoo}, Elo: 240}, rng)
		ratio := math.Log(64/between.Temperature) / math.Log(64/4.0) // of the logarithms
		if between.Kind != Policy || math.Abs(ratio-(240-80.5)/(400-80.5)) > 1e-9 {
			t.Errorf("elo=240 plays %v", between)
		}
	}
	// The analysis is not weakened.
	a, err := f.New(1)
	if err != nil {
		t.Fatal(err)
	}
	analysis, err := a.Analyze(context.Background(), game.NewState(), 0)
	if err != nil || analysis.Simulations != DefaultSimulations {
		t.Errorf("%+v, %v", analysis, err)
	}
	if f.ForPeople().Nodes != 0 || !f.Stochastic() || a.(*Batched).exact != nil {
		t.Error("a solver undoes elo=, or the agent counts as deterministic")
	}
}

func TestEloErrors(t *testing.T) {
	game := quad()
	none := func(r Reference) (*infer.Weights, Origin, error) {
		return infertest.RandomWeights(game, 4, 1, 1), Origin{}, nil
	}
	for _, c := range []struct {
		text, want string
		load       Loader
	}{
		{"zoo,elo=80", "elo is from 81 to 900", loadDialled(game)},
		{"net:runs/a,elo=901", "elo is from 81 to 900", loadDialled(game)},
		{"zoo,elo=500", "has no strength dial here", none},
		{"net:runs/a,elo=500", `"ludus rate RUN --dial" measures`, none},
	} {
		f, err := ParseFactory(game, c.text, c.load)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Load(); !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: error %v; want one that says %q", c.text, err, c.want)
		}
		if _, err := f.New(1); err == nil {
			t.Errorf("%s plays", c.text)
		}
	}
}
