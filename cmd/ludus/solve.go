package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/env/solver"
)

// errUnsolved means that solve reached a limit before it found all values.
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
		Long: `Solves a position exactly, for perfect play by both players. Goals are final scores, 0 to 100. The output is a
line "value PLAYER=GOAL PLAYER=GOAL", a line "MOVE GOAL" per legal move with the goal of the player to move, where the
best moves have the word "best" at the end, and a last line "nodes N seconds S". Values not found within the limits are
"unknown", and the exit code is then 3. In Free-For-All a win is 100, a draw 50 and a loss 0; with objective=score goals
are 50 plus or minus half their difference.

More memory makes long searches faster. Ctrl-C prints the values found so far.`,
		Example: `  ludus solve quad-5x5
  ludus solve quad-5x5 --moves "c3; b1"
  ludus solve breakthrough-6x6 --moves "b2-b3; b5-b4" --time 1m
  ludus solve "breakthrough(columns=5,rows=5)" --time 10m --memory 4096
  ludus solve golden-rectangle --nodes 10000000 --json`,
		Args: arguments(1, 1),
		RunE: onGame(func(cmd *cobra.Command, game *env.Game, _ []string) error {
			state, played, err := splitMoves(game, moves)
			if err != nil {
				return usage(cmd, fmt.Errorf("--moves: %w", err))
			}
			p := newProgress(cmd)
			s := solve(cmd.Context(), game, state, o, p)
			p.close()
			s.Moves = game.Names(played)
			if asJSON {
				err = printJSON(cmd, s)
			} else {
				s.write(cmd.OutOrStdout(), game, state)
			}
			switch {
			case err != nil || s.known():
				return err
			case cmd.Context().Err() != nil:
				return context.Canceled
			}
			return errUnsolved
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&moves, "moves", "", "moves from the start to the position, separated by semicolons, written as in play")
	flags.IntVar(&o.nodes, "nodes", 0, "maximum number of positions to visit; 0 for no limit")
	flags.DurationVar(&o.time, "time", 0, "maximum time, such as 30s; 0 for no limit")
	memoryFlag(cmd, &o.memory, 1, 512, "megabytes for the table of positions")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead")
	limit(cmd, "nodes", "0 or more", func() bool { return o.nodes >= 0 })
	limit(cmd, "time", "0 or more", func() bool { return o.time >= 0 })
	return cmd
}

// solveOptions are the limits of solve; 0 means no limit.
type solveOptions struct {
	nodes  int
	time   time.Duration
	memory int // in MiB
}

// splitMoves parses moves separated by semicolons and plays them. They must not end the game.
func splitMoves(game *env.Game, text string) (env.State, []env.Action, error) {
	var texts []string
	for part := range strings.SplitSeq(text, ";") {
		part = strings.TrimSpace(part)
		if part != "" {
			texts = append(texts, part)
		}
	}
	state, played, err := notation.Replay(game, texts)
	if err != nil {
		return nil, nil, err
	}
	if state.Done() {
		goals := state.Goals()
		return nil, nil, fmt.Errorf("the game is over: %s %d, %s %d", game.Players[0], goals[0], game.Players[1], goals[1])
	}
	return state, played, nil
}

// solution holds the values of a position and of its moves: goals (final scores) under perfect play, null if unknown.
type solution struct {
	Game    string          `json:"game"`
	Moves   []string        `json:"moves"`  // moves that lead to the position
	Player  string          `json:"player"` // player to move
	Value   map[string]int  `json:"value"`  // goals by player
	Values  map[string]*int `json:"values"` // Player's goals by legal move
	Nodes   int             `json:"nodes"`
	Seconds float64         `json:"seconds"`
}

// solve searches for the value of a position within half of the limits, and then for the value of each move within the
// rest.
func solve(ctx context.Context, game *env.Game, state env.State, o solveOptions, p *progress) *solution {
	s := &solution{Game: game.Name, Player: game.Players[state.Player()], Values: map[string]*int{}}
	start, search, phase := time.Now(), solver.New(game, o.memory<<20), "solving the position"
	limits := func(nodes int, most time.Duration) solver.Limits {
		nodes = max(1, nodes) // what is left may be 0 or less
		if o.nodes == 0 {
			nodes = 0 // 0 means no limit
		}
		return solver.Limits{Nodes: nodes, Stop: func() bool {
			p.show(o.status(s.Nodes+search.Nodes(), time.Since(start), phase))
			return ctx.Err() != nil || o.time > 0 && time.Since(start) > most || o.nodes > 0 && s.Nodes >= o.nodes
		}}
	}
	class, _ := search.Solve(state, limits(o.nodes/2, o.time/2))
	s.Nodes = search.Nodes()
	phase = "solving each move"
	classes := search.SolveMoves(state, limits(o.nodes-s.Nodes, o.time), nil)
	s.Nodes += search.Nodes()
	s.Seconds = time.Since(start).Seconds()
	if class == solver.Unknown {
		class = bestClass(game, state.Player(), classes)
	}
	if class != solver.Unknown {
		s.Value = map[string]int{}
		for p, name := range game.Players {
			s.Value[name] = classGoal(game, env.Player(p), class)
		}
	}
	for i, a := range state.Legal(nil) {
		s.Values[game.ActionNames[a]] = nil
		if classes[i] != solver.Unknown {
			goal := classGoal(game, state.Player(), classes[i])
			s.Values[game.ActionNames[a]] = &goal
		}
	}
	return s
}

// bestClass returns the outcome class of a position from the classes of its moves; Unknown if a move of unknown class might
// be better. All classes are as the first player sees them; class 0 is the first player's best.
func bestClass(game *env.Game, player env.Player, classes []int) int {
	known := slices.DeleteFunc(slices.Clone(classes), func(class int) bool { return class == solver.Unknown })
	best := len(game.Classes) // class as the player to move sees it
	for _, class := range known {
		best = min(best, game.ClassFor(player, class))
	}
	if best == 0 || len(known) == len(classes) {
		return game.ClassFor(player, best)
	}
	return solver.Unknown
}

// classGoal returns player p's goal for an outcome class of the first player.
func classGoal(game *env.Game, p env.Player, class int) int {
	return game.Classes[game.ClassFor(p, class)].Goal()
}

// known reports whether all values were found.
func (s *solution) known() bool {
	return s.Value != nil && !slices.Contains(slices.Collect(maps.Values(s.Values)), nil)
}

// write prints the values of the position and its moves.
func (s *solution) write(w io.Writer, game *env.Game, state env.State) {
	first, second := game.Players[0], game.Players[1]
	if s.Value == nil {
		fmt.Fprintln(w, "value unknown")
	} else {
		fmt.Fprintf(w, "value %s=%d %s=%d\n", first, s.Value[first], second, s.Value[second])
	}
	for _, move := range game.Names(state.Legal(nil)) {
		value, best := s.Values[move], ""
		if value == nil {
			fmt.Fprintln(w, move, "unknown")
			continue
		}
		if s.Value != nil && *value == s.Value[s.Player] {
			best = " best"
		}
		fmt.Fprintf(w, "%s %d%s\n", move, *value, best)
	}
	fmt.Fprintf(w, "nodes %d seconds %.3f\n", s.Nodes, s.Seconds)
}

// status returns the progress of solve. Its share is that of the limit that is closer, -1 without limits.
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
