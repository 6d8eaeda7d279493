package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"ludus/train/agent"
)

// analyze writes analyses until the next line comes: "kata-analyze b 50 maxmoves 5". All arguments are optional; 50 is
// an interval in hundredths of a second. Shares of the score and priors are for the player to move, from 0 to scale.
func (g *gtp) analyze(ctx context.Context, args []string, format string, scale float64) error {
	if g.state.Done() {
		return faultf("the game is over")
	}
	if len(args) > 0 {
		_, err := g.ReadColour(args[0])
		if err == nil {
			err = g.turn(args[0])
			if err != nil {
				return err
			}
			args = args[1:]
		}
	}
	most, interval, err := analysisOptions(args)
	if err != nil {
		return err
	}
	return g.think(ctx, func([]byte) bool { return true }, func(ctx context.Context) error {
		err := g.deepen(ctx, interval, lastAnalysis, func(a *agent.Analysis, _ time.Duration) error {
			return g.writeMoveInfos(a, most, format, scale)
		})
		if err != nil {
			return err
		}
		select { // wait for the next line
		case <-ctx.Done():
		case <-g.ended:
		}
		return ctx.Err()
	})
}

// analysisOptions reads the options of an analysis: the most moves and the least time between two lines. Options that
// ask for more output are ignored.
func analysisOptions(args []string) (most int, interval time.Duration, err error) {
	if len(args)%2 == 1 {
		args = append([]string{"interval"}, args...)
	}
	most = math.MaxInt
	for option := range slices.Chunk(args, 2) {
		x, ok := numbers(option[1:])
		switch key := option[0]; {
		case key == "allow" || key == "avoid":
			return 0, 0, faultf("%s is not supported; leave it out", key)
		case key != "interval" && key != "maxmoves":
		case !ok:
			return 0, 0, syntax("kata-analyze b 50 maxmoves 5")
		case key == "interval":
			interval = seconds(x[0] / 100)
		default:
			most = int(x[0])
		}
	}
	return most, interval, nil
}

// writeMoveInfos writes a line with the moves of an analysis whose values are known, at most the given number. The
// first line begins the response.
func (g *gtp) writeMoveInfos(a *agent.Analysis, most int, format string, scale float64) error {
	var moves []string
	for i, m := range a.Moves {
		value := m.Value
		if i == 0 && value == nil {
			value = a.Value
		}
		if i < most && value != nil {
			line := []string{g.Write(m.Action)}
			for _, a := range m.Line[min(1, len(m.Line)):] {
				line = append(line, g.Write(a))
			}
			moves = append(moves, fmt.Sprintf(format, line[0], orZero(m.Visits), scale*winrate(*value), scale*orZero(m.Prior), len(moves),
				strings.Join(line, " ")))
		}
	}
	if moves == nil {
		return faultf("the agent cannot tell the value of this position")
	}
	if !g.streamed {
		g.streamed = true
		fmt.Fprintf(&g.out, "=%s\n", g.id)
	}
	fmt.Fprintln(&g.out, strings.Join(moves, " "))
	return g.flush()
}

// orZero returns what p points to, 0 if the agent does not know it.
func orZero[T int | float64](p *T) (x T) {
	if p != nil {
		x = *p
	}
	return x
}
