package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
	"ludus/train/agent"
	"ludus/train/shipped"
)

// study is an analysed sample game, which takes long to compute. Scores are the first player's, 0 to 100, expected or
// exact: its goal, or 100, 50 and 0 for a win, a draw and a loss.
type study struct {
	Game    string    `json:"game"`
	Network string    `json:"network"` // SHA-256 of the shipped weights file; "" if none is shipped
	Players [2]string `json:"players"` // agents' specs, by seat
	Sample  []ply     `json:"sample"`
}

// ply is a position of the sample game and the move played in it.
type ply struct {
	Move  string    `json:"move"`
	Score float64   `json:"score"` // score before the move
	Exact bool      `json:"exact,omitempty"`
	Keep  []string  `json:"keep,omitempty"` // if Exact: the moves that keep the score, unless all do or the solver does not know
	Top   []topMove `json:"top"`            // the analyst's most visited moves
}

// topMove is a move of an analysis.
type topMove struct {
	Move   string  `json:"move"`
	Visits int     `json:"visits"`
	Score  float64 `json:"score"`
}

// Agents and limits of a study; a study of one game takes about a minute.
const (
	baseline    = "mcts:4000" // plays and analyses games without a shipped agent
	beginner    = "mcts:1000" // second player, whose mistakes are worth a comment
	analystSims = 1000        // analyst's simulations per position
	sampleNodes = 500_000     // solver's node limit per position
	tableBytes  = 128 << 20   // size of the solver's table
	topMoves    = 5
)

// studyPage plays the page's sample game if it is missing, if its agent has changed, or if again is set.
func studyPage(ctx context.Context, folder string, p *page, again bool) error {
	old, err := readStudy(folder, p)
	if err == nil && !again {
		return nil
	}
	if err != nil && !errors.Is(err, errStale) && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	name := p.names[max(0, slices.IndexFunc(p.names, func(name string) bool { return zoo.CardOf(name) != nil }))]
	if old != nil {
		name = old.Game
	}
	game, err := games.New(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: sample game of %s\n", p.name(), name)
	s := &student{game: game, solver: solver.New(game, tableBytes)}
	out := study{Game: name, Network: networkOf(name), Players: [2]string{baseline, beginner}}
	analyst := baseline
	if out.Network != "" {
		out.Players[0], analyst = agent.Zoo, agent.Zoo+",search=puct"
	}
	if out.Sample, err = s.sample(ctx, out.Players, analyst); err != nil {
		return err
	}
	text, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, p.name()+".json"), append(text, '\n'), 0o644)
}

// errStale means that the sample game was played by an agent that has changed since.
var errStale = errors.New("run go generate ./cmd/gamepages: the sample game is that of another agent")

// readStudy reads the sample game of a page. If it is missing, the error wraps [fs.ErrNotExist]. With errStale it returns
// the game, too.
func readStudy(folder string, p *page) (*study, error) {
	s := new(study)
	if err := readData(folder, p.name(), s); err != nil {
		return nil, err
	}
	if s.Network != networkOf(s.Game) {
		return s, errStale
	}
	return s, nil
}

// networkOf returns the SHA-256 of the weights file that is shipped for a game, or "".
func networkOf(game string) string {
	if card := zoo.CardOf(game); card != nil {
		return card.Network.SHA256
	}
	return ""
}

// readData reads the JSON file folder/name.json.
func readData(folder, name string, to any) error {
	path := filepath.Join(folder, name+".json")
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// student plays and analyses a sample game.
type student struct {
	game   *env.Game
	solver *solver.Solver
}

// agent returns a new agent.
func (s *student) agent(spec string) (agent.Agent, error) {
	f, err := agent.ParseFactory(s.game, spec, shipped.FileLoader(s.game, zoo.Weights(s.game.Name), nil))
	if err != nil {
		return nil, err
	}
	return f.New(1)
}

// analyze returns the expected score of First in a position, and the best moves.
func (s *student) analyze(ctx context.Context, a agent.Agent, state env.State) (score float64, top []topMove, err error) {
	a.Reset(1)
	analysis, err := a.Analyze(ctx, state, analystSims)
	if err != nil {
		return 0, nil, err
	}
	toScore := func(value *float64) float64 {
		if value == nil {
			return 50
		}
		return math.Round(500*(1+*value*state.Player().Sign())) / 10
	}
	for _, m := range analysis.Moves[:min(topMoves, len(analysis.Moves))] {
		if m.Visits != nil && *m.Visits > 0 {
			top = append(top, topMove{s.game.ActionNames[m.Action], *m.Visits, toScore(m.Value)})
		}
	}
	return toScore(analysis.Value), top, nil
}

// sample plays a game between two agents. The analyst analyses its positions.
func (s *student) sample(ctx context.Context, specs [2]string, analystSpec string) (plies []ply, err error) {
	var seats [2]agent.Agent
	for i, spec := range specs {
		if seats[i], err = s.agent(spec); err != nil {
			return nil, err
		}
	}
	analyst, err := s.agent(analystSpec)
	if err != nil {
		return nil, err
	}
	for state := s.game.NewState(); !state.Done(); {
		a, err := seats[state.Player()].Choose(ctx, state)
		if err != nil {
			return nil, err
		}
		p := ply{Move: s.game.ActionNames[a]}
		if p.Score, p.Top, err = s.analyze(ctx, analyst, state); err != nil {
			return nil, err
		}
		s.solve(state, &p)
		plies = append(plies, p)
		state.Apply(a)
		for _, seat := range seats {
			seat.Observe(a)
		}
	}
	return plies, nil
}

// solve replaces the expected score of a position by the exact one if the solver finds it.
func (s *student) solve(state env.State, p *ply) {
	class, ok := s.solver.Solve(state, solver.Limits{Nodes: sampleNodes})
	if !ok {
		return
	}
	p.Score, p.Exact = float64(s.game.Classes[class].Goal()), true
	classes := s.solver.SolveMoves(state, solver.Limits{Nodes: 2 * sampleNodes}, nil)
	if slices.Contains(classes, solver.Unknown) {
		return
	}
	legal := state.Legal(nil)
	for i, a := range legal {
		if classes[i] == class {
			p.Keep = append(p.Keep, s.game.ActionNames[a])
		}
	}
	if len(p.Keep) == len(legal) {
		p.Keep = nil
	}
}
