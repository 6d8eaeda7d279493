package agent

import (
	"context"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

// forPeople returns an agent with a random network that plays against people.
func forPeople(t *testing.T, game *env.Game, text string) *Batched {
	t.Helper()
	a, err := parse(t, game, text).ForPeople().New(1)
	if err != nil {
		t.Fatal(err)
	}
	return a.(*Batched)
}

// replayed returns the position after moves.
func replayed(t *testing.T, game *env.Game, moves ...string) env.State {
	t.Helper()
	state, _, err := env.ReplayText(game, moves)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// In a lost position the agent makes the line about as long as possible, and leaves the opponent about as few winning
// replies as the longest lines allow.
func TestLostPositions(t *testing.T) {
	game := games.Must("line-up(width=4,height=4,line=3)")
	a, s, tested := forPeople(t, game, "net:1,sims=8"), solver.New(game, 1<<20), 0
	last := len(game.Classes) - 1
	for i, state := range randomPositions(game, 8, 60) {
		classes := exactClasses(game, s, state, 0)
		if slices.Min(classes) != last {
			continue
		}
		// measure returns the plies that the opponent needs after a move, and how many of its replies win.
		measure := func(move env.Action) (plies, winning int) {
			next := game.After(state, move)
			for !next.Done() && !forced(s, state.Player().Opponent(), next, plies) {
				plies++
			}
			if next.Done() {
				return 0, 0
			}
			for _, class := range exactClasses(game, s, next, 0) {
				if class == 0 {
					winning++
				}
			}
			return plies, winning
		}
		longest, fewest := 0, len(game.ActionNames)
		for _, move := range state.Legal(nil) {
			plies, _ := measure(move)
			longest = max(longest, plies)
		}
		least := max(longest-shorterLine, min(longest, 2)) // plies: a move that loses at once is no defence
		for _, move := range state.Legal(nil) {
			if plies, winning := measure(move); plies >= least {
				fewest = min(fewest, winning)
			}
		}
		a.Reset(uint64(i))
		move, err := a.Choose(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		if plies, winning := measure(move); plies < least || winning > fewest+max(moreWinning, fewest/3) {
			t.Errorf("%s loses in %d plies to %d replies; possible are %d and %d\n%s", game.ActionNames[move], plies, winning, longest, fewest, game.Board(state))
		}
		tested++
	}
	if tested < 5 {
		t.Errorf("only %d positions are lost", tested)
	}
}

func forced(s *solver.Solver, player env.Player, state env.State, plies int) bool {
	if plies == 0 {
		return false
	}
	forced, _ := s.ForcesWithin(player, state, 0, plies, solver.Limits{})
	return forced
}

// In a lost position all symmetric images of a move come about equally often, and the games go on differently.
func TestDefenceVaries(t *testing.T) {
	game := quad()
	a, s := forPeople(t, game, "net:1"), solver.New(game, 16<<20)
	choose := func(state env.State) env.Action {
		move, err := a.Choose(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		return move
	}
	start := replayed(t, game, "c3")
	first, second := map[env.Action]int{}, map[env.Key]bool{}
	for seed := range uint64(20) {
		a.Reset(seed)
		move := choose(start)
		first[move]++
		state := game.After(start, move)
		state = game.After(state, state.Legal(nil)[slices.Index(exactClasses(game, s, state, 0), 0)]) // the first winning reply
		key, _ := game.After(state, choose(state)).CanonicalKey()
		second[key] = true
	}
	for move := range first {
		key, _ := game.After(start, move).CanonicalKey()
		for _, image := range start.Legal(nil) {
			other, _ := game.After(start, image).CanonicalKey()
			if other == key && first[image] < 2 {
				t.Errorf("%s is played %d times, %s %d times", game.ActionNames[move], first[move], game.ActionNames[image], first[image])
			}
		}
	}
	if len(second) < 3 {
		t.Errorf("after two replies there are %d different positions", len(second))
	}
}

// Against people an agent varies its moves by its seed, in a lost, a drawn and an even position, without giving value
// away, and plays a quickest win where it sees one; other agents always play the same.
func TestVariety(t *testing.T) {
	quad := quad()
	ticTacToe := games.Must("tic-tac-toe")
	for _, c := range []struct {
		game   *env.Game
		moves  []string
		varied bool
	}{
		{quad, []string{"c3"}, true}, {ticTacToe, nil, true}, {ticTacToe, []string{"a1", "b1", "a2", "b2"}, false},
	} {
		s, state := solver.New(c.game, 16<<20), replayed(t, c.game, c.moves...)
		classes, legal := exactClasses(c.game, s, state, 0), state.Legal(nil)
		for text, a := range map[string]Agent{
			"for people": forPeople(t, c.game, "net:1"), "for matches": newAgent(t, c.game, "net:1,solve=2000000"),
		} {
			played := map[env.Action]int{}
			for seed := range uint64(10) {
				a.Reset(seed % 5)
				move, err := a.Choose(context.Background(), state)
				if err != nil {
					t.Fatal(err)
				}
				if class := classes[slices.Index(legal, move)]; class != slices.Min(classes) {
					t.Errorf("%s, after %v: %s has class %d", text, c.moves, c.game.ActionNames[move], class)
				}
				played[move]++
			}
			for move, n := range played {
				if n%2 != 0 {
					t.Errorf("%s, after %v: %s is played %d times by 2 times 5 seeds", text, c.moves, c.game.ActionNames[move], n)
				}
			}
			if wanted := c.varied && text == "for people"; len(played) > 1 != wanted {
				t.Errorf("%s, after %v: %d different moves", text, c.moves, len(played))
			}
		}
	}
}

// A move is hardest to beat if few replies win, and among these if an opponent often misses them.
func TestOrderOfLostMoves(t *testing.T) {
	moves := []lostMove{{action: 1, winning: 2, mistakes: 0.9}, {action: 2, winning: 1, mistakes: 0.1}, {action: 3, winning: 1, mistakes: 0.4}}
	slices.SortFunc(moves, lostMove.compare)
	if moves[0].action != 3 || moves[1].action != 2 || moves[2].action != 1 {
		t.Errorf("the order is %v", moves)
	}
}
