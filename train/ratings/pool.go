package ratings

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/seed"
)

const (
	// Anchor is the agent whose rating is 0.
	Anchor = "random"
	// DefaultSimulations are those of a network where nothing else is said.
	DefaultSimulations = 64
	// OpeningPlies is the number of random plies at the start of every game.
	OpeningPlies = 2
)

// Baselines are the agents that a run's pool holds beside its checkpoints; they include the anchor.
var Baselines = []string{Anchor, "greedy", "mcts:200", "mcts:1000"}

// Pool is the agents of a run and the matches that they have played. Its caller holds the run's lock.
type Pool struct {
	dir         string
	game        *env.Game
	simulations int // of checkpoints' moves
	balance     *match.BalanceChecker

	members  []int    // whose middle places are measured from; nil: all that can play
	agents   []member // number 0 is the anchor; checkpoints stand by ascending generation
	number   map[string]int
	pairings []Pairing
	timed    []Timed
	met      map[[2]int]int  // matches of two agents, the lower number first
	begun    map[[2]int]int  // games of such two since their first opening, an even number
	spent    map[[2]int]bool // such two can only repeat their games
	seconds  float64         // of all matches
}

// member is an agent of the pool.
type member struct {
	name       string
	generation int            // -1: it is no checkpoint
	factory    *agent.Factory // nil: it cannot play, since the run keeps no such checkpoint or it is broken
}

