package gdl

import (
	"context"
	"fmt"

	"ludus/env/gdl/gates"
)

// Limits of the random games that show whether a sheet keeps the laws of games: their number, and the gates computed
// before the last ones begin.
const (
	trials       = 1000
	maxTrialWork = 1 << 28
)

// randomGames plays random games, 64 at a time, and calls ended with each walk whose games are all over. If a game breaks a
// law, it returns the walk, the law and the number of the game. It stops early when ctx ends.
func randomGames(ctx context.Context, c *gates.Circuit, ended func(w *walk)) (w *walk, law string, game int) {
	steps := maxTrialWork / (1 + c.Size())
	for begun := 0; begun < trials && steps >= 0; begun += 64 {
		w = newWalk(c, uint64(begun), min(64, trials-begun))
		for ; w.playing != 0; steps-- {
			if ctx.Err() != nil {
				return w, "", 0
			}
			if law, game := w.step(); law != "" {
				return w, law, game
			}
		}
		ended(w)
	}
	return w, "", 0
}

// trial holds statistics of random games.
type trial struct {
	games    int
	plies    int // sum over all games
	shortest int // plies of the shortest game
	longest  int // plies of the longest game
	roles    [2]string
	wins     [2]int // by role
}

// playTrial plays random games of two roles. It returns an error if one breaks a law of games: if it does not end, if a
// player has no move or both have a choice, or if a player does not have exactly one goal at the end.
func playTrial(ctx context.Context, c *gates.Circuit) (trial, error) {
	t := trial{shortest: maxTrial}
	for role, name := range c.Program.Roles {
		t.roles[role] = c.Program.Terms.Text(name)
	}
	w, law, game := randomGames(ctx, c, t.add)
	if law != "" {
		return t, brokenLaw(c, law, w.Values, game)
	}
	if err := ctx.Err(); err != nil {
		return t, fmt.Errorf("random games were not finished: %w", err)
	}
	return t, nil
}

// add adds the games of a walk, which are over, to the statistics.
func (t *trial) add(w *walk) {
	for game, plies := range w.plies {
		if plies == 0 {
			break // the walk has fewer games
		}
		t.games, t.plies = t.games+1, t.plies+plies
		t.shortest, t.longest = min(t.shortest, plies), max(t.longest, plies)
		switch x, y := w.goals[0][game], w.goals[1][game]; {
		case x > y:
			t.wins[0]++
		case x < y:
			t.wins[1]++
		}
	}
}

// sentence describes the random games in one sentence for authors of sheets.
func (t *trial) sentence() string {
	share := func(n int) float64 { return 100 * float64(n) / float64(t.games) }
	return fmt.Sprintf("In %d random games: %d to %d plies, %.1f on average; %s won %.0f %%, %s %.0f %%, and %.0f %% were draws.",
		t.games, t.shortest, t.longest, float64(t.plies)/float64(t.games),
		t.roles[0], share(t.wins[0]), t.roles[1], share(t.wins[1]), share(t.games-t.wins[0]-t.wins[1]))
}

// warnings returns a warning if all random games end alike.
func (t *trial) warnings() []Warning {
	what := ""
	switch {
	case t.longest == 1:
		what = "over after the first move"
	case t.wins == [2]int{}:
		what = "draws"
	case t.wins[0] == t.games:
		what = "won by " + t.roles[0]
	case t.wins[1] == t.games:
		what = "won by " + t.roles[1]
	default:
		return nil
	}
	return []Warning{{Text: fmt.Sprintf("all of %d random games are %s. See whether terminal, goal and next are as you mean them", t.games, what)}}
}
