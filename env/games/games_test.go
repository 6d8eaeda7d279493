package games

import (
	"math/rand/v2"
	"testing"

	"ludus/env/envtest"
	"ludus/mcts"
)

// variants are games of the families that have no alias.
var variants = []string{
	"breakthrough(columns=2,rows=4)",
	"breakthrough(columns=3,rows=5,captures=false)",
	"quad(size=4,quads=6,whites=0,corners=full)",
	"quad(size=4,quads=4,whites=2)",
	"quad(size=5,quads=3,whites=2,corners=left)",
	"quad(size=6,quads=2,whites=9,corners=full)",
	"quad(size=11,quads=20,whites=7)",
	"quad(size=13,quads=24,whites=8)",
	"golden-rectangle(columns=4,rows=4,span=1)",
	"golden-rectangle(columns=9,rows=9)",
	"golden-rectangle(columns=9,rows=4,span=3)",
	"golden-rectangle(columns=13,rows=13,span=5)",
	"free-for-all(size=5,steps=12)",
	"free-for-all(size=6,steps=21,objective=score)",
	"free-for-all(size=9,steps=100,objective=score)",
	"line-up(width=4,height=4,line=3,gravity=1)",
	"line-up(width=11,height=11,line=6,gravity=1)",
	"line-up(width=5,height=3,line=3,gravity=0)",
	"line-up(width=3,height=11,line=4,gravity=0)",
	"line-up(width=3,height=3,line=3,gravity=0,swap=1)",
	"line-up(width=5,height=4,line=3,gravity=1,overline=0,swap=1)",
	"line-up(width=19,height=19,line=6,gravity=1)",
	"line-up(width=17,height=16,line=5,gravity=0,overline=0,swap=1)",
	"othello(size=4)",
	"othello(size=12)",
	"hex(size=2)",
	"hex(size=3,swap=0)",
	"hex(size=9,swap=0)",
	"hex(size=14,swap=0)",
}

func TestConformance(t *testing.T) {
	for _, name := range append(Names(), variants...) {
		t.Run(name, func(t *testing.T) {
			envtest.Run(t, Must(name))
		})
	}
}

// TestSearchPlaysTicTacToe checks that tic-tac-toe is a draw when the search plays both sides.
func TestSearchPlaysTicTacToe(t *testing.T) {
	g := Must("tic-tac-toe")
	state, search := g.NewState(), mcts.New(g, mcts.DefaultConfig())
	batcher := mcts.NewBatcher(g, mcts.Uniform{}, 1, 0)
	for !state.Done() {
		search.Start(state, 1000, rand.New(rand.NewPCG(1, 1)))
		search.Run(batcher)
		state.Apply(search.Best())
	}
	if state.Goals() != [2]int{50, 50} {
		t.Errorf("the search loses tic-tac-toe\n%s", g.Board(state))
	}
}
