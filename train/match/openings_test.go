package match

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/env/solver"
)

// In Quad 5x5 x wins from the start, and most openings of two random plies are lost for one side; those are rejected.
func TestOpeningsAreBalanced(t *testing.T) {
	game := quad()
	s := solver.New(game, 16<<20)
	for _, plies := range []int{1, 2} {
		m := &Config{Game: game, OpeningPlies: plies, Seed: 1, Balance: checkerOf(game)}
		o := newOpenings(m)
		for i := range 20 {
			got, err := o.get(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			state := game.NewState()
			for _, a := range got.moves {
				state.Apply(a)
			}
			class, ok := s.Solve(state, solver.Limits{})
			if got.balance != balanced || len(got.moves) != plies || !ok || game.Classes[class].Utility != 0 {
				t.Errorf("%d plies: opening %d is %v, class %d, balance %d", plies, i, got.moves, class, got.balance)
			}
		}
	}
}

// Openings do not depend on the order in which they are requested or on sharing a checker.
func TestOpeningsDoNotDependOnWhoAsks(t *testing.T) {
	game := quad()
	fresh := NewBalanceChecker(game)
	var want []string
	for pass, order := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 0, 3}, {2, 4, 1}} {
		m := &Config{Game: game, OpeningPlies: 2, Seed: 9, Balance: checkerOf(game)}
		if pass > 0 {
			m.Balance = fresh
		}
		o := newOpenings(m)
		for _, i := range order {
			got, err := o.get(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			if pass == 0 {
				want = append(want, (movesKey(got.moves)))
			} else if (movesKey(got.moves)) != want[i] {
				t.Errorf("pass %d: opening %d is another", pass, i)
			}
		}
	}
}

// If the solver cannot solve openings, or finds only lost ones, all openings are accepted, and the result says so.
func TestOpeningsWithoutBalance(t *testing.T) {
	for _, c := range []struct {
		name  string
		plies int
		want  balance
	}{
		{"quad-5x5", 0, unchecked}, {"quad-7x7", 2, unchecked}, {"breakthrough-6x6", 2, unchecked},
		{"quad-5x5", 1, unbalanced},
	} {
		game := games.Must(c.name)
		m := &Config{Game: game, A: parse(t, game, "random"), OpeningPlies: c.plies, Seed: 1, Balance: NewBalanceChecker(game)}
		for _, a := range game.NewState().Legal(nil) { // as if every first move lost
			state := game.NewState()
			state.Apply(a)
			m.Balance.balances[state.Key()] = unbalanced
		}
		o := newOpenings(m)
		var all []*finishedGame
		for i := range 4 {
			got, err := o.get(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &finishedGame{opening: got}, &finishedGame{opening: got})
		}
		if got := all[0].opening.balance; got != c.want || all[2].opening.balance == unbalanced {
			t.Errorf("%s: balance %d; want %d", c.name, got, c.want)
		}
		if r := m.result(all); r.Balanced || (r.Unbalanced > 0) != (c.want == unbalanced) || r.Unbalanced > 1 {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
}

func TestResultTellsOpenings(t *testing.T) {
	m := &Config{A: parse(t, quad(), "random")}
	for _, c := range []struct {
		balances       []balance
		balanced       bool
		unsolved, lost int
	}{
		{[]balance{balanced, balanced, unsolved}, true, 1, 0},
		{[]balance{unchecked, unchecked}, false, 0, 0},
		{[]balance{balanced, unbalanced, unchecked}, false, 0, 1},
		{nil, false, 0, 0},
	} {
		var all []*finishedGame
		for _, v := range c.balances {
			g := &finishedGame{opening: &opening{balance: v}}
			all = append(all, g, g)
		}
		if r := m.result(all); r.Balanced != c.balanced || r.Unsolved != c.unsolved || r.Unbalanced != c.lost {
			t.Errorf("%v: balanced %v, %d unsolved, %d lost", c.balances, r.Balanced, r.Unsolved, r.Unbalanced)
		}
	}
}

// A cancelled match does not wait for the solver.
func TestCancelledOpenings(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	m := &Config{Game: quad(), OpeningPlies: 2, Seed: 1}
	start := time.Now()
	if _, err := newOpenings(m).get(ctx, 1000); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > time.Second {
		t.Errorf("error %v after %v", err, time.Since(start))
	}
}
