package gdl

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// Family is the family of all games that New returns.
const Family = "gdl"

// game holds the tables that all positions of a sheet's game share. It does not change after New.
type game struct {
	env      *env.Game
	circuit  *gates.Circuit
	play     *gates.Play
	start    *gates.Position // the initial position; new states are copies of it
	init     []uint64        // bit set of the initial fluents
	turns    *turns
	classes  classes
	policy   policy
	tensor   tensor
	drawing  drawing
	keys     keys
	limit    int      // cap of plies, at which the game is a draw; 0 if games are proven to end
	trial    trial    // statistics of random games
	findings []string // see Findings
}

// CircuitOf returns the circuit of a game that New or Restore returned.
func CircuitOf(e *env.Game) *gates.Circuit { return e.NewState().(*state).game.circuit }

// Info reports what the proofs about a game have shown. [Findings] has the same in sentences.
type Info struct {
	Fluents, Gates int
	Board          string // description of the board; "" without one
	Large          string // description of a board that is too large, if there is no other
	Longest        string // how the longest game is bounded: a proof or a cap of plies
	Proven         bool   // the length of games is proven to be bounded
	Frame          string // how Second's frame maps the board; "" if the sides are not proven to be alike
	OwnGoals       bool   // the sides are alike except for their goals
}

