package main

import (
	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
)

func analyzeCommand() *cobra.Command {
	var threads int
	cmd := &cobra.Command{
		Use:   "analyze GAME [AGENT]",
		Short: "Analyze positions for other programs, with JSON lines",
		Long: `Reads one request per line from standard input and writes one reply per line, in any order, until the input ends:

  {"id":"a1","moves":["c3"],"simulations":64}
  {"id":"a1","player":"o","value":-1,"goals":{"o":0,"x":100},"best":"e4",
   "reason":"...","simulations":64,"proven":true,"moves":[...]}

moves lead from the start to the position, written as in play; simulations is optional. Without AGENT the agent shipped for
the game answers, or mcts:1000 if there is none. A network searches as when it plays, in a new tree. Values are expected
utilities from -1 to 1 for the player to move, goals are the players' expected final scores from 0 to 100. The
reply's moves are all legal moves with visits, value, prior and line, the best first: a line is the move and what is played
after it, at most 12 moves, left out where the agent has not searched. The reason completes "BEST, which ..."; it is left out
where there is nothing to say. null means that the agent does not know; "proven":true that the value is exact: the
search or the solver (see solve=) has proven it. A finished game gets {"id":"a1","terminal":true,"goals":{...}}, an
invalid line {"id":"a1","error":"..."}; then the exit code is 1.

` + agentPointer,
		Example: `  echo '{"id":"a1","moves":["c3"]}' | ludus analyze quad-5x5`,
		Args:    arguments(1, 2),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, args []string) error {
			factory, err := loadAgent(cmd, game, agentOf(cmd, game, args))
			if err != nil {
				return err
			}
			factory.Threads = max(1, factory.Threads) // with time=, too: several requests are answered at once
			if !cmd.Flags().Changed("threads") {
				threads = max(1, threads/factory.Threads)
			}
			factory = factory.ForPeople()
			agents := make([]agent.Agent, memory.Threads(threads, factory.MemoryBytes()))
			for i := range agents {
				if agents[i], err = factory.New(0); err != nil {
					return err
				}
				defer agent.Close(agents[i]) // an error does not matter: all replies are written
			}
			return analysis.Serve(cmd.Context(), game, agents, input(cmd), cmd.OutOrStdout())
		}),
	}
	threadsFlag(cmd, &threads, "number of requests to answer at the same time; by default the cores divided by the agent's threads=")
	return cmd
}
