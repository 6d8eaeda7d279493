package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"ludus/cmd/ludus/internal/engine"
	"ludus/env"
	"ludus/train/agent"
)

// maxFailures is the number of failed starts in a row after which a program is not started again.
const maxFailures = 3

// dialect speaks a protocol with a running program. Its errors are those of process and *agent.Fault; after them the
// process is of no use. Others are agent.ErrResigned and errors about the start.
type dialect interface {
	// greet sends the first lines, with those of init=.
	greet(ctx context.Context) error
	// begin starts a new game.
	begin(ctx context.Context) error
	// choose tells the program the moves that it does not know yet and returns its move, and whether the program has
	// played that move itself. If it can, it does not let the program play if keep says so.
	choose(ctx context.Context, p *position, keep bool) (a env.Action, played bool, err error)
	// quit is the line that ends the program.
	quit() string
}

// position is where a program is to choose a move.
type position struct {
	moves []env.Action // from the start
	known int          // number of moves that the program knows
	state env.State    // after the moves; not terminal
	clock agent.Clock  // its Move includes the spec's time=
}

// total reports whether there is a limit for all moves of the game.
func (p *position) total() bool { return p.clock.Left != [2]time.Duration{} }

// program is an [agent.Outside].
type program struct {
	game  *env.Game
	spec  agent.Spec
	words []string                 // of the command
	speak func(p *process) dialect // returns the dialect for a process that has just started
	trace func(prefix, line string)

	state    env.State
	moves    []env.Action  // of the game
	restarts int           // in this game
	starting time.Duration // see Starting
	fault    *agent.Fault  // that ended this game; nil if none did
	failures int           // starts in a row that failed
	failed   *agent.Fault  // the last of them

	process *process // nil if the program does not run
	dialect dialect
	begun   bool         // the program knows that this game has begun
	known   []env.Action // moves of the game that the program knows
}

// Start is the [agent.Starter].
func Start(game *env.Game, spec agent.Spec) (agent.Outside, error) {
	p, err := newProgram(game, spec)
	if err != nil {
		return nil, fmt.Errorf("%w %v: %w", agent.ErrProgram, spec, err)
	}
	return p, nil
}

func newProgram(game *env.Game, spec agent.Spec) (*program, error) {
	words, err := spec.Program.Words()
	if err != nil {
		return nil, err
	}
	if spec.Program.Memory > 0 && !canLimitMemory {
		return nil, errors.New("memory= works on Linux only")
	}
	path := words[0]
	if info, err := os.Stat(cmp.Or(spec.Program.Dir, ".")); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("dir=%s is no folder", spec.Program.Dir)
	}
	if spec.Program.Dir != "" && !filepath.IsAbs(path) && filepath.Base(path) != path {
		path = filepath.Join(spec.Program.Dir, path)
	}
	path, err = exec.LookPath(path)
	if err == nil {
		words[0], err = filepath.Abs(path)
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("%w; install the program or give its path", err)
	}
	if err != nil {
		return nil, err
	}
	p := &program{game: game, spec: spec, words: words, state: game.NewState()}
	switch spec.Kind {
	case agent.GTP:
		p.speak, err = newGTP(game, spec.Program)
	case agent.Gomocup:
		p.speak, err = newGomocup(game, spec.Program)
	case agent.NBoard:
		p.speak, err = newNBoard(game, spec.Program)
	default:
		panic("program: a spec of unknown kind " + string(spec.Kind))
	}
	return p, err
}

// fixedConvention returns the convention of a protocol all of whose programs use the same names.
func fixedConvention(protocol engine.Protocol, game *env.Game, p agent.Program) (*engine.Convention, error) {
	if p.Colours+p.Columns+p.Rows+p.Pass+p.Swap != "" {
		return nil, errors.New("colours=, columns=, rows=, pass= and swap= are for gtp: only")
	}
	return engine.NewConvention(protocol, game), nil
}

// forcedPass returns the pass if it is the only move of a position. Programs are not asked for it.
func forcedPass(game *env.Game, state env.State) (pass env.Action, forced bool) {
	legal := state.Legal(nil)
	return legal[0], len(legal) == 1 && game.ActionNames[legal[0]] == "pass"
}

// Reset implements [agent.Agent]. The seed means nothing to a program.
func (p *program) Reset(uint64) {
	p.state, p.moves, p.restarts, p.starting, p.fault, p.begun = p.game.NewState(), nil, 0, 0, nil, false
}

// Observe implements [agent.Agent].
func (p *program) Observe(a env.Action) {
	p.moves = append(p.moves, a)
	p.state.Apply(a)
}

// Restarts implements [agent.Outside].
func (p *program) Restarts() int { return p.restarts }

// Starting implements [agent.Outside].
func (p *program) Starting() time.Duration { return p.starting }

// Start implements [agent.Outside]. The program then also knows that the game has begun.
func (p *program) Start(ctx context.Context) error {
	if p.fault != nil {
		return p.fault
	}
	return p.end(ctx, p.ready(ctx))
}

// Choose implements [agent.Agent].
func (p *program) Choose(ctx context.Context, state env.State) (env.Action, error) {
	return p.choose(ctx, state, agent.Clock{}, false)
}

// ChooseOnClock implements [agent.Outside].
func (p *program) ChooseOnClock(ctx context.Context, state env.State, clock agent.Clock) (env.Action, error) {
	return p.choose(ctx, state, clock, false)
}

// Analyze implements [agent.Agent]. It knows no values.
func (p *program) Analyze(ctx context.Context, state env.State, _ int) (*agent.Analysis, error) {
	return agent.BestOnly(ctx, state, func(ctx context.Context, state env.State) (env.Action, error) {
		return p.choose(ctx, state, agent.Clock{}, true)
	})
}

