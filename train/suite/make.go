package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/memory"
)

// Options configure [Make].
type Options struct {
	Game      *env.Game
	Positions int              // number of positions, 1 to MaxPositions
	Seed      uint64           // random seed
	Agents    []*agent.Factory // the players, without a time limit, no programs; one or more
	Nodes     int              // solver's node limit per position, 1 or more
	PerGame   int              // largest number of positions from a game, 1 or more
	Memory    int              // largest size of a solver's table in MiB, 1 to MaxMemory
	Threads   int              // goroutines at most, each with its own agents and solver; 1 or more. Fewer run if the memory is too small
	// PartFile, if set, is the path of a file that keeps the candidates of every finished game. After an interruption,
	// Make continues from it; only Positions and Threads may differ. The caller removes it at the end.
	PartFile string
	// Progress, if set, is called after every game. Calls do not overlap.
	Progress func(Progress)
}

// Progress is the state of [Make].
type Progress struct {
	Positions int // positions in the suite so far
	Games     int // games from which positions were chosen
	Nodes     int // nodes visited by the solver in this process
}

// MaxPositions is the largest number of positions in a suite.
const MaxPositions = 1_000_000

// Default and limit of Options.Memory, in MiB.
const (
	DefaultMemory = 32
	MaxMemory     = min(1<<20, math.MaxInt>>20)
)

// maxBarrenGames is the number of consecutive games without a new position after which Make gives up.
const maxBarrenGames = 1000

var (
	// ErrTooFew means that the game has too few distinct positions that the solver can solve.
	ErrTooFew = errors.New("too few positions")
	// ErrPartFile means that the part file was written with other options.
	ErrPartFile = errors.New("generated with other options")
)

// Validate reports every option that is out of range.
func (o *Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.Positions >= 1 && o.Positions <= MaxPositions, "positions is %d; it must be from 1 to %d", o.Positions, MaxPositions)
	check(len(o.Agents) > 0, "there is no agent; one or more must play")
	for _, a := range o.Agents {
		check(!a.Outside(), "agent %v is an outside program; only ludus's own agents play the same games again", a)
		check(a.Outside() || !a.Timed(), "agent %v has a time limit; the suite would depend on the clock", a)
	}
	check(o.Nodes >= 1, "nodes is %d; it must be 1 or more", o.Nodes)
	check(o.PerGame >= 1, "positions per game is %d; it must be 1 or more", o.PerGame)
	check(o.Memory >= 1 && o.Memory <= MaxMemory, "memory is %d MiB; it must be from 1 to %d", o.Memory, MaxMemory)
	check(o.Threads >= 1, "threads is %d; it must be 1 or more", o.Threads)
	return errors.Join(errs...)
}

