package book

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"ludus/env"
	"ludus/train/agent"
)

// Book is a tree of positions in which symmetric positions are merged. Once read it is safe for concurrent use.
type Book struct {
	Game   *env.Game
	Origin Origin
	Games  int // number of games that were counted; see [Book.Count]

	nodes map[env.Key]*Node // by canonical key: those searched, and those after their moves
	list  []*Node           // those searched, in the order in which they were added; the first one is the start
	games map[env.Key]int   // of those counted, by the canonical keys of their positions
	// digest is the SHA-256 of the file that was read, in hexadecimal.
	digest string
}

// Origin says how the searches of a book were made.
type Origin struct {
	Agent   string `json:"agent"`             // spec
	Network string `json:"network,omitempty"` // SHA-256 of its weights, in hexadecimal; "" without a network
	Seed    uint64 `json:"seed"`
}

// Node is a position. Values are for its player to move.
type Node struct {
	Line  []env.Action // moves from the start to the position; other lines may lead there, or to an image of it
	Value float64
	Exact bool
	Moves []Move // those that the search has considered, its choice first; empty if the position was not searched

	player env.Player
	search *search    // nil if the position was not searched
	best   int        // index of the best move
	all    bool       // Moves stand for all legal moves
	reach  [2]float64 // by the player who follows the book: see [Node.spread]
}

// Move is a move of a position; its values are for the player who makes it.
type Move struct {
	env.Action
	Value  float64
	Exact  bool
	Known  bool    // Value is more than the estimate of the search: the game is over, or Next was searched
	Visits int     // of the search
	Prior  float64 // of the search; 0 if the agent has none
	Games  int     // in which the position after it came up; only [Book.Moves] sets it
	Next   *Node   // the position after it; nil if the game is over

	estimate float64
	key      env.Key // canonical, of the position after the move
}

// search is what one search found in a position. Its numbers are rounded as in files.
type search struct {
	value  float64
	proven bool
	moves  []estimate // the search's choice first
}

// estimate is a search's view of a move.
type estimate struct {
	action env.Action
	value  float64
	visits int
	prior  float64
}

// round rounds to four decimals, with which files are short and searches in files are those in memory. It turns -0 into
// 0.
func round(x float64) float64 { return math.Round(x*1e4)/1e4 + 0 }

func newBook(game *env.Game, origin Origin) *Book {
	b := &Book{Game: game, Origin: origin, nodes: map[env.Key]*Node{}, games: map[env.Key]int{}}
	state := game.NewState()
	key, _ := state.CanonicalKey()
	b.nodes[key] = &Node{player: state.Player()}
	return b
}

// Start returns the first position.
func (b *Book) Start() *Node { return b.list[0] }

// Positions returns the number of positions that were searched.
func (b *Book) Positions() int { return len(b.list) }

// Find returns the searched position that equals state or is symmetric to it; nil if there is none.
func (b *Book) Find(state env.State) *Node {
	key, _ := state.CanonicalKey()
	if n := b.nodes[key]; n != nil && n.search != nil {
		return n
	}
	return nil
}

// add adds the search of a position, which is not searched yet, and the positions after its moves.
func (b *Book) add(n *Node, s *search) {
	n.search = s
	b.list = append(b.list, n)
	state, _ := env.Replay(b.Game, n.Line) // lines are legal
	after := b.Game.NewState()
	moves := map[env.Key]int{} // indices of moves by the position to which they lead
	for _, e := range s.moves {
		key := keyAfter(after, state, e.action)
		if i, twice := moves[key]; twice {
			n.Moves[i].Visits += e.visits
			n.Moves[i].Prior += e.prior
			continue
		}
		moves[key] = len(n.Moves)
		m := Move{Action: e.action, Visits: e.visits, Prior: e.prior, estimate: e.value, key: key}
		if after.Done() {
			m.Value, m.Exact, m.Known = b.Game.UtilityFor(n.player, after.Outcome()), true, true
		} else {
			m.Next = b.nodes[key]
			if m.Next == nil {
				m.Next = &Node{Line: append(slices.Clip(n.Line), e.action), player: after.Player()}
				b.nodes[key] = m.Next
			}
		}
		n.Moves = append(n.Moves, m)
	}
	n.all = len(s.moves) == len(state.Legal(nil))
}

