package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/web"
)

// The folder and the address that serve takes where it is told nothing: 5838 is LUDU on a telephone.
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
		Long: `Serves a page on this machine: play any game against any agent or let two agents play, watch the runs in the folder RUNS
(runs, if left out) while they train, and step through their games. Open the address that it prints; Ctrl-C ends it.

Only this machine can reach it, unless --addr says otherwise: then every request needs a token, which is part of the
address that is printed. The connection is not encrypted.`,
		Example: `  ludus serve --open
  ludus serve runs --addr 0.0.0.0:5838`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkThreads(cmd, options.Threads); err != nil {
				return err
			}
			options.Runs, options.Log = defaultRuns, cmd.ErrOrStderr()
			if len(args) > 0 {
				options.Runs = args[0]
			}
			if err := checkRuns(options.Runs, len(args) > 0); err != nil {
				return err
			}
			server, err := web.Listen(options)
			if errors.Is(err, web.ErrOptions) {
				return usage(cmd, err)
			}
			if err != nil {
				return err
			}
			return serve(cmd, server, browse)
		},
	}
	cmd.Flags().StringVar(&options.Address, "addr", defaultAddress, "HOST:PORT to listen on; port 0 is any that is free")
	cmd.Flags().IntVar(&options.Threads, "threads", runtime.GOMAXPROCS(0), "searches at the same time")
	cmd.Flags().StringVar(&options.Token, "token", "", "ask for this token (default: none on this machine alone, otherwise a random one)")
	cmd.Flags().BoolVar(&browse, "open", false, "open the browser")
	return cmd
}

// checkRuns checks the folder of runs. The default one may be missing, since there may be no run yet.
func checkRuns(dir string, given bool) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !given:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s; name the one that runs are in", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file; name the folder that runs are in", dir)
	}
	return nil
}

// serve says where the server is, and lets it serve.
func serve(cmd *cobra.Command, server *web.Server, browse bool) error {
	err := output(cmd, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s\n", server.URL())
		return err
	})
	if err != nil {
		return errors.Join(err, server.Close())
	}
	if !server.Local() {
		fmt.Fprintln(cmd.ErrOrStderr(), "Other machines can reach this address; who has the token can play and see the runs.")
	}
	if browse {
		openBrowser(cmd, server.URL())
	}
	return server.Serve(cmd.Context())
}
