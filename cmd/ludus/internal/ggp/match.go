package ggp

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/canonical"
	"ludus/env/gdl/interpreter"
	"ludus/env/gdl/kif"
	"ludus/train/agent"
	"ludus/train/stats"
)

// match is a match being played. Its goroutine prepare reads the sheet and looks for the best player; its goroutine
// answer handles requests in turn. Both end when cancel is called.
type match struct {
	server                *Server
	door                  int      // index of the address that it came to
	id                    string   // chosen by the match server
	role                  string   // the player's
	roles                 []string // in the order of the moves in messages
	words                 *kif.Case
	startClock, playClock time.Duration
	ready                 time.Time // latest time to answer START
	sheet                 []kif.Rule
	last                  time.Time // time of the last message; guarded by the server's lock
	played                bool      // PLAY has come; guarded by the server's lock

	cancel   context.CancelFunc
	ended    <-chan struct{} // closed by cancel
	stages   chan stage      // what prepare has found so far, the best last; closed at its end
	prepared chan struct{}   // closed when prepare has ended
	requests chan request

	// Fields that only the goroutine answer uses.
	rng       *rand.Rand
	stage     stage               // the best so far
	history   []map[string]string // moves so far, by role
	position  position            // that of the stage; nil until there is one, and after an error
	reached   int                 // number of moves of history that the position has reached
	player    player              // nil: random moves
	followed  int                 // number of moves of history that the player has played
	preparing bool                // prepare may find something better
}

// stage is a way to play a match.
type stage struct {
	rank     int
	position position // the first position
	names    names
	player   player // nil: a search from the position
}

// Ranks of stages: a higher one replaces a lower one.
const (
	byInterpreter = 1 + iota
	byCircuit
	byAgent
)

// request is a PLAY or STOP message.
type request struct {
	moves    []kif.Node  // last move of each role; nil at the start of the match
	deadline time.Time   // end of the search
	last     bool        // no move is asked for
	answers  chan string // receives a legal move first, then the searched one; closed when the request has been handled
}

// Limits of a match.
const (
	maxRequests = 64 // most requests that wait for an answer
	maxRoles    = 64
	maxStages   = 8 // more than prepare sends
)

// newMatch returns the match of a START message that came to an address, and starts its goroutines.
func (s *Server) newMatch(start *message, door int, now time.Time) (*match, error) {
	ready, _ := s.within(now, start.startClock)
	m := &match{
		ready: ready, server: s, door: door, id: start.match, role: start.role, words: start.words, startClock: start.startClock,
		playClock: start.playClock, sheet: start.rules, last: now, stages: make(chan stage, maxStages),
		prepared: make(chan struct{}), requests: make(chan request, maxRequests), preparing: true,
		rng: rand.New(rand.NewPCG(uint64(now.UnixNano()), 0)),
	}
	for _, r := range start.rules {
		if r.Head.Name == "role" && len(r.Head.Args) == 1 && len(m.roles) <= maxRoles &&
			!slices.Contains(m.roles, r.Head.Args[0].String()) {
			m.roles = append(m.roles, r.Head.Args[0].String())
		}
	}
	if len(m.roles) > maxRoles {
		return nil, fmt.Errorf("more than %d roles", maxRoles)
	}
	if !slices.Contains(m.roles, start.role) {
		return nil, fmt.Errorf("the sheet has no (role %.60s)", start.role)
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel, m.ended = cancel, ctx.Done()
	if twins := m.words.Twins; twins != nil {
		m.logf("case counts: %s and %s are two words of the sheet", twins[0], twins[1])
	}
	var both sync.WaitGroup
	both.Go(func() { m.prepare(ctx) })
	both.Go(func() { m.answer(ctx) })
	s.running.Go(func() {
		both.Wait()
		m.position, m.player, m.stage, m.stages = nil, nil, stage{}, nil
		runtime.GC() // sync.Pool keeps objects for one collection
		debug.FreeOSMemory()
	})
	return m, nil
}

// logf logs a line about the match.
func (m *match) logf(format string, args ...any) {
	m.server.logf("match %.60s: %s", m.id, fmt.Sprintf(format, args...))
}

// written returns roles as the sheet writes them, for the log.
func (m *match) written(roles ...string) string {
	var list []string
	for _, role := range roles {
		list = append(list, m.words.Written(role))
	}
	return strings.Join(list, " ")
}

// safely calls f and turns a panic into an error, because a sheet may reveal a bug, and later matches must go on.
func safely(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v", fault)
		}
	}()
	return f()
}

