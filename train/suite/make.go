package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/train/agent"
)

// Options say how a suite is made.
type Options struct {
	Game      *env.Game
	Positions int              // 1 to MaxPositions
	Seed      uint64           // where all randomness comes from
	Agents    []*agent.Factory // who play; one or more, without a time limit
	Nodes     int              // the solver's limit a position, 1 or more
	PerGame   int              // positions taken of a game at most, 1 or more
	Threads   int              // goroutines, 1 or more, each with its own agents and solver
	// Part, if set, is a file that keeps what every finished game offers, so that the same options go on after an
	// interruption; another number of positions may be asked for. The caller removes it in the end.
	Part string
	// Progress, if set, is told after every game played; calls do not overlap.
	Progress func(Progress)
}

// Progress says how far a suite is.
type Progress struct {
	Positions int // found
	Games     int // taken, whether they gave any or not
	Nodes     int // visited by the solver in this process
}

// MaxPositions is the largest number of positions in a suite.
const MaxPositions = 1_000_000

// patience is the number of games without a new position after which there are taken to be no more.
const patience = 1000

var (
	// ErrFew says that the game does not have enough different positions within the solver's reach.
	ErrFew = errors.New("too few positions")
	// ErrPart says that the file of a suite in the making belongs to another one.
	ErrPart = errors.New("made with other options")
)

// Validate reports every field that is out of range.
func (o *Options) Validate() error {
	var errs []error
	if o.Positions < 1 || o.Positions > MaxPositions {
		errs = append(errs, fmt.Errorf("positions is %d; it must lie between 1 and %d", o.Positions, MaxPositions))
	}
	if len(o.Agents) == 0 {
		errs = append(errs, errors.New("there is no agent; one or more must play"))
	}
	for _, factory := range o.Agents {
		if factory.Timed() {
			errs = append(errs, fmt.Errorf("agent %s has a time limit; the suite would depend on the clock", factory))
		}
	}
	if o.Nodes < 1 {
		errs = append(errs, fmt.Errorf("nodes is %d; it must be 1 or more", o.Nodes))
	}
	if o.PerGame < 1 {
		errs = append(errs, fmt.Errorf("positions per game is %d; it must be 1 or more", o.PerGame))
	}
	if o.Threads < 1 {
		errs = append(errs, fmt.Errorf("threads is %d; it must be 1 or more", o.Threads))
	}
	return errors.Join(errs...)
}

// Make makes a suite. It depends on the game, the seed, the agents, the limit of nodes and PerGame alone; a larger one
// begins with the positions of a smaller. Errors are those of the options, of reading agents, of Part, [ErrFew] and that of a
// cancelled ctx.
func Make(ctx context.Context, o Options) (*Suite, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	m := &maker{Options: o, suite: Suite{Game: o.Game, Origin: o.origin()}, seen: map[identity]bool{}, early: map[int][]offer{}}
	if err := m.resume(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	for range o.Threads {
		wait.Go(func() {
			if err := m.work(ctx); err != nil {
				m.fail(err)
				cancel()
			}
		})
	}
	wait.Wait()
	if m.fault != nil {
		return nil, m.fault
	}
	m.suite.Positions = m.suite.Positions[:min(o.Positions, len(m.suite.Positions))]
	return &m.suite, nil
}

func (o *Options) origin() Origin {
	origin := Origin{Seed: o.Seed, Nodes: o.Nodes, PerGame: o.PerGame}
	for _, factory := range o.Agents {
		origin.Agents = append(origin.Agents, factory.String())
	}
	return origin
}

// maker puts a suite together. Games are played in any order and taken in the order of their numbers.
type maker struct {
	Options

	mutex  sync.Mutex // guards what follows
	suite  Suite
	seen   map[identity]bool
	random int             // positions from random play
	next   int             // number of the game to be played next
	games  int             // taken, numbers 0 to games-1
	barren int             // of them, the last that gave nothing
	early  map[int][]offer // what games offer that are played, or kept in Part, and not yet taken
	nodes  int
	fault  error
}

func (m *maker) fail(err error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.fault == nil || errors.Is(m.fault, context.Canceled) {
		m.fault = err
	}
}

// work plays games until there are positions enough.
func (m *maker) work(ctx context.Context) error {
	p, err := newPlayer(&m.Options)
	if err != nil {
		return err
	}
	for {
		number, more := m.number()
		if !more {
			return nil
		}
		offers, err := p.play(ctx, number)
		if err != nil {
			return err
		}
		if err := m.played(number, offers, p.spent); err != nil {
			return err
		}
	}
}

// number hands out the number of a game, while more are wanted.
func (m *maker) number() (int, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	number := max(m.next, m.games)
	for m.early[number] != nil {
		number++
	}
	m.next = number + 1
	return number, len(m.suite.Positions) < m.Positions && m.fault == nil
}

// played keeps what a game offers and takes what it can.
func (m *maker) played(number int, offers []offer, nodes int) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if err := m.keep(number, offers); err != nil {
		return err
	}
	m.nodes += nodes
	m.early[number] = offers
	if err := m.take(); err != nil {
		return err
	}
	if m.Progress != nil {
		m.Progress(Progress{Positions: len(m.suite.Positions), Games: m.games, Nodes: m.nodes})
	}
	return nil
}

