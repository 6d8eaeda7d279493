package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

// errUnsolved means that solve reached its limits.
var errUnsolved = errors.New("not solved within the limits")

func solveCommand() *cobra.Command {
	var (
		moves  string
		o      solveOptions
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Solve a position: its exact value and that of each move",
		Long: `Solves a position exactly, for perfect play by both players. The output is a line "value PLAYER=GOAL PLAYER=GOAL", a line
"MOVE GOAL" per legal move with the goal of the player to move, and a last line "nodes N seconds S". Values not found within
the limits are "unknown", and the exit code is then 3. In Free-For-All a win is 100, a draw 50 and a loss 0; with
objective=score goals are 50 plus or minus half their difference.

More memory makes long searches faster. Ctrl-C prints the values found so far.`,
		Example: `  ludus solve quad-5x5
  ludus solve quad-5x5 --moves "(mark r3 c3);(mark r1 c2)"
  ludus solve breakthrough-6x6 --moves "b2-b3; b5-b4" --time 1m
  ludus solve "breakthrough(columns=5,rows=5)" --time 10m --memory 4096
  ludus solve golden-rectangle --nodes 10000000 --json`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			played, err := splitMoves(game, moves)
			if err != nil {
				return fmt.Errorf("--moves: %w", err)
			}
			return runSolve(cmd, game, played, o, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&moves, "moves", "", "moves from the start to the position, separated by semicolons, written as in play")
	flags.IntVar(&o.nodes, "nodes", 0, "maximum number of positions to visit; 0 for no limit")
	flags.DurationVar(&o.time, "time", 0, "maximum time, such as 30s; 0 for no limit")
	flags.IntVar(&o.memory, "memory", 512, "megabytes for the table of positions")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead")
	limit(cmd, "nodes", "0 or more", func() bool { return o.nodes >= 0 })
	limit(cmd, "time", "0 or more", func() bool { return o.time >= 0 })
	limit(cmd, "memory", fmt.Sprintf("from 1 to %d megabytes", maxMemory), func() bool { return o.memory >= 1 && o.memory <= maxMemory })
	return cmd
}

// solveOptions are the limits of solve; 0 is no limit.
type solveOptions struct {
	nodes  int
	time   time.Duration
	memory int // MiB
}

// maxMemory is the largest --memory in MiB.
const maxMemory = min(1<<20, math.MaxInt>>20)

// splitMoves parses moves separated by semicolons. They must lead to a position that is not done.
func splitMoves(game *env.Game, text string) (played []env.Action, err error) {
	var texts []string
	for part := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(part) != "" {
			texts = append(texts, part)
		}
	}
	state, played, err := notation.Replay(game, texts)
	if err != nil {
		return nil, err
	}
	if state.Done() {
		goals := state.Goals()
		return nil, fmt.Errorf("the game is over: %s %d, %s %d", game.Players[0], goals[0], game.Players[1], goals[1])
	}
	return played, nil
}

// solution holds the values of a position and its moves. Classes are the first player's, or solver.Unknown.
type solution struct {
	game    *env.Game
	played  []env.Action
	player  env.Player // to move
	legal   []env.Action
	classes []int // after each legal move
	class   int
	nodes   int
	elapsed time.Duration
}

// runSolve solves the position and prints the values found within the limits.
func runSolve(cmd *cobra.Command, game *env.Game, played []env.Action, o solveOptions, asJSON bool) error {
	p := newProgress(cmd)
	s := solve(cmd.Context(), game, played, o, p)
	p.close()
	err := output(cmd, func(w io.Writer) error {
		if asJSON {
			return s.writeJSON(w)
		}
		s.write(w)
		return nil
	})
	switch {
	case err != nil:
		return err
	case s.known():
		return nil
	case cmd.Context().Err() != nil:
		return context.Canceled
	}
	return errUnsolved
}