// prepare runs findPlayer, which sends stages, and closes the channels at the end.
func (m *match) prepare(ctx context.Context) {
	defer close(m.prepared)
	defer close(m.stages)
	err := safely(func() error { return m.findPlayer(ctx) })
	if err != nil && ctx.Err() == nil {
		m.logf("%v", err)
	}
}

// findPlayer sends a network that was trained on the same sheet as the only stage, or else what it finds in turn: a
// search that interprets the rules, one that has them compiled, one for two players who take turns, and a network that
// it trains now.
func (m *match) findPlayer(ctx context.Context) error {
	if t, names := m.findTrained(); t != nil {
		p, err := newAgentPlayer(t.factory)
		if err != nil {
			return err
		}
		m.logf("%s plays %s", t.name, m.written(m.role))
		m.stages <- stage{byAgent, t.rules.start(), names, p}
		return nil
	}
	text := sheetText(m.sheet)
	var interpreting sync.WaitGroup
	defer interpreting.Wait()
	interpreting.Go(func() {
		err := safely(func() error { return m.interpret(ctx, text) })
		if err != nil && ctx.Err() == nil {
			m.logf("the rules cannot be interpreted: %v", err)
		}
	})
	limited, stop := m.server.guard(ctx)
	defer stop()
	circuit, err := gdl.Read(limited, text)
	var r *rules
	if err == nil {
		r = newRules(circuit)
		err = m.checkRoles(r.names)
	}
	if err != nil {
		return fmt.Errorf("a search that interprets the rules plays %s, because they are not compiled: %w", m.written(m.role), err)
	}
	m.stages <- stage{rank: byCircuit, position: r.start()}
	if n := len(m.roles); n != 2 {
		return fmt.Errorf("a search for any number of roles plays %s, because the number of roles is %d", m.written(m.role), n)
	}
	game, _, err := gdl.FromCircuit(limited, "match", text, circuit)
	if err != nil {
		return fmt.Errorf("a search for any number of roles plays %s, because %w", m.written(m.role), err)
	}
	search := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: m.server.playouts(game)}, nil)
	if err := m.sendAgent(r, search); err != nil {
		return err
	}
	if time.Until(m.ready) >= m.server.minLearning {
		if network := m.learn(limited, game, search); network != nil {
			m.logf("the network plays %s", m.written(m.role))
			return m.sendAgent(r, network)
		}
	}
	if ctx.Err() == nil {
		m.logf("a search with random playouts plays %s", m.written(m.role))
	}
	return nil
}

// interpret sends a search that interprets the rules.
func (m *match) interpret(ctx context.Context, text string) error {
	game, err := interpreter.New(ctx, text, m.server.terms())
	if err != nil {
		return err
	}
	if err := m.checkRoles(game.Roles); err != nil {
		return err
	}
	start, err := game.Start()
	if err == nil {
		m.stages <- stage{rank: byInterpreter, position: &interpreted{start}}
	}
	return err
}

// checkRoles returns an error unless the roles that follow from the rules are those of the sheet's facts.
func (m *match) checkRoles(roles []string) error {
	if !slices.Equal(slices.Sorted(slices.Values(roles)), slices.Sorted(slices.Values(m.roles))) {
		return fmt.Errorf("the roles (%s) are not those of its facts (%s)", m.written(roles...), m.written(m.roles...))
	}
	return nil
}

// sendAgent sends an agent of the factory.
func (m *match) sendAgent(r *rules, f *agent.Factory) error {
	p, err := newAgentPlayer(f)
	if err == nil {
		m.stages <- stage{rank: byAgent, position: r.start(), player: p}
	}
	return err
}

