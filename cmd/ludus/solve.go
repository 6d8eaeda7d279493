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

// errUnsolved is what the limits of solve left open.
var errUnsolved = errors.New("the limits ran out before everything was known")

func solveCommand() *cobra.Command {
	var (
		moves  string
		o      solveOptions
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "solve GAME",
		Short: "Find what a position and each of its moves are worth under best play",
		Long: `Solves a position exactly: what each player gets under best play by both, and what the player to move gets after
each of its moves. The output is a line "value PLAYER=GOAL PLAYER=GOAL", a line "MOVE GOAL" for each legal move (the goal of
the player to move) and a last line "nodes N seconds S"; what the limits did not allow to find out is "unknown", and the
exit code is then 3. In Free-For-All a win is 100, a draw 50 and a loss 0, and with objective=score the goals are 50 plus
or minus half their difference.

More memory makes long searches faster. Ctrl-C prints what is known so far.`,
		Example: `  ludus solve quad-5x5
  ludus solve quad-5x5 --moves "(mark r3 c3);(mark r1 c2)"
  ludus solve "breakthrough(columns=5,rows=5)" --time 10m --memory 4096
  ludus solve golden-rectangle --nodes 10000000 --json`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			if err := o.validate(); err != nil {
				return usage(cmd, err)
			}
			played, err := splitMoves(game, moves)
			if err != nil {
				return fmt.Errorf("--moves: %w", err)
			}
			return runSolve(cmd, game, played, o, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&moves, "moves", "", "moves from the start to the position, between semicolons")
	flags.IntVar(&o.nodes, "nodes", 0, "positions to visit at most; 0 is no limit")
	flags.DurationVar(&o.time, "time", 0, "time to take at most, such as 30s; 0 is no limit")
	flags.IntVar(&o.memory, "memory", 512, "megabytes for what is remembered")
	flags.BoolVar(&asJSON, "json", false, "print one JSON object instead")
	return cmd
}

// solveOptions are the limits of solve.
type solveOptions struct {
	nodes  int
	time   time.Duration
	memory int // MiB
}

// mostMemory is the largest --memory in MiB.
const mostMemory = min(1<<20, math.MaxInt>>20)

func (o solveOptions) validate() error {
	switch {
	case o.nodes < 0:
		return fmt.Errorf("--nodes %d: it must be 0 or more", o.nodes)
	case o.time < 0:
		return fmt.Errorf("--time %v: it must be 0 or more", o.time)
	case o.memory < 1 || o.memory > mostMemory:
		return fmt.Errorf("--memory %d: it must be from 1 to %d megabytes", o.memory, mostMemory)
	}
	return nil
}

// splitMoves reads moves between semicolons and checks that they lead to a position in which somebody is to move.
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

// solution is what was found out about a position; classes are First's, or solver.Unknown.
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

// runSolve solves the position and prints the solution, or as much of it as the limits allow.
func runSolve(cmd *cobra.Command, game *env.Game, played []env.Action, o solveOptions, asJSON bool) error {
	s := solve(cmd.Context(), game, played, o, cmd.ErrOrStderr())
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

// solve first asks for the value of the position, within half of the limits, then for that of each move.
func solve(ctx context.Context, game *env.Game, played []env.Action, o solveOptions, progress io.Writer) *solution {
	state := game.NewState()
	for _, a := range played {
		state.Apply(a)
	}
	s := &solution{game: game, played: played, player: state.Player(), legal: state.Legal(nil)}
	start, search, show := time.Now(), solver.New(game, o.memory<<20), newSolveProgress(progress)
	limits := func(nodes int, most time.Duration) solver.Limits {
		if nodes = max(1, nodes); o.nodes == 0 {
			nodes = 0 // no limit
		}
		return solver.Limits{Nodes: nodes, Stop: func() bool {
			show.update(s.nodes + search.Nodes())
			return ctx.Err() != nil || o.time > 0 && time.Since(start) > most || o.nodes > 0 && s.nodes >= o.nodes
		}}
	}
	s.class, _ = search.Solve(state, limits(o.nodes/2, o.time/2))
	s.nodes = search.Nodes()
	show.phase = "each move"
	s.classes = search.SolveMoves(state, limits(o.nodes-s.nodes, o.time), nil)
	s.nodes += search.Nodes()
	show.close()
	s.elapsed = time.Since(start)
	s.conclude()
	return s
}

// conclude finds the value of the position from those of its moves, where it was not found by itself.
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

// known reports whether the limits left nothing open.
func (s *solution) known() bool {
	return s.class != solver.Unknown && !slices.Contains(s.classes, solver.Unknown)
}

// goal is what First's class brings p.
func (s *solution) goal(p env.Player, class int) int {
	c := s.game.Classes[s.game.ClassFor(p, class)]
	if s.game.GoalHead {
		return 50 + int(math.Round(50*float64(c.Utility)))
	}
	return c.Goals[0]
}

// write prints the lines that people and scripts read.
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

// writeJSON prints the solution as one object; null is what is not known.
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

// solveProgress shows how far a long search is: every second on a terminal, a line every ten seconds elsewhere.
type solveProgress struct {
	w           io.Writer
	terminal    bool
	start, told time.Time
	phase       string
}

func newSolveProgress(w io.Writer) *solveProgress {
	return &solveProgress{w: w, terminal: isTerminal(w), start: time.Now(), told: time.Now(), phase: "the position"}
}

func (p *solveProgress) update(nodes int) {
	every, form := progressEvery, "%s\n"
	if p.terminal {
		every, form = time.Second, "\r\x1b[K%s"
	}
	if time.Since(p.told) < every {
		return
	}
	p.told = time.Now()
	seconds := time.Since(p.start).Seconds()
	fmt.Fprintf(p.w, form, fmt.Sprintf("solving %s: %.1f million nodes in %.0f s, %.1f million a second", p.phase,
		float64(nodes)/1e6, seconds, float64(nodes)/1e6/seconds))
}

func (p *solveProgress) close() {
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
