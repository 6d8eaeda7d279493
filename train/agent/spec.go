package agent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ludus/env"
	"ludus/model/infer"
)

// ErrSpec is wrapped by errors about the text of an agent.
var ErrSpec = errors.New("bad agent")

// Spec is an agent's description, read and checked. Its files are read once, by the first New or Load, and shared by
// all its agents. It is safe for concurrent use.
type Spec struct {
	game    *env.Game
	text    string
	kind    string
	number  int    // N of mcts:N, D of alphabeta:D, NODES of solver:NODES
	path    string // with @GENERATION
	read    Loader
	options Options

	once    sync.Once
	origin  Origin
	network *infer.Network
	err     error
}

// Options are what may follow the path of a network: net:PATH[,sims=N][,time=D][,search=gumbel|puct][,temp=T][,sym=all],
// of which policy:PATH takes temp and sym.
type Options struct {
	// Simulations a move, 1 to MaxSimulations. Default 64; 0 is no limit but the time.
	Simulations int
	// Time a move; 0 is none. It asks for PUCT.
	Time time.Duration
	// PUCT searches with PUCT and keeps the tree from move to move, instead of Gumbel with sequential halving (the default).
	PUCT bool
	// Temperature T > 0 draws the move from p^(1/T), p being the shares of visits (PUCT), the improved policy (Gumbel) or
	// the policy (no search), instead of playing the best. At most 100.
	Temperature float64
	// Symmetries averages the network over all symmetries at the root, in a new tree for each move.
	Symmetries bool
}

// MaxSimulations is the largest number of simulations that an agent may be asked for.
const MaxSimulations = 1_000_000

// maxDepth is the largest D of alphabeta:D.
const maxDepth = 50

// Kinds lists how the agents' texts look.
func Kinds() []string {
	return []string{"random", "greedy", "mcts:N", "alphabeta:D", "solver:NODES", "net:PATH", "policy:PATH"}
}

var kindNames = []string{"random", "greedy", "mcts", "alphabeta", "solver", "net", "policy"}

// optionKeys are the options of each kind that reads a network; net has them all.
var optionKeys = map[string][]string{
	"net":    {"sims", "time", "search", "temp", "sym"},
	"policy": {"temp", "sym"},
}

// Loader reads the weights that a reference stands for, the PATH of net:PATH or policy:PATH; rundir.LoadWeights is one.
// Errors wrap [ErrWeights], and fs.ErrNotExist if there is no such path. Origin.Digest must tell different weights apart.
type Loader func(reference string) (*infer.Weights, Origin, error)

// Parse reads an agent's text for a game. Its network, if it has one, is loaded by load when it is first needed; a nil load
// allows no networks. Errors wrap [ErrSpec] and say what would be right.
func Parse(game *env.Game, text string, load Loader) (*Spec, error) {
	s := &Spec{game: game, text: text, read: load}
	kind, rest, colon := strings.Cut(text, ":")
	s.kind = kind
	var err error
	switch kind {
	case "random", "greedy":
		if colon {
			err = fmt.Errorf("%s takes nothing after it", kind)
		}
	case "mcts":
		s.number, err = number(rest, "simulations, such as mcts:200", MaxSimulations)
	case "alphabeta":
		s.number, err = number(rest, "plies, such as alphabeta:3", maxDepth)
	case "solver":
		s.number, err = number(rest, "nodes a move, such as solver:100000", maxNodes)
	case "net", "policy":
		err = s.parseNetwork(rest)
	default:
		hint := ""
		if near := env.Nearest(kind, kindNames); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", Kinds()[slices.Index(kindNames, near)])
		}
		return nil, fmt.Errorf("%w %q: unknown kind%s (an agent is one of %s)", ErrSpec, text, hint, strings.Join(Kinds(), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrSpec, text, err)
	}
	return s, nil
}

// String returns the text that was parsed.
func (s *Spec) String() string { return s.text }

// Reference is the PATH of the agent's network with what chooses its generation; "" where it has none.
func (s *Spec) Reference() string { return s.path }

// Limits are the most that an agent may do for a move, as far as its text says.
type Limits struct {
	Simulations int           // of mcts:N and sims=N
	Depth       int           // of alphabeta:D
	Nodes       int           // of solver:NODES
	Time        time.Duration // of time=D
}

// Within checks that the agent does no more than b. Errors wrap [ErrSpec] and name the bound.
func (s *Spec) Within(b Limits) error {
	simulations := s.options.Simulations
	if s.kind == "mcts" {
		simulations = s.number
	}
	var err error
	switch {
	case simulations > b.Simulations:
		err = fmt.Errorf("%d simulations a move are too many here; at most %d", simulations, b.Simulations)
	case s.options.Time > b.Time:
		err = fmt.Errorf("time=%v is too long here; at most %v", s.options.Time, b.Time)
	case s.options.Time > 0 && simulations == 0:
		err = fmt.Errorf("time=%[1]v needs a bound on simulations here, such as sims=%[2]d,time=%[1]v", s.options.Time, b.Simulations)
	case s.kind == "alphabeta" && s.number > b.Depth:
		err = fmt.Errorf("%d plies are too deep here; at most %d", s.number, b.Depth)
	case s.kind == "solver" && s.number > b.Nodes:
		err = fmt.Errorf("%d nodes a move are too many here; at most %d", s.number, b.Nodes)
	}
	if err != nil {
		return fmt.Errorf("%w %q: %w", ErrSpec, s.text, err)
	}
	return nil
}

// number reads a whole number from 1 to limit.
func number(text, what string, limit int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("it needs a number from 1 to %d of %s", limit, what)
	}
	return n, nil
}