// solve searches for the value of the position, within half of the limits, then for that of each move.
func solve(ctx context.Context, game *env.Game, played []env.Action, o solveOptions, p *progress) *solution {
	state := game.NewState()
	for _, a := range played {
		state.Apply(a)
	}
	s := &solution{game: game, played: played, player: state.Player(), legal: state.Legal(nil)}
	start, search, phase := time.Now(), solver.New(game, o.memory<<20), "solving the position"
	limits := func(nodes int, most time.Duration) solver.Limits {
		if nodes = max(1, nodes); o.nodes == 0 {
			nodes = 0 // no limit
		}
		return solver.Limits{Nodes: nodes, Stop: func() bool {
			p.show(o.status(s.nodes+search.Nodes(), time.Since(start), phase))
			return ctx.Err() != nil || o.time > 0 && time.Since(start) > most || o.nodes > 0 && s.nodes >= o.nodes
		}}
	}
	s.class, _ = search.Solve(state, limits(o.nodes/2, o.time/2))
	s.nodes = search.Nodes()
	phase = "solving each move"
	s.classes = search.SolveMoves(state, limits(o.nodes-s.nodes, o.time), nil)
	s.nodes += search.Nodes()
	s.elapsed = time.Since(start)
	s.conclude()
	return s
}

// conclude derives the value of the position from those of its moves if the search did not find it.
func (s *solution) conclude() {
	if s.class != solver.Unknown {
		return
	}
	best, all := solver.Unknown, true // best for the player to move
	for _, class := range s.classes {
		if class == solver.Unknown {
			all = false
		} else if class = s.game.ClassFor(s.player, class); best == solver.Unknown || class < best {
			best = class
		}
	}
	if best == 0 || all {
		s.class = s.game.ClassFor(s.player, best)
	}
}

// known reports whether all values were found.
func (s *solution) known() bool {
	return s.class != solver.Unknown && !slices.Contains(s.classes, solver.Unknown)
}

// goal returns the goal of player p for a class of the first player.
func (s *solution) goal(p env.Player, class int) int {
	c := s.game.Classes[s.game.ClassFor(p, class)]
	if s.game.GoalHead {
		return 50 + int(math.Round(50*float64(c.Utility)))
	}
	return c.Goals[0]
}

// write prints the values as lines.
func (s *solution) write(w io.Writer) {
	if s.class == solver.Unknown {
		fmt.Fprintln(w, "value unknown")
	} else {
		fmt.Fprintf(w, "value %s=%d %s=%d\n", s.game.Players[env.First], s.goal(env.First, s.class),
			s.game.Players[env.Second], s.goal(env.Second, s.class))
	}
	for i, a := range s.legal {
		if s.classes[i] == solver.Unknown {
			fmt.Fprintln(w, s.game.ActionTexts[a], "unknown")
		} else {
			fmt.Fprintln(w, s.game.ActionTexts[a], s.goal(s.player, s.classes[i]))
		}
	}
	fmt.Fprintf(w, "nodes %d seconds %.3f\n", s.nodes, s.elapsed.Seconds())
}

// writeJSON prints the values as one JSON object, null if unknown.
func (s *solution) writeJSON(w io.Writer) error {
	object := struct {
		Game    string          `json:"game"`
		Moves   []string        `json:"moves"`
		Player  string          `json:"player"`
		Value   map[string]int  `json:"value"`
		Values  map[string]*int `json:"values"`
		Nodes   int             `json:"nodes"`
		Seconds float64         `json:"seconds"`
	}{s.game.Name, []string{}, s.game.Players[s.player], nil, map[string]*int{}, s.nodes, s.elapsed.Seconds()}
	for _, a := range s.played {
		object.Moves = append(object.Moves, s.game.ActionTexts[a])
	}
	if s.class != solver.Unknown {
		object.Value = map[string]int{}
		for p, name := range s.game.Players {
			object.Value[name] = s.goal(env.Player(p), s.class)
		}
	}
	for i, a := range s.legal {
		object.Values[s.game.ActionTexts[a]] = nil
		if s.classes[i] != solver.Unknown {
			goal := s.goal(s.player, s.classes[i])
			object.Values[s.game.ActionTexts[a]] = &goal
		}
	}
	return json.NewEncoder(w).Encode(object)
}

// status is the status of a search after so many nodes and so long. Its share is that of the limit it will reach first.
func (o *solveOptions) status(nodes int, spent time.Duration, phase string) status {
	s := status{count: nodes, unit: "nodes", share: -1, detail: phase}
	if o.nodes > 0 {
		s.share = float64(nodes) / float64(o.nodes)
	}
	if o.time > 0 {
		s.share = max(s.share, spent.Seconds()/o.time.Seconds())
	}
	return s
}