// Count counts in how many games the positions up to a number of plies came up, instead of those counted before. It
// returns the first error of games.
func (b *Book) Count(games iter.Seq2[[]env.Action, error], plies int) error {
	b.Games, b.games = 0, map[env.Key]int{}
	for moves, err := range games {
		if err != nil {
			return err
		}
		b.Games++
		state := b.Game.NewState()
		for _, a := range moves[:min(len(moves), plies)] {
			state.Apply(a)
			key, _ := state.CanonicalKey()
			b.games[key]++ // no game has a position twice
		}
	}
	return nil
}

// keyAfter returns the canonical key of the position after a move in state, to which it sets after.
func keyAfter(after, state env.State, move env.Action) env.Key {
	after.CopyFrom(state)
	after.Apply(move)
	key, _ := after.CanonicalKey()
	return key
}

// settle derives all values from the searches. It returns the searched positions, each after those that follow it.
func (b *Book) settle() []*Node {
	order, visited := make([]*Node, 0, len(b.list)), map[*Node]bool{}
	var visit func(n *Node)
	visit = func(n *Node) {
		if n == nil || n.search == nil || visited[n] {
			return
		}
		visited[n] = true
		for i := range n.Moves {
			visit(n.Moves[i].Next)
		}
		b.back(n)
		order = append(order, n)
	}
	for _, n := range b.list {
		visit(n)
	}
	return order
}

// back backs up the values of the positions after a position's moves.
func (b *Book) back(n *Node) {
	highest, known, exact := math.Inf(-1), -1, n.all // known is the best of the known moves
	for i := range n.Moves {
		m := &n.Moves[i]
		switch {
		case m.Next == nil:
		case m.Next.search != nil:
			m.Value, m.Exact, m.Known = m.Next.Value, m.Next.Exact, true
			if m.Next.player != n.player {
				m.Value = -m.Value
			}
		default:
			m.Value = min(m.estimate, n.search.value)
		}
		highest = max(highest, m.Value)
		exact = exact && m.Exact
		if m.Known && (known < 0 || m.Value > n.Moves[known].Value) {
			known = i
		}
	}
	n.Value, n.Exact, n.best = n.search.value, n.search.proven, 0
	if n.Exact || known < 0 {
		return
	}
	n.Value, n.best = highest, known
	n.Exact = exact || n.Moves[known].Exact && n.Moves[known].Value >= float64(b.Game.Classes[0].Utility)
}

// Moves returns the book's moves in a position: the best move, then the other known ones by value; none if the book
// does not have the position. Their actions are those of state, which may be an image of the book's position. Of moves
// to symmetric positions it has one.
func (b *Book) Moves(state env.State) []Move {
	return slices.CompactFunc(b.images(state), func(x, y Move) bool { return x.key == y.key })
}

// images is Moves with all moves to symmetric positions, next to each other.
func (b *Book) images(state env.State) (list []Move) {
	n := b.Find(state)
	if n == nil {
		return nil
	}
	actions, after := map[env.Key][]env.Action{}, b.Game.NewState() // actions by the positions after them
	for _, action := range state.Legal(nil) {
		key := keyAfter(after, state, action)
		actions[key] = append(actions[key], action)
	}
	for i, m := range n.Moves {
		if m.Known || i == n.best {
			m.Games = b.games[m.key]
			for _, m.Action = range actions[m.key] {
				list = append(list, m)
			}
		}
	}
	place := func(m Move) int {
		if m.key == n.Moves[n.best].key {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(x, y Move) int { return cmp.Or(place(x)-place(y), cmp.Compare(y.Value, x.Value)) })
	return list
}

// Analysis implements [agent.Book].
func (b *Book) Analysis(state env.State) *agent.Analysis {
	n := b.Find(state)
	if n == nil {
		return nil
	}
	a := &agent.Analysis{Player: n.player, Value: new(n.Value), Proven: n.Exact}
	for _, m := range b.images(state) {
		a.Moves = append(a.Moves, agent.MoveInfo{Action: m.Action, Value: new(m.Value)})
	}
	return a
}

// Digest implements [agent.Book].
func (b *Book) Digest() string { return b.digest }
