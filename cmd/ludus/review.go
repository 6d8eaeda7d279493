package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
)

func reviewCommand() *cobra.Command {
	var (
		rev        reviewer
		to, output string
		threads    int
		force      bool
	)
	cmd := &cobra.Command{
		Use:   "review GAME FILE [AGENT]",
		Short: "Review games: mistakes, better moves, and where each game was lost",
		Long: `Analyzes every position of each game of FILE, in any format that "ludus convert" reads; FILE may be - for the standard
input. Without AGENT the agent shipped for the game reviews, or mcts:1000 if there is none. Formats are

  text  where the game was lost, a curve of the expected score, and each mistake with the better move and how it goes on
  json  a line per game, see docs/FILES.md
  sgf   the game with comments; bad moves are marked (BM), V is the value after a move, and a variation has the better line
  html  a page for any browser, also without a network: it sums up the games by player, shows each with its mistakes on
        a board, and asks for better moves

A mistake gives away 10 % of the expected score or more, a blunder 30 %. Proven values are exact: the search or the solver
(see solve= of agents) knows the result with best play; then whatever gives value away is a mistake.

With --output, the games that are finished are in OUTPUT.part; the same command continues after them.

` + agentPointer,
		Example: `  ludus review connect-four game.txt
  ludus review othello GGS.ggf zoo,sims=1000 -o reviewed.sgf
  ludus review quad-5x5 match.jsonl -o reviews.html
  ludus arena quad-5x5 zoo random --record match.jsonl && ludus review quad-5x5 match.jsonl --to json
  echo 44444543 | ludus review connect-four -`,
		Args: arguments(2, 3),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, args []string) error {
			rev.cmd, rev.game, rev.path = cmd, game, args[0]
			err := rev.setFormat(to, output)
			if err != nil {
				return usage(cmd, err)
			}
			if output != "" {
				err := checkNew(output, force)
				if err != nil {
					return err
				}
				if rev.format != "sgf" && isSameFile(output, rev.path) {
					return fmt.Errorf("--output %s is the file of the games, which only --to sgf keeps; name another one", output)
				}
				rev.part = output + ".part"
			}
			err = rev.count()
			if err != nil {
				return err
			}
			err = rev.setAgent(agentOf(cmd, game, args[1:]))
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("threads") {
				threads = max(1, threads/rev.factory.Threads)
			}
			if rev.path != "-" {
				threads = min(threads, rev.games)
			}
			err = rev.run(memory.Threads(threads, rev.factory.MemoryBytes()))
			if err == nil && output != "" {
				err = rev.save(output, force)
			}
			if err == nil && rev.skipped > 0 {
				warn(cmd, terminal.Counted(rev.skipped, "game")+" skipped")
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&to, "to", "", "format to write: text, json, sgf or html (default: by the name of --output, else text)")
	flags.StringVarP(&output, "output", "o", "", "file to write (default: standard output)")
	flags.BoolVar(&force, "force", false, "replace the output if it exists")
	flags.BoolVar(&rev.skipBad, "skip-bad", false, "skip wrong games, with a warning for each")
	threadsFlag(cmd, &threads, "number of games to review at the same time; by default the cores divided by the agent's threads=")
	return cmd
}

// isSameFile reports whether two paths name one existing file.
func isSameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// reviewer reviews the games of a file.
type reviewer struct {
	cmd     *cobra.Command
	game    *env.Game
	path    string // of the file, or -
	skipBad bool
	factory *agent.Factory
	name    string // of the agent, as people write it
	format  string
	part    string // file with the reviews so far; "": they go to the standard output

	games, positions, skipped int // in the file; 0 if unknown

	header []byte     // first line of the part file, to write before the first review; nil if it is there
	done   []partGame // the reviews of the part file

	mu                 sync.Mutex // guards what follows
	progress           *progress
	reviewed, analyzed int // games and positions
}

// setAgent loads the agent that reviews, at full strength.
func (rev *reviewer) setAgent(text string) error {
	factory, err := loadAgent(rev.cmd, rev.game, text)
	if err != nil {
		return err
	}
	full := factory.Spec
	full.Elo = 0
	rev.name, rev.factory = full.String(), factory.With(full).ForPeople()
	rev.factory.Threads = max(1, rev.factory.Threads)
	return nil
}

// count checks and counts the games of the file, unless it is a stream.
func (rev *reviewer) count() error {
	if rev.path == "-" {
		return nil
	}
	for record, err := range gamesOf(rev.cmd.Context(), rev.cmd, rev.game, rev.path, rev.skipBad) {
		if err == nil {
			rev.games++
			rev.positions += len(record.Moves) + 1
		} else if !rev.skips(err) { // read warns of those that it skips
			return err
		}
	}
	return nil
}

// skips reports whether err is that of a wrong game that is skipped.
func (rev *reviewer) skips(err error) bool {
	return rev.skipBad && errors.As(err, new(*gamefile.Error))
}

// reviewJob is a game to review.
type reviewJob struct {
	number int // in the file, from 1
	record *gamefile.Record
	text   chan string // its review
}

// run reviews the games that are not in the part file yet, several at the same time, and writes them in order.
func (rev *reviewer) run(threads int) error {
	err := rev.readPart()
	if err != nil {
		return err
	}
	players := make([]agent.Agent, threads)
	for i := range players {
		players[i], err = rev.factory.New(0)
		if err != nil {
			return err
		}
		defer agent.Close(players[i]) // an error does not matter: the reviews are written
	}
	rev.progress = newProgress(rev.cmd)
	defer rev.progress.close()
	group, ctx := errgroup.WithContext(rev.cmd.Context())
	jobs, ordered := make(chan *reviewJob), make(chan *reviewJob, 2*threads)
	group.Go(func() error {
		defer close(jobs)
		defer close(ordered)
		return rev.read(ctx, jobs, ordered)
	})
	for _, player := range players {
		group.Go(func() error {
			for job := range jobs {
				text, err := rev.review(ctx, player, job)
				if err != nil {
					return err
				}
				job.text <- text
			}
			return nil
		})
	}
	group.Go(func() error {
		for job := range ordered {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case text := <-job.text:
				err := rev.write(job, text)
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	err = group.Wait()
	if rev.cmd.Context().Err() != nil {
		err = rev.cmd.Context().Err()
		if rev.part != "" {
			err = continuable(err, "the reviews of finished games in "+rev.part+" are kept")
		}
	}
	return err
}

// read sends the games of the file that are not done yet to both channels.
func (rev *reviewer) read(ctx context.Context, jobs, ordered chan<- *reviewJob) error {
	number, done := 0, rev.done // to which writing appends
	for record, err := range gamesOf(ctx, rev.cmd, rev.game, rev.path, rev.skipBad) {
		switch {
		case rev.skips(err):
			warn(rev.cmd, err.Error())
			rev.skipped++
			continue
		case err != nil:
			return err
		}
		number++
		if number <= len(done) {
			if done[number-1].Moves != movesOf(record) {
				return fmt.Errorf("%s has reviews of other games than %s: game %d differs; remove it, or name another --output", rev.part, rev.path, number)
			}
			rev.show(1, len(record.Moves)+1)
			continue
		}
		job := &reviewJob{number, record, make(chan string, 1)}
		for _, c := range []chan<- *reviewJob{ordered, jobs} {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case c <- job:
			}
		}
	}
	if number < len(done) {
		return fmt.Errorf("%s has reviews of more games than %s: %d, not %d; remove it, or name another --output", rev.part, rev.path, len(done), number)
	}
	return nil
}

// review reviews a game and returns the review as text in the wanted format.
func (rev *reviewer) review(ctx context.Context, player agent.Agent, job *reviewJob) (string, error) {
	r, err := analysis.ReviewGame(ctx, rev.game, player, job.record.Actions(), job.record.Opening, func() { rev.show(0, 1) })
	switch {
	case errors.Is(err, analysis.ErrNoValues):
		return "", usage(rev.cmd, fmt.Errorf("%s does not evaluate positions; zoo, net:RUN and mcts:N do", rev.name))
	case err != nil:
		return "", err
	}
	r.Players, r.Agent, r.Result = job.record.Players, rev.name, string(job.record.Result)
	return reviewFormats[rev.format](job, r)
}

// show adds numbers of reviewed games and analyzed positions, and shows the progress.
func (rev *reviewer) show(reviewed, analyzed int) {
	rev.mu.Lock()
	defer rev.mu.Unlock()
	rev.reviewed += reviewed
	rev.analyzed += analyzed
	s := status{count: rev.reviewed, unit: "games", share: -1, detail: terminal.Counted(rev.analyzed, "position")}
	if rev.positions > 0 {
		s.share = min(1, float64(rev.analyzed)/float64(rev.positions))
	}
	rev.progress.show(s)
}
