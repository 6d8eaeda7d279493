package agent

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/env/naming"
)

// Kind is a kind of agent; its value is the word that specs begin with.
type Kind string

const (
	Random    Kind = "random"    // a random legal move
	Greedy    Kind = "greedy"    // one move ahead
	MCTS      Kind = "mcts"      // UCT with random playouts
	AlphaBeta Kind = "alphabeta" // alpha-beta to a fixed depth
	Solver    Kind = "solver"    // exact where it can solve the position
	Net       Kind = "net"       // a network with search
	Policy    Kind = "policy"    // a network's policy without search
	GTP       Kind = "gtp"       // an outside program that speaks the Go Text Protocol
	Gomocup   Kind = "gomocup"   // one that speaks the protocol of Piskvork
	NBoard    Kind = "nboard"    // one that speaks NBoard's
)

// Spec says which agent plays. Fields that its kind does not use are zero.
type Spec struct {
	Kind Kind
	// Simulations per move, 1 to MaxSimulations: playouts of MCTS, searched positions of Net. 0 is Net's default:
	// DefaultSimulations, or no limit if Time is set.
	Simulations int
	Depth       int       // depth of AlphaBeta, in plies, 1 to 50
	Nodes       int       // solver's node limit per move, 1 to 1e9; see NoSolver
	Network     Reference // network of Net and Policy

	// Time per move of Net and of programs; 0: no limit. Net needs PUCT with it.
	Time time.Duration
	// PUCT makes Net search with PUCT and keep its tree from move to move. Otherwise it uses Gumbel with sequential
	// halving.
	PUCT bool
	// Temperature T > 0 samples the move in proportion to p^(1/T) instead of playing the best. p is the share of visits
	// (PUCT), the improved policy (Gumbel) or the policy (no search). At most 100.
	Temperature float64
	// Threads is the number of cores, 1 to MaxThreads, on which Net searches one position. 0 is the default: one. More
	// than one select larger batches of leaves, so moves depend on this number (but not on how many cores there are).
	Threads int
	// Elo, if not 0, weakens Net to this rating (see [Dial]). It excludes the other options.
	Elo     int
	Book    string  // path of an opening book of an agent that searches or has a network, no program; "": none
	Program Program // of GTP, Gomocup and NBoard
}

// NoSolver is the Nodes of a network's spec with solve=0: no solver, even where [Factory.ForPeople] would add one.
// (Nodes = 0, the default, lets it add one.)
const NoSolver = -1

// Limits of a spec's numbers.
const (
	MaxSimulations     = 1_000_000
	DefaultSimulations = 64
	MaxThreads         = 64
	maxDepth           = 50
	maxElo             = 10_000
	maxTemperature     = 100
	maxNodes           = 1_000_000_000
	maxTime            = 24 * time.Hour
)

// ErrSpec is wrapped by errors about the text of a spec.
var ErrSpec = errors.New("bad agent")

// kinds lists the first words of specs with their syntax for help and errors. zoo is short for net:zoo.
var kinds = []struct {
	kind Kind
	form string
}{
	{Random, "random"}, {Greedy, "greedy"}, {MCTS, "mcts:N"}, {AlphaBeta, "alphabeta:D"}, {Solver, "solver:NODES"},
	{Zoo, "zoo"}, {Net, "net:PATH"}, {Policy, "policy:PATH"},
	{GTP, `gtp:"COMMAND"`}, {Gomocup, `gomocup:"COMMAND"`}, {NBoard, `nboard:"COMMAND"`},
}

// optionKeys lists the options of specs by kind. Net has all keys.
var optionKeys = map[Kind][]string{
	Net:       {"sims", "time", "search", "temp", "solve", "threads", "elo", "book"},
	Policy:    {"temp", "solve", "book"},
	MCTS:      {"book"},
	AlphaBeta: {"book"},
	Solver:    {"book"},
}