// learn trains a network during the rest of the start clock; in the last fifth of the time it plays against the search.
// It returns nil if that fails, or if the network is not measurably better: the 95 % interval of its score must lie
// above one half.
func (m *match) learn(ctx context.Context, game *env.Game, search *agent.Factory) *agent.Factory {
	var network *agent.Factory
	var score stats.Estimate
	var games int
	deadline := m.ready.Add(-settling)
	err := safely(func() (err error) {
		network, err = trainNetwork(ctx, game, m.server.simulations(), time.Duration((1-comparedShare)*float64(time.Until(deadline))))
		if err != nil {
			return err
		}
		// The time per move with which comparedGames games, one at a time on each core, fit into the rest.
		perMove := time.Until(deadline) * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(comparedGames*game.UsualPlies)
		score, games, err = compare(ctx, network, search, perMove, deadline)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		m.logf("no network: %v", err)
		return nil
	case games == 0:
		m.logf("no network: no game against the search ended before the start clock")
		return nil
	}
	m.logf("a network trained during the start clock scores %.0f %% (95 %%: %.0f to %.0f) in %d fast games against the search",
		100*score.Value, 100*score.Low, 100*score.High, games)
	if score.Low <= 0.5 {
		return nil
	}
	return network
}

// sheetText returns a sheet as text.
func sheetText(rules []kif.Rule) string {
	lines := make([]string, len(rules))
	for i, r := range rules {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// findTrained returns the network that was trained on the match's sheet, nil if there is none, and the translation of
// the sheet's names.
func (m *match) findTrained() (*trained, names) {
	if len(m.server.trained) == 0 {
		return nil, names{}
	}
	form, err := canonical.New(m.sheet)
	if err != nil {
		m.logf("not compared with the sheets of networks: %v", err)
		return nil, names{}
	}
	t := m.server.trained[form.Text]
	if t == nil {
		return nil, names{}
	}
	return t, names{form.Dictionary(t.form), t.form.Dictionary(form)}
}

// answer handles requests until the match ends.
func (m *match) answer(ctx context.Context) {
	for {
		select {
		case r := <-m.requests:
			if err := safely(func() error { return m.handle(ctx, r) }); err != nil && ctx.Err() == nil {
				m.logf("%v; from now on the server must choose the moves", err)
				m.position, m.preparing = nil, false
			}
			close(r.answers)
		case <-ctx.Done():
			return
		}
	}
}

// handle plays the moves of a request and answers it. After an error the position is unknown.
func (m *match) handle(ctx context.Context, r request) error {
	limited, cancel := context.WithDeadline(ctx, r.deadline)
	defer cancel()
	m.adopt(limited)
	if m.position != nil {
		m.position.within(limited)
	}
	m.append(r.moves)
	if m.position == nil {
		return nil
	}
	if err := m.catchUp(limited); err != nil {
		return err
	}
	if m.reached < len(m.history) {
		return nil // the next request goes on
	}
	over, role := m.position.over(), m.stage.names.in(m.role)
	if over {
		m.logf("over; %s", m.result())
		return nil
	}
	if r.last {
		return nil
	}
	legal := m.legal(role)
	if m.position.err() != nil {
		return nil
	}
	if len(legal) == 0 {
		return fmt.Errorf("%s has no legal move", m.written(m.role))
	}
	r.answers <- m.out(legal[m.rng.IntN(len(legal))])
	if len(legal) == 1 {
		return nil
	}
	m.choose(ctx, r, role, legal)
	return nil
}

// out returns a move of the stage's sheet as the match server writes it.
func (m *match) out(move string) string { return m.stage.names.out(move, m.words) }

// adopt takes the best stage so far. Without one it waits until ctx ends.
func (m *match) adopt(ctx context.Context) {
	for m.preparing {
		var s stage
		if m.position == nil {
			select {
			case s, m.preparing = <-m.stages:
			case <-ctx.Done():
				return
			}
		} else {
			select {
			case s, m.preparing = <-m.stages:
			default:
				return
			}
		}
		if s.rank > m.stage.rank || s.rank == byAgent {
			m.stage, m.position, m.reached, m.player, m.followed = s, s.position, 0, s.player, 0
		}
	}
}

// append adds the moves of a message to the history, unless the message repeats the last one; nil means no moves.
func (m *match) append(moves []kif.Node) {
	if moves == nil {
		return
	}
	named := map[string]string{}
	for i, move := range moves {
		named[m.roles[i]] = m.words.Fold(move).String()
	}
	if m.isRepeated(named) {
		m.logf("the moves %.200v were sent twice", moves)
		return
	}
	m.history = append(m.history, named)
}

// isRepeated reports whether a message repeats the last one: its moves are those that led to the position, and one of
// them is illegal now. (If all are legal, the players may have made the same moves again.) A client repeats a message
// that got no answer. If time runs out before the legal moves are known, the message counts as new.
func (m *match) isRepeated(named map[string]string) bool {
	if len(m.history) == 0 || !maps.Equal(named, m.history[len(m.history)-1]) || m.position == nil || m.reached < len(m.history) {
		return false
	}
	for role, move := range m.translated(named) {
		if !slices.Contains(m.legal(role), move) {
			return m.position.err() == nil
		}
	}
	return false
}

// translated returns moves in the words of the stage's sheet.
func (m *match) translated(moves map[string]string) map[string]string {
	inside := map[string]string{}
	for role, move := range moves {
		inside[m.stage.names.in(role)] = rename(move, m.stage.names.in)
	}
	return inside
}

// legal returns the legal moves of a role of the stage's sheet.
func (m *match) legal(role string) []string {
	index := slices.Index(m.position.roles(), role)
	var list []string
	for _, move := range m.position.legal(index) {
		list = append(list, m.position.text(index, move))
	}
	return list
}

// catchUp plays the moves of the history that the position has not reached yet, until ctx ends.
func (m *match) catchUp(ctx context.Context) error {
	renewed, _, err := m.position.renewed(ctx)
	if err != nil && ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	m.position = renewed
	m.position.within(ctx)
	for ; m.reached < len(m.history); m.reached++ {
		inside := m.translated(m.history[m.reached])
		var moves []int32
		for role, name := range m.position.roles() {
			move, known := m.position.number(role, inside[name])
			if !known {
				return fmt.Errorf("the move %.200s of %s is unknown", inside[name], name)
			}
			moves = append(moves, move)
		}
		err := m.position.play(moves)
		if err != nil && ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// choose sends the player's move, a better answer than the random move sent before. A player that fails is replaced by
// a search, and that by random moves.
func (m *match) choose(ctx context.Context, r request, role string, legal []string) {
	for range 2 {
		if m.player == nil && m.followed <= len(m.history) {
			m.position.within(context.Background())
			m.player, m.followed = newUCT(m.position, m.server.room(), m.rng), len(m.history)
		}
		if m.player == nil {
			return
		}
		err := safely(func() error { return m.tryPlayer(ctx, r, role, legal) })
		if err == nil || ctx.Err() != nil {
			return
		}
		if _, last := m.player.(*uct); last {
			m.logf("%v; random moves from now on", err)
			m.player, m.followed = nil, math.MaxInt
			return
		}
		m.logf("%v; a search for any number of roles plays from now on", err)
		m.player = nil
	}
}

// tryPlayer lets the player choose a move, if time is left.
func (m *match) tryPlayer(ctx context.Context, r request, role string, legal []string) error {
	for ; m.followed < len(m.history); m.followed++ {
		err := m.player.follow(m.translated(m.history[m.followed]))
		if err != nil && m.position.err() != nil {
			return nil // no time is left; the next request goes on
		}
		if err != nil {
			return err
		}
	}
	limit := time.Until(r.deadline)
	if limit <= 0 {
		return nil
	}
	move, err := m.player.choose(ctx, role, legal, limit)
	if err == nil && move == "" {
		return nil
	}
	if err == nil && !slices.Contains(legal, move) {
		err = fmt.Errorf("the move %.60q is illegal", move)
	}
	if err == nil {
		r.answers <- m.out(move)
	}
	return err
}

// result describes the goals of all roles.
func (m *match) result() string {
	var parts []string
	goals := m.position.goals()
	for _, role := range m.roles {
		goal := "no goal"
		if g := goals[slices.Index(m.position.roles(), m.stage.names.in(role))]; g >= 0 {
			goal = fmt.Sprint(g)
		}
		parts = append(parts, m.written(role)+" "+goal)
	}
	return strings.Join(parts, ", ")
}

// ask passes the moves of a message to the match and waits for the answer until latest; last says that no move is asked
// for.
func (m *match) ask(moves []kif.Node, deadline, latest time.Time, last bool) (string, error) {
	if moves != nil && len(moves) != len(m.roles) {
		return "", fmt.Errorf("%d moves; the match has %d roles", len(moves), len(m.roles))
	}
	r := request{moves, deadline, last, make(chan string, 2)} // room for both answers: handle never waits for this reader
	select {
	case m.requests <- r:
	default:
		return "", fmt.Errorf("more than %d messages wait for an answer", maxRequests)
	}
	timer := time.NewTimer(time.Until(latest))
	defer timer.Stop()
	answer := unknownMove
	for {
		select {
		case better, ok := <-r.answers:
			if !ok {
				return answer, nil
			}
			answer = better
		case <-timer.C:
			m.logf("no search result in time")
			return answer, nil
		case <-m.ended:
			return answer, nil
		}
	}
}

// unknownMove is the answer if no legal move is known. The match server then plays a random move.
const unknownMove = "nil"
