package agent

import (
	"cmp"
	"math"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/model/infer"
)

// defence chooses among moves of equal worth against people: in a lost position what is hardest to beat, elsewhere any
// move that the search likes about as much as its best one.
type defence struct {
	exact     *exactSearch
	evaluator *infer.Evaluator // of the network
	reply     env.State        // scratch
	legal     []env.Action
}

func newDefence(exact *exactSearch, network *infer.Network) *defence {
	return &defence{exact: exact, evaluator: network.NewEvaluator(batchSize), reply: exact.game.NewState()}
}

// Moves count as equal if they differ by no more than this.
const (
	equalPolicy = 0.5  // share of the best move's policy
	equalValue  = 0.02 // utility: 1 % of expected score
)

// equals returns the moves of about equal worth in state after exactSearch.solve. The first one is the choice without
// variety; chosen is that of exactSearch.choose.
func (d *defence) equals(state env.State, chosen env.Action, stop func() bool) []env.Action {
	e := d.exact
	best, worst := e.bounds()
	if best == worst && e.utility(worst) < 0 {
		return d.hardestToBeat(state, d.keeping(state, e.moves, worst, stop), worst, stop)
	}
	if e.won { // chosen is the quickest win
		return []env.Action{chosen}
	}
	c := e.moves[slices.IndexFunc(e.moves, func(m rootMove) bool { return m.action == chosen })]
	list := []rootMove{c}
	for _, m := range e.moves {
		liked := m.policy >= equalPolicy*c.policy && m.estimate >= c.estimate-equalValue
		if m.action != chosen && m.best <= c.best && liked {
			list = append(list, m)
		}
	}
	if best == worst {
		return d.keeping(state, list, worst, stop)
	}
	return actionsOf(list)
}

func actionsOf(moves []rootMove) (list []env.Action) {
	for _, m := range moves {
		list = append(list, m.action)
	}
	return list
}

// keeping returns those of the moves that keep the class of a solved position, as far as half of the node limit tells.
func (d *defence) keeping(state env.State, moves []rootMove, class int, stop func() bool) (list []env.Action) {
	e := d.exact
	for _, m := range moves {
		keeps := m.worst == class
		if !keeps && m.best == class {
			e.after.CopyFrom(state)
			e.after.Apply(m.action)
			keeps, _ = e.solver.ReachesFor(state.Player(), e.after, class, solver.Limits{Nodes: 1 + e.nodes/2/len(moves), Stop: stop})
		}
		if keeps {
			list = append(list, m.action)
		}
	}
	return list
}

// lostMove is a move after which the opponent can win.
type lostMove struct {
	action   env.Action
	winning  int     // number of the opponent's replies that keep the win, as far as is known
	mistakes float64 // chance that a weaker opponent's reply does not keep it
}

// How much easier to beat than the hardest move others may be, so that games differ.
const (
	shorterLine = 2 // plies
	moreWinning = 2 // winning replies, or a third more
)

// compare orders moves, the hardest to beat first.
func (m lostMove) compare(other lostMove) int {
	return cmp.Or(cmp.Compare(m.winning, other.winning), cmp.Compare(other.mistakes, m.mistakes))
}

// hardestToBeat returns those of the moves that are about the hardest to beat, the very hardest first. All lead to class,
// which is worth less than a draw. It considers the length of the line, then the number of winning replies, then what a
// weaker opponent gets wrong most often. It takes at most one and a half times the node limit of a move.
func (d *defence) hardestToBeat(state env.State, open []env.Action, class int, stop func() bool) []env.Action {
	moves := d.countReplies(state, d.longest(state, open, class, stop), class, stop)
	slices.SortStableFunc(moves, lostMove.compare)
	var list []env.Action
	for _, m := range moves {
		if fewest := moves[0].winning; m.winning <= fewest+max(moreWinning, fewest/3) {
			list = append(list, m.action)
		}
	}
	return list
}

