package infer

import (
	"ludus/env/games"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestGrow: a larger network computes the same as the one it grew from.
func TestGrow(t *testing.T) {
	for _, c := range []struct {
		game            string
		figures, pooled bool // of the network
	}{{"quad-5x5", true, false}, {"othello-6x6", false, false}, {"hex-5x5", false, true}} {
		game := games.Must(c.game)
		made := *game
		if !c.figures {
			made.Figures = nil
		}
		w := randomWeights(&made, Config{Game: game.Name, Channels: 8, Blocks: 2, Pooled: c.pooled}, 1)
		w.ValueScale = 0.25
		grown, err := w.Grow(game, 12, 3, rand.New(rand.NewPCG(2, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if err := grown.Validate(game); err != nil {
			t.Fatal(err)
		}
		want := Config{Game: game.Name, Channels: 12, Blocks: 3, Pooled: c.pooled}
		if grown.Config != want || grown.ValueScale != 0.25 || grown.HasFigureLayers() != c.figures {
			t.Errorf("%s: config %v, value scale %v, figure layers %v", game.Name, grown.Config, grown.ValueScale, grown.HasFigureLayers())
		}
		inputs := randomInputs(game, 4, 3)
		logits, classes, _ := evaluate(t, game, w, inputs)
		grownLogits, grownClasses, _ := evaluate(t, game, grown, inputs)
		outputs := slices.Concat(grownLogits, grownClasses)
		for i, v := range slices.Concat(logits, classes) {
			if got := outputs[i]; math.Abs(float64(got-v)) > 1e-4*(1+math.Abs(float64(v))) {
				t.Fatalf("%s: output %d is %v, not %v", game.Name, i, got, v)
			}
		}
		for _, shape := range [][2]int{{4, 3}, {12, 1}, {13, 3}} {
			if _, err := w.Grow(game, shape[0], shape[1], nil); err == nil || !strings.Contains(err.Error(), "channels") {
				t.Errorf("%s: %d channels and %d blocks: %v", game.Name, shape[0], shape[1], err)
			}
		}
	}
}
