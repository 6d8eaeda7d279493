package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"ludus/env"
	"ludus/env/solver"
	"ludus/model/infer"
)

// Loader loads the weights that a reference stands for, as rundir.LoadWeights and shipped.Loader do. Errors wrap
// [ErrWeights], and fs.ErrNotExist if there is no such path. Origin.Digest must tell different weights apart.
type Loader func(Reference) (*infer.Weights, Origin, error)

// Origin says where weights came from.
type Origin struct {
	Path       string // path of the file, checkpoint or run, without @GENERATION
	Generation int    // checkpoint's generation; -1 for a weights file
	Digest     string // SHA-256 of the weights, in hexadecimal; after it, of an agent with a book, + and the book's digest
	TrainedOn  string // game that the network was trained on, if its size differs from this one
	// Damaged lists the run's newer checkpoints that were skipped, with what is wrong with them.
	Damaged []error
	Dial    Dial // the network's strength dial; empty if it was not measured
}

// ErrWeights is wrapped by errors about a network that cannot be loaded.
var ErrWeights = errors.New("no network")

// Factory makes agents of one spec for one game, which share the network. It is safe for concurrent use.
type Factory struct {
	Game *env.Game
	Spec
	load   func() (loaded, error)
	book   func() (Book, error) // nil: books are refused
	start  Starter              // nil: outside programs are refused
	people bool                 // see ForPeople
}

// loaded is a network and where it came from.
type loaded struct {
	network *infer.Network // nil if the agent has none
	origin  Origin
}

// NewFactory returns the factory of a valid spec. It calls load once, when the network is first needed; a nil load
// allows no networks.
func NewFactory(game *env.Game, spec Spec, load Loader) *Factory {
	return &Factory{Game: game, Spec: spec, load: sync.OnceValues(func() (loaded, error) {
		if !spec.HasNetwork() {
			return loaded{origin: Origin{Generation: -1}}, nil
		}
		network, origin, err := loadNetwork(game, spec, load)
		return loaded{network, origin}, err
	})}
}

// With returns the factory of another spec that plays with the same network.
func (f *Factory) With(spec Spec) *Factory {
	return &Factory{Game: f.Game, Spec: spec, load: f.load, book: f.book, start: f.start}
}

// ForPeople returns the factory of agents that play against people, or analyse for them. With a network they get a
// solver of [DefaultSolve] nodes, unless their spec says solve= or elo=; and with a solver they vary their play among
// moves of equal worth and play what is hardest to beat in lost positions: see [defence].
func (f *Factory) ForPeople() *Factory {
	g := *f
	g.people = true
	if f.HasNetwork() && f.Nodes == 0 && f.Elo == 0 {
		g.Nodes = DefaultSolve
	}
	return &g
}

// ParseFactory is [Parse] followed by [NewFactory].
func ParseFactory(game *env.Game, text string, load Loader) (*Factory, error) {
	spec, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return NewFactory(game, spec, load), nil
}

// loadNetwork loads the network of a spec and checks that it plays game.
func loadNetwork(game *env.Game, spec Spec, load Loader) (*infer.Network, Origin, error) {
	if load == nil {
		return nil, Origin{Generation: -1}, fmt.Errorf("%w in %v: networks cannot be loaded here", ErrWeights, spec.Network)
	}
	weights, origin, err := load(spec.Network)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, origin, optionError(spec, load, err)
	}
	if err != nil {
		return nil, origin, err
	}
	if !game.Is(weights.Config.Game) {
		return nil, origin, fmt.Errorf("%w of %s in %v: it plays %s", ErrWeights, game.Name, spec.Network, weights.Config.Game)
	}
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		return nil, origin, fmt.Errorf("%w in %v: %w", ErrWeights, spec.Network, err)
	}
	if overflows(network) {
		return nil, origin, fmt.Errorf("%w in %v: its evaluation of the first position is not finite: its weights are too large",
			ErrWeights, spec.Network)
	}
	return network, origin, nil
}

