package main

import (
	"cmp"
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
)

// study is what takes long to compute for a page. Scores are the first player's, expected or exact, 0 to 100: its goal, or
// 100, 50 and 0 for a win, a draw and a loss.
type study struct {
	Network string      `json:"network"` // SHA-256 of the shipped weights file; "" if none is shipped
	First   []firstMove `json:"first"`
	Players [2]string   `json:"players"` // specs of the agents of the sample game, by seat
	Sample  []ply       `json:"sample"`
}

// firstMove is a group of first moves that are alike up to symmetry.
type firstMove struct {
	Moves []string `json:"moves"`
	Score float64  `json:"score"`
	Exact bool     `json:"exact,omitempty"`
}

// ply is a position of the sample game and the move played in it.
type ply struct {
	Move  string    `json:"move"`
	Score float64   `json:"score"` // before the move
	Exact bool      `json:"exact,omitempty"`
	Keep  []string  `json:"keep,omitempty"` // if Exact, the moves that keep the score, unless all do or the solver does not know
	Top   []topMove `json:"top"`            // the analyst's most visited moves
}

// topMove is a move of an analysis.
type topMove struct {
	Move   string  `json:"move"`
	Visits int     `json:"visits"`
	Score  float64 `json:"score"`
}

// Limits of a study. They let a study of one game take about a minute.
const (
	firstNodes       = 5_000_000 // of the solver, for all first moves together
	sampleNodes      = 500_000   // of the solver, for each position
	firstSimulations = 4000      // of the agent, after each first move
	analystSims      = 1000      // of the agent, for each position
	tableBytes       = 128 << 20
	topMoves         = 5
	baseline         = "mcts:4000" // player and analyst of games without a shipped agent
)

// studyPage computes the data of a page if they are missing, belong to another agent, or are wanted again.
func studyPage(ctx context.Context, folder string, p *page, again []string) error {
	old, err := readStudy(folder, p)
	if err != nil && !errors.Is(err, errStale) {
		return err
	}
	if old != nil && err == nil && !slices.Contains(again, p.name) {
		return nil
	}
	game, err := games.New(p.studied())
	if err != nil {
		return err
	}
	firsts, err := games.New(p.firsts())
	if err != nil {
		return err
	}
	s := newStudent(ctx, firsts)
	fmt.Fprintf(os.Stderr, "%s: first moves\n", p.name)
	out := study{Network: network(game.Name), Players: p.players}
	if out.First, err = s.firstMoves(); err != nil {
		return err
	}
	s = newStudent(ctx, game)
	for i, spec := range out.Players {
		out.Players[i] = cmp.Or(spec, s.spec)
	}
	fmt.Fprintf(os.Stderr, "%s: sample game\n", p.name)
	if out.Sample, err = s.sample(out.Players); err != nil {
		return err
	}
	return writeData(folder, p.name, out)
}

// errStale means that data are missing or belong to another agent.
var errStale = errors.New("run go generate ./cmd/gamepages: the values and the sample game are missing or " +
	"those of another agent")

// readStudy reads the data of a page. The error is errStale if they must be computed.
func readStudy(folder string, p *page) (*study, error) {
	s := new(study)
	if err := readData(folder, p.name, s); errors.Is(err, fs.ErrNotExist) {
		return nil, errStale
	} else if err != nil {
		return nil, err
	}
	if s.Network != network(p.studied()) {
		return s, errStale
	}
	return s, nil
}

// network returns the SHA-256 of the weights file that is shipped for a game, or "".
func network(game string) string {
	if card := zoo.CardOf(game); card != nil {
		return card.Network.SHA256
	}
	return ""
}

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

func writeData(folder, name string, data any) error {
	text, err := json.MarshalIndent(data, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+".json"), append(text, '\n'), 0o644)
}

// student computes a study.
type student struct {
	ctx    context.Context
	game   *env.Game
	solver *solver.Solver

	spec, analyst string // of the agents that play, unless the page names others, and that analyse
}

func newStudent(ctx context.Context, game *env.Game) *student {
	s := &student{ctx: ctx, game: game, solver: solver.New(game, tableBytes), spec: baseline, analyst: baseline}
	if zoo.CardOf(game.Name) != nil {
		s.spec, s.analyst = agent.Zoo, agent.Zoo+",search=puct"
	}
	return s
}

// agent returns a new agent.
func (s *student) agent(spec string) (agent.Agent, error) {
	f, err := agent.ParseFactory(s.game, spec, agent.WithShipped(s.game, zoo.Weights(s.game.Name), nil, nil))
	if err != nil {
		return nil, err
	}
	return f.New(1)
}

// firstMoves returns the scores of the first moves, the best for the first player first. They are the solver's if it
// solves all, otherwise the agent's.
func (s *student) firstMoves() (list []firstMove, err error) {
	start := s.game.NewState()
	classes := s.solver.SolveMoves(start, solver.Limits{Nodes: firstNodes}, nil)
	exact := !slices.Contains(classes, solver.Unknown)
	analyst, err := s.agent(s.analyst)
	if err != nil {
		return nil, err
	}
	groups := make(map[env.Key]int)
	for i, a := range start.Legal(nil) {
		child := s.game.NewState()
		child.Apply(a)
		key, _ := child.CanonicalKey()
		name := s.game.ActionNames[a]
		if g, known := groups[key]; known {
			list[g].Moves = append(list[g].Moves, name)
			continue
		}
		groups[key] = len(list)
		m := firstMove{Moves: []string{name}, Exact: exact}
		if exact {
			m.Score = float64(s.game.Classes[classes[i]].Goal())
		} else if m.Score, _, err = s.analyze(analyst, child, firstSimulations); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(a, b firstMove) int { return cmp.Compare(b.Score, a.Score) })
	return list, nil
}

// analyze returns the expected score of First in a position, and the best moves.
func (s *student) analyze(a agent.Agent, state env.State, simulations int) (score float64, top []topMove, err error) {
	a.Reset(1)
	analysis, err := a.Analyze(s.ctx, state, simulations)
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

// sample plays a game between two agents and analyses its positions.
func (s *student) sample(specs [2]string) (plies []ply, err error) {
	var seats [2]agent.Agent
	for i, spec := range specs {
		if seats[i], err = s.agent(spec); err != nil {
			return nil, err
		}
	}
	analyst, err := s.agent(s.analyst)
	if err != nil {
		return nil, err
	}
	for state := s.game.NewState(); !state.Done(); {
		a, err := seats[state.Player()].Choose(s.ctx, state)
		if err != nil {
			return nil, err
		}
		p := ply{Move: s.game.ActionNames[a]}
		if p.Score, p.Top, err = s.analyze(analyst, state, analystSims); err != nil {
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

// solve replaces the estimate of a position by its exact score if the solver finds it.
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
