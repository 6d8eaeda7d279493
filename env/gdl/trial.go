package gdl

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"ludus/env"
)

// Limits of the random games that New plays: their number, and the gates computed before the last one begins.
const (
	trials       = 1000
	maxTrialWork = 1 << 28
)

// trial holds statistics of random games.
type trial struct {
	games    int
	plies    int // sum over all games
	shortest int // plies of the shortest game
	longest  int // plies of the longest game
	wins     [2]int
}

// playTrial plays random games for New. It returns an error if a game does not end, if a player has no move in it, or
// if a player does not have exactly one goal at its end.
func (g *game) playTrial(ctx context.Context) (trial, error) {
	position, moves, goals := g.circuit.Size()
	choices := 0
	for id := range g.env.ActionTexts {
		if g.policy.entry[0][id] >= 0 || g.policy.entry[1][id] >= 0 {
			choices++
		}
	}
	return g.playRandom(ctx, g.newTrialWalk(1), trials, maxTrialWork/(1+position+moves+goals+choices))
}

// newTrialWalk returns a walk that numbers each role's moves by action for its random choices. Moves that a role has
// only while the other one is the mover come last.
func (g *game) newTrialWalk(seed uint64) *walk {
	w := newWalk(g.circuit, 0)
	w.rng = rand.NewPCG(seed, 1)
	for role, actions := range g.policy.actions {
		w.order[role] = w.order[role][:0]
		for _, a := range actions {
			w.order[role] = append(w.order[role], a.move)
		}
		for m, possible := range g.turns.moves[role] {
			if !possible {
				w.order[role] = append(w.order[role], m)
			}
		}
	}
	return w
}

// quorum is the number of finished games from which on playRandom computes their goals, all at once.
const quorum = 16

// playRandom plays up to games random games, 64 at a time. After so many steps it finishes the running games but starts
// no more.
func (g *game) playRandom(ctx context.Context, w *walk, games, steps int) (t trial, err error) {
	active := firstBits(^uint64(0), games)
	w.begin(active)
	games -= bits.OnesCount64(active)
	for step := 0; active != 0; step++ {
		if err := ctx.Err(); err != nil {
			return t, fmt.Errorf("random games were not finished: %w", err)
		}
		g.circuit.Position(w.values)
		over := w.values.Get(g.circuit.Terminal) & active
		if over != active && bits.OnesCount64(over) < quorum {
			if law, game := w.move(active &^ over); law != "" {
				return t, brokenLaw(g.circuit, law, w.values, game)
			}
			continue
		}
		if law, game := w.checkGoals(over); law != "" {
			return t, brokenLaw(g.circuit, law, w.values, game)
		}
		for rest := over; rest != 0; rest &= rest - 1 {
			game := bits.TrailingZeros64(rest)
			t.add(w.plies[game], g.finalGoals(w.values, game))
		}
		active &^= over
		if step < steps {
			more := firstBits(over, games)
			w.begin(more)
			games -= bits.OnesCount64(more)
			active |= more
		}
	}
	return t, nil
}

// firstBits returns the lowest n of the set bits of a word.
func firstBits(set uint64, n int) (first uint64) {
	for ; set != 0 && n > 0; n-- {
		first |= set & -set
		set &= set - 1
	}
	return first
}

// add adds a game to the statistics.
func (t *trial) add(plies int, goals [2]int) {
	if t.games == 0 || plies < t.shortest {
		t.shortest = plies
	}
	t.games, t.plies, t.longest = t.games+1, t.plies+plies, max(t.longest, plies)
	switch {
	case goals[0] > goals[1]:
		t.wins[env.First]++
	case goals[0] < goals[1]:
		t.wins[env.Second]++
	}
}

// sentence describes the random games in one sentence for authors of sheets.
func (t *trial) sentence(players [2]string) string {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, t.games)) }
	length := fmt.Sprintf("%d to %d plies, %.1f on average", t.shortest, t.longest, float64(t.plies)/float64(max(1, t.games)))
	if t.shortest == t.longest {
		length = fmt.Sprintf("%d plies each", t.longest)
	}
	return fmt.Sprintf("In %d random games: %s; %s won %.0f %%, %s %.0f %%, and %.0f %% were draws.", t.games, length,
		players[env.First], share(t.wins[env.First]), players[env.Second], share(t.wins[env.Second]), share(t.games-t.wins[0]-t.wins[1]))
}

// fewRandomGames is the least number of random games from which trial.warnings draws conclusions.
const fewRandomGames = 50

// warnings returns a warning if all random games end alike.
func (t *trial) warnings(players [2]string) []Warning {
	what := ""
	switch {
	case t.games < fewRandomGames:
		return nil
	case t.longest == 1:
		what = "over after the first move"
	case t.wins == [2]int{}:
		what = "draws"
	case t.wins[env.First] == t.games:
		what = "won by " + players[env.First]
	case t.wins[env.Second] == t.games:
		what = "won by " + players[env.Second]
	default:
		return nil
	}
	return []Warning{{Text: fmt.Sprintf("all of %d random games are %s. See whether terminal, goal and next are as you mean them", t.games, what)}}
}
