package ggp

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/canonical"
	"ludus/env/gdl/kif"
	"ludus/train/agent"
	"ludus/train/stats"
)

// match is a match being played. Its goroutine prepare reads the sheet and chooses the player; its goroutine answer handles
// requests in turn. Both end when cancel is called.
type match struct {
	server                *Server
	id, role              string   // names chosen by the match server
	roles                 []string // in the order of the moves in messages
	startClock, playClock time.Duration
	ready                 time.Time // latest time to answer START
	sheet                 []kif.Rule
	last                  time.Time // time of the last message; guarded by the server's lock

	cancel   context.CancelFunc
	ended    <-chan struct{} // closed by cancel
	openings chan opening    // receives the first position; closed without one if there is none
	players  chan *player    // receives the player; closed without one if there is none
	prepared chan struct{}   // closed when prepare has ended
	requests chan request

	// Fields that only the goroutine answer uses.
	rng      *rand.Rand
	names    names
	position *position           // nil until the sheet is read, and after an error
	history  []map[string]string // moves so far, by role, with the sheet's names
	player   *player             // nil: random moves
	waiting  bool                // prepare has not chosen the player yet
	followed int                 // number of moves of history that the player has played
}

// opening is the first position of a match.
type opening struct {
	position *position
	names    names
}

// request is a PLAY or STOP message.
type request struct {
	moves    []kif.Term  // last move of each role; nil at the start of the match
	deadline time.Time   // end of the search
	answers  chan string // receives a legal move first, then the searched one; closed when the request has been handled
}

// Limits of a match.
const (
	maxRequests = 64 // most requests that wait for an answer
	maxRoles    = 64
)

// newMatch returns the match of a START message and starts its goroutines.
func (s *Server) newMatch(start *message, now time.Time) (*match, error) {
	ready, _ := s.within(now, start.startClock)
	m := &match{
		ready: ready, server: s, id: start.match, role: start.role, startClock: start.startClock,
		playClock: start.playClock, sheet: start.rules, last: now,
		openings: make(chan opening, 1), players: make(chan *player, 1), prepared: make(chan struct{}),
		requests: make(chan request, maxRequests), rng: rand.New(rand.NewPCG(uint64(now.UnixNano()), 0)), waiting: true,
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
	s.running.Go(func() { m.prepare(ctx) })
	s.running.Go(func() { m.answer(ctx) })
	return m, nil
}

// logf logs a line about the match.
func (m *match) logf(format string, args ...any) {
	m.server.logf("match %.60s: %s", m.id, fmt.Sprintf(format, args...))
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

// prepare runs findPlayer, which sends the first position and then the player. It closes the channels at the end, so
// that nobody waits for what was not sent. Matches prepare one after the other, which limits the memory.
func (m *match) prepare(ctx context.Context) {
	defer close(m.prepared)
	defer close(m.players)
	defer close(m.openings)
	select {
	case m.server.preparing <- struct{}{}:
		defer func() { <-m.server.preparing }()
	case <-ctx.Done():
		return
	}
	err := safely(func() error { return m.findPlayer(ctx) })
	if err != nil && ctx.Err() == nil {
		m.logf("%v", err)
	}
}

// findPlayer sends the first position and then the best available player: a network that was trained on the same sheet, one
// that it trains now, or a search.
func (m *match) findPlayer(ctx context.Context) error {
	if t, names := m.findTrained(); t != nil {
		m.openings <- opening{t.rules.start(), names}
		return m.sendPlayer(ctx, t.name, t.factory)
	}
	text := sheetText(m.sheet)
	circuit, err := gdl.Read(ctx, text)
	if err != nil {
		return fmt.Errorf("no moves, so the server must choose them: %w", err)
	}
	r := newRules(circuit)
	if !slices.Equal(slices.Sorted(slices.Values(r.roles)), slices.Sorted(slices.Values(m.roles))) {
		return fmt.Errorf("no moves, so the server must choose them: the roles %v are not those of its facts, %v",
			r.roles, m.roles)
	}
	m.openings <- opening{r.start(), names{}}
	game, _, err := gdl.FromCircuit(ctx, "match", text, circuit)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	search := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: maxPlayouts}, nil)
	if time.Until(m.ready) >= m.server.minLearning {
		if network := m.learn(ctx, game, search); network != nil {
			return m.sendPlayer(ctx, "the network", network)
		}
	}
	return m.sendPlayer(ctx, "a search with random playouts", search)
}

// learn trains a network during the rest of the start clock. It returns nil if that fails, or if the network is not
// measurably better than the search: the 95 % interval of its score must lie above one half.
func (m *match) learn(ctx context.Context, game *env.Game, search *agent.Factory) (network *agent.Factory) {
	var score stats.Estimate
	var games int
	err := safely(func() (err error) {
		network, score, games, err = learn(ctx, game, search, m.ready.Add(-settling))
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			m.logf("no network: %v", err)
		}
		return nil
	}
	m.logf("a network trained during the start clock scores %.0f %% (95 %%: %.0f to %.0f) in %d fast games against the search",
		100*score.Value, 100*score.Low, 100*score.High, games)
	if games == 0 || score.Low <= 0.5 {
		return nil
	}
	return network
}

