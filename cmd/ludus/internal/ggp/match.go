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
	names    *names
	position *position // nil until the rules are known, and when it is lost
	history  []map[string]string
	player   *player // nil until it is known, and if there is none
	waiting  bool    // for the player
	followed int     // moves of history that the player has seen
}

// opening is the first position with the translation between its names and those of the match.
type opening struct {
	position *position
	names    *names
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
func (s *Server) newMatch(m *message, now time.Time) (*match, error) {
	ready, _ := s.within(now, m.startClock)
	x := &match{
		ready: ready, server: s, id: m.match, role: m.role, startClock: m.startClock, playClock: m.playClock, sheet: m.rules, last: now,
		openings: make(chan opening, 1), players: make(chan *player, 1), prepared: make(chan struct{}),
		requests: make(chan request, maxRequests), rng: rand.New(rand.NewPCG(uint64(now.UnixNano()), 0)), waiting: true,
	}
	for _, r := range m.rules {
		if r.Head.Name == "role" && len(r.Head.Args) == 1 && len(x.roles) <= maxRoles && !slices.Contains(x.roles, r.Head.Args[0].String()) {
			x.roles = append(x.roles, r.Head.Args[0].String())
		}
	}
	if len(x.roles) > maxRoles {
		return nil, fmt.Errorf("more than %d roles", maxRoles)
	}
	if !slices.Contains(x.roles, m.role) {
		return nil, fmt.Errorf("the sheet has no (role %.60s)", m.role)
	}
	x.ctx, x.cancel = context.WithCancel(s.ctx)
	s.running.Go(x.prepare)
	s.running.Go(x.answer)
	return x, nil
}

// logf writes a line about the match.
func (x *match) logf(format string, args ...any) {
	x.server.logf("match %.60s: %s", x.id, fmt.Sprintf(format, args...))
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
func (x *match) prepare() {
	defer close(x.prepared)
	defer close(x.players)
	defer close(x.openings)
	select {
	case x.server.preparing <- struct{}{}:
		defer func() { <-x.server.preparing }()
	case <-x.ctx.Done():
		return
	}
	if err := safely(x.findPlayer); err != nil && x.ctx.Err() == nil {
		x.logf("%v", err)
	}
}

// findPlayer sends opening and player.
func (x *match) findPlayer() error {
	if t, names := x.findTrained(); t != nil {
		x.openings <- opening{t.rules.start(), names}
		return x.sendPlayer(t.name, t.factory)
	}
	text := sheetText(x.sheet)
	net, err := gdl.Read(x.ctx, text)
	if err != nil {
		return fmt.Errorf("no moves, so the server must choose them: %w", err)
	}
	r := newRules(net)
	if !slices.Equal(slices.Sorted(slices.Values(r.roles)), slices.Sorted(slices.Values(x.roles))) {
		return fmt.Errorf("no moves, so the server must choose them: the roles %v are not those of its facts, %v", r.roles, x.roles)
	}
	x.openings <- opening{r.start(), nil}
	game, _, err := gdl.FromCircuit(x.ctx, "match", text, net)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	search := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: maxPlayouts}, nil)
	if left := time.Until(x.ready); left >= x.server.minLearning {
		if l := x.learn(game, search); l != nil && l.better() {
			return x.sendPlayer("the network", l.factory)
		}
	}
	return x.sendPlayer("a search with random playouts", search)
}

// learn trains a network during the rest of the start clock. It returns nil if that fails.
func (x *match) learn(game *env.Game, search *agent.Factory) *learned {
	var l *learned
	err := safely(func() (err error) {
		l, err = learn(x.ctx, game, search, x.ready.Add(-settling))
		return err
	})
	switch {
	case x.ctx.Err() != nil:
	case err != nil:
		x.logf("no network: %v", err)
		return nil // one with a fault may have won its games before that
	case l == nil:
		x.logf("no network: the start clock was too short to train one")
	default:
		x.logf("a network trained during the start clock scores %.0f %% (95 %%: %.0f to %.0f) in %d fast games against the search",
			100*l.score.Value, 100*l.score.Low, 100*l.score.High, l.games)
	}
	return l
}

