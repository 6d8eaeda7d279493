package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/web"
)

// Defaults for the folder of runs and the address. The port 5838 spells LUDU on a telephone keypad.
const (
	defaultRuns    = "runs"
	defaultAddress = "127.0.0.1:5838"
)

func serveCommand() *cobra.Command {
	var (
		options web.Options
		browse  bool
	)
	cmd := &cobra.Command{
		Use:   "serve [RUNS]",
		Short: "Watch runs and play against agents in the browser",
		Long: `Serves pages on this machine to play any game against any agent, to watch two agents, and to follow and compare the
runs in the folder RUNS (default runs) and step through their games. The opponent is the agent shipped for the game, unless a
run of yours is rated higher. Open the printed address; Ctrl-C ends the server. The address of a game holds its players,
their strengths and the moves, so you can reload or share it. Agents may read networks and books below RUNS: the page
shows the openings of zoo,book=hex.book, for example.

Other machines can connect only if --addr allows it. Every request then needs a token, which is part of the printed address.
The connection is not encrypted.`,
		Example: `  ludus serve --open
  ludus serve runs --addr 0.0.0.0:5838`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options.Runs, options.Log = defaultRuns, cmd.ErrOrStderr()
			if len(args) > 0 {
				options.Runs = args[0]
				if err := checkRuns(options.Runs); err != nil {
					return err
				}
			}
			server, err := web.Listen(options)
			if errors.Is(err, web.ErrOptions) {
				return usage(cmd, err)
			}
			if err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), server.URL())
			if isTerminal(cmd.ErrOrStderr()) {
				fmt.Fprintln(cmd.ErrOrStderr(), "Open this address in a browser. Ctrl-C ends the server.")
			}
			if !server.Local() {
				fmt.Fprintln(cmd.ErrOrStderr(),
					"Other machines can reach this address; anyone with the token can play and see the runs.")
			}
			if browse {
				openBrowser(cmd, server.URL())
			}
			return server.Serve(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&options.Address, "addr", defaultAddress, "HOST:PORT to listen on; port 0 for any free port")
	threadsFlag(cmd, &options.Threads, "number of searches at the same time")
	cmd.Flags().StringVar(&options.Token, "token", "",
		"token that requests need (default: none if only this machine can connect, otherwise random)")
	cmd.Flags().BoolVar(&browse, "open", false, "open the browser")
	return cmd
}

// checkRuns returns an error if dir is not a folder.
func checkRuns(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s; name the folder of your runs", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file; name the folder of your runs", dir)
	}
	return nil
}
