package gdl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// policy maps the moves of both roles to actions of package env.
type policy struct {
	actions [2][]action // by role: the moves that it may make as the mover, by ascending id
	entry   [2][]int    // by role, then env.Action: index in actions[role], or -1
}

// action is a move that a role may make, with its number as an action of the game.
type action struct {
	id    env.Action
	move  int // index of the move in the circuit, see gates.Circuit.Move
	legal gates.Ref
}

// plane identifies a plane of the tensor or of the policy. The terms shown on it have one functor and differ only in
// their cell.
type plane struct{ functor, text string }

// slot is one cell of a plane of the policy; it stands for at most one move.
type slot struct {
	plane plane
	cell  int
}

// layout assigns entries of the policy to moves: cells of planes to moves that name cells, single entries behind the
// planes to the others.
type layout struct {
	program *ground.Program
	board   *board // nil without one
	cells   int
	planes  []plane
	slots   map[slot]ground.Term
	single  []ground.Term
	drawn   map[ground.Term]env.FromTo // cells of the moves that people can enter on the board
}

// setActions numbers the possible moves of both roles as actions. Moves of the two roles with the same text share an
// action.
func (g *game) setActions(b *board) error {
	p, e := g.circuit.Program, g.env
	terms := g.turns.possibleMoves(p)
	if len(terms) == 0 {
		return errors.New("nobody ever has a move")
	}
	setBoard(e, p, b)
	l := &layout{program: p, board: b, cells: e.Tensor.Cells(), slots: map[slot]ground.Term{}, drawn: map[ground.Term]env.FromTo{}}
	for _, f := range functorsOf(p, terms) {
		l.add(f)
	}
	ids := l.number(e)
	for role := range 2 {
		actions := &g.policy.actions[role]
		for m, possible := range g.turns.moves[role] {
			if possible {
				*actions = append(*actions, action{ids[p.Moves[role][m]], m, g.circuit.Legal[role][m]})
			}
		}
		slices.SortFunc(*actions, func(a, b action) int { return cmp.Compare(a.id, b.id) })
		g.policy.entry[role] = slices.Repeat([]int{-1}, len(e.ActionTexts))
		for k, a := range *actions {
			g.policy.entry[role][a.id] = k
		}
	}
	return nil
}

// possibleMoves lists the moves that at least one role may make as the mover.
func (t *turns) possibleMoves(p *ground.Program) (terms []ground.Term) {
	seen := map[ground.Term]bool{}
	for role := range 2 {
		for m, possible := range t.moves[role] {
			if x := p.Moves[role][m]; possible && !seen[x] {
				seen[x] = true
				terms = append(terms, x)
			}
		}
	}
	return terms
}

// add lays out the moves of one functor: on planes if they name cells, otherwise as single entries. Without a board
// each move gets a plane of one cell.
func (l *layout) add(f functor) {
	if l.board == nil {
		for _, t := range f.terms {
			own := plane{f.name, l.program.Terms.Text(t)}
			l.planes = append(l.planes, own)
			l.slots[slot{plane: own}] = t
		}
		return
	}
	pl := l.board.placeOf(l.program, f.terms)
	placed := map[slot]ground.Term{}
	known := map[plane]bool{}
	var planes []plane
	for _, t := range f.terms {
		s := l.slotOf(f.name, pl, t)
		placed[s] = t
		if !known[s.plane] {
			known[s.plane] = true
			planes = append(planes, s.plane)
		}
	}
	sparse := len(planes)*l.cells > 32*len(f.terms)+1024 // far more entries than moves
	if pl.kind == nowhere || len(placed) < len(f.terms) || sparse {
		l.single = append(l.single, f.terms...)
		return
	}
	l.planes = append(l.planes, planes...)
	for s, t := range placed {
		l.slots[s] = t
	}
}

// slotOf returns the plane and cell of a move. A move with two cells, such as (move 1 2 1 3), stands on its first cell,
// in a plane for its direction.
func (l *layout) slotOf(functor string, pl place, t ground.Term) slot {
	pl.pairs = pl.pairs[:min(2, len(pl.pairs))]
	others, named := pl.others(l.program, t), l.board.cells(l.program, pl, t)
	s := slot{plane: plane{functor, others}}
	if pl.kind == nowhere {
		return s
	}
	s.cell = int(named[0])
	if pl.kind != onCell {
		return s
	}
	cells := env.FromTo{From: env.NoCell, To: named[0]}
	if len(named) == 2 {
		from, to, w := s.cell, int(named[1]), l.board.width()
		s.plane.text = fmt.Sprintf("%s %+d %+d", others, to%w-from%w, to/w-from/w)
		cells = env.FromTo{From: named[0], To: named[1]}
	}
	if !strings.Contains(others, " ") && cells.From != cells.To {
		l.drawn[t] = cells
	}
	return s
}

// number writes the layout into the game's policy and returns the action of each move.
func (l *layout) number(e *env.Game) map[ground.Term]env.Action {
	if len(l.planes) == 0 {
		l.planes = []plane{{text: "unused"}} // networks need at least one plane
	}
	ids := map[ground.Term]env.Action{}
	add := func(t ground.Term) {
		ids[t] = env.Action(len(e.ActionTexts))
		e.ActionTexts = append(e.ActionTexts, l.program.Terms.Text(t))
		cells, ok := l.drawn[t]
		if !ok {
			cells = env.NoCells
		}
		e.Drawing.ActionCells = append(e.Drawing.ActionCells, cells)
	}
	for _, plane := range l.planes {
		e.PolicyNames = append(e.PolicyNames, plane.text)
		for cell := range l.cells {
			if t, ok := l.slots[slot{plane, cell}]; ok {
				add(t)
				continue
			}
			e.ActionTexts = append(e.ActionTexts, "")
			e.Drawing.ActionCells = append(e.Drawing.ActionCells, env.NoCells)
		}
	}
	for _, t := range l.single {
		add(t)
		e.PolicyNames = append(e.PolicyNames, l.program.Terms.Text(t))
	}
	e.PolicyExtras = len(l.single)
	return ids
}