// New returns the game of a sheet. The stem, such as the name of the sheet's file without folder and extension, and a
// hash of the text make the game's name. Errors of type [kif.Error] carry the line.
func New(ctx context.Context, stem, text string) (*env.Game, *Info, error) {
	circuit, err := Read(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	return FromCircuit(ctx, stem, text, circuit)
}

// Read returns the circuit of a sheet. Unlike New it accepts any number of roles and simultaneous moves.
func Read(ctx context.Context, text string) (*gates.Circuit, error) {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	program, err := ground.Ground(ctx, rules, ground.DefaultLimits)
	if err != nil {
		return nil, explain(err, text, nil) // there is no circuit yet
	}
	return gates.New(ctx, program)
}

// FromCircuit is [New] for a sheet whose circuit exists already.
func FromCircuit(ctx context.Context, stem, text string, circuit *gates.Circuit) (*env.Game, *Info, error) {
	e, info, err := build(ctx, stem, text, circuit, uncapped)
	return e, info, explain(err, text, circuit)
}

// Restore returns the game that New made of the sheet under the given name. It takes a cap of plies from the name
// instead of playing random games for it.
func Restore(ctx context.Context, name, text string) (*env.Game, error) {
	stem, limit, ok := parseName(name, text)
	if !ok {
		return nil, fmt.Errorf("%s is the name of another sheet's game", name)
	}
	circuit, err := Read(ctx, text)
	if err != nil {
		return nil, err
	}
	e, _, err := build(ctx, stem, text, circuit, limit)
	if err == nil && e.Name != name {
		return nil, fmt.Errorf("%s was made by another version of ludus, which proved other things about it: now it is %s", name, e.Name)
	}
	return e, err
}

// uncapped as the limit argument of build means that no cap of plies is given; build then chooses one if the longest
// game is not proven.
const uncapped = 0

// build makes the game of a circuit. A limit other than uncapped is the cap of plies, even if a longest game is proven.
func build(ctx context.Context, stem, text string, circuit *gates.Circuit, limit int) (e *env.Game, info *Info, err error) {
	interrupted := circuit.Until(ctx, func() error {
		e, info, err = buildWhole(ctx, stem, text, circuit, limit)
		return nil
	})
	if interrupted != nil {
		return nil, nil, fmt.Errorf("the proofs about the game were not finished: %w", interrupted)
	}
	return e, info, err
}

// buildWhole is build without its way to stop soon after ctx ends.
func buildWhole(ctx context.Context, stem, text string, circuit *gates.Circuit, limit int) (*env.Game, *Info, error) {
	if err := checkStart(circuit); err != nil {
		return nil, nil, err
	}
	classes, err := newClasses(circuit)
	if err != nil {
		return nil, nil, err
	}
	trial, err := playTrial(ctx, circuit)
	if err != nil {
		return nil, nil, err
	}
	folder := circuit.NewFolder()
	turns, err := findTurns(circuit, folder)
	if err != nil {
		return nil, nil, err
	}
	g := newGame(stem, text, circuit, turns)
	g.classes, g.trial = classes, trial
	b, large := findBoard(circuit.Program, func(groups [][]int) bool { return proveExclusive(circuit, turns, groups) })
	if err := g.setActions(b); err != nil {
		return nil, nil, err
	}
	info := &Info{Fluents: len(circuit.Program.Fluents), Board: b.String(), Large: large.String()}
	g.setLength(folder, limit, info)
	g.env.Name = withLimit(g.env.Name, g.limit)
	g.env.Classes, g.env.GoalHead = g.classes.list(), !g.classes.bySum
	g.setTensor(b, folder)
	second := g.setSymmetries(b)
	g.keys.useZobrist(len(g.init), len(circuit.Program.Fluents), g.limit)
	g.setPlay(folder)
	g.env.NewState = func() env.State { return g.newState() }
	info.Gates = circuit.Size()
	if second.actions != nil {
		info.Frame, info.OwnGoals = cmp.Or(second.name, "not turned"), second.ownGoals
	}
	g.describe(info)
	g.env.Finish(second.actions)
	return g.env, info, nil
}

// checkStart returns an error if the circuit does not have two roles, or if the game is over in its initial position.
func checkStart(circuit *gates.Circuit) error {
	w := newWalk(circuit, 0, 1) // one game at its start
	circuit.Position(w.Values)
	switch n := len(circuit.Program.Roles); {
	case n == 1:
		return errors.New("the sheet has one role; only games of two players are supported")
	case n != 2:
		return fmt.Errorf("the sheet has %d roles; only games of two players are supported", n)
	case w.Values.Get(circuit.Terminal) != 0:
		return errors.New("the game is over at its start: terminal holds in the first position")
	}
	return nil
}

// newGame returns a game that has its players and its initial position, and nothing else yet.
func newGame(stem, text string, circuit *gates.Circuit, turns *turns) *game {
	program := circuit.Program
	g := &game{circuit: circuit, turns: turns, env: &env.Game{Name: Name(stem, text), Family: Family, Sheet: text}}
	g.init = make([]uint64, (len(program.Fluents)+63)/64)
	for i, start := range program.Starts() {
		if start {
			g.init[i/64] |= 1 << (i % 64)
		}
	}
	for role, t := range program.Roles {
		g.env.Players[turns.playerOf(role)] = program.Terms.Text(t)
	}
	return g
}

// maxPlies is the largest proven game length that is used as env.Game.MaxPlies. For longer games random games give a
// better bound.
const maxPlies = 4 * maxTrial

// setLength bounds the plies of a game: by the given limit, else by a proof, else by a cap of four times the longest
// random game.
func (g *game) setLength(f *gates.Folder, limit int, info *Info) {
	e := g.env
	plies, proof := findLongest(g.circuit, f, g.turns)
	e.MaxPlies, e.UsualPlies = plies, max(g.trial.longest, 1)
	info.Longest, info.Proven = proof, proof != "" && plies <= maxPlies && limit == uncapped
	switch {
	case limit != uncapped:
		info.Longest = fmt.Sprintf("after %d plies the game is a draw", limit)
	case !info.Proven:
		limit = 4 * e.UsualPlies
		info.Longest = fmt.Sprintf("%d plies are four times the longest of %d random games; then the game is a draw", limit, g.trial.games)
	}
	if limit != uncapped {
		g.limit, e.MaxPlies, e.UsualPlies = limit, limit, min(e.UsualPlies, limit)
		g.classes.addDraw()
	}
}

// setPlay prepares the circuit for incremental play. Each pair of a mover and the other role's idle move is one
// [gates.Mode]; setPlay sets turns.modes to the mode of each control fluent.
func (g *game) setPlay(f *gates.Folder) {
	t := g.turns
	type key struct{ mover, idle int }
	numbers := map[key]int{}
	var modes []gates.Mode
	for k := range t.fluents {
		x := key{t.mover[k], t.idle[k]}
		i, ok := numbers[x]
		if !ok {
			i = len(modes)
			numbers[x] = i
			m := gates.Mode{Mover: x.mover, Idle: x.idle}
			for _, a := range g.policy.actions[x.mover] {
				m.Moves = append(m.Moves, a.move)
			}
			modes = append(modes, m)
		}
		t.modes = append(t.modes, i)
	}
	for i := range modes {
		// In positions of a mode the control fluents of other modes are false. If the mode has a single one, that is true.
		var own []int
		for k, fluent := range t.fluents {
			switch {
			case t.modes[k] == i:
				own = append(own, fluent)
			case fluent != none:
				modes[i].Known = append(modes[i].Known, g.circuit.Fluent(fluent).Not())
			}
		}
		if len(own) == 1 && own[0] != none {
			modes[i].Known = append(modes[i].Known, g.circuit.Fluent(own[0]))
		}
	}
	g.play = gates.NewPlay(g.circuit, f, modes)
	g.start = g.play.NewPosition(g.init)
}
