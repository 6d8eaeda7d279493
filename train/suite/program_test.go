package suite

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
)

// A program is shown the moves that lead to each position, and is closed at the end. Positions in which it fails count
// as the worst move, except void failures, which do not count.
func TestProgram(t *testing.T) {
	s := mustMake(t, options(t, small[0], 40))
	number := map[string]int{} // index of a position by its moves
	for i, p := range s.Positions {
		number[strings.Join(s.Game.Names(p.Moves), " ")] = i
	}
	fail := func(at func(i int) error) *agenttest.Programs {
		return &agenttest.Programs{Fail: func(moves []env.Action) error {
			return at(number[strings.Join(s.Game.Names(moves), " ")])
		}}
	}
	test := func(p *agenttest.Programs, threads int) (Result, error) {
		f := agenttest.Factory(t, s.Game.Name, `gtp:"engine"`).WithPrograms(p.Start)
		r, err := s.Test(context.Background(), f, TestOptions{Threads: threads})
		if n := p.Running.Load(); n != 0 {
			t.Errorf("%d programs run at the end", n)
		}
		r.Seconds = 0
		return r, err
	}
	all, err := test(new(agenttest.Programs), 1)
	if err != nil || all.Positions != 40 || all.Failures != nil {
		t.Fatalf("%+v, %v", all, err)
	}
	died := &agent.Fault{Kind: agent.Died, Detail: "exit status 3"}
	unreliable := func(i int) error {
		switch {
		case i%10 == 0:
			return died
		case i%10 == 1:
			return agent.ErrResigned
		case i < 10 && i%2 == 0:
			return &agent.Fault{Kind: agent.Lost}
		}
		return nil
	}
	one, err := test(fail(unreliable), 1)
	want := []Failure{{"died", "exit status 3", 4, false}, {"resigned", "", 4, false}, {"lost", "", 4, true}}
	if err != nil || one.Positions != 36 || !reflect.DeepEqual(one.Failures, want) {
		t.Errorf("%+v, %v", one, err)
	}
	if two, err := test(fail(unreliable), 2); err != nil || !reflect.DeepEqual(two.Error, one.Error) {
		t.Errorf("two threads: %+v, %v; one: %+v", two, err, one)
	}
	worst := 0.0
	for i := range s.Positions {
		worst += s.Positions[i].loss(s.Game, slices.Max(s.Positions[i].Values)) / float64(len(s.Positions))
	}
	r, err := test(fail(func(int) error { return died }), 2)
	if err != nil || r.Error.Value != 1 || math.Abs(r.Loss.Value-worst) > 1e-9 {
		t.Errorf("a program that always dies: %+v, %v; want a loss of %v", r, err, worst)
	}
	_, err = test(fail(func(int) error { return &agent.Fault{Kind: agent.NoStart, Detail: "exit status 7"} }), 2)
	if !errors.Is(err, agent.ErrProgram) || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("a program that does not start: %v", err)
	}
	o := options(t, small[0], 40)
	o.Agents = append(o.Agents, agenttest.Factory(t, s.Game.Name, `gtp:"engine"`))
	if _, err := Make(context.Background(), o); err == nil || !strings.Contains(err.Error(), "is an outside program") {
		t.Errorf("a suite of a program's games: %v", err)
	}
}
