package gdl

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// trials is the number of random games that New plays; fewer if the game is large.
const trials = 1000

// maxTrial is the largest number of plies of a random game, maxTrialWork that of gates computed before the last one
// begins.
const (
	maxTrial     = 5000
	maxTrialWork = 1 << 28
)

// playTrial plays random games. It refuses games that do not end, or in which a player has no move or not exactly one goal at
// the end.
func (g *game) playTrial(ctx context.Context) (played, error) {
	l := g.newLanes(1)
	position, moves, goals := g.net.Size()
	return l.play(ctx, trials, maxTrialWork/(1+position+moves+goals+len(l.choices)))
}

// played says what games were played.
type played struct {
	games    int
	plies    int // of all of them
	shortest int // plies
	longest  int // plies
	wins     [2]int
}

// add counts a game.
func (p *played) add(plies int, goals [2]int) {
	if p.games == 0 || plies < p.shortest {
		p.shortest = plies
	}
	p.games, p.plies, p.longest = p.games+1, p.plies+plies, max(p.longest, plies)
	switch {
	case goals[0] > goals[1]:
		p.wins[env.First]++
	case goals[0] < goals[1]:
		p.wins[env.Second]++
	}
}

// sentence describes the games.
func (p *played) sentence(players [2]string) string {
	share := func(n int) float64 { return 100 * float64(n) / float64(max(1, p.games)) }
	length := fmt.Sprintf("%d to %d plies, %.1f on average", p.shortest, p.longest, float64(p.plies)/float64(max(1, p.games)))
	if p.shortest == p.longest {
		length = fmt.Sprintf("%d plies each", p.longest)
	}
	return fmt.Sprintf("In %d random games: %s; %s won %.0f %%, %s %.0f %%, and %.0f %% were draws.", p.games, length,
		players[env.First], share(p.wins[env.First]), players[env.Second], share(p.wins[env.Second]), share(p.games-p.wins[0]-p.wins[1]))
}

// fewRandomGames is the number of random games that tell nothing if they end alike.
const fewRandomGames = 50

// hints are likely mistakes in a sheet that show in its random games.
func (p *played) hints(e *env.Game) []Hint {
	if p.games < fewRandomGames {
		return nil
	}
	all := fmt.Sprintf("all of %d random games ", p.games)
	const look = ". See whether terminal, goal and next are as you mean them"
	switch {
	case p.longest == 1:
		return []Hint{{Text: all + "are over after the first move" + look}}
	case p.wins == [2]int{}:
		return []Hint{{Text: all + "are draws" + look}}
	case p.wins[env.First] == p.games:
		return []Hint{{Text: all + "are won by " + e.Players[env.First] + look}}
	case p.wins[env.Second] == p.games:
		return []Hint{{Text: all + "are won by " + e.Players[env.Second] + look}}
	}
	return nil
}

// lanes are 64 random games that are played at once: game i is bit i of each word.
type lanes struct {
	game    *game
	values  gates.Values
	next    []uint64     // scratch: the next fluents
	choices []choice     // every move that a role may choose
	legal   [][64]uint64 // scratch of choose: by 64 choices, then game, those that are legal
	plies   [64]int
	rng     *rand.PCG
}

// choice is a move of one or of both roles: its input and whether it is legal, by role. Both are [gates.False] for a
// role that never chooses it.
type choice struct{ move, legal [2]gates.Ref }

func (g *game) newLanes(seed uint64) *lanes {
	l := &lanes{game: g, values: g.net.NewValues(), next: make([]uint64, len(g.net.Next)), rng: rand.NewPCG(seed, 1)}
	for id := range g.env.ActionTexts {
		var c choice
		for role := range 2 {
			if k := g.entry[role][id]; k >= 0 {
				a := g.actions[role][k]
				c.move[role], c.legal[role] = g.net.Move(role, a.move), a.legal
			}
		}
		if c != (choice{}) {
			l.choices = append(l.choices, c)
		}
	}
	l.legal = make([][64]uint64, (len(l.choices)+63)/64)
	return l
}

// quorum is the number of games that wait for their goals before these are computed for all of them.
const quorum = 16

// play plays games to their ends. It begins none after some steps.
func (l *lanes) play(ctx context.Context, games, steps int) (p played, err error) {
	g, v := l.game, l.values
	active := l.begin(^uint64(0), games)
	games -= bits.OnesCount64(active)
	for step := 0; active != 0; step++ {
		if err := ctx.Err(); err != nil {
			return p, fmt.Errorf("random games were not finished: %w", err)
		}
		g.net.Position(v)
		over := v.Get(g.net.Terminal) & active
		if over != active && bits.OnesCount64(over) < quorum {
			if err := l.move(active &^ over); err != nil {
				return p, err
			}
			continue
		}
		if err := l.checkGoals(over); err != nil {
			return p, err
		}
		for rest := over; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros64(rest)
			p.add(l.plies[lane], g.finalGoals(v, lane))
		}
		active &^= over
		if step < steps {
			more := l.begin(over, games)
			games -= bits.OnesCount64(more)
			active |= more
		}
	}
	return p, nil
}

