package mcts

import (
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// A line begins with its move and is legal. From a proven move on it is best play; only moves that the search has
// neither visited nor proven have none.
func TestLine(t *testing.T) {
	const most = 6
	proven, long := 0, 0
	for _, name := range []string{"tic-tac-toe", "hex(size=3)", "breakthrough(columns=3,rows=4)"} {
		g := games.Must(name)
		for seed := range uint64(10) {
			rng := newGenerator(seed)
			root := envtest.RandomPosition(g, rng, 2+rng.IntN(4))
			for _, cfg := range rules(8) {
				s := New(g, cfg)
				s.Start(root, 40, nil)
				run(s, Uniform{})
				for i, m := range s.Moves() {
					line := s.Line(nil, i, most)
					known := m.Lower == m.Upper
					if (len(line) == 0) != (m.Visits == 0 && !known) || len(line) > most || len(line) > 0 && line[0] != m.Action {
						t.Fatalf("%s: line %v of %+v", name, line, m)
					}
					state := g.After(root, m.Action)
					class := -1
					if known {
						proven++
						class = solve(g, state)
					}
					for _, a := range line[min(1, len(line)):] {
						state = g.After(state, a) // panics if a is illegal
						if known && solve(g, state) != class {
							t.Fatalf("%s: %v throws the proven value away", name, g.Names(line))
						}
					}
					if reply := visitedReply(s, i); reply >= 0 && len(line) > 1 && !known && line[1] != reply {
						t.Fatalf("%s: %v goes on with another move than the most visited %s", name, g.Names(line), g.ActionNames[reply])
					}
					if known && len(line) < most && !state.Done() {
						t.Fatalf("%s: proven line %v does not end the game", name, g.Names(line))
					}
					long = max(long, len(line))
				}
			}
		}
	}
	if proven < 100 || long < most {
		t.Errorf("%d proven moves, longest line %d", proven, long)
	}
}

// visitedReply returns the reply to the root's move i that has more visits than all others; -1 if there is none.
func visitedReply(s *Search, i int) env.Action {
	t := &s.tree
	child := t.edges[t.nodes[root].firstEdge+int32(i)].child
	if child == none {
		return -1
	}
	reply, most := env.Action(-1), int32(0)
	for j, e := range t.edgesOf(child) {
		switch visits := int32(e.visits); {
		case visits > most:
			reply, most = t.actions[t.nodes[child].firstMove+int32(j)], visits
		case visits == most:
			reply = -1
		}
	}
	return reply
}