// optionError explains the error about a network that does not exist: its path may end with an unknown option. It does,
// and the error wraps [ErrSpec], if there is a network at the path before a comma.
func optionError(spec Spec, load Loader, err error) error {
	path := spec.Network.String()
	for i, c := range path {
		if c != ',' {
			continue
		}
		_, _, shorter := load(ParseReference(path[:i]))
		if !errors.Is(shorter, fs.ErrNotExist) {
			return fmt.Errorf("%w %q: %w", ErrSpec, spec.String(), unknownOption(spec.Kind, path[i+1:]))
		}
	}
	_, option, _ := strings.Cut(path, ",")
	if !strings.Contains(option, "=") {
		return err
	}
	return fmt.Errorf("%w; %w", err, unknownOption(spec.Kind, option))
}

// overflows reports whether the evaluation of the first position is not finite. Finite weights, which files must hold,
// can still be too large: those of a run that diverged, for example.
func overflows(network *infer.Network) bool {
	game := network.Game
	logits, classes := make([]float32, game.NumActions()), make([]float32, len(game.Classes))
	network.NewEvaluator(1).Evaluate([]env.State{game.NewState()}, logits, classes, nil)
	return slices.ContainsFunc(slices.Concat(logits, classes), func(x float32) bool { return x-x != 0 }) // 0 if x is finite
}

// Load loads the network, if the agent has one, and returns where it came from. It does not start an outside program,
// but checks that this is possible. It reads the book, if there is one. Errors wrap [ErrWeights], [ErrProgram],
// [ErrBook], or [ErrSpec] if elo=N is not on the network's dial, or are the loader's.
func (f *Factory) Load() (Origin, error) {
	if f.Outside() {
		_, err := f.newOutside()
		return Origin{Generation: -1}, err
	}
	l, err := f.loaded()
	if err != nil || f.Book == "" {
		return l.origin, err
	}
	b, err := f.readBook()
	if err == nil {
		l.origin.Digest += "+" + b.Digest()
	}
	return l.origin, err
}

// loaded returns the network, if the agent has one, after checking that elo=N is on its dial.
func (f *Factory) loaded() (loaded, error) {
	l, err := f.load()
	if err == nil && f.Elo > 0 {
		err = l.origin.checkElo(f.Spec)
	}
	return l, err
}

// New returns a new agent. Errors are those of Load.
func (f *Factory) New(seed uint64) (Agent, error) {
	a, err := f.NewBatched(&Batchers{cacheEntries: cacheEntries(f.ExpectedSimulations(), maxSingleCacheEntries)})
	if err != nil {
		return nil, err
	}
	a.Reset(seed)
	return a, nil
}

// NewBatched returns a new agent, which needs a Reset before play. Agents with the same network share one batcher.
// Errors are those of Load.
func (f *Factory) NewBatched(batchers *Batchers) (Agent, error) {
	return f.newAgent(batchers, f.newSolver())
}

// newSolver returns a solver for one agent with solve=NODES; nil for other agents.
func (f *Factory) newSolver() *solver.Solver {
	if !f.solves() {
		return nil
	}
	return solver.New(f.Game, tableBytes(f.Nodes))
}

// newAgent returns a new agent, like NewBatched; s is its solver, if it needs one.
func (f *Factory) newAgent(batchers *Batchers, s *solver.Solver) (a Agent, err error) {
	r := reader{game: f.Game, people: f.people, vary: f.people || f.Temperature > 0}
	if f.Book != "" {
		r.book, err = f.readBook()
		if err != nil {
			return nil, err
		}
	}
	switch f.Kind {
	case Random:
		return newRandom(), nil
	case Greedy:
		return newGreedy(f.Game), nil
	case MCTS:
		a = newUCT(f.Game, f.Simulations)
	case AlphaBeta:
		a = newAlphaBeta(f.Game, f.Depth)
	case Solver:
		a = newSolving(f.Game, f.Nodes)
	case GTP, Gomocup, NBoard:
		return f.newOutside()
	case Net, Policy:
		return f.newBatched(batchers, s, r)
	default:
		panic("agent: a spec of unknown kind " + string(f.Kind))
	}
	if r.book == nil {
		return a, nil
	}
	return &booked{Agent: a, reader: r, rng: newRand(0)}, nil
}
