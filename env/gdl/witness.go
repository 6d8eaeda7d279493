package gdl

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// Witness is a game of random moves that leads to a position in which a sheet breaks a law of games.
type Witness struct {
	Law       string            // what is wrong in the last position
	Game      *env.Game         // has players, Tensor and Drawing only; the rest is not known
	Positions []WitnessPosition // from the start
}

// WitnessPosition is a position of a [Witness].
type WitnessPosition struct {
	Facts  []string // that are true
	Pieces []uint8  // see [env.State.Pieces]
	Mover  int      // the first role with a choice, or 0
	Moves  []string // by role: played here; nil in the last position
}

// witnessGames is the number of games in which FindWitness looks for a broken law.
const witnessGames = 1024

// FindWitness plays random games until a law is broken: while the game goes on every role has a legal move, and one role
// at most has more than one; at its end every role has exactly one goal; and the end comes within 5,000 plies. It plays
// with any number of roles, 64 games at once. The result is nil if no law was broken or ctx ended.
func FindWitness(ctx context.Context, net *gates.Circuit) *Witness {
	for batch := range uint64(witnessGames / 64) {
		w := newWalk(net, batch)
		for w.playing != 0 && ctx.Err() == nil {
			if law, lane := w.step(); law != "" {
				return w.witness(law, lane)
			}
		}
	}
	return nil
}

// Err returns an error that names the law and the position that breaks it.
func (w *Witness) Err() error { return inPosition(w.Law, w.Positions[len(w.Positions)-1].Facts) }

// walk are 64 random games, of any number of roles, that are played at once.
type walk struct {
	net     *gates.Circuit
	values  gates.Values
	rng     *rand.Rand
	playing uint64      // the games that go on
	legal   [][64][]int // by role, then game: the legal moves
	history [64][][]int // by game, then ply: the move of each role
	set     []gates.Ref // inputs of moves that are true in some game
}

func newWalk(net *gates.Circuit, seed uint64) *walk {
	w := &walk{net: net, values: net.NewValues(), rng: rand.New(rand.NewPCG(seed, 3)), playing: ^uint64(0)}
	w.legal = make([][64][]int, len(net.Program.Roles))
	w.start()
	return w
}

// start puts all games to the first position.
func (w *walk) start() {
	for i, start := range w.net.Program.Starts() {
		w.values.Set(w.net.Fluent(i), -uint64(b2i(start)))
	}
}

// isOver reports whether the first game is over.
func (w *walk) isOver() bool {
	w.net.Position(w.values)
	return w.values.Get(w.net.Terminal)&1 != 0
}

// step plays a move in each game. It returns the first broken law and the game that breaks it; "" if there is none.
func (w *walk) step() (law string, lane int) {
	n, v := w.net, w.values
	n.Position(v)
	over := v.Get(n.Terminal) & w.playing
	if over != 0 {
		n.FinalGoals(v)
		if law, lane := w.checkGoals(over); law != "" {
			return law, lane
		}
		w.playing &^= over
	}
	w.findLegal()
	for rest := w.playing; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros64(rest)
		if law := w.checkMoves(lane); law != "" {
			return law, lane
		}
		moves := make([]int, len(w.legal))
		for role := range w.legal {
			list := w.legal[role][lane]
			moves[role] = list[w.rng.IntN(len(list))]
		}
		w.history[lane] = append(w.history[lane], moves)
	}
	w.apply(func(lane int) []int { return w.history[lane][len(w.history[lane])-1] })
	return "", 0
}

// checkGoals checks the goals of games that are over.
func (w *walk) checkGoals(over uint64) (law string, lane int) {
	for role, goals := range w.net.Goals {
		for rest := over; rest != 0; rest &= rest - 1 {
			lane := bits.TrailingZeros64(rest)
			var held []string
			for _, g := range goals {
				if w.values.Get(g.Holds)>>lane&1 != 0 {
					held = append(held, fmt.Sprint(g.Value))
				}
			}
			switch {
			case len(held) == 0:
				return fmt.Sprintf("the game is over, and %s has no goal", w.role(role)), lane
			case len(held) > 1:
				return fmt.Sprintf("the game is over, and %s has the goals %s", w.role(role), strings.Join(held, " and ")), lane
			}
		}
	}
	return "", 0
}

