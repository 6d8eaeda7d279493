package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ludus/train/remote"
	"ludus/train/selfplay"
)

func workerCommand() *cobra.Command {
	o := remote.WorkerOptions{Name: "worker"}
	if host, err := os.Hostname(); err == nil {
		o.Name = host
	}
	var threads int
	cmd := &cobra.Command{
		Use:   "worker --connect URL",
		Short: "Play for a training on another machine",
		Long: `Plays games for "ludus train GAME --listen". Game, settings and networks come from there; the worker needs no
files, but must be of the same version as the learner. It takes new networks as they come and reconnects whenever the
network or the learner was gone, until it is stopped. What it has finished by then is published; games that are still
being played are lost. "ludus train GAME --listen" prints the whole command.`,
		Example: `  ludus worker --connect 'tls://worker:TOKEN@learner:4222#FINGERPRINT'
  ludus worker --connect nats://127.0.0.1:4222 --threads 4 --name laptop`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return work(cmd, o, threads) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.URL, "connect", "", "URL of the learner; \"ludus train\" prints it (required)")
	flags.StringVar(&o.Name, "name", o.Name, "the worker's name in \"ludus status\"")
	threadsFlag(cmd, &threads, "cores to use")
	return cmd
}

// flushTime is how long a stopped worker tries to publish its remaining games.
const flushTime = 5 * time.Second

// work plays for a run until the command is stopped.
func work(cmd *cobra.Command, o remote.WorkerOptions, threads int) error {
	if o.URL == "" {
		return usage(cmd, fmt.Errorf("--connect is missing: %s", cmd.UseLine()))
	}
	var mu sync.Mutex // notes come from other goroutines
	p := newProgress(cmd)
	o.Notify = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		p.log(text)
	}
	w, err := remote.NewWorker(cmd.Context(), o)
	if err != nil {
		return err
	}
	defer w.Close()
	err = selfplay.Play(cmd.Context(), w, threads, func(s selfplay.Played) {
		mu.Lock()
		defer mu.Unlock()
		p.show(status{count: s.Games, unit: "games", share: -1,
			detail: fmt.Sprintf("%s, generation %d, %d simulations per move, %.0f positions/s",
				s.Assignment.Game.Name, s.Assignment.Generation, s.Assignment.Simulations, s.Speed)})
	})
	mu.Lock()
	p.close()
	mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), flushTime)
	defer cancel()
	if flushed := w.Flush(ctx); flushed != nil && cmd.Context().Err() != nil {
		o.Notify("games that the server has not taken are lost")
	}
	return err
}
