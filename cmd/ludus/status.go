package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"ludus/train/remote"
	"ludus/train/rundir"
)

func statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status URL",
		Short: "Show the workers of a training",
		Long: `Waits for the next report of the learner of "ludus train GAME --listen", which comes every two seconds. It shows how
fast each worker's games arrive, by how many generations their networks are old, and what was rejected. docs/SCALE.md
explains the numbers.`,
		Example: `  ludus status nats://127.0.0.1:4222`,
		Args:    arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := remote.Status(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd, s)
			}
			writeStatus(cmd, s)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with the keys of workers.json")
	return cmd
}

// writeStatus prints the state of a run with workers.
func writeStatus(cmd *cobra.Command, s *rundir.WorkersStatus) {
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s: network of generation %d, %d simulations per move\n", s.Game, s.Generation, s.Simulations)
	stream := fmt.Sprintf("%d messages in the stream (%d KB)", s.Queued, s.QueuedBytes/1000)
	if s.Queued < 0 {
		stream = "how many messages are in the stream is unknown: the server does not answer"
	}
	fmt.Fprintf(w, "waiting for the learner: %d positions received (a generation needs %d); %s\n", s.Ready, s.Need, stream)
	if len(s.Workers) == 0 {
		fmt.Fprintln(w, "no worker has sent games yet")
		return
	}
	table := rightTable(w)
	fmt.Fprintln(table, "worker\tthreads\tgames\tpositions/s\tbehind\tlast seen\trejected\tduplicates\t")
	for i := range s.Workers {
		k := &s.Workers[i]
		fmt.Fprintf(table, "%s\t%d\t%d\t%.0f\t%d\t%d s\t%d\t%d\t\n",
			k.Name, k.Threads, k.Games, k.Speed, k.Behind, k.Quiet, k.Rejected, k.Duplicates)
	}
	_ = table.Flush() // main reports output errors
	for i := range s.Workers {
		if k := &s.Workers[i]; k.Problem != "" {
			fmt.Fprintf(w, "last rejected of %s: %s\n", k.Name, k.Problem)
		}
	}
}
