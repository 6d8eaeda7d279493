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

// match is a match in progress. One goroutine prepares it, another answers its requests in turn.
type match struct {
	server                *Server
	id, role              string
	roles                 []string // in the order of moves in messages
	startClock, playClock time.Duration
	ready                 time.Time // when START should be answered at the latest
	sheet                 []kif.Rule
	last                  time.Time // of the last message; under the server's lock

	ctx      context.Context // ends with the match
	cancel   context.CancelFunc
	openings chan opening  // gets the opening; closed if there is none
	players  chan *player  // gets the player; closed if there is none
	prepared chan struct{} // closed when both are decided
	requests chan request

	// Of the goroutine that answers.
	rng      *rand.Rand
	names    names
	position *position // nil until the rules are known, and when it is lost
	history  []map[string]string
	player   *player // nil until it is known, and if there is none
	waiting  bool    // for the player
	followed int     // moves of history that the player has seen
}

// opening is the first position, in the names of its sheet.
type opening struct {
	position *position
	names    names // between those of the match and of the sheet
}

// request is a PLAY or STOP message.
type request struct {
	moves    []kif.Term
	deadline time.Time   // of the search
	answers  chan string // gets a legal move, then a better one; closed at the end
}

// Limits of a match: requests that may wait, and roles.
const (
	maxRequests = 64
	maxRoles    = 64
)

// newMatch returns the match of a START message and begins to prepare it.
func (s *Server) newMatch(start *message, now time.Time) (*match, error) {
	ready, _ := s.within(now, start.startClock)
	m := &match{
		ready: ready, server: s, id: start.match, role: start.role, startClock: start.startClock, playClock: start.playClock, sheet: start.rules, last: now,
		openings: make(chan opening, 1), players: make(chan *player, 1), prepared: make(chan struct{}),
		requests: make(chan request, maxRequests), rng: rand.New(rand.NewPCG(uint64(now.UnixNano()), 0)), waiting: true,
	}
	for _, r := range start.rules {
		if r.Head.Name == "role" && len(r.Head.Args) == 1 && len(m.roles) <= maxRoles && !slices.Contains(m.roles, r.Head.Args[0].String()) {
			m.roles = append(m.roles, r.Head.Args[0].String())
		}
	}
	if len(m.roles) > maxRoles {
		return nil, fmt.Errorf("more than %d roles", maxRoles)
	}
	if !slices.Contains(m.roles, start.role) {
		return nil, fmt.Errorf("the sheet has no (role %.60s)", start.role)
	}
	m.ctx, m.cancel = context.WithCancel(s.ctx)
	s.running.Go(m.prepare)
	s.running.Go(m.answer)
	return m, nil
}

// logf writes a line about the match.
func (m *match) logf(format string, args ...any) {
	m.server.logf("match %.60s: %s", m.id, fmt.Sprintf(format, args...))
}

// safely calls f. A panic becomes an error: a sheet may bring out a fault of ours, and other matches must go on.
func safely(f func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("internal error: %v", fault)
		}
	}()
	return f()
}

// prepare finds opening and player. One match prepares at a time, which bounds the memory.
func (m *match) prepare() {
	defer close(m.prepared)
	defer close(m.players)
	defer close(m.openings)
	select {
	case m.server.preparing <- struct{}{}:
		defer func() { <-m.server.preparing }()
	case <-m.ctx.Done():
		return
	}
	if err := safely(m.findPlayer); err != nil && m.ctx.Err() == nil {
		m.logf("%v", err)
	}
}

