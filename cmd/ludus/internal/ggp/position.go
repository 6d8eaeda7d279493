package ggp

import "ludus/env/gdl/gates"

// rules are the rules of a sheet as a circuit, for any number of roles, with the names of roles and moves.
type rules struct {
	circuit *gates.Circuit
	roles   []string         // in the order of the circuit's roles
	moves   []map[string]int // by role: the index of each move by its text
}

// newRules indexes the roles and moves of a circuit by their texts.
func newRules(circuit *gates.Circuit) *rules {
	r := &rules{circuit: circuit}
	p := circuit.Program
	for role, t := range p.Roles {
		r.roles = append(r.roles, p.Terms.Text(t))
		moves := map[string]int{}
		for i, m := range p.Moves[role] {
			moves[p.Terms.Text(m)] = i
		}
		r.moves = append(r.moves, moves)
	}
	return r
}

// position is a position of a match, for any number of roles.
type position struct {
	*rules
	on     []bool       // truth of each fluent
	values gates.Values // truth of each gate
}

// start returns the first position of a match.
func (r *rules) start() *position {
	p := &position{rules: r, on: r.circuit.Program.Starts(), values: r.circuit.NewValues()}
	p.update()
	return p
}

// update evaluates the circuit's gates in the position. A gate's value is a word, whose bits can stand for 64
// positions; here only bit 0 counts.
func (p *position) update() {
	for i, on := range p.on {
		word := uint64(0)
		if on {
			word = 1
		}
		p.values.Set(p.circuit.Fluent(i), word)
	}
	p.circuit.Position(p.values)
}

// holds reports whether a gate is true.
func (p *position) holds(r gates.Ref) bool { return p.values.Get(r)&1 != 0 }

// over reports whether the position is terminal.
func (p *position) over() bool { return p.holds(p.circuit.Terminal) }

// legal returns the legal moves of a role.
func (p *position) legal(role int) []string {
	var list []string
	for i, r := range p.circuit.Legal[role] {
		if p.holds(r) {
			list = append(list, p.circuit.Program.Terms.Text(p.circuit.Program.Moves[role][i]))
		}
	}
	return list
}

// apply plays a move of each role. It returns false and does nothing if a move is unknown to the sheet.
func (p *position) apply(moves []string) bool {
	var refs []gates.Ref
	for role, text := range moves {
		i, known := p.moves[role][text]
		if !known {
			return false
		}
		refs = append(refs, p.circuit.Move(role, i))
	}
	for _, r := range refs { // these moves are made, and no others
		p.values.Set(r, 1)
	}
	p.circuit.Moves(p.values)
	for i, r := range p.circuit.Next {
		p.on[i] = p.holds(r)
	}
	for _, r := range refs {
		p.values.Set(r, 0)
	}
	p.update()
	return true
}

// goals returns the goal of each role; -1 for a role that has none or several.
func (p *position) goals() []int {
	p.circuit.FinalGoals(p.values)
	var list []int
	for _, goals := range p.circuit.Goals {
		value, count := -1, 0
		for _, g := range goals {
			if p.holds(g.Holds) {
				value = g.Value
				count++
			}
		}
		if count != 1 {
			value = -1
		}
		list = append(list, value)
	}
	return list
}