// sendPlayer sends a player with a new agent of the factory.
func (m *match) sendPlayer(ctx context.Context, name string, f *agent.Factory) error {
	p, err := newPlayer(name, f)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	if ctx.Err() == nil {
		m.logf("%s plays %s", name, m.role)
	}
	m.players <- p
	return nil
}

// sheetText returns a sheet as text.
func sheetText(rules []kif.Rule) string {
	lines := make([]string, len(rules))
	for i, r := range rules {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// findTrained returns the network that was trained on the match's sheet, nil if there is none, and the translation of the
// sheet's names.
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
	select {
	case o := <-m.openings:
		m.names, m.position = o.names, o.position
	case <-ctx.Done():
	}
	for {
		select {
		case r := <-m.requests:
			if err := safely(func() error { return m.handle(ctx, r) }); err != nil {
				m.logf("%v; from now on the server must choose the moves", err)
				m.position = nil
			}
			close(r.answers)
		case <-ctx.Done():
			return
		}
	}
}

// handle plays the moves of a request and answers it. After an error the position is unknown.
func (m *match) handle(ctx context.Context, r request) error {
	if m.position == nil {
		return nil
	}
	if err := m.apply(r.moves); err != nil {
		return err
	}
	if m.position.over() {
		m.logf("over; %s", m.result())
		return nil
	}
	role := m.names.in(m.role)
	legal := m.position.legal(slices.Index(m.position.roles, role))
	if len(legal) == 0 {
		return fmt.Errorf("%s has no legal move", m.role)
	}
	r.answers <- m.names.out(legal[m.rng.IntN(len(legal))])
	if len(legal) == 1 {
		return nil
	}
	m.waitForPlayer(ctx, r.deadline)
	err := safely(func() error { return m.choose(ctx, r, role, legal) })
	if err != nil && ctx.Err() == nil {
		m.logf("%v; random moves from now on", err)
		m.player = nil
	}
	return nil
}

// choose sends the player's move, a better answer than the random move sent before, if there is a player and time is
// left. After an error the caller drops the player.
func (m *match) choose(ctx context.Context, r request, role string, legal []string) error {
	if m.player == nil {
		return nil
	}
	for ; m.followed < len(m.history); m.followed++ {
		if err := m.player.follow(m.history[m.followed]); err != nil {
			return err
		}
	}
	limit := time.Until(r.deadline)
	if limit <= 0 {
		return nil
	}
	move, err := m.player.choose(ctx, role, legal, limit)
	if err == nil {
		r.answers <- m.names.out(move)
	}
	return err
}

// apply plays the moves of a message; nil means no moves.
func (m *match) apply(moves []kif.Term) error {
	if moves == nil {
		return nil
	}
	named := map[string]string{}
	for i, move := range moves {
		named[m.names.in(m.roles[i])] = m.names.term(move)
	}
	if m.isRepeated(named) {
		m.logf("the moves %.200v were sent twice", moves)
		return nil
	}
	m.history = append(m.history, named)
	var inOrder []string
	for _, role := range m.position.roles {
		inOrder = append(inOrder, named[role])
	}
	if !m.position.apply(inOrder) {
		return fmt.Errorf("the moves %.200v are unknown", moves)
	}
	return nil
}

// isRepeated reports whether a message repeats the last one: its moves are those that led to the position, and one of them
// is illegal now. (If all are legal, the players may have made the same moves again.) A client repeats a message that
// got no answer.
func (m *match) isRepeated(named map[string]string) bool {
	if len(m.history) == 0 || !maps.Equal(named, m.history[len(m.history)-1]) {
		return false
	}
	for i, role := range m.position.roles {
		if !slices.Contains(m.position.legal(i), named[role]) {
			return true
		}
	}
	return false
}

// waitForPlayer waits until prepare has chosen the player, or until the deadline.
func (m *match) waitForPlayer(ctx context.Context, deadline time.Time) {
	if !m.waiting {
		return
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case m.player = <-m.players:
		m.waiting = false
	case <-timer.C:
	case <-ctx.Done():
	}
}

// result describes the goals of all roles.
func (m *match) result() string {
	var parts []string
	goals := m.position.goals()
	for _, role := range m.roles {
		goal := "no goal"
		if g := goals[slices.Index(m.position.roles, m.names.in(role))]; g >= 0 {
			goal = fmt.Sprint(g)
		}
		parts = append(parts, role+" "+goal)
	}
	return strings.Join(parts, ", ")
}

// ask passes the moves of a message to the match and waits for the answer until latest.
func (m *match) ask(moves []kif.Term, deadline, latest time.Time) (string, error) {
	if moves != nil && len(moves) != len(m.roles) {
		return "", fmt.Errorf("%d moves; the match has %d roles", len(moves), len(m.roles))
	}
	r := request{moves, deadline, make(chan string, 2)} // room for both answers: handle never waits for this reader
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