// checkMoves checks the legal moves of a game that is not over.
func (w *walk) checkMoves(lane int) (law string) {
	var choosing, stuck []string
	for role := range w.legal {
		switch n := len(w.legal[role][lane]); {
		case n == 0:
			stuck = append(stuck, w.role(role))
		case n > 1:
			choosing = append(choosing, w.role(role))
		}
	}
	switch {
	case len(stuck) > 0 && len(choosing) > 0:
		return fmt.Sprintf("%s, who is not to move, has no legal move such as noop", stuck[0])
	case len(stuck) > 0:
		return fmt.Sprintf("%s has no legal move, and the game is not over", stuck[0])
	case len(choosing) > 1:
		return fmt.Sprintf("%s both have a choice", strings.Join(choosing[:2], " and "))
	case len(w.history[lane]) >= maxTrial:
		return fmt.Sprintf("the game is not over after %d plies", maxTrial)
	}
	return ""
}

// role returns the name of a role.
func (w *walk) role(i int) string { return w.net.Program.Terms.Text(w.net.Program.Roles[i]) }

// findLegal lists the legal moves.
func (w *walk) findLegal() {
	for role, legal := range w.net.Legal {
		lists := &w.legal[role]
		for lane := range lists {
			lists[lane] = lists[lane][:0]
		}
		for m, r := range legal {
			for word := w.values.Get(r) & w.playing; word != 0; word &= word - 1 {
				lane := bits.TrailingZeros64(word)
				lists[lane] = append(lists[lane], m)
			}
		}
	}
}

// apply plays a move of each role in each game.
func (w *walk) apply(movesOf func(lane int) []int) {
	n, v := w.net, w.values
	for _, r := range w.set {
		v.Set(r, 0)
	}
	w.set = w.set[:0]
	for rest := w.playing; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros64(rest)
		for role, m := range movesOf(lane) {
			r := n.Move(role, m)
			v.Set(r, v.Get(r)|1<<lane)
			w.set = append(w.set, r)
		}
	}
	n.Moves(v)
	next := make([]uint64, len(n.Next))
	for i, r := range n.Next {
		next[i] = v.Get(r)
	}
	for i, word := range next {
		v.Set(n.Fluent(i), word)
	}
}

// witness plays a game again and records its positions.
func (w *walk) witness(law string, lane int) *Witness {
	g := sketch(w.net)
	again := newWalk(w.net, 0)
	again.playing = 1
	p := w.net.Program
	x := &Witness{Law: law, Game: g.env}
	for ply := 0; ; ply++ {
		position := WitnessPosition{Pieces: g.appendBoard(nil), Facts: factsIn(w.net, again.values, 0)}
		for i := range p.Fluents {
			if again.values.Get(w.net.Fluent(i))&1 == 0 {
				continue
			}
			g.draw(position.Pieces, i)
		}
		w.net.Position(again.values)
		again.findLegal()
		for role := len(again.legal) - 1; role >= 0; role-- {
			if len(again.legal[role][0]) > 1 {
				position.Mover = role
			}
		}
		if ply == len(w.history[lane]) {
			x.Law += lostTurn(p, position.Facts)
			x.Positions = append(x.Positions, position)
			return x
		}
		for role, m := range w.history[lane][ply] {
			position.Moves = append(position.Moves, p.Terms.Text(p.Moves[role][m]))
		}
		x.Positions = append(x.Positions, position)
		again.apply(func(int) []int { return w.history[lane][ply] })
	}
}

// sketch finds out how positions are drawn, whatever else is wrong with a sheet.
func sketch(net *gates.Circuit) *game {
	p := net.Program
	g := &game{net: net, turns: &turns{}, env: &env.Game{}}
	for role := range min(2, len(p.Roles)) {
		g.env.Players[role] = p.Terms.Text(p.Roles[role])
	}
	b := findBoard(p, nil)
	g.setBoard(b)
	g.setTensor(b, net.NewFolder(), false)
	g.env.Tensor.C = len(g.env.Planes)
	return g
}
