package selfplay

import (
	"context"
	"errors"
	"testing"

	"ludus/env/games"
	"ludus/train/record"
)

// fakeLearner hands out assignments in turn, each for some rounds, and counts the games that it gets.
type fakeLearner struct {
	t           *testing.T
	assignments []*Assignment
	asked       int
	games       map[string]int // by name
	waited      map[string]int // those that went on after games of another size
	stop        func()
}

// roundsEach is the number of rounds for which a fakeLearner's assignment is the newest.
const roundsEach = 2

func (l *fakeLearner) Newest(context.Context) (*Assignment, error) {
	l.asked++
	if l.asked > 60 {
		l.stop()
	}
	return l.current(), nil
}

// current returns the newest assignment.
func (l *fakeLearner) current() *Assignment {
	return l.assignments[(l.asked-1)/roundsEach%len(l.assignments)]
}

func (l *fakeLearner) PublishGames(_ context.Context, m *record.Message) error {
	for _, r := range m.Records {
		if r.Game != l.current().Game {
			l.t.Errorf("a game of %s is published, %s is to be played", r.Game.Name, l.current().Game.Name)
		}
		l.games[r.Game.Name]++
		if len(r.Plies) > roundsEach*workerPlies { // more searched plies than in a turn: the game has waited
			l.waited[r.Game.Name]++
		}
	}
	return nil
}

// TestWorkerSizes: a worker plays the size of the newest assignment, and games in progress of others wait.
func TestWorkerSizes(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := &fakeLearner{t: t, games: map[string]int{}, waited: map[string]int{}, stop: cancel}
	for _, name := range []string{"quad(size=4,quads=4,whites=1)", "quad(size=5,quads=6,whites=1)"} {
		a := testAssignment(t, games.Must(name))
		a.Run, a.Simulations, a.Settings.SolverNodes = "run", 2, 0
		l.assignments = append(l.assignments, a)
	}
	if err := Play(ctx, l, 1, func(Played) {}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, a := range l.assignments {
		if l.games[a.Game.Name] < workerGames || l.waited[a.Game.Name] == 0 {
			t.Errorf("games %v, of which %v have waited", l.games, l.waited)
		}
	}
}
