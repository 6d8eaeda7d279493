package network

// Values are the values of all gates: bit i of entry g is the value of gate g in position i.
type Values []uint64

// NewValues returns values of the network, with all inputs false.
func (n *Network) NewValues() Values { return make(Values, n.gates.n()) }

// Get returns the values of a gate or its negation.
func (v Values) Get(r Ref) uint64 { return v[r>>1] ^ -uint64(r&1) }

// Set sets the values of an input.
func (v Values) Set(r Ref, word uint64) { v[r>>1] = word }

// Position computes what holds: legal moves, the end, goals. The fluents must be set.
func (n *Network) Position(v Values) { n.compute(v, n.plan[0]) }

// Moves computes the next fluents, after Position. The moves must be set.
func (n *Network) Moves(v Values) { n.compute(v, n.plan[1]) }

func (n *Network) compute(v Values, plan []step) {
	for i := range plan {
		s := &plan[i]
		if s.block == nil {
			n.run(v, s.gates)
			continue
		}
		for _, l := range s.block.loops {
			v[l>>1] = 0
		}
		for changed := true; changed; {
			changed = false
			n.run(v, s.gates)
			for k, l := range s.block.loops {
				if d := v.Get(s.block.defs[k]); d != v[l>>1] {
					v[l>>1], changed = d, true
				}
			}
		}
	}
}

// run computes gates in order.
func (n *Network) run(v Values, gates []int32) {
	first, inputs := n.gates.first, n.gates.inputs
	for _, gate := range gates {
		and := ^uint64(0)
		for _, r := range inputs[first[gate]:first[gate+1]] {
			and &= v[r>>1] ^ -uint64(r&1)
		}
		v[gate] = and
	}
}
