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
	access   remote.Access
	replicas int
}

// accessFlags adds the flags for credentials on a NATS server.
func accessFlags(cmd *cobra.Command, a *remote.Access) {
	cmd.Flags().StringVar(&a.NKey, "nkey", "", "file with the seed of an nkey, for servers that ask for one")
	cmd.Flags().StringVar(&a.CA, "ca", "", "file with the certificate that signed the server's (default the system's)")
}

// check returns an error if the flags contradict each other.
func (f *workersFlags) check(cmd *cobra.Command, o *train.Options, dry bool) error {
	server, err := oneOf(cmd, "listen", "nats")
	switch {
	case err != nil:
		return err
	case server == "" && o.LearnOnly:
		return usage(cmd, errors.New("--learn-only needs workers: --listen or --nats"))
	case server != "listen" && f.insecure:
		return usage(cmd, errors.New("--insecure needs --listen"))
	case server != "nats" && f.access != remote.Access{}:
		return usage(cmd, errors.New("--nkey and --ca need --nats"))
	case server != "nats" && cmd.Flags().Changed("replicas"):
		return usage(cmd, errors.New("--replicas needs --nats"))
	case server != "" && dry:
		return usage(cmd, errors.New("--dry-run is about a training on this machine alone: leave out --"+server))
	case server == "listen":
		return remote.CheckAddress(f.listen) // reports a bad address before the run is created
	case server == "nats":
		return f.access.Check(cmd.Context())
	}
	return nil
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
	if f.listen == "" && f.access.URL == "" {
		return nil
	}
	return func(ctx context.Context, id string) (train.Workers, error) {
		o := remote.HubOptions{Access: f.access, Run: id, Replicas: f.replicas, Notify: notify}
		if f.listen != "" {
			server, err := remote.StartServer(f.listen, dir, f.insecure, notify)
			if err != nil {
				return nil, err
			}
			o.Server, o.Access.URL = server, server.URL()
		}
		hub, err := remote.NewHub(ctx, o)
		if err != nil {
			if o.Server != nil {
				o.Server.Close()
			}
			return nil, err
		}
		notify("workers: " + commandLine(workerArgs(o.Access, o.Server != nil)))
		if host, _, _ := net.SplitHostPort(f.listen); net.ParseIP(host).IsUnspecified() {
			notify("if a worker's machine does not know that host name, put this machine's address in its place")
		}
		if f.insecure {
			notify("everybody who reaches " + f.listen + " can send games, and nothing is encrypted")
		}
		return hub, nil
	}
}

// workerArgs returns the arguments with which "ludus" starts a worker. For an embedded server, a holds the worker's access.
// For an external one it holds the learner's, so the arguments cannot include the worker's secrets.
func workerArgs(a remote.Access, embedded bool) []string {
	if embedded {
		return []string{"worker", "--connect", a.URL}
	}
	args := []string{"worker", "--connect", a.WithoutSecrets()}
	if a.NKey != "" {
		args = append(args, "--nkey", "FILE")
	}
	if a.CA != "" {
		args = append(args, "--ca", a.CA)
	}
	return args
}