// Parse reads a spec such as mcts:200[,book=FILE] or
// net:PATH[@GENERATION|@best][,sims=N][,time=D][,search=gumbel|puct][,temp=T][,solve=NODES][,threads=N][,book=FILE], or
// net:PATH[@GENERATION|@best],elo=N. PATH extends to the first comma followed by an option's key (such as `,sims=`).
// zoo[,OPTION]... is short for net:zoo[,OPTION]...; see [Zoo]. Parse opens no file. Errors wrap [ErrSpec] and say what
// is expected.
func Parse(text string) (Spec, error) {
	return parseSpec(text, Limits{Simulations: MaxSimulations, Depth: maxDepth, Nodes: maxNodes, Time: maxTime, Threads: MaxThreads})
}

// Limits bound the work of an agent per move; see [ParseWithin].
type Limits struct {
	Simulations int           // simulations of MCTS and Net
	Depth       int           // depth of AlphaBeta
	Nodes       int           // nodes of Solver and of the option solve=
	Time        time.Duration // time per move of Net
	Threads     int           // threads of Net
}

// ParseWithin is [Parse] for front ends that limit the work: a spec that exceeds a limit is an error, and so is an
// outside program.
func ParseWithin(text string, l Limits) (Spec, error) {
	s, err := parseSpec(text, l)
	if s.Outside() {
		return Spec{}, fmt.Errorf("%w %q: programs are started from the command line only", ErrSpec, text)
	}
	if err == nil && s.Time > 0 && s.Simulations == 0 {
		return Spec{}, fmt.Errorf("%w %q: time=%v needs a bound on simulations here, such as sims=%d,time=%[3]v", ErrSpec, text, s.Time, l.Simulations)
	}
	return s, err
}

// parseSpec parses a spec and checks each of its numbers against the limits.
func parseSpec(text string, l Limits) (Spec, error) {
	word, rest, colon := strings.Cut(text, ":")
	if text == Zoo || strings.HasPrefix(text, Zoo+",") { // short for net:zoo
		word, rest = string(Net), text
	}
	if name, _, options := strings.Cut(word, ","); options && (Kind(name) == Random || Kind(name) == Greedy) {
		word, colon = name, true
	}
	s := Spec{Kind: Kind(word)}
	var err error
	switch s.Kind {
	case Random, Greedy:
		if colon {
			err = fmt.Errorf("%s takes nothing after it, no number and no option", word)
		}
	case MCTS:
		s.Simulations, err = s.parseSearch(rest, "simulations, such as mcts:200", l.Simulations)
	case AlphaBeta:
		s.Depth, err = s.parseSearch(rest, "plies, such as alphabeta:3", l.Depth)
	case Solver:
		s.Nodes, err = s.parseSearch(rest, "nodes per move, such as solver:100000", l.Nodes)
	case Net, Policy:
		err = s.parseNetwork(rest, l)
	case GTP, Gomocup, NBoard:
		err = s.parseProgram(rest, l)
	default:
		err = unknownKind(word)
	}
	if err != nil {
		return Spec{}, fmt.Errorf("%w %q: %w", ErrSpec, text, err)
	}
	return s, nil
}

// unknownKind returns the error about a spec that begins with an unknown word.
func unknownKind(word string) error {
	var words, forms []string
	for _, k := range kinds {
		words, forms = append(words, string(k.kind)), append(forms, k.form)
	}
	hint := ""
	if near := naming.Nearest(strings.Split(word, ",")[0], words); near != "" {
		hint = fmt.Sprintf("; did you mean %s?", forms[slices.Index(words, near)])
	}
	return fmt.Errorf("unknown kind%s (an agent is one of %s)", hint, strings.Join(forms, ", "))
}

// number parses a whole number from 1 to limit; what describes it in errors.
func number(text, what string, limit int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > limit {
		return 0, fmt.Errorf("it needs 1 to %d %s", limit, what)
	}
	return n, nil
}

// parseSearch parses the text after mcts:, alphabeta: or solver:, a number and options, and returns the number.
func (s *Spec) parseSearch(text, what string, limit int) (int, error) {
	parts := strings.Split(text, ",")
	n, err := number(parts[0], what, limit)
	if err != nil {
		return 0, err
	}
	_, err = s.parseOptions(parts[1:], Limits{})
	return n, err
}