// begin begins a number of games, or fewer: those of a set. It returns which.
func (l *lanes) begin(set uint64, games int) (begun uint64) {
	for ; set != 0 && games > 0; games-- {
		begun |= set & -set
		l.plies[bits.TrailingZeros64(set)] = 0
		set &= set - 1
	}
	for i := range l.game.net.Next {
		f := l.game.net.Fluent(i)
		l.values.Set(f, l.values.Get(f)&^begun|begun&-(l.game.init[i/64]>>(i%64)&1))
	}
	return begun
}

// move plays a random move in each game of a set.
func (l *lanes) move(playing uint64) error {
	n, v := l.game.net, l.values
	if err := l.choose(playing); err != nil {
		return err
	}
	n.Moves(v)
	for i, r := range n.Next {
		l.next[i] = v.Get(r)&playing | v.Get(n.Fluent(i))&^playing
	}
	for i, word := range l.next {
		v.Set(n.Fluent(i), word)
	}
	return nil
}

// choose sets the moves of both roles.
func (l *lanes) choose(playing uint64) error {
	g, v := l.game, l.values
	n, t := g.net, g.turns
	for _, c := range l.choices {
		v.Set(c.move[0], 0)
		v.Set(c.move[1], 0)
	}
	for k, idle := range t.idle {
		if idle >= 0 {
			v.Set(n.Move(1-t.mover[k], idle), 0)
		}
	}
	var movers [2]uint64 // by role: the games in which it chooses
	for k := range t.fluents {
		turn := t.where(n, v, k) & playing
		movers[t.mover[k]] |= turn
		role, without := 1-t.mover[k], turn
		if idle := t.idle[k]; idle >= 0 {
			r := n.Move(role, idle)
			v.Set(r, v.Get(r)|turn)
			without &^= v.Get(n.Legal[role][idle])
		}
		if without != 0 {
			return l.broken(fmt.Sprintf("%s, who is not to move, has no legal move such as noop", g.role(role)), without)
		}
	}
	for b := range l.legal {
		block := &l.legal[b]
		*block = [64]uint64{}
		for i, c := range l.choices[64*b : min(64*b+64, len(l.choices))] {
			block[i] = v.Get(c.legal[0])&movers[0] | v.Get(c.legal[1])&movers[1]
		}
		transpose(block)
	}
	for rest := playing; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros64(rest)
		role := int(movers[1] >> lane & 1)
		count := 0
		for b := range l.legal {
			count += bits.OnesCount64(l.legal[b][lane])
		}
		if count == 0 {
			return l.broken(fmt.Sprintf("%s has no legal move, and the game is not over", g.role(role)), rest)
		}
		if l.plies[lane]++; l.plies[lane] > maxTrial {
			return l.broken(fmt.Sprintf("the game is not over after %d plies", maxTrial), rest)
		}
		nth, _ := bits.Mul64(l.rng.Uint64(), uint64(count))
		k := int(nth)
		b := 0
		for ; k >= bits.OnesCount64(l.legal[b][lane]); b++ {
			k -= bits.OnesCount64(l.legal[b][lane])
		}
		r := l.choices[64*b+nthBit(l.legal[b][lane], k)].move[role]
		v.Set(r, v.Get(r)|1<<lane)
	}
	return nil
}

// checkGoals returns an error if a player has not exactly one goal in some of the positions.
func (l *lanes) checkGoals(positions uint64) error {
	n := l.game.net
	n.FinalGoals(l.values)
	for role, goals := range n.Goals {
		var one, more uint64
		for _, goal := range goals {
			word := l.values.Get(goal.Holds)
			more |= one & word
			one |= word
		}
		if wrong := positions &^ (one &^ more); wrong != 0 {
			count := 0
			for _, goal := range goals {
				count += int(l.values.Get(goal.Holds) >> bits.TrailingZeros64(wrong) & 1)
			}
			return l.broken(fmt.Sprintf("the game is over, and %s has %d goals", l.game.role(role), count), wrong)
		}
	}
	return nil
}

// broken returns an error about a law that the first position of a set breaks.
func (l *lanes) broken(law string, positions uint64) error {
	facts := factsIn(l.game.net, l.values, bits.TrailingZeros64(positions))
	return inPosition(law+lostTurn(l.game.net.Program, facts), facts)
}

// role returns the name of a role.
func (g *game) role(i int) string { return g.net.Program.Terms.Text(g.net.Program.Roles[i]) }

// transpose makes bit i of word k bit k of word i. Source: Warren, Hacker's Delight, section 7-3.
func transpose(a *[64]uint64) {
	mask := ^uint64(0) >> 32
	for j := 32; j > 0; j, mask = j/2, mask^mask<<(j/2) {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (a[k]>>j ^ a[k+j]) & mask
			a[k] ^= t << j
			a[k+j] ^= t
		}
	}
}
