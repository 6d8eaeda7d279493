package ratings

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludus/checkpoints/zoo"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/seed"
)

const (
	// Anchor is the agent whose rating is 0.
	Anchor = "random"
	// OpeningPlies is the number of random plies at the start of every game; see match.ShortOpening.
	OpeningPlies = 2
)

// Baselines are the agents without a network that a pool usually holds beside a run's checkpoints. They include the
// anchor.
var Baselines = []string{Anchor, "greedy", "mcts:200", "mcts:1000"}

// Pool is the agents of a run and the matches that they have played. Agents are given by index: 0 is the anchor, and
// checkpoints are in ascending order of generation. The caller holds the run's lock.
type Pool struct {
	dir         string // run directory; "": none
	game        *env.Game
	simulations int // simulations per move of a checkpoint
	seed        uint64
	balance     *match.BalanceChecker
	scale       scale // shipped agents; empty outside runs
	fixed       bool  // anchors of known rating define the scale, see AddAnchor; no others do

	reference []int // agents that define the centre for intervals; nil: all that can play
	agents    []poolAgent
	index     map[string]int // index of each agent by name
	pairings  []pairing      // one for each match that counts for the ratings
	times     []matchTime
	pairs     map[[2]int]pairState // by twoOf(a, b)
	seconds   float64              // total duration of all matches
}

// poolAgent is an agent of a pool.
type poolAgent struct {
	name       string
	generation int             // -1 for a baseline
	strength   *agent.Strength // strength of a weakened checkpoint; nil for others
	shipped    bool            // a shipped agent in a run's pool
	known      *zoo.Estimate   // its rating, if that does not follow from games; nil for others
	chosen     bool            // it has played a match that [Pool.Rate] chose
	named      bool            // AddAnchor added it
	// factory is nil if the agent cannot play: its checkpoint is no longer kept or cannot be loaded, or it is a program
	// that failed or of another day.
	factory *agent.Factory
}

// checkpoint reports whether the agent is a checkpoint that is not weakened.
func (p *poolAgent) checkpoint() bool { return p.generation >= 0 && p.strength == nil }

// pairState counts the games between two agents.
type pairState struct {
	matches   int
	games     int  // two for each opening played
	exhausted bool // no new opening is left, so more games would only repeat earlier ones
}

// Open reads the pool of the run in dir: the given baselines, the shipped agent and weakened ones with their ratings,
// if known, the checkpoints that the run keeps, and all agents of its matches. Matches of checkpoints with another
// number of simulations per move do not count, nor those of another shipped network. Outside programs of the matches
// keep their ratings but do not play. Unreadable matches are returned as warnings. Pools of one game may share the
// balance checker of their openings.
func Open(
	dir string, game *env.Game, simulations int, baselines []string, balance *match.BalanceChecker,
) (p *Pool, warnings []error, err error) {
	return open(dir, game, simulations, baselines, balance, scaleOf(game))
}

// open is Open with the shipped agents given.
func open(
	dir string, game *env.Game, simulations int, baselines []string, balance *match.BalanceChecker, shipped scale,
) (p *Pool, warnings []error, err error) {
	matches, warnings, err := rundir.MatchesFile.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	kept, err := rundir.Checkpoints(dir).List()
	if err != nil {
		return nil, nil, err
	}
	p = newPool(dir, game, simulations, balance)
	p.scale = shipped
	p.fill(kept, baselines, matches)
	return p, warnings, nil
}

// newPool returns a pool without agents and matches. dir is "" for a pool without files.
func newPool(dir string, game *env.Game, simulations int, balance *match.BalanceChecker) *Pool {
	return &Pool{
		dir: dir, game: game, simulations: simulations, balance: balance,
		index: make(map[string]int), pairs: make(map[[2]int]pairState),
	}
}

