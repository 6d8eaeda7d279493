package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"ludus/train"
	"ludus/train/remote"
	"ludus/train/rundir"
)

// workersFlags are the flags of "train" for training with workers.
type workersFlags struct {
	listen   string
	insecure bool
}

// check returns an error if the flags contradict each other, or the address is bad: before the run is created.
func (f *workersFlags) check(cmd *cobra.Command, o *train.Options, dry bool) error {
	switch {
	case f.listen == "" && f.insecure:
		return usage(cmd, errors.New("--insecure needs --listen"))
	case f.listen == "" && o.LearnOnly:
		return usage(cmd, errors.New("--learn-only needs --listen"))
	case f.listen == "":
		return nil
	case dry:
		return usage(cmd, errors.New("--dry-run is about a training on this machine alone: leave out --listen"))
	}
	return remote.CheckAddress(f.listen)
}

// stored returns a note if training without workers would leave out games that workers have sent to the run in dir;
// otherwise "".
func (f *workersFlags) stored(dir string) string {
	if f.listen != "" || !remote.KeepsGames(dir) {
		return ""
	}
	return fmt.Sprintf("games of workers that this run has not taken yet may wait in %s; to use them, continue with --listen",
		filepath.Join(dir, rundir.ServerDir))
}

// connect returns a function that connects the run in dir to its workers; nil if no flag asks for workers.
func (f *workersFlags) connect(dir string, notify func(string)) func(context.Context, string) (train.Workers, error) {
	if f.listen == "" {
		return nil
	}
	return func(ctx context.Context, id string) (train.Workers, error) {
		server, err := remote.StartServer(f.listen, dir, f.insecure, notify)
		if err != nil {
			return nil, err
		}
		hub, err := remote.NewHub(ctx, server, id, notify)
		if err != nil {
			server.Close()
			return nil, err
		}
		notify("workers: " + commandLine([]string{"worker", "--connect", server.URL()}))
		if host, _, _ := net.SplitHostPort(f.listen); net.ParseIP(host).IsUnspecified() {
			notify("if a worker's machine does not know that host name, put this machine's address in its place")
		}
		if f.insecure {
			notify("everybody who reaches " + f.listen + " can send games, and nothing is encrypted")
		}
		return hub, nil
	}
}