// Open reads the pool of the run in dir: the baselines, the checkpoints that it keeps, and everybody who has played with
// so many simulations. What cannot be understood of the matches comes back as warnings. The balance chooses the matches'
// openings; pools of one game may share it.
func Open(
	dir string, game *env.Game, simulations int, baselines []string, balance *match.BalanceChecker,
) (p *Pool, warnings []error, err error) {
	matches, warnings, err := rundir.MatchesFile.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	p = &Pool{
		dir: dir, game: game, simulations: simulations, balance: balance,
		number: make(map[string]int), met: make(map[[2]int]int), begun: make(map[[2]int]int), spent: make(map[[2]int]bool),
	}
	kept, err := rundir.CheckpointGenerations(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := p.fill(kept, baselines, matches); err != nil {
		return nil, nil, err
	}
	return p, warnings, nil
}

// fill enters the agents, those of the matches among them, and counts the matches.
func (p *Pool) fill(kept []int, baselines []string, matches []rundir.MatchResult) error {
	names := slices.Clone(baselines)
	generations := slices.Clone(kept)
	for _, m := range matches {
		for _, name := range []string{m.Agent, m.Opponent} {
			if g, ok := generationOf(name); ok {
				generations = append(generations, g)
			} else if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(generations)
	for _, name := range names {
		if factory, err := agent.ParseFactory(p.game, name, nil); err == nil && !factory.HasNetwork() {
			p.enter(member{name: name, generation: -1, factory: factory})
		}
	}
	for _, g := range slices.Compact(generations) {
		a := member{name: rundir.CheckpointName(g), generation: g}
		if slices.Contains(kept, g) {
			spec := agent.Spec{Kind: agent.Net, Network: agent.CheckpointOf(p.dir, g), Simulations: p.simulations}
			a.factory = agent.NewFactory(p.game, spec, rundir.LoadWeights)
		}
		p.enter(a)
	}
	for i := range matches {
		p.count(&matches[i])
	}
	return nil
}

func (p *Pool) enter(a member) {
	p.number[a.name] = len(p.agents)
	p.agents = append(p.agents, a)
}

// generationOf reads net@12.
func generationOf(name string) (int, bool) {
	text, ok := strings.CutPrefix(name, "net@")
	if !ok {
		return 0, false
	}
	g, err := strconv.Atoi(text)
	return g, err == nil && g >= 0
}

// count adds a match to what ratings follow from, if both agents are the pool's.
func (p *Pool) count(m *rundir.MatchResult) {
	a, known := p.number[m.Agent]
	b, other := p.number[m.Opponent]
	if !known || !other || a == b || m.Games < 1 {
		return
	}
	if (p.agents[a].generation >= 0 || p.agents[b].generation >= 0) && m.Simulations != p.simulations {
		return
	}
	played := Pairing{A: a, B: b, Pentanomial: m.Pentanomial}
	if played.Games()+2*m.Repeats != m.Games { // an older line has no pairs, and one of single games leaves some out
		played = Pairing{A: a, B: b, Singles: [3]int{m.Losses, m.Draws, m.Wins}}
	}
	p.pairings = append(p.pairings, played)
	p.timed = append(p.timed, Timed{A: a, B: b, Games: m.Games, Seconds: m.Seconds})
	p.met[twoOf(a, b)]++
	p.begun[twoOf(a, b)] += (m.Games + 1) &^ 1
	p.seconds += m.Seconds
}

// twoOf names two agents in whatever order.
func twoOf(a, b int) [2]int { return [2]int{min(a, b), max(a, b)} }

// Play plays a match between two agents, the number of games being even, writes it down and counts it. Games begin from
// openings that the two have not played, as long as there are any; agents that do not draw their moves would only repeat
// their games after that, and play fewer, or none, which is not written down. Where ctx ends the match counts for nothing. An agent that cannot be read makes for an error that wraps [agent.ErrWeights].
func (p *Pool) Play(ctx context.Context, a, b, games, threads int, final bool) (*rundir.MatchResult, error) {
	if c := cmp.Compare(p.agents[a].generation, p.agents[b].generation); c < 0 || c == 0 && a > b {
		a, b = b, a
	}
	x, y := &p.agents[a], &p.agents[b]
	m := &rundir.MatchResult{
		Generation: max(x.generation, 0), Agent: x.name, Opponent: y.name, Number: p.met[twoOf(a, b)] + 1,
		Final: final, Simulations: p.simulations,
	}
	var err error
	m.Result, err = match.Run(ctx, match.Config{
		Game: p.game, A: x.factory, B: y.factory, Games: games, Seed: seed.Derive(0, m.Agent+" "+m.Opponent, 0),
		OpeningPlies: OpeningPlies, Balance: p.balance, Threads: threads,
		NoRepeats: !x.factory.Stochastic() && !y.factory.Stochastic(), SkipGames: p.begun[twoOf(a, b)],
	})
	if err != nil {
		return nil, err
	}
	if p.spent[twoOf(a, b)] = m.Games < games; m.Games == 0 {
		return m, nil
	}
	return m, p.add(m)
}

// add writes a match down in arena.jsonl and counts it.
func (p *Pool) add(m *rundir.MatchResult) error {
	if err := rundir.MatchesFile.Append(p.dir, m); err != nil {
		return err
	}
	p.count(m)
	return nil
}

// Check reads every checkpoint that the run keeps, and goes on without those that are broken, which it tells.
func (p *Pool) Check(warn func(error)) {
	for i := range p.agents {
		if a := &p.agents[i]; a.generation >= 0 && a.factory != nil {
			if _, err := a.factory.Load(); err != nil {
				a.factory = nil
				warn(err)
			}
		}
	}
}

// Baselines are the numbers of the agents that are no checkpoints.
func (p *Pool) Baselines() []int {
	return p.which(func(a *member) bool { return a.generation < 0 })
}

// Measure makes the middle of the given agents, as far as they can play and are rated, what places are measured from. At
// first it is that of all that can play: agents of which no more can be known would blur it.
func (p *Pool) Measure(members []int) { p.members = members }

// Checkpoints are the numbers of so many checkpoints that the run keeps, spread over it as evenly as they allow, the first
// and the newest included.
func (p *Pool) Checkpoints(most int) []int {
	kept := p.which(func(a *member) bool { return a.generation >= 0 && a.factory != nil })
	if len(kept) <= most {
		return kept
	}
	first, last := p.agents[kept[0]].generation, p.agents[kept[len(kept)-1]].generation
	chosen := []int{kept[len(kept)-1]}
	for k := range most - 1 {
		target := first + (last-first)*k/(most-1)
		left := slices.DeleteFunc(slices.Clone(kept), func(i int) bool { return slices.Contains(chosen, i) })
		chosen = append(chosen, slices.MinFunc(left, func(i, j int) int {
			return cmp.Compare(distance(p.agents[i].generation, target), distance(p.agents[j].generation, target))
		}))
	}
	slices.Sort(chosen)
	return chosen
}

func distance(a, b int) int { return max(a-b, b-a) }

// Played are the numbers of the checkpoints that the run keeps and that have played.
func (p *Pool) Played() []int {
	return p.which(func(a *member) bool {
		i := p.number[a.name]
		return a.generation >= 0 && a.factory != nil &&
			slices.ContainsFunc(p.pairings, func(played Pairing) bool { return played.A == i || played.B == i })
	})
}

// Number is that of the agent of a name, which the pool must have.
func (p *Pool) Number(name string) int {
	number, ok := p.number[name]
	if !ok {
		panic("ratings: the pool has no agent " + name)
	}
	return number
}

// Names are those of the agents of these numbers.
func (p *Pool) Names(numbers []int) (names []string) {
	for _, i := range numbers {
		names = append(names, p.agents[i].name)
	}
	return names
}

func (p *Pool) which(is func(*member) bool) (numbers []int) {
	for i := range p.agents {
		if is(&p.agents[i]) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}

// Write makes the ratings that the matches come to the run's ratings.json, and returns them. Agents that no games connect
// with the anchor have none.
func (p *Pool) Write() (*rundir.Ratings, error) {
	t := p.table()
	return t, t.Write(p.dir)
}

// costs says how many seconds of a game are each agent's. All checkpoints search alike, so they have one cost: who meets whom
// would not tell theirs apart.
func (p *Pool) costs(guess float64) []float64 {
	one := make([]int, len(p.agents)) // the agent that stands for each
	for i := range p.agents {
		one[i] = i
		if i > 0 && p.agents[i].generation >= 0 && p.agents[i-1].generation >= 0 {
			one[i] = one[i-1]
		}
	}
	matches := slices.Clone(p.timed)
	for i := range matches {
		m := &matches[i]
		m.A, m.B = one[m.A], one[m.B]
	}
	cost := Costs(len(p.agents), matches, guess)
	for i := range cost {
		cost[i] = cost[one[i]]
	}
	return cost
}

// fit fits the ratings of the agents that games connect with the anchor; place says where they stand in it, -1 for others.
func (p *Pool) fit() (f *Fit, place []int) {
	var at []int // the agents' numbers by place
	place = make([]int, len(p.agents))
	for i, reached := range Connected(len(p.agents), 0, p.pairings) {
		if place[i] = -1; reached {
			place[i] = len(at)
			at = append(at, i)
		}
	}
	var among []Pairing
	for _, played := range p.pairings {
		if place[played.A] >= 0 && place[played.B] >= 0 {
			played.A, played.B = place[played.A], place[played.B]
			among = append(among, played)
		}
	}
	f, err := New(len(at), 0, among)
	if err != nil {
		panic("ratings: " + err.Error())
	}
	f.Among(func(i int) bool { return p.able(at[i]) && (p.members == nil || slices.Contains(p.members, at[i])) })
	return f, place
}

// table is what the matches come to.
func (p *Pool) table() *rundir.Ratings {
	t := &rundir.Ratings{Game: p.game.Name, Anchor: Anchor, Simulations: p.simulations, Seconds: tenths(p.seconds)}
	games, points := make([]int, len(p.agents)), make([]float64, len(p.agents))
	for _, played := range p.pairings {
		n := played.Games()
		t.Games += n
		games[played.A] += n
		games[played.B] += n
		points[played.A] += played.Points()
		points[played.B] += float64(n) - played.Points()
	}
	f, place := p.fit()
	t.Misfit = tenths(f.Misfit())
	for i := range p.agents {
		a := &p.agents[i]
		if place[i] < 0 {
			continue
		}
		r := rundir.Rating{Agent: a.name, Rating: tenths(f.Rating(place[i])), Games: games[i], Gone: a.factory == nil}
		if a.generation >= 0 {
			r.Generation = &a.generation
		}
		low, high := f.Interval(place[i])
		r.Low, r.High = tenths(low), tenths(high)
		low, high = f.MedianInterval(place[i])
		r.MedianLow, r.MedianHigh = tenths(low), tenths(high)
		low, high = f.AnchorInterval(place[i])
		r.AnchorLow, r.AnchorHigh = tenths(low), tenths(high)
		r.Leeway = tenths(f.Leeway(place[i]))
		r.Score = math.Round(1e4*points[i]/max(float64(games[i]), 1)) / 1e4
		t.Agents = append(t.Agents, r)
	}
	slices.SortStableFunc(t.Agents, func(a, b rundir.Rating) int { return cmp.Compare(b.Rating, a.Rating) })
	return t
}

// tenths rounds to one place.
func tenths(x float64) float64 { return math.Round(10*x) / 10 }