// parseNetwork parses the text after net: or policy:, a path and options.
func (s *Spec) parseNetwork(text string, l Limits) error {
	var options []string
	s.Network, options = cutReference(text)
	if s.Network.Path == "" {
		return fmt.Errorf("it needs the path of a run, a checkpoint or a weights file, such as %s:runs/quad-5x5", s.Kind)
	}
	given, err := s.parseOptions(options, l)
	if err != nil {
		return err
	}
	if s.Elo > 0 && len(given) > 1 {
		return errors.New("elo chooses simulations and temperature itself, and a solver or a book would undo it; leave out the other options")
	}
	if s.Time > 0 && given["search"] == "gumbel" {
		return errors.New("search=gumbel needs a number of simulations; with time, search must be puct")
	}
	s.PUCT = s.PUCT || s.Time > 0
	return nil
}

// parseOptions parses options and returns their texts by key.
func (s *Spec) parseOptions(options []string, l Limits) (map[string]string, error) {
	given := make(map[string]string)
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		if !slices.Contains(optionKeys[s.Kind], key) {
			return nil, unknownOption(s.Kind, option)
		}
		if _, twice := given[key]; twice {
			return nil, twiceError(key)
		}
		given[key] = value
		if err := s.set(key, value, l); err != nil {
			return nil, err
		}
	}
	return given, nil
}

// unknownOption returns the error about an option that specs of this kind do not take.
func unknownOption(kind Kind, option string) error {
	keys := optionKeys[kind]
	key, _, _ := strings.Cut(option, "=")
	hint := ""
	if near := naming.Nearest(key, keys); near != "" && !slices.Contains(optionKeys[Net], key) {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("unknown option %q%s (%s takes only %s)", option, hint, kind, strings.Join(keys, ", "))
}

// cutReference splits REFERENCE[,key=value]... The reference ends at the first comma followed by the key of any option,
// even one that this spec's kind does not take (Net's keys include all), and that to the shipped network at any comma.
func cutReference(text string) (r Reference, options []string) {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		key, _, assigned := strings.Cut(part, "=")
		known := assigned && slices.Contains(optionKeys[Net], key)
		if i > 0 && (known || ParseReference(parts[0]).Shipped()) {
			return ParseReference(strings.Join(parts[:i], ",")), parts[i:]
		}
	}
	return ParseReference(text), nil
}

// set parses the value of an option and sets the option's field.
func (s *Spec) set(key, value string, l Limits) (err error) {
	switch key {
	case "sims":
		s.Simulations, err = number(value, "simulations, such as sims=64", l.Simulations)
	case "time":
		s.Time, err = duration(key, value, l.Time)
	case "search":
		s.PUCT = value == "puct"
		if !s.PUCT && value != "gumbel" {
			return fmt.Errorf("search=%s: it must be gumbel or puct", value)
		}
	case "temp":
		s.Temperature, err = strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(s.Temperature) || s.Temperature < 0 || s.Temperature > maxTemperature {
			return fmt.Errorf("temp=%s: it must be a number from 0 to %d", value, maxTemperature)
		}
	case "solve":
		if value == "0" {
			s.Nodes = NoSolver
			return nil
		}
		s.Nodes, err = number(value, "nodes per move, such as solve=500000, or solve=0", l.Nodes)
	case "threads":
		s.Threads, err = number(value, "threads", l.Threads)
	case "book":
		s.Book = value
		if value == "" {
			return errors.New("book= needs the path of a book, such as book=hex-7x7.book")
		}
	case "elo":
		s.Elo, err = number(value, "Elo above random moves, such as elo=800", maxElo)
	}
	return err
}

// String returns the spec as text, without options that have their default. [Parse] turns it into an equivalent spec.
func (s Spec) String() string {
	switch s.Kind {
	case MCTS:
		return fmt.Sprintf("mcts:%d", s.Simulations) + option("book", s.Book)
	case AlphaBeta:
		return fmt.Sprintf("alphabeta:%d", s.Depth) + option("book", s.Book)
	case Solver:
		return fmt.Sprintf("solver:%d", s.Nodes) + option("book", s.Book)
	case GTP, Gomocup, NBoard:
		return s.programText()
	case Net, Policy:
		if s.Kind == Net && s.Network == (Reference{Path: Zoo}) {
			return Zoo + s.options()
		}
		return fmt.Sprintf("%s:%s%s", s.Kind, s.Network, s.options())
	}
	return string(s.Kind)
}

