package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/ggp"
)

func ggpCommand() *cobra.Command {
	var options ggp.Options
	cmd := &cobra.Command{
		Use:   "ggp [RUN...]",
		Short: "Play rule sheets for a General Game Playing server",
		Long: `Waits for a match server of General Game Playing, such as that of ggp-org/ggp-base. The server sends a rule
sheet and asks for moves, by HTTP; ludus answers half a second before each clock ends. It plays one match at a time.
Ctrl-C ends it.

RUN is a run on a rule sheet, a checkpoint or exported weights. Its network plays if the server sends the same sheet, also
if names are changed and rules stand in another order. In other games of two players who take turns a search with random
playouts plays, or a network that is trained during the start clock, if it has 8 s or more left once the sheet is read and
the network wins a short match against the search before it ends. In the rest (one player, more than two, or moves at
the same time) ludus plays random legal moves. If a sheet is too large to be read in time, ludus answers "nil", and the
server chooses the moves.

Other machines can connect only if --listen allows it; ":9147" lets all connect. The protocol knows no passwords.`,
		Example: `  ludus ggp
  ludus ggp --listen :9147 runs/my-hex connect-four.safetensors`,
		Args: arguments(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Runs, options.Log = args, cmd.ErrOrStderr()
			server, err := ggp.Listen(cmd.Context(), options)
			if errors.Is(err, ggp.ErrAddress) {
				return usage(cmd, err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), server.Address())
			return server.Serve(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&options.Address, "listen", "127.0.0.1:9147", "HOST:PORT to listen on; port 0 for any free port")
	cmd.Flags().DurationVar(&options.Margin, "margin", 500*time.Millisecond, "answer so long before the end of a clock")
	limit(cmd, "margin", "from 0s to 1m", func() bool { return options.Margin >= 0 && options.Margin <= time.Minute })
	return cmd
}