// Close implements [agent.Outside].
func (p *program) Close() error {
	if p.process != nil {
		p.stop(p.dialect.quit())
	}
	return nil
}

// stop ends the process. quit is a line that asks it to end; "" kills it.
func (p *program) stop(quit string) {
	p.process.close(quit)
	p.process, p.dialect, p.begun = nil, nil, false
}

// choose returns the program's move in state, which must be the one that it has observed. keep: it is for an analysis.
func (p *program) choose(ctx context.Context, state env.State, clock agent.Clock, keep bool) (a env.Action, err error) {
	switch {
	case p.fault != nil:
		return 0, p.fault
	case state.Key() != p.state.Key():
		return 0, &agent.Fault{Kind: agent.Lost, Detail: "it has not seen the moves that led to the position"}
	}
	start, starting := time.Now(), p.starting
	for {
		if len(p.known) > len(p.moves) || !slices.Equal(p.known, p.moves[:len(p.known)]) {
			p.begun = false // it knows of moves that were not played
		}
		err = p.ready(ctx)
		if err == nil {
			a, err = p.ask(ctx, clock, keep)
		}
		if !errors.Is(err, errEnded) || p.restarts > 0 {
			return a, p.end(ctx, err)
		}
		p.stop("")
		p.restarts++
		p.starting = starting + time.Since(start)
	}
}

// ask lets the program, which is ready, choose a move within its limit.
func (p *program) ask(ctx context.Context, clock agent.Clock, keep bool) (env.Action, error) {
	clock.Move = cmp.Or(min(p.spec.Time, clock.Move), p.spec.Time, clock.Move)
	turn := position{moves: p.moves, known: len(p.known), state: p.state, clock: clock}
	limit := cmp.Or(clock.Limit(p.state.Player()), agent.DefaultPatience)
	inner, cancel := context.WithTimeout(ctx, limit+agent.Margin)
	defer cancel()
	a, played, err := p.dialect.choose(inner, &turn, keep)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			text := fmt.Sprintf("no move after %v", limit+agent.Margin)
			if turn.total() && limit != clock.Move {
				text = fmt.Sprintf("no move in the %v left of its time and %v more", limit.Round(time.Millisecond), agent.Margin)
			}
			return 0, &agent.Fault{Kind: agent.Overstepped, Detail: p.process.detail(text)}
		}
		return 0, err
	}
	p.known = slices.Clone(p.moves)
	if played {
		p.known = append(p.known, a)
	}
	return a, nil
}

// end returns the error of Start and Choose that an error means. If it ends the game, the program is killed.
func (p *program) end(ctx context.Context, err error) error {
	var fault *agent.Fault
	switch {
	case err == nil:
		return nil
	case errors.Is(err, agent.ErrResigned): // the program need not end
		p.begun = false
		return err
	case ctx.Err() != nil: // the program may still think
		err = ctx.Err()
	case errors.As(err, &fault):
	case errors.Is(err, errFlooded):
		fault = &agent.Fault{Kind: agent.Flooded, Detail: fmt.Sprintf("a reply above %d KiB, a line above %d KiB, or %d lines that nobody asked for",
			maxReply>>10, maxLine>>10, maxAhead)}
	default:
		fault = &agent.Fault{Kind: agent.Died, Detail: p.process.detail(p.process.status())}
	}
	if p.process != nil {
		p.stop("")
	}
	if fault == nil {
		return err
	}
	if p.restarts > 0 && fault.Kind == agent.NoStart {
		fault = &agent.Fault{Kind: agent.Died, Detail: "it did not start again: " + fault.Detail}
	}
	p.fault = fault
	return fault
}

// ready starts the program if it does not run, and begins the game. A process that cannot begin another game is
// replaced.
func (p *program) ready(ctx context.Context) error {
	start := time.Now()
	defer func() { p.starting += time.Since(start) }()
	for !p.begun {
		fresh := p.process == nil
		if fresh {
			if err := p.launch(ctx); err != nil {
				return err
			}
		}
		err := p.within(ctx, p.dialect.begin)
		if err != nil && (fresh || ctx.Err() != nil) {
			return p.noStart(ctx, err)
		}
		if err != nil {
			p.stop("")
			continue
		}
		p.begun, p.known, p.failures = true, nil, 0
	}
	return nil
}

// launch starts the process and greets the program.
func (p *program) launch(ctx context.Context) error {
	if p.failures >= maxFailures {
		return &agent.Fault{Kind: agent.NoStart, Detail: fmt.Sprintf("after %d failed starts it is not started again; the last one: %s",
			p.failures, p.failed.Detail)}
	}
	process, err := startProcess(p.words, p.spec.Program.Dir, p.spec.Program.Memory)
	if err != nil {
		return p.noStart(ctx, err)
	}
	process.trace = p.trace
	p.process, p.dialect = process, p.speak(process)
	err = p.within(ctx, p.dialect.greet)
	if err != nil {
		return p.noStart(ctx, err)
	}
	return nil
}

// within runs an exchange at the start, within the program's time for it.
func (p *program) within(ctx context.Context, exchange func(context.Context) error) error {
	inner, cancel := context.WithTimeout(ctx, cmp.Or(p.spec.Program.Start, agent.DefaultStart))
	defer cancel()
	return exchange(inner)
}

// noStart returns the fault of a program that did not start because of an error, and stops it; or ctx's error.
func (p *program) noStart(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text = fmt.Sprintf("no reply after %v", cmp.Or(p.spec.Program.Start, agent.DefaultStart))
	case errors.Is(err, errEnded):
		text = p.process.status()
	}
	if p.process != nil {
		text = p.process.detail(text)
		p.stop("")
	}
	p.failures++
	p.failed = &agent.Fault{Kind: agent.NoStart, Detail: text}
	return p.failed
}