// sendPlayer makes the player.
func (x *match) sendPlayer(name string, f *agent.Factory) error {
	p, err := newPlayer(name, f)
	if err != nil {
		return fmt.Errorf("random moves: %w", err)
	}
	if x.ctx.Err() == nil { // the match goes on
		x.logf("%s plays %s", name, x.role)
	}
	x.players <- p
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

// findTrained returns the network that was trained on the sheet; nil if there is none.
func (x *match) findTrained() (*trained, *names) {
	if len(x.server.trained) == 0 {
		return nil, nil
	}
	form, err := canonical.New(x.sheet)
	if err != nil {
		x.logf("not compared with the sheets of networks: %v", err)
		return nil, nil
	}
	t := x.server.trained[form.Text]
	if t == nil {
		return nil, nil
	}
	return t, &names{form.Dictionary(t.form), t.form.Dictionary(form)}
}

// answer answers requests until the match ends.
func (x *match) answer() {
	select {
	case o := <-x.openings:
		x.names, x.position = o.names, o.position
	case <-x.ctx.Done():
	}
	for {
		select {
		case r := <-x.requests:
			if err := safely(func() error { return x.handle(r) }); err != nil {
				x.logf("%v; from now on the server must choose the moves", err)
				x.position = nil
			}
			close(r.answers)
		case <-x.ctx.Done():
			return
		}
	}
}

// handle plays the moves of a request and finds an answer. After an error the position is not known.
func (x *match) handle(r request) error {
	if x.position == nil {
		return nil
	}
	if err := x.apply(r.moves); err != nil {
		return err
	}
	if x.position.over() {
		x.logf("over; %s", x.result())
		return nil
	}
	role := x.names.in(x.role)
	legal := x.position.legal(slices.Index(x.position.roles, role))
	if len(legal) == 0 {
		return fmt.Errorf("%s has no legal move", x.role)
	}
	r.answers <- x.names.out(legal[x.rng.IntN(len(legal))])
	if len(legal) == 1 {
		return nil
	}
	x.waitForPlayer(r.deadline)
	err := safely(func() error { return x.choose(r, role, legal) })
	if err != nil && x.ctx.Err() == nil {
		x.logf("%v; random moves from now on", err)
		x.player = nil
	}
	return nil
}

// choose answers with the player's move, if there is a player and time. After an error the player is of no more use.
func (x *match) choose(r request, role string, legal []string) error {
	if x.player == nil {
		return nil
	}
	for ; x.followed < len(x.history); x.followed++ {
		if err := x.player.follow(x.history[x.followed]); err != nil {
			return err
		}
	}
	limit := time.Until(r.deadline)
	if limit <= 0 {
		return nil
	}
	move, err := x.player.choose(x.ctx, role, legal, limit)
	if err == nil {
		r.answers <- x.names.out(move)
	}
	return err
}

// apply plays the moves of a message; nil are no moves.
func (x *match) apply(moves []kif.Term) error {
	if moves == nil {
		return nil
	}
	named := map[string]string{}
	for i, m := range moves {
		named[x.names.in(x.roles[i])] = x.names.term(m)
	}
	if x.isRepeated(named) {
		x.logf("the moves %.200v were sent twice", moves)
		return nil
	}
	x.history = append(x.history, named)
	var inOrder []string
	for _, role := range x.position.roles {
		inOrder = append(inOrder, named[role])
	}
	if !x.position.apply(inOrder) {
		return fmt.Errorf("the moves %.200v are unknown", moves)
	}
	return nil
}

// isRepeated reports whether moves led to the position, and one of them is illegal now: then a client has sent its message
// a second time, since no answer reached it.
func (x *match) isRepeated(named map[string]string) bool {
	if len(x.history) == 0 || !maps.Equal(named, x.history[len(x.history)-1]) {
		return false
	}
	for i, role := range x.position.roles {
		if !slices.Contains(x.position.legal(i), named[role]) {
			return true
		}
	}
	return false
}

// waitForPlayer waits until it is known who plays, or until the deadline.
func (x *match) waitForPlayer(deadline time.Time) {
	if !x.waiting {
		return
	}
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case x.player = <-x.players:
		x.waiting = false
	case <-timer.C:
	case <-x.ctx.Done():
	}
}

// result says who got how much.
func (x *match) result() string {
	var parts []string
	goals := x.position.goals()
	for _, role := range x.roles {
		goal := "no goal"
		if g := goals[slices.Index(x.position.roles, x.names.in(role))]; g >= 0 {
			goal = fmt.Sprint(g)
		}
		parts = append(parts, role+" "+goal)
	}
	return strings.Join(parts, ", ")
}

// ask sends the moves of a message to the match and waits for the answer until latest.
func (x *match) ask(moves []kif.Term, deadline, latest time.Time) (string, error) {
	if moves != nil && len(moves) != len(x.roles) {
		return "", fmt.Errorf("%d moves; the match has %d roles", len(moves), len(x.roles))
	}
	r := request{moves, deadline, make(chan string, 2)}
	select {
	case x.requests <- r:
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
			x.logf("no search result in time")
			return answer, nil
		case <-x.ctx.Done():
			return answer, nil
		}
	}
}

// unknownMove is the answer if no legal move is known. The match server then plays a random one.
const unknownMove = "nil"
