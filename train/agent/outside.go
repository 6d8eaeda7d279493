package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ludus/env"
)

// Program says how an outside program is run and what it calls things. Its zero fields are defaults.
type Program struct {
	// Command is the program and its arguments, separated by spaces; 'single quotes' keep spaces within a word. It is
	// not given to a shell.
	Command string
	Init    string // lines sent after the start, separated by newlines
	Dir     string // working folder
	// Start limits the time from the start to the reply to the first commands; 0: DefaultStart.
	Start         time.Duration
	Memory        int    // limit of its memory in megabytes; 0: none
	Deterministic bool   // its moves depend on the position alone
	Colours       string // words for the players, "FIRST/SECOND"
	Columns       string // "all": letters of columns include i; "go": they skip it
	Rows          string // "top", "bottom": where row 1 is
	Pass          string // word for a pass; NoPass: passes that are the only move are neither sent nor asked for
	Swap          string // "stone", "colours": what a swap in Hex exchanges; "": the colours
}

// NoPass is the word for a pass in programs that do not play it.
const NoPass = "none"

// Defaults of programs.
const (
	DefaultStart    = 30 * time.Second
	DefaultPatience = time.Minute // time for a move without time=
)

// Outside is an agent that is a running program. Its errors may be a [*Fault]; the game is over then, and the next
// Reset makes it ready for another one.
type Outside interface {
	Agent
	// Start starts the program if it does not run, so that the next Choose need not. Errors are a *Fault of kind
	// NoStart, and ctx's.
	Start(ctx context.Context) error
	// ChooseOnClock is Choose on the clock of a match.
	ChooseOnClock(ctx context.Context, state env.State, clock Clock) (env.Action, error)
	// Restarts is the number of times since the last Reset that the program died and was started again, with the moves
	// of the game played anew.
	Restarts() int
	// Starting is the time since the last Reset that is not on the program's clock: it took to start, or to die while
	// choosing.
	Starting() time.Duration
	// Close ends the program and its children. The agent may be used again: it then starts the program anew.
	Close() error
}

// Starter returns an agent that runs the program of a spec, without starting it yet. Errors are about the spec: the
// program's protocol does not know the game, or there is no such program.
//
// Only code that holds a Starter can start programs. Nothing but the command line and a person's own files may lead to one.
type Starter func(game *env.Game, spec Spec) (Outside, error)

// ErrProgram is wrapped by errors about a program that cannot be used.
var ErrProgram = errors.New("cannot use the program")

// ErrResigned is the error of Choose of a program that resigns.
var ErrResigned error = &Fault{Kind: Resigned}

// FaultKind is how an outside program ended a game; its value is its name in files.
type FaultKind string

const (
	NoStart     FaultKind = "no_start"    // the game is void
	Lost        FaultKind = "lost"        // ludus cannot tell it the position; the game is void
	Died        FaultKind = "died"        // twice in a game; after the first time it is started again
	Overstepped FaultKind = "overstepped" // or hangs
	Flooded     FaultKind = "flooded"
	Illegal     FaultKind = "illegal"
	Refused     FaultKind = "refused"
	Resigned    FaultKind = "resigned" // no fault, but it ends the game as one does
)

// phrases say what happened where the name alone does not.
var phrases = map[FaultKind]string{
	NoStart: "did not start", Lost: "lost track of the game", Overstepped: "overstepped its time", Flooded: "flooded its output",
	Illegal: "answered with no legal move", Refused: "refused a legal move",
}

// Phrase says for people what the program did; it follows "the program".
func (k FaultKind) Phrase() string { return cmp.Or(phrases[k], string(k)) }

// Fault is the error of Choose of a program that ends the game: it resigns or can no longer play. It loses the game,
// unless that is void.
type Fault struct {
	Kind   FaultKind
	Detail string // what happened, in one line, with the last line of its error output; may be ""
}

// Error implements error.
func (f *Fault) Error() string {
	switch {
	case f.Kind == Resigned:
		return f.Kind.Phrase()
	case f.Detail == "":
		return "the program " + f.Kind.Phrase()
	}
	return fmt.Sprintf("the program %s: %s", f.Kind.Phrase(), f.Detail)
}

// Void reports whether the game does not count.
func (f *Fault) Void() bool { return f.Kind == NoStart || f.Kind == Lost }

// Failed reports whether an error of an agent is a [*Fault].
func Failed(err error) bool { return errors.As(err, new(*Fault)) }

// Close ends the program of an agent that is one.
func Close(a Agent) error {
	if program, ok := a.(Outside); ok {
		return program.Close()
	}
	return nil
}

// WithPrograms returns the factory that starts outside programs with start. Other factories refuse them.
func (f *Factory) WithPrograms(start Starter) *Factory {
	g := *f
	g.start = start
	return &g
}

// newOutside returns an agent that runs the factory's program.
func (f *Factory) newOutside() (Outside, error) {
	if f.start == nil {
		return nil, fmt.Errorf("%w of %v: programs are started from the command line only", ErrProgram, f.Spec)
	}
	return f.start(f.Game, f.Spec)
}

// TryProgram starts the factory's program and ends it again; it does nothing for other agents. Errors are those of
// [Outside].Start and of Load.
func (f *Factory) TryProgram(ctx context.Context) error {
	if !f.Outside() {
		return nil
	}
	program, err := f.newOutside()
	if err != nil {
		return err
	}
	err = errors.Join(program.Start(ctx), program.Close())
	if err != nil {
		err = fmt.Errorf("%v: %w", f.Spec, err)
	}
	return err
}