// options formats the options that differ from their defaults. A time limit implies PUCT, so search=puct is then left
// out.
func (s Spec) options() string {
	simulations, search, solve := s.Simulations, "", ""
	if simulations == DefaultSimulations && s.Time == 0 {
		simulations = 0
	}
	if s.PUCT && s.Time == 0 {
		search = "puct"
	}
	if s.Nodes != 0 {
		solve = strconv.Itoa(max(0, s.Nodes))
	}
	return option("sims", simulations) + option("time", s.Time) + option("search", search) + option("temp", s.Temperature) +
		option("solve", solve) + option("threads", s.Threads) + option("elo", s.Elo) + option("book", s.Book)
}

// option formats an option as ",key=value"; "" if its value is zero.
func option[T comparable](key string, value T) string {
	if value == *new(T) {
		return ""
	}
	return fmt.Sprintf(",%s=%v", key, value)
}

// NetSpec returns the spec of the network at a path, with search and default options.
func NetSpec(path string) Spec { return Spec{Kind: Net, Network: Reference{Path: Operand(path)}} }

// ZooSpec returns the spec of the shipped agent.
func ZooSpec() Spec { return Spec{Kind: Net, Network: Reference{Path: Zoo}} }

// DefaultSolve is the solver's node limit per move of agents with a network that play against people: the solver then
// takes a fraction of a second per move.
const DefaultSolve = 500_000

// solves reports whether a network agent also has a solver.
func (s Spec) solves() bool { return s.HasNetwork() && s.Nodes > 0 }

// Outside reports whether the agent is an outside program.
func (s Spec) Outside() bool { return s.Kind == GTP || s.Kind == Gomocup || s.Kind == NBoard }

// HasNetwork reports whether the agent plays with a network.
func (s Spec) HasNetwork() bool { return s.Kind == Net || s.Kind == Policy }

// Timed reports whether the agent has a time limit, so its moves depend on the machine's speed.
func (s Spec) Timed() bool { return s.Time > 0 }

// Stochastic reports whether play in a position may differ: the agent samples moves or playouts, has a time limit, or
// is a program that is not said to be deterministic.
func (s Spec) Stochastic() bool {
	if s.Outside() {
		return !s.Program.Deterministic || s.Timed()
	}
	return !s.HasNetwork() || s.Temperature > 0 || s.Elo > 0 || s.Timed()
}

// maxMoveSimulations is the largest number of simulations per move: 0 if the agent has no simulations.
func (s Spec) maxMoveSimulations() int {
	switch {
	case s.Kind != Net || s.Simulations > 0:
		return s.Simulations
	case s.Time > 0:
		return MaxSimulations
	}
	return DefaultSimulations
}

// ExpectedSimulations estimates the simulations per move; 0 if the agent builds no tree.
func (s Spec) ExpectedSimulations() int {
	const timed = 1 << 15 // assumed number of simulations if only time limits them
	if s.Kind == Net && s.Time > 0 && s.Simulations == 0 {
		return timed
	}
	return s.maxMoveSimulations()
}

// simulationBytes estimates the memory that a simulation adds to a tree.
const simulationBytes = 1 << 10

// MemoryBytes estimates the size of the agent's trees and tables; it is at least 1.
func (s Spec) MemoryBytes() int {
	switch {
	case s.Kind == Solver:
		return tableBytes(s.Nodes) + simulationBytes*fallbackSimulations
	case s.Outside():
		return 1 + s.Program.Memory<<20
	}
	bytes := s.treeBytes()
	if s.solves() {
		bytes += tableBytes(s.Nodes)
	}
	return bytes
}

// treeBytes estimates the size of the agent's trees; it is at least 1.
func (s Spec) treeBytes() int { return 1 + simulationBytes*s.ExpectedSimulations() }