// Make generates a suite, which depends on Game, Seed, Agents, Nodes, PerGame and Memory only. A suite with more
// positions begins with those of a smaller one. Errors are those of the options, of loading agents and of the part
// file, [ErrTooFew], and ctx's.
func Make(ctx context.Context, o Options) (*Suite, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	m := &maker{
		Options: o, suite: Suite{Game: o.Game, Origin: o.origin()},
		seen: map[positionKey]bool{}, waiting: map[int][]candidate{},
	}
	if err := m.readPartFile(); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	for range memory.Threads(o.Threads, o.bytesPerThread()) {
		group.Go(func() error { return m.play(ctx) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	m.suite.Positions = m.suite.Positions[:min(o.Positions, len(m.suite.Positions))]
	return &m.suite, nil
}

// origin returns the options as a suite records them.
func (o *Options) origin() Origin {
	origin := Origin{Seed: o.Seed, Nodes: o.Nodes, PerGame: o.PerGame, Memory: o.Memory}
	for _, a := range o.Agents {
		origin.Agents = append(origin.Agents, a.String())
	}
	return origin
}

// maker is the shared state of Make's goroutines. Games are played in any order; positions are chosen from them in the
// order of their numbers.
type maker struct {
	Options

	mutex   sync.Mutex // guards the fields below
	suite   Suite
	seen    map[positionKey]bool
	randoms int                 // number of chosen positions from random moves
	next    int                 // number of the game to play next
	games   int                 // number of games from which positions have been chosen: games 0 to games-1
	barren  int                 // number of latest consecutive games, of these, without a new position
	waiting map[int][]candidate // candidates of finished games, by number, that wait for an earlier game; nil: not finished
	nodes   int
}

// play plays games on one goroutine until there are enough positions.
func (m *maker) play(ctx context.Context) error {
	p, err := newPlayer(&m.Options)
	if err != nil {
		return err
	}
	for {
		number, more := m.nextNumber()
		if !more {
			return nil
		}
		candidates, err := p.play(ctx, number)
		if err != nil {
			return err
		}
		if err := m.finish(number, candidates, p.nodesUsed); err != nil {
			return err
		}
	}
}

// nextNumber returns the number of the next game to play, which skips games from the part file. It returns false if
// there are enough positions.
func (m *maker) nextNumber() (int, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	number := max(m.next, m.games)
	for m.waiting[number] != nil {
		number++
	}
	m.next = number + 1
	return number, len(m.suite.Positions) < m.Positions
}

// finish adds the candidates of a finished game to the part file and the maker, and reports progress.
func (m *maker) finish(number int, candidates []candidate, nodes int) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.writePart(number, candidates); err != nil {
		return err
	}
	m.nodes += nodes
	m.waiting[number] = candidates
	if err := m.choose(); err != nil {
		return err
	}
	if m.Progress != nil {
		m.Progress(Progress{Positions: len(m.suite.Positions), Games: m.games, Nodes: m.nodes})
	}
	return nil
}

// choose adds positions to the suite from the finished games that are next in order.
func (m *maker) choose() error {
	for len(m.suite.Positions) < m.Positions {
		candidates := m.waiting[m.games]
		if candidates == nil {
			return nil
		}
		delete(m.waiting, m.games)
		m.games++
		positions := m.chooseFrom(candidates)
		m.suite.Positions = append(m.suite.Positions, positions...)
		m.barren++
		if len(positions) > 0 {
			m.barren = 0
		}
		if m.barren >= maxBarrenGames {
			return fmt.Errorf("%w: the last %d games gave no new one after %d; ask for fewer, or for more nodes",
				ErrTooFew, maxBarrenGames, len(m.suite.Positions))
		}
	}
	return nil
}

// chooseFrom returns the first positions of a game's candidates that are new to the suite, up to PerGame. At most a
// quarter of the suite's positions, rounded up, come from random moves.
func (m *maker) chooseFrom(candidates []candidate) (positions []Position) {
	for _, c := range candidates {
		if len(positions) == m.PerGame || m.seen[c.key] {
			continue
		}
		before := len(m.suite.Positions) + len(positions)
		if c.position.Source == randomMoves {
			if 4*m.randoms > before {
				continue
			}
			m.randoms++
		}
		m.seen[c.key] = true
		positions = append(positions, c.position)
	}
	return positions
}

// partHeader is the first line of a part file. A partGame for each game follows, in the order in which the games ended.
type partHeader struct {
	Game string `json:"game"`
	Origin
	Weights []string `json:"weights"` // SHA-256 of the agents' weights; "" for agents without a network
}

// partGame holds a game's candidates.
type partGame struct {
	Number     int        `json:"number"`
	Candidates []Position `json:"candidates"`
}

// partHeader returns the first line of the part file for the options.
func (m *maker) partHeader() ([]byte, error) {
	h := partHeader{Game: m.Game.Name, Origin: m.suite.Origin}
	for _, a := range m.Agents {
		origin, err := a.Load()
		if err != nil {
			return nil, err
		}
		h.Weights = append(h.Weights, origin.Digest)
	}
	return json.Marshal(h)
}

// readPartFile resumes an interrupted Make: it reads the finished games' candidates from the part file and chooses
// positions from them. If there is no part file, it starts one.
func (m *maker) readPartFile() error {
	if m.PartFile == "" {
		return nil
	}
	header, err := m.partHeader()
	if err != nil {
		return err
	}
	lines, err := checkpoints.ReadLines(m.PartFile)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return checkpoints.AppendLine(m.PartFile, header)
	}
	if !bytes.Equal(lines[0], header) {
		return fmt.Errorf("%s: %w: its header is %.200s, not %s; remove it or write elsewhere",
			m.PartFile, ErrPartFile, lines[0], header)
	}
	for i, text := range lines[1:] {
		if err := m.readPart(text); err != nil {
			return fmt.Errorf("%s: line %d: %w", m.PartFile, i+2, err)
		}
	}
	return m.choose()
}

// writePart appends a game's candidates to the part file.
func (m *maker) writePart(number int, candidates []candidate) error {
	if m.PartFile == "" {
		return nil
	}
	g := partGame{Number: number, Candidates: []Position{}}
	for _, c := range candidates {
		g.Candidates = append(g.Candidates, c.position)
	}
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return checkpoints.AppendLine(m.PartFile, text)
}

// readPart adds a game from a line of the part file.
func (m *maker) readPart(text []byte) error {
	var g partGame
	if err := json.Unmarshal(text, &g); err != nil {
		return fmt.Errorf("%w: %w", ErrSuite, err)
	}
	if g.Candidates == nil {
		return fmt.Errorf("%w: it is not a game", ErrSuite)
	}
	candidates := []candidate{}
	for _, p := range g.Candidates {
		state, err := p.replay(m.Game)
		if err != nil {
			return err
		}
		candidates = append(candidates, candidate{p, keyOf(m.Game, state)})
	}
	m.waiting[g.Number] = candidates
	return nil
}
