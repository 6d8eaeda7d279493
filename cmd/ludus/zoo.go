package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/shipped"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/ratings"
	"ludus/train/rundir"
	"ludus/train/stats"
)

// loader returns a loader of networks for a game: the shipped one, and those in files.
func loader(game *env.Game) agent.Loader {
	return shipped.Loader(game, rundir.LoadWeights)
}

// fallbackOpponent plays in games without a shipped agent.
const fallbackOpponent = "mcts:1000"

// defaultOpponent returns the spec of the opponent of people who name none: the shipped agent if there is one.
func defaultOpponent(cmd *cobra.Command, game *env.Game) string {
	if zoo.CardOf(game.Name) != nil {
		return agent.Zoo
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "ludus: no agent of %s is shipped; you play against %s; for a stronger one: %s\n", game.Name,
		fallbackOpponent, commandLine([]string{"train", game.Name}))
	return fallbackOpponent
}

// writeCard prints what people want to know of a game's shipped agent.
func writeCard(w io.Writer, game *env.Game, c *zoo.Card) {
	t := &c.Training
	fmt.Fprintf(w, "\nshipped agent (zoo), or policy:zoo without search: network %dx%d, generation %d of %d, %v of training on %d cores:\n  %s (seed %d, %s, commit %s)\n",
		c.Network.Channels, c.Network.Blocks, t.Generation, t.Generations, seconds(t.Seconds).Round(time.Second), t.Cores,
		t.Command, t.Seed, t.Date, t.Commit)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range c.Errors {
		fmt.Fprintf(table, "  %s\tloses value in %s\tof %d solved positions (%s suite)\n", e.Agent, percent(stats.Estimate(e.Error)), e.Positions, e.Suite)
	}
	for _, m := range c.Matches {
		fmt.Fprintf(table, "  %s\tscores %s\tagainst %s in %d games\n", m.Agent, percent(stats.Estimate(m.Score)), m.Opponent, m.Games)
	}
	if r := c.Rating; r != nil {
		fmt.Fprintf(table, "  zoo,sims=%d\trated %.0f (%.0f to %.0f)\trandom is 0\n", r.Simulations, r.Value, r.Low, r.High)
	}
	if low, high, ok := ratings.ShippedDial(game).Range(); ok {
		fmt.Fprintf(table, "  zoo,elo=N\tN from %d to %d\tweaker opponents\n", low, high)
	}
	table.Flush()
	if p := c.Certificate; p != nil {
		fmt.Fprintf(w, "  %s gives no value away against any opponent: proven in %d positions\n", p.Agent, p.Positions)
	}
	for _, text := range c.Weaknesses {
		fmt.Fprintf(w, "  weakness: %s\n", text)
	}
}
