package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/stats"
)

// loader returns a loader of a game's networks: the shipped one and those in files.
func loader(game *env.Game) agent.Loader {
	return shipped.Loader(game, rundir.LoadWeights)
}

// fallbackAgent is the default agent for games without a shipped agent.
const fallbackAgent = "mcts:1000"

// agentOf returns the spec of the agent that args name first. If they name none, it is the shipped agent of this or
// another size of the game, or fallbackAgent; unless that was trained for this very game, it prints a note, with a way
// to get a better one.
func agentOf(cmd *cobra.Command, game *env.Game, args []string) string {
	if len(args) > 0 {
		return args[0]
	}
	trained, typed := shipped.TrainedOn(game), cmd.Flags().Arg(0) // as typed, because a rule sheet's game is named by its file
	if trained == game {
		return agent.Zoo
	}
	if g, err := games.New(typed); err != nil || g != game { // the command has changed the game
		typed = game.Name
	}
	spec, lack := fallbackAgent, fmt.Sprintf("no agent of %s is shipped; %s plays", game.Name, fallbackAgent)
	train := []string{"train", typed}
	if trained != nil {
		spec, lack = agent.Zoo, fmt.Sprintf("no agent was trained on %s; that of %s plays", game.Name, trained.Name)
		train = append(train, "--from", agent.Zoo)
	}
	better := "for one of this game: " + commandLine(train)
	if dir := defaultRun(game); rundir.Is(dir) {
		better = "to use the one that you trained, name it: " + agent.NetSpec(dir).String()
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "ludus: %s; %s\n", lack, better)
	return spec
}

// writeCard prints the main figures of a game's shipped agent.
func writeCard(w io.Writer, game *env.Game, c *zoo.Card) {
	t := &c.Training
	fmt.Fprintf(w, "\nthe shipped agent, zoo (without search: policy:zoo), has a network of %d channels and %d blocks, "+
		"trained in %v on %d cores by\n"+
		"  %s\n  (%s, commit %s, generation %d of %d)\n", c.Network.Channels, c.Network.Blocks,
		seconds(t.Seconds).Round(time.Second), t.Cores, t.Command, t.Date, t.Commit, t.Generation, t.Generations)
	table := leftTable(w)
	for _, e := range c.Errors {
		fmt.Fprintf(table, "  %s\tloses value in %s\tof %d solved positions (%s suite)\n", e.Agent,
			percent(stats.Estimate(e.Error)), e.Positions, e.Suite)
	}
	for _, m := range c.Matches {
		fmt.Fprintf(table, "  %s\tscores %s\tagainst %s in %d games\n", m.Agent, percent(stats.Estimate(m.Score)),
			m.Opponent, m.Games)
	}
	if r := c.Rating; r != nil {
		fmt.Fprintf(table, "  zoo\tis rated %.0f (%.0f to %.0f)\tElo above random moves\n", r.Value, r.Low, r.High)
	}
	if dial := shipped.Dial(game.Name); len(dial.Levels()) > 0 {
		low, high, _ := dial.Range()
		fmt.Fprintf(table, "  zoo,elo=N\tis rated about N\tN from %d to %d, at most %.0f Elo off (95 %%)\n", low, high,
			widest(dial))
		for _, grade := range dial.Grades() {
			fmt.Fprintf(table, "    %v in solved positions\n", grade)
		}
	}
	table.Flush()
	if p := c.Certificate; p != nil {
		fmt.Fprintf(w, "  %s gives no value away against any opponent: proven in %d positions\n", p.Agent, p.Positions)
	}
	for _, text := range c.Weaknesses {
		fmt.Fprintf(w, "  weakness: %s\n", text)
	}
}

// percent formats a share with its interval.
func percent(e stats.Estimate) string {
	return fmt.Sprintf("%.2f %% (%.2f to %.2f)", 100*e.Value, 100*e.Low, 100*e.High)
}

// widest returns the largest distance, in Elo, between a level of a dial and the end of its interval.
func widest(dial agent.Dial) (most float64) {
	for _, l := range dial.Levels() {
		most = max(most, float64(l.High-l.Elo), float64(l.Elo-l.Low))
	}
	return most
}