// findPlayer sends opening and player.
func (m *match) findPlayer() error {
	if t, names := m.findTrained(); t != nil {
		m.openings <- opening{t.rules.start(), names}
		return m.sendPlayer(t.name, t.factory)
	}
	text := sheetText(m.sheet)
	net, err := gdl.Read(m.ctx, text)
	if err != nil {
		return fmt.Errorf("no moves, so the server must choose them: %w", err)
	}
	r := newRules(net)
	if !slices.Equal(slices.Sorted(slices.Values(r.roles)), slices.Sorted(slices.Values(m.roles))) {
		return fmt.Errorf("no moves, so the server must choose them: the roles %v are not those of its facts, %v", r.roles, m.roles)
	}
	m.openings <- opening{r.start(), names{}}
	game, _, err := gdl.FromCircuit(m.ctx, "match", text, net)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	search := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: maxPlayouts}, nil)
	if time.Until(m.ready) >= m.server.minLearning {
		if network := m.learn(game, search); network != nil {
			return m.sendPlayer("the network", network)
		}
	}
	return m.sendPlayer("a search with random playouts", search)
}

// learn trains a network during the rest of the start clock. It returns nil if that fails, or if the network is not
// measurably better than the search: the 95 % interval of its score must lie above one half.
func (m *match) learn(game *env.Game, search *agent.Factory) (network *agent.Factory) {
	var score stats.Estimate
	var games int
	err := safely(func() (err error) {
		network, score, games, err = learn(m.ctx, game, search, m.ready.Add(-settling))
		return err
	})
	if err != nil {
		if m.ctx.Err() == nil {
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

// sendPlayer makes the player.
func (m *match) sendPlayer(name string, f *agent.Factory) error {
	p, err := newPlayer(name, f)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	if m.ctx.Err() == nil { // the match goes on
		m.logf("%s plays %s", name, m.role)
	}
	m.players <- p
	return nil
}

// sheetText returns the text of a sheet.
func sheetText(rules []kif.Rule) string {
	lines := make([]string, len(rules))
	for i, r := range rules {
		lines[i] = r.String()
	}
	return strings.Join(lines, "\n")
}

// findTrained returns the network that was trained on the sheet, nil if there is none, and the translation of its names.
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

// answer answers requests until the match ends.
func (m *match) answer() {
	select {
	case o := <-m.openings:
		m.names, m.position = o.names, o.position
	case <-m.ctx.Done():
	}
	for {
		select {
		case r := <-m.requests:
			if err := safely(func() error { return m.handle(r) }); err != nil {
				m.logf("%v; from now on the server must choose the moves", err)
				m.position = nil
			}
			close(r.answers)
		case <-m.ctx.Done():
			return
		}
	}
}

// handle plays the moves of a request and finds an answer. After an error the position is not known.
func (m *match) handle(r request) error {
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
	m.waitForPlayer(r.deadline)
	err := safely(func() error { return m.choose(r, role, legal) })
	if err != nil && m.ctx.Err() == nil {
		m.logf("%v; random moves from now on", err)
		m.player = nil
	}
	return nil
}

// choose answers with the player's move, if there is a player and time. After an error the player is of no more use.
func (m *match) choose(r request, role string, legal []string) error {
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
	move, err := m.player.choose(m.ctx, role, legal, limit)
	if err == nil {
		r.answers <- m.names.out(move)
	}
	return err
}

// apply plays the moves of a message; nil are no moves.
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

// isRepeated reports whether moves led to the position, and one of them is illegal now: then a client has sent its message
// a second time, since no answer reached it.
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

// waitForPlayer waits until it is known who plays, or until the deadline.
func (m *match) waitForPlayer(deadline time.Time) {
	if !m.waiting {
		return
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case m.player = <-m.players:
		m.waiting = false
	case <-timer.C:
	case <-m.ctx.Done():
	}
}

// result says who got how much.
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

// ask sends the moves of a message to the match and waits for the answer until latest.
func (m *match) ask(moves []kif.Term, deadline, latest time.Time) (string, error) {
	if moves != nil && len(moves) != len(m.roles) {
		return "", fmt.Errorf("%d moves; the match has %d roles", len(moves), len(m.roles))
	}
	r := request{moves, deadline, make(chan string, 2)}
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
		case <-m.ctx.Done():
			return answer, nil
		}
	}
}

// unknownMove is the answer if no legal move is known. The match server then plays a random one.
const unknownMove = "nil"