// poolOf returns a pool of agents given by their specs, without files. The first agent is the anchor. seed determines
// openings and games.
func poolOf(game *env.Game, specs []string, load agent.Loader, seed uint64, balance *match.BalanceChecker) (*Pool, error) {
	p := newPool("", game, agent.DefaultSimulations, balance)
	p.seed = seed
	for _, spec := range specs {
		factory, err := agent.ParseFactory(game, spec, load)
		if err != nil {
			return nil, err
		}
		p.addAgent(poolAgent{name: spec, generation: -1, factory: factory})
	}
	return p, nil
}

// fill adds agents to the pool: the baselines, the shipped ones, the kept checkpoints and all agents of the matches.
// Then it counts the matches.
func (p *Pool) fill(kept []int, baselines []string, matches []rundir.MatchResult) {
	names := slices.Clone(baselines)
	generations := slices.Clone(kept)
	weakened := make(map[string]bool)
	for _, m := range matches {
		for _, name := range []string{m.Agent, m.Opponent} {
			if g, ok := generationOf(name); ok {
				generations = append(generations, g)
			} else if _, _, ok := rundir.ParseStrengthName(name); ok {
				weakened[name] = true
			} else if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		if factory, err := agent.ParseFactory(p.game, name, nil); err == nil && !factory.HasNetwork() {
			if factory.Outside() { // a file may not start it
				factory = nil
			}
			p.addAgent(poolAgent{name: name, generation: -1, factory: factory})
		}
	}
	for _, a := range p.scale.agents {
		p.addAgent(a)
	}
	slices.Sort(generations)
	for _, g := range slices.Compact(generations) {
		a := poolAgent{name: rundir.CheckpointName(g), generation: g}
		if slices.Contains(kept, g) {
			spec := agent.Spec{Kind: agent.Net, Network: agent.CheckpointOf(p.dir, g), Simulations: p.simulations}
			a.factory = agent.NewFactory(p.game, spec, rundir.LoadWeights)
		}
		p.addAgent(a)
	}
	for _, name := range slices.Sorted(maps.Keys(weakened)) {
		g, s, _ := rundir.ParseStrengthName(name)
		p.addStrength(g, s, slices.Contains(kept, g))
	}
	for i := range matches {
		p.count(&matches[i])
	}
}

// AddAnchor adds an agent without a network, such as an outside program, which may have played already. elo, if not
// nil, is its rating: it does not follow from games, and such ratings define the scale instead of those of random and
// the shipped agents.
func (p *Pool) AddAnchor(factory *agent.Factory, elo *float64) {
	name := factory.String()
	i, ok := p.index[name]
	if !ok {
		i = len(p.agents)
		p.addAgent(poolAgent{name: name, generation: -1})
	}
	p.agents[i].factory, p.agents[i].named = factory, true
	if elo == nil {
		return
	}
	for j := range p.agents {
		if !p.fixed || j == i {
			p.agents[j].known = nil
		}
	}
	p.fixed, p.agents[i].known = true, &zoo.Estimate{Value: *elo, Low: *elo, High: *elo}
}

// addAgent adds an agent at the next index. No agent of the pool may have its name.
func (p *Pool) addAgent(a poolAgent) {
	p.index[a.name] = len(p.agents)
	p.agents = append(p.agents, a)
}

// generationOf parses the name of a checkpoint, such as net@12. It returns false for other names, also of weakened
// checkpoints.
func generationOf(name string) (int, bool) {
	text, ok := strings.CutPrefix(name, "net@")
	if !ok {
		return 0, false
	}
	g, err := strconv.Atoi(text)
	return g, err == nil && g >= 0
}

// count adds a match of two agents to the totals. If a program failed in it, the match has used up openings but is no
// evidence.
func (p *Pool) count(m *rundir.MatchResult) {
	a, known := p.index[m.Agent]
	b, other := p.index[m.Opponent]
	if !known || !other || a == b || m.Games < 1 {
		return
	}
	if (p.agents[a].generation >= 0 || p.agents[b].generation >= 0) && m.Simulations != p.simulations {
		return
	}
	if (p.agents[a].shipped || p.agents[b].shipped) && m.Shipped != p.scale.digest {
		return
	}
	state := p.pairs[twoOf(a, b)]
	state.matches++
	state.games += (m.Played() + 1) &^ 1 // rounded up to even
	p.pairs[twoOf(a, b)] = state
	p.times = append(p.times, matchTime{a: p.costOf(a), b: p.costOf(b), games: m.Games, seconds: m.Seconds})
	p.seconds += m.Seconds
	if failed(m, 0) || failed(m, 1) {
		return
	}
	if !m.Training {
		p.agents[a].chosen, p.agents[b].chosen = true, true
	}
	played := pairing{a: a, b: b, pentanomial: m.Pentanomial}
	if played.games() < m.Games && m.Repeats == 0 { // the results of repeated games are not known
		played.singles = singles(&m.Result)
	}
	p.pairings = append(p.pairings, played)
}

// failed reports whether a side of a match is a program that failed in half of its games or more. They tell nothing of
// its strength.
func failed(m *rundir.MatchResult, side int) bool {
	s := &m.Sides[side]
	n := s.Forfeits.Total() + s.Void.Total()
	return n > 0 && 2*n >= m.Played()
}

// singles returns the losses, draws and wins of the games of incomplete pairs, in a match without repeats. Lines
// without pentanomial have only such games.
func singles(r *match.Result) [3]int {
	p, even := r.Pentanomial, r.Pentanomial[2]-r.SeatPairs // pairs of two draws
	return [3]int{
		max(0, r.Losses-2*p[0]-p[1]-r.SeatPairs), max(0, r.Draws-p[1]-2*even-p[3]), max(0, r.Wins-r.SeatPairs-p[3]-2*p[4]),
	}
}

// twoOf is the map key of an unordered pair of agents.
func twoOf(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// Play plays a match of an even number of games between two agents, with openings that they have not played yet,
// appends it to arena.jsonl and counts it. Two deterministic agents stop when all openings are used up, rather than
// repeat games, so the match may have fewer games than asked, or none; an empty match is not written. The games of a
// cancelled match are discarded. training: the match measures a run in training. The newer agent is the result's Agent.
// If an agent's network cannot be loaded, the error wraps [agent.ErrWeights].
func (p *Pool) Play(ctx context.Context, a, b, games, threads int, training bool) (*rundir.MatchResult, error) {
	if c := cmp.Compare(p.agents[a].generation, p.agents[b].generation); c < 0 || c == 0 && a > b {
		a, b = b, a
	}
	x, y, state := &p.agents[a], &p.agents[b], p.pairs[twoOf(a, b)]
	m := &rundir.MatchResult{
		Generation: max(x.generation, 0), Agent: x.name, Opponent: y.name, Number: state.matches + 1,
		Training: training, Simulations: p.simulations,
	}
	if x.shipped || y.shipped {
		m.Shipped = p.scale.digest
	}
	var err error
	m.Result, err = match.Run(ctx, match.Config{
		Game: p.game, A: x.factory, B: y.factory, Games: games, Seed: seed.Derive(p.seed, m.Agent+" "+m.Opponent, 0),
		OpeningPlies: match.ShortOpening(p.game, OpeningPlies), Balance: p.balance, Threads: threads,
		NoRepeats: !x.factory.Stochastic() && !y.factory.Stochastic(), SkipGames: state.games,
	})
	if err != nil {
		return nil, err
	}
	state.exhausted = m.Played() < games
	p.pairs[twoOf(a, b)] = state
	if m.Games == 0 {
		return m, nil
	}
	return m, p.add(m)
}

// add appends a match to arena.jsonl, unless the pool has no directory, and counts it in the pool.
func (p *Pool) add(m *rundir.MatchResult) error {
	if p.dir != "" {
		if err := rundir.MatchesFile.Append(p.dir, m); err != nil {
			return err
		}
	}
	p.count(m)
	return nil
}

// LoadAll loads every checkpoint that the run keeps. It passes the errors of those that cannot be loaded to warn; such
// checkpoints no longer play.
func (p *Pool) LoadAll(warn func(error)) {
	for i := range p.agents {
		if a := &p.agents[i]; a.checkpoint() && a.factory != nil {
			if _, err := a.factory.Load(); err != nil {
				a.factory = nil
				warn(err)
			}
		}
	}
}

// Baselines returns the indices of the agents that are neither checkpoints nor shipped ones.
func (p *Pool) Baselines() []int {
	return p.agentsWhere(func(a *poolAgent) bool { return a.generation < 0 && !a.shipped })
}

// SetReference chooses the agents whose centre intervals refer to, without those that cannot play or have no rating. It
// has no effect where known ratings fix the scale: those of shipped agents or of AddAnchor. By default the centre is
// that of all agents that can play, except weakened checkpoints; the others play no more games and would widen the
// intervals.
func (p *Pool) SetReference(agents []int) { p.reference = agents }

// Checkpoints returns the indices of at most n checkpoints that the run keeps, spread evenly over their generations,
// including the first and the newest.
func (p *Pool) Checkpoints(n int) []int {
	kept := p.agentsWhere(func(a *poolAgent) bool { return a.checkpoint() && a.factory != nil })
	if len(kept) <= n {
		return kept
	}
	first, last := p.agents[kept[0]].generation, p.agents[kept[len(kept)-1]].generation
	chosen := []int{kept[len(kept)-1]}
	for k := range n - 1 {
		target := first + (last-first)*k/(n-1)
		distance := func(i int) int { return max(p.agents[i].generation-target, target-p.agents[i].generation) }
		left := slices.DeleteFunc(slices.Clone(kept), func(i int) bool { return slices.Contains(chosen, i) })
		chosen = append(chosen, slices.MinFunc(left, func(i, j int) int {
			return cmp.Compare(distance(i), distance(j))
		}))
	}
	slices.Sort(chosen)
	return chosen
}

// PlayedCheckpoints returns the indices of the kept checkpoints that have played matches that [Pool.Rate] chose.
func (p *Pool) PlayedCheckpoints() []int {
	return p.agentsWhere(func(a *poolAgent) bool {
		return a.checkpoint() && a.factory != nil && a.chosen
	})
}

// Index returns the index of a named agent, which must be in the pool.
func (p *Pool) Index(name string) int {
	i, ok := p.index[name]
	if !ok {
		panic("ratings: the pool has no agent " + name)
	}
	return i
}

// Generation returns a checkpoint's generation.
func (p *Pool) Generation(checkpoint int) int { return p.agents[checkpoint].generation }

// Names returns the names of agents.
func (p *Pool) Names(indices []int) (names []string) {
	for _, i := range indices {
		names = append(names, p.agents[i].name)
	}
	return names
}

// agentsWhere returns the indices of the agents for which keep returns true.
func (p *Pool) agentsWhere(keep func(*poolAgent) bool) (indices []int) {
	for i := range p.agents {
		if keep(&p.agents[i]) {
			indices = append(indices, i)
		}
	}
	return indices
}

// canPlay reports whether an agent can play: it is a baseline or its checkpoint is kept and can be loaded.
func (p *Pool) canPlay(i int) bool { return p.agents[i].factory != nil }

// Best returns the checkpoint that [rundir.Ratings.Best] finds among those that can play; -1 if none can.
func (p *Pool) Best() int {
	var generations []int
	for _, i := range p.agentsWhere(func(a *poolAgent) bool { return a.checkpoint() && a.factory != nil }) {
		generations = append(generations, p.agents[i].generation)
	}
	if len(generations) == 0 {
		return -1
	}
	return p.Index(rundir.CheckpointName(p.Ratings().Best(generations)))
}

// Write writes the ratings to the run's ratings.json and returns them. If no agent is rated, the file stays as it is.
func (p *Pool) Write() (*rundir.Ratings, error) {
	t := p.Ratings()
	if len(t.Agents) == 0 {
		return t, nil
	}
	return t, t.Write(p.dir)
}

// gameSeconds estimates each agent's seconds per game. All checkpoints get the same estimate, because they search
// alike: differences between their matches are due to chance.
func (p *Pool) gameSeconds() []float64 {
	cost := gameSeconds(len(p.agents), p.times)
	for i := range cost {
		cost[i] = cost[p.costOf(i)]
	}
	return cost
}

// costOf returns the agent whose estimate agent i gets: the first checkpoint for all checkpoints.
func (p *Pool) costOf(i int) int {
	if p.agents[i].checkpoint() {
		return slices.IndexFunc(p.agents, func(a poolAgent) bool { return a.checkpoint() })
	}
	return i
}

// knownElo returns the known ratings of the agents, in Elo, and NaN for the others.
func (p *Pool) knownElo() []float64 {
	elo := make([]float64, len(p.agents))
	for i := range p.agents {
		known := p.agents[i].known
		switch {
		case known != nil:
			elo[i] = known.Value
		case i > 0 || p.fixed:
			elo[i] = math.NaN()
		}
	}
	return elo
}

// fit fits the ratings of the agents to their games, and sets the centre of their intervals.
func (p *Pool) fit() *fit {
	f := newFit(p.knownElo(), p.pairings)
	f.setCentre(func(i int) bool {
		if p.fixed || p.scale.known() {
			return f.known[i]
		}
		if p.reference == nil {
			return p.canPlay(i) && p.agents[i].strength == nil
		}
		return p.canPlay(i) && slices.Contains(p.reference, i)
	})
	return f
}

// games returns the number of games and points of each agent.
func (p *Pool) games() (games []int, points []float64) {
	games, points = make([]int, len(p.agents)), make([]float64, len(p.agents))
	for _, played := range p.pairings {
		n := played.games()
		games[played.a] += n
		games[played.b] += n
		points[played.a] += played.points()
		points[played.b] += float64(n) - played.points()
	}
	return games, points
}

// Ratings computes the ratings from the matches, best first. It leaves out
//   - agents that no games connect with the anchor or an agent of known rating,
//   - shipped agents and agents of known rating that have played no game,
//   - checkpoints that have played matches of training only: these count, but a few lost games place no agent,
//   - weakened checkpoints, which appear in the dials only.
func (p *Pool) Ratings() *rundir.Ratings {
	t := &rundir.Ratings{Game: p.game.Name, Anchor: Anchor, Simulations: p.simulations, Seconds: tenths(p.seconds)}
	if p.fixed {
		t.Anchor = ""
	}
	games, points := p.games()
	f := p.fit()
	for i := range p.agents {
		t.Games += games[i]
		a := &p.agents[i]
		if !f.rated[i] || a.strength != nil || (a.known != nil || a.shipped) && games[i] == 0 || a.checkpoint() && !a.chosen {
			continue
		}
		low, high := f.interval(i)
		if a.known != nil {
			low, high = a.known.Low, a.known.High
		}
		r := rundir.Rating{
			Agent: a.name, Rating: tenths(f.elo(i)), Low: tenths(low), High: tenths(high), Games: games[i],
			Score: math.Round(1e4*points[i]/max(float64(games[i]), 1)) / 1e4, Gone: a.factory == nil,
			Known: a.known != nil,
		}
		if a.generation >= 0 {
			r.Generation = &a.generation
		}
		t.Agents = append(t.Agents, r)
	}
	t.Games /= 2
	t.Dials = p.dials(f)
	slices.SortStableFunc(t.Agents, func(a, b rundir.Rating) int { return cmp.Compare(b.Rating, a.Rating) })
	return t
}

// tenths rounds to one decimal place.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }
