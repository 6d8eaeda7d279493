package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/ggp"
)

func ggpCommand() *cobra.Command {
	var options ggp.Options
	var megabytes int
	cmd := &cobra.Command{
		Use:   "ggp [RUN...]",
		Short: "Play rule sheets for a General Game Playing server",
		Long: `Waits for a match server of General Game Playing, such as that of ggp-org/ggp-base. The server sends a rule
sheet and asks for moves, by HTTP; ludus answers half a second before each clock ends. Ctrl-C ends it.

RUN is a run on a rule sheet, a checkpoint or exported weights. Its network plays if the server sends the same sheet, also
if names are changed and rules stand in another order. In other games of two players who take turns a search with random
playouts plays, or a network that is trained during the start clock, if it has 8 s or more left once the sheet is read and
the network wins a short match against the search before it ends. In the rest (one player, more than two, or moves at
the same time) a search plays in which each player maximises its own goal. Until the rules are compiled, and if they are too
large for that, it interprets them, which is slow.

ludus plays one match at a time and is busy for others; --matches N allows N at a time, on N ports from that of --listen on.
Two servers may use one port or two; both seats of one match need a port each, because moves are asked for without naming the
player. If a server sends nothing for three times the clock of a move, and at least 10 s, a new match takes the place of its
match. After a restart ludus cannot go on with a match: it answers "busy", and the server chooses the moves.

Other machines can connect only if --listen allows it; ":9147" lets all connect. The protocol knows no passwords.`,
		Example: `  ludus ggp
  ludus ggp --listen :9147 runs/my-hex connect-four.safetensors
  ludus ggp --matches 2`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Runs, options.Log, options.Memory = args, cmd.ErrOrStderr(), megabytes<<20
			server, err := ggp.Listen(cmd.Context(), options)
			if errors.Is(err, ggp.ErrAddress) {
				return usage(cmd, err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), strings.Join(server.Addresses(), "\n"))
			return server.Serve(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&options.Address, "listen", "127.0.0.1:9147", "HOST:PORT to listen on; port 0 for any free port")
	cmd.Flags().DurationVar(&options.Margin, "margin", 500*time.Millisecond, "answer so long before the end of a clock")
	cmd.Flags().IntVar(&options.Matches, "matches", 1, "most matches at a time; listens on so many ports")
	limit(cmd, "matches", "from 1 to 64", func() bool { return options.Matches >= 1 && options.Matches <= 64 })
	memoryFlag(cmd, &megabytes, ggp.MinMemory>>20, 1024, "megabytes to use, given back after a match")
	limit(cmd, "margin", "from 0s to 1m", func() bool { return options.Margin >= 0 && options.Margin <= time.Minute })
	return cmd
}
