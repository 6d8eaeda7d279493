package gates

import (
	"strings"
	"testing"

	"ludus/env/gdl/ground"
)

// TestDepth refuses a chain of too many gates, and follows the longest one allowed.
func TestDepth(t *testing.T) {
	for gates, refused := range map[int]bool{maxDepth: false, maxDepth + 1: true} {
		// Atoms 1 and 2 are the fluents; atom k holds if atom k-1 and one of them do.
		p := &ground.Program{
			Roles: []ground.Term{1}, Fluents: []ground.Term{1, 2}, True: []ground.Term{1, 2}, Moves: [][]ground.Term{nil},
			Does: [][]ground.Term{nil}, Legal: [][]ground.Term{nil}, Goal: []map[int]ground.Term{nil},
			Rules: map[ground.Term][][]ground.Literal{}, Terminal: ground.Term(2 + gates),
		}
		for k := range gates {
			p.Rules[ground.Term(3+k)] = [][]ground.Literal{{ground.Literal(2 + k), ^ground.Literal(1 + k%2)}}
		}
		p.Rules[3][0][0], p.Rules[3][0][1] = 1, 2
		n, err := New(t.Context(), p)
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "one after the other") {
			t.Errorf("%d gates: error %v", gates, err)
		}
		if err == nil {
			f := n.NewFolder()
			f.Reset([]Ref{n.Fluent(0)})
			f.Fold(n.Terminal)
		}
	}
}
