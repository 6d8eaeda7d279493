package envtest

import (
	"testing"

	"ludus/env"
)

// notakto is tic-tac-toe on three boards on which both players mark x. A board with a line is dead, and whoever makes
// the last one loses. A board can have six marks without a line, so the longest game has 21 plies.
type notakto struct {
	marked  [27]bool
	plies   int
	outcome int
}

func newNotakto(maxPlies int) *env.Game {
	g := &env.Game{
		Name: "notakto", Family: "notakto", Rules: "Whoever makes the last line loses.", Players: [2]string{"first", "second"}, Tensor: env.Shape{H: 3, W: 9},
		Planes: []string{"marks"}, PolicyNames: []string{"mark"}, Classes: env.WinDrawLoss, MaxPlies: maxPlies,
		Drawing: env.Drawing{Rows: env.Labels("r", 1, 3), Columns: env.Labels("c", 1, 9), Pieces: []env.Piece{{Name: "x", Neutral: true}}},
	}
	for cell := range 27 {
		g.AddAction("mark", env.Placed(cell))
	}
	env.Derive(g, notakto{outcome: env.Unfinished})
	return g.Finish(nil)
}

// dead reports whether a board has a line.
func (n *notakto) dead(board int) bool {
	at := func(i int) bool { return n.marked[i/3*9+3*board+i%3] }
	for _, l := range [][3]int{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}} {
		if at(l[0]) && at(l[1]) && at(l[2]) {
			return true
		}
	}
	return false
}

func (n *notakto) Player() env.Player { return env.Player(n.plies % 2) }
func (n *notakto) Outcome() int       { return n.outcome }

func (n *notakto) Legal(dst []env.Action) []env.Action {
	for cell := range n.marked {
		if !n.marked[cell] && !n.dead(cell%9/3) {
			dst = append(dst, env.Action(cell))
		}
	}
	return dst
}

func (n *notakto) Apply(a env.Action) {
	loser := n.Player()
	n.marked[a] = true
	n.plies++
	if n.dead(0) && n.dead(1) && n.dead(2) {
		n.outcome = 2 - 2*int(loser)
	}
}

func (n *notakto) Key() (k env.Key) {
	for cell, marked := range n.marked {
		if marked {
			k[0] |= 1 << cell
		}
	}
	return k
}

func (n *notakto) Encode(dst []float32) {
	clear(dst)
	for cell, marked := range n.marked {
		if marked {
			dst[cell] = 1
		}
	}
}

func (n *notakto) Pieces(dst []uint8) []uint8 {
	for _, marked := range n.marked {
		kind := uint8(0)
		if marked {
			kind = 1
		}
		dst = append(dst, kind)
	}
	return dst
}

// TestNotakto: random games of Notakto have at most 19 plies; the law finds those of 20 and 21.
func TestNotakto(t *testing.T) {
	for most, want := range map[int]bool{18: true, 19: true, 20: true, 21: false} {
		if err := checkLength(newNotakto(most)); (err != nil) != want {
			t.Errorf("MaxPlies %d: %v", most, err)
		}
	}
	Run(t, newNotakto(21))
	if err := checkPlay(newNotakto(19)); err != nil {
		t.Errorf("random games suffice: %v", err)
	}
}