// parseNetwork reads PATH and options.
func (s *Spec) parseNetwork(rest string) error {
	keys := optionKeys[s.kind]
	path, options := cutPath(rest)
	if path == "" {
		return fmt.Errorf("it needs the path of a run, a checkpoint or a weights file, such as %s:runs/%s",
			s.kind, env.FileName(s.game.Name))
	}
	s.path = path
	given := make(map[string]string)
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		if !slices.Contains(keys, key) {
			hint := ""
			if near := env.Nearest(key, keys); near != "" && !slices.Contains(optionKeys["net"], key) {
				hint = fmt.Sprintf("; did you mean %q?", near)
			}
			return fmt.Errorf("unknown option %q%s (%s takes only %s)", option, hint, s.kind, strings.Join(keys, ", "))
		}
		if _, twice := given[key]; twice {
			return fmt.Errorf("option %s is given twice", key)
		}
		given[key] = value
		if err := s.options.set(key, value); err != nil {
			return err
		}
	}
	return s.options.complete(s.kind, given["search"])
}

// cutPath splits PATH[,key=value]...; the path ends at the first comma that a key of any kind follows.
func cutPath(text string) (path string, options []string) {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		key, _, assigned := strings.Cut(part, "=")
		if i > 0 && assigned && slices.Contains(optionKeys["net"], key) {
			return strings.Join(parts[:i], ","), parts[i:]
		}
	}
	return text, nil
}

// set reads one option.
func (o *Options) set(key, value string) (err error) {
	switch key {
	case "sims":
		o.Simulations, err = number(value, "simulations, such as sims=64", MaxSimulations)
	case "time":
		o.Time, err = time.ParseDuration(value)
		if err != nil || o.Time <= 0 || o.Time > 24*time.Hour {
			return fmt.Errorf("time=%s: it must be a duration up to 24h, such as 500ms or 2s", value)
		}
	case "search":
		if o.PUCT = value == "puct"; !o.PUCT && value != "gumbel" {
			return fmt.Errorf("search=%s: it must be gumbel or puct", value)
		}
	case "temp":
		o.Temperature, err = strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(o.Temperature) || o.Temperature < 0 || o.Temperature > 100 {
			return fmt.Errorf("temp=%s: it must be a number from 0 to 100", value)
		}
	case "sym":
		if o.Symmetries = value == "all"; !o.Symmetries {
			return fmt.Errorf("sym=%s: it must be all", value)
		}
	}
	return err
}

// complete fills in the defaults; search is the text of that option.
func (o *Options) complete(kind, search string) error {
	if kind == "policy" {
		return nil
	}
	if o.Time > 0 && search == "gumbel" {
		return errors.New("search=gumbel needs a number of simulations; with time, search must be puct")
	}
	o.PUCT = o.PUCT || o.Time > 0
	if o.Simulations == 0 && o.Time == 0 {
		o.Simulations = 64
	}
	return nil
}

// Draws says whether the agent may play differently in the same position: it draws moves or playouts, or it has a clock. The
// others play an opening only one way.
func (s *Spec) Draws() bool { return s.path == "" || s.options.Temperature > 0 || s.Timed() }

// HasNetwork says whether the agent plays with a network.
func (s *Spec) HasNetwork() bool { return s.path != "" }

// MemoryBytes estimates the size of one agent's trees and tables; it is at least 1.
func (s *Spec) MemoryBytes() int {
	if s.kind == "solver" {
		return solvingBytes(s.number)
	}
	return 1 + simulationBytes*s.Simulations()
}

// simulationBytes is about what a simulation adds to a tree.
const simulationBytes = 1 << 10

// Timed says whether the agent has a time limit, so that its moves depend on the machine.
func (s *Spec) Timed() bool { return s.options.Time > 0 }

// Load reads the files that the agent needs, if any, and says where they came from. Errors wrap [ErrWeights] or are the
// reader's.
func (s *Spec) Load() (Origin, error) {
	s.once.Do(func() {
		if s.origin.Generation = -1; s.path != "" {
			s.network, s.origin, s.err = readNetwork(s.game, s.path, s.read)
		}
	})
	return s.origin, s.err
}

// New returns another agent of this description.
func (s *Spec) New(seed uint64) (Agent, error) {
	agent, err := s.NewBatched(&Evaluators{entries: entriesFor(s.Simulations(), mostAloneEntries)})
	if err != nil {
		return nil, err
	}
	agent.Reset(seed)
	return agent, nil
}

// NewBatched returns another agent of this description, which needs a Reset. If it plays with a network, it shares one of
// the evaluators with all other agents that play with the same network.
func (s *Spec) NewBatched(evaluators *Evaluators) (Agent, error) {
	switch s.kind {
	case "random":
		return newRandom(), nil
	case "greedy":
		return newGreedy(s.game), nil
	case "mcts":
		return newUCT(s.game, s.number), nil
	case "alphabeta":
		return newAlphaBeta(s.game, s.number), nil
	case "solver":
		return newSolving(s.game, s.number), nil
	}
	if _, err := s.Load(); err != nil {
		return nil, err
	}
	if s.kind == "policy" {
		return newPolicy(evaluators.of(s), s.options), nil
	}
	return newNet(evaluators.of(s), s.options), nil
}

// Simulations is the expected number of simulations a move; 0 if the agent builds no tree.
func (s *Spec) Simulations() int {
	switch {
	case s.kind == "mcts":
		return s.number
	case s.options.Time > 0 && s.options.Simulations == 0:
		return timedSimulations
	}
	return s.options.Simulations
}

// timedSimulations are those that a search without a limit but the time is expected to do, more or less.
const timedSimulations = 1 << 15
