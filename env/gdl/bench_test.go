package gdl_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
	"ludus/train/cpu"
)

// BenchmarkRandomGames plays random games natively and by a state of the sheet, in turns. It
// reports moves a second, and how often the native game's number exceeds the others. Breakthrough with seven columns has
// no native game: it is compared with that of six.
func BenchmarkRandomGames(b *testing.B) {
	for _, name := range []string{
		"breakthrough-6x6", "breakthrough-7x6", "quad-7x7", "quad-5x5", "golden-rectangle", "free-for-all-2p", "connect-four",
		"tic-tac-toe", "reversi", "hex",
	} {
		b.Run(name, func(b *testing.B) {
			sheet, text := name, ""
			if name == "breakthrough-7x6" {
				sheet, text = "breakthrough-6x6", sevenColumns(b)
			} else {
				text = sheets.Text(name)
			}
			native := games.Must(sheets.Natives[sheet])
			g, info, err := gdl.New(b.Context(), name, text)
			if err != nil {
				b.Fatal(err)
			}
			ways := []struct {
				name  string
				play  func() int
				took  time.Duration // CPU time: other programs do not count
				moves int
			}{{name: "native", play: playouts(native)}, {name: "state", play: playouts(g)}}
			for b.Loop() {
				for i := range ways {
					begin := cpu.Time()
					ways[i].moves += ways[i].play()
					ways[i].took += cpu.Time() - begin
				}
			}
			speed := func(i int) float64 { return float64(ways[i].moves) / ways[i].took.Seconds() }
			for i, way := range ways {
				b.ReportMetric(speed(i)/1e6, way.name+"-Mmoves/s")
				if i > 0 {
					b.ReportMetric(speed(0)/speed(i), "native/"+way.name)
					b.ReportMetric(1e9/speed(i)/float64(info.Gates), way.name+"-ns/move/gate")
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// playouts returns a function that plays 300 random games one after the other and returns the number of moves.
func playouts(g *env.Game) func() int {
	rng := rand.NewPCG(1, 1)
	start, s := g.NewState(), g.NewState()
	return func() (moves int) {
		for range 300 {
			s.CopyFrom(start)
			moves += env.Playout(s, rng)
		}
		return moves
	}
}

// sevenColumns returns the sheet of Breakthrough with a column more.
func sevenColumns(t testing.TB) string {
	text := sheets.Text("breakthrough-6x6")
	for from, to := range map[string]string{
		"(index 6)":  "(index 6) (index 7)",
		"(succ 5 6)": "(succ 5 6) (succ 6 7)",
		"(<= (forward white ?y ?z) (succ ?y ?z))": "(<= (forward white ?y ?z) (succ ?y ?z) (distinct ?z 7))",
		"(<= (forward black ?z ?y) (succ ?y ?z))": "(<= (forward black ?z ?y) (succ ?y ?z) (distinct ?z 7))",
	} {
		if !strings.Contains(text, from) {
			t.Fatalf("the sheet lacks %s", from)
		}
		text = strings.Replace(text, from, to, 1)
	}
	return text
}