// take takes the positions of the games whose turn it is.
func (m *maker) take() error {
	for len(m.suite.Positions) < m.Positions {
		offers := m.early[m.games]
		if offers == nil {
			return nil
		}
		delete(m.early, m.games)
		m.games++
		positions := m.choose(offers)
		m.suite.Positions = append(m.suite.Positions, positions...)
		if m.barren++; len(positions) > 0 {
			m.barren = 0
		}
		if m.barren >= patience {
			return fmt.Errorf("%w: the last %d games gave no new one after %d; ask for fewer, or for more nodes",
				ErrFew, patience, len(m.suite.Positions))
		}
	}
	return nil
}

// choose returns the first new positions of a game; at most a quarter of the suite's are from random play.
func (m *maker) choose(offers []offer) (positions []Position) {
	for _, offer := range offers {
		if len(positions) == m.PerGame || m.seen[offer.identity] {
			continue
		}
		if offer.position.Source == Random {
			if 4*m.random > len(m.suite.Positions)+len(positions) {
				continue
			}
			m.random++
		}
		m.seen[offer.identity] = true
		positions = append(positions, offer.position)
	}
	return positions
}

// partHeader is the first line of a file of a suite in the making; after it comes a partGame for every game, in the order
// in which they ended.
type partHeader struct {
	Game string `json:"game"`
	Origin
	Weights []string `json:"weights"` // of the agents, their digests; "" where there are none
}

// partGame is what a game offers, as lines of a suite.
type partGame struct {
	Number int               `json:"number"`
	Offers []json.RawMessage `json:"offers"`
}

func (m *maker) header() ([]byte, error) {
	h := partHeader{Game: m.Game.Name, Origin: m.suite.Origin}
	for _, factory := range m.Agents {
		origin, err := factory.Load()
		if err != nil {
			return nil, err
		}
		h.Weights = append(h.Weights, origin.Digest)
	}
	return json.Marshal(h)
}

// resume takes the games that Part keeps.
func (m *maker) resume() error {
	if m.Part == "" {
		return nil
	}
	header, err := m.header()
	if err != nil {
		return err
	}
	lines, err := checkpoints.ReadLines(m.Part)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return checkpoints.AppendLine(m.Part, header)
	}
	if !bytes.Equal(lines[0], header) {
		return fmt.Errorf("%s: %w: it begins %.200s, and this would be %s; remove it or write elsewhere", m.Part, ErrPart, lines[0], header)
	}
	for i, text := range lines[1:] {
		if err := m.recall(text); err != nil {
			return fmt.Errorf("%s: line %d: %w", m.Part, i+2, err)
		}
	}
	return m.take()
}

// keep writes to Part what a game offers.
func (m *maker) keep(number int, offers []offer) error {
	if m.Part == "" {
		return nil
	}
	g := partGame{Number: number, Offers: []json.RawMessage{}}
	for i := range offers {
		g.Offers = append(g.Offers, marshalLine(m.Game, &offers[i].position))
	}
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	return checkpoints.AppendLine(m.Part, text)
}

// recall reads what keep wrote.
func (m *maker) recall(text []byte) error {
	var g partGame
	if err := json.Unmarshal(text, &g); err != nil {
		return fmt.Errorf("%w: %w", ErrSuite, err)
	}
	if g.Offers == nil {
		return fmt.Errorf("%w: it is no game", ErrSuite)
	}
	offers := []offer{}
	for _, line := range g.Offers {
		game, p, err := parseLine(line, g.Number)
		if err == nil && game != m.Game {
			err = fmt.Errorf("%w: a position of %s", ErrSuite, game.Name)
		}
		if err != nil {
			return err
		}
		state, err := p.replay(m.Game)
		if err != nil {
			return err
		}
		offers = append(offers, offer{p, identify(m.Game, state)})
	}
	m.early[g.Number] = offers
	return nil
}