// longest returns those of the moves after which the opponent needs most plies to force its class, or up to shorterLine
// plies less; but moves that lose within a ply only if all do. With half of the node limit it looks ahead as far as it gets;
// moves that last longer count as equal.
func (d *defence) longest(state env.State, open []env.Action, class int, stop func() bool) []env.Action {
	nodes := d.exact.nodes / 2
	lasting := [][]env.Action{open} // lasting[n]: the moves that last n plies at least
	kept := func() []env.Action {
		n := len(lasting) - 1
		return lasting[min(n, max(2, n-shorterLine))]
	}
	for len(kept()) > 1 {
		var longer []env.Action
		for _, a := range lasting[len(lasting)-1] {
			lasts, ok := d.outlasts(state, a, class, len(lasting)-1, &nodes, stop)
			if !ok {
				return lasting[len(lasting)-1]
			}
			if lasts {
				longer = append(longer, a)
			}
		}
		if len(longer) == 0 {
			break
		}
		lasting = append(lasting, longer)
	}
	return kept()
}

// outlasts reports whether the opponent needs more than so many plies to force its class after a move. It subtracts the
// solver's work from nodes; ok is false if they do not suffice.
func (d *defence) outlasts(state env.State, move env.Action, class, plies int, nodes *int, stop func() bool) (lasts, ok bool) {
	e := d.exact
	e.after.CopyFrom(state)
	e.after.Apply(move)
	switch {
	case e.after.Done() || plies == 0:
		return !e.after.Done(), true
	case *nodes <= 0:
		return false, false
	}
	theirs := len(e.game.Classes) - 1 - class // the opponent's number of the class
	forced, ok := e.solver.ForcesWithin(state.Player().Opponent(), e.after, theirs, plies, solver.Limits{Nodes: *nodes, Stop: stop})
	*nodes -= e.solver.Nodes()
	return !forced, ok
}

// countReplies counts the winning replies to each move, and the chance that a weaker opponent errs: the mass of the
// other replies in the network's policy at temperature 2. Moves to symmetric positions count alike. The replies share the
// node limit. A reply that is not solved within it counts as winning.
func (d *defence) countReplies(state env.State, open []env.Action, class int, stop func() bool) (list []lostMove) {
	e, opponent := d.exact, state.Player().Opponent()
	theirs := len(e.game.Classes) - 1 - class // the opponent's number of the class
	const temperature = 2
	nodes, left := e.nodes, 0
	counted := map[env.Key]lostMove{}
	for _, a := range open {
		e.after.CopyFrom(state)
		e.after.Apply(a)
		key, _ := e.after.CanonicalKey()
		if _, ok := counted[key]; !ok && !e.after.Done() {
			counted[key] = lostMove{}
			left += len(e.after.Legal(d.legal[:0]))
		}
	}
	clear(counted)
	A := e.game.NumActions()
	logits, classes := make([]float32, A), make([]float32, len(e.game.Classes))
	for _, a := range open {
		e.after.CopyFrom(state)
		e.after.Apply(a)
		m := lostMove{action: a}
		if e.after.Done() || e.after.Player() != opponent { // nothing that the opponent could miss
			m.winning = A
			list = append(list, m)
			continue
		}
		key, _ := e.after.CanonicalKey()
		if image, ok := counted[key]; ok {
			image.action = a
			list = append(list, image)
			continue
		}
		d.legal = e.after.Legal(d.legal[:0])
		d.evaluator.Evaluate([]env.State{e.after}, logits, classes, nil)
		frame := e.game.Frame(opponent)
		most, total, missed := math.Inf(-1), 0.0, 0.0
		for _, r := range d.legal {
			most = max(most, float64(logits[frame[r]]))
		}
		for _, r := range d.legal {
			p := math.Exp((float64(logits[frame[r]]) - most) / temperature)
			total += p
			d.reply.CopyFrom(e.after)
			d.reply.Apply(r)
			keeps := true
			if d.reply.Done() {
				keeps = e.game.ClassFor(opponent, d.reply.Outcome()) <= theirs
			} else if share := nodes / left; share > 0 && !stop() {
				reached, ok := e.solver.ReachesFor(opponent, d.reply, theirs, solver.Limits{Nodes: share, Stop: stop})
				nodes -= e.solver.Nodes()
				keeps = reached || !ok
			}
			left--
			if keeps {
				m.winning++
			} else {
				missed += p
			}
		}
		m.mistakes = missed / total
		counted[key] = m
		list = append(list, m)
	}
	return list
}
