package match

import (
	"math"
	"testing"

	"ludus/env"
)

func TestElo(t *testing.T) {
	for score, want := range map[float64]float64{
		0.5: 0, 10.0 / 11: 400, 1.0 / 11: -400, 0.64: 99.9505, 0: -MaxElo, 1: MaxElo, -1: -MaxElo, 1 - 1e-12: MaxElo, 1e-12: -MaxElo,
	} {
		if got := eloOf(score); math.Abs(got-want) > 1e-3 {
			t.Errorf("eloOf(%v) = %v; want %v", score, got, want)
		}
	}
	for elo := -1000.0; elo <= 1000; elo += 125 {
		expected := 1 / (1 + math.Pow(10, -elo/400))
		if got := eloOf(expected); math.Abs(got-elo) > 1e-6 {
			t.Errorf("eloOf(%v) = %v; want %v", expected, got, elo)
		}
	}
}

// Pairs are counted by A's points, complete ones only; pairs that the seat decided and repeated games are counted.
func TestResultCountsPairs(t *testing.T) {
	games := make([]*finishedGame, 14)
	for i, score := range []float64{0, 0, 0, 0.5, 1, 0, 0, 1, 0.5, 0.5, 1, 0.5, 1} {
		g := &finishedGame{opening: &opening{}, aFirst: i%2 == 0, goals: [2]int{int(100 * score), 100 - int(100*score)}, moves: []env.Action{env.Action(i)}}
		games[i] = g
	}
	games[6].moves = games[0].moves
	games[7].moves = games[0].moves
	m := Config{A: parse(t, quad(), "random")}
	r := m.result(games)
	if r.Pentanomial != [5]int{1, 1, 3, 1, 0} || r.SeatPairs != 2 || r.Pairs != 7 || r.Games != 13 {
		t.Errorf("%+v", r)
	}
	if r.Duplicates != 2 {
		t.Errorf("%d duplicates; want 2", r.Duplicates)
	}
	if r.Elo != eloOf(r.Score) || r.EloLow != eloOf(r.Low) || r.EloHigh != eloOf(r.High) || !(r.EloLow < r.Elo && r.Elo < r.EloHigh) {
		t.Errorf("Elo %v, %v to %v of score %v, %v to %v", r.Elo, r.EloLow, r.EloHigh, r.Score, r.Low, r.High)
	}
}

func TestEloText(t *testing.T) {
	for _, c := range []struct {
		want string
		r    Result
	}{
		{"+35 (-10 to +80)", Result{Games: 10, Score: 0.55, Elo: 34.9, EloLow: -10.2, EloHigh: 80}},
		{"above +151", Result{Games: 10, Score: 1, Elo: MaxElo, EloLow: 151, EloHigh: MaxElo}},
		{"below -151", Result{Games: 10, Score: 0, Elo: -MaxElo, EloLow: -MaxElo, EloHigh: -151}},
		{UnknownElo, Result{EloLow: -MaxElo, EloHigh: MaxElo}},
		{UnknownElo, Result{Games: 4, Score: 1, Elo: MaxElo, EloLow: -163, EloHigh: MaxElo}}, // four wins tell little
		{UnknownElo, Result{Games: 4, Score: 0, Elo: -MaxElo, EloLow: -MaxElo, EloHigh: 163}},
	} {
		if got := c.r.EloText(); got != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}
