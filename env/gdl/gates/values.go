package gates

// Values holds the values of all literals in 64 positions: bit i of entry r is the value of [Ref] r in position i.
type Values []uint64

// NewValues returns values with all inputs false.
func (c *Circuit) NewValues() Values {
	v := make(Values, 2*c.table.n())
	for gate := range c.table.n() {
		v.Set(Ref(2*gate), 0)
	}
	return v
}

// Get returns the value of a literal in all 64 positions, as bits.
func (v Values) Get(r Ref) uint64 { return v[r] }

// Set sets the value of an input in all 64 positions.
func (v Values) Set(r Ref, word uint64) { v[r], v[r^1] = word, ^word }

// Position computes legal moves and terminal in 64 positions from the fluents.
func (c *Circuit) Position(v Values) { c.compute(v, c.plan[ofPosition]) }

// Moves computes the next values of the fluents from the moves; call Position first.
func (c *Circuit) Moves(v Values) { c.compute(v, c.plan[ofMoves]) }

// FinalGoals computes the goals; call Position first.
func (c *Circuit) FinalGoals(v Values) { c.compute(v, c.plan[ofGoals]) }

// compute computes the steps of a plan. It starts the loops of a block as false and repeats the block until they equal
// their definitions, at the least fixpoint.
func (c *Circuit) compute(v Values, plan []step) {
	for i := range plan {
		s := &plan[i]
		if s.block == nil {
			v.compute(s.runs)
			continue
		}
		for _, l := range s.block.loops {
			v.Set(l, 0)
		}
		for changed := true; changed; {
			changed = false
			v.compute(s.runs)
			for k, l := range s.block.loops {
				if d := v.Get(s.block.defs[k]); d != v.Get(l) {
					v.Set(l, d)
					changed = true
				}
			}
		}
	}
}

// compute computes gates in order. The cases for 2 to 4 inputs are only for speed.
func (v Values) compute(runs []run) {
	for _, run := range runs {
		refs := run.refs
		switch run.inputs {
		case 2:
			for ; len(refs) >= 3; refs = refs[3:] {
				v.Set(refs[0], v[refs[1]]&v[refs[2]])
			}
		case 3:
			for ; len(refs) >= 4; refs = refs[4:] {
				v.Set(refs[0], v[refs[1]]&v[refs[2]]&v[refs[3]])
			}
		case 4:
			for ; len(refs) >= 5; refs = refs[5:] {
				v.Set(refs[0], v[refs[1]]&v[refs[2]]&v[refs[3]]&v[refs[4]])
			}
		default:
			for ; len(refs) > 0; refs = refs[1+run.inputs:] {
				and := ^uint64(0)
				for _, r := range refs[1 : 1+run.inputs] {
					and &= v[r]
				}
				v.Set(refs[0], and)
			}
		}
	}
}
