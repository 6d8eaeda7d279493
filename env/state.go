package env

import "math/rand/v2"

// Player is one of the two players.
type Player uint8

const (
	First  Player = 0 // moves first in the starting position
	Second Player = 1
)

// Opponent returns the other player.
func (p Player) Opponent() Player { return 1 - p }

// Action is the absolute number of a move, in [0, Game.NumActions).
type Action int32

// Unfinished is the outcome of a game that is not over.
const Unfinished = -1

// State is a position. It has one owner and is not safe for concurrent use. A new game needs to implement [Rules] only;
// [Derive] supplies the rest.
type State interface {
	// Player is the player to move. It has no meaning once the game is over.
	Player() Player
	// Done reports whether the game is over.
	Done() bool
	// Legal appends the legal actions to dst in ascending order: at least one, or none once the game is over.
	Legal(dst []Action) []Action
	// Apply plays a legal action. After an illegal one the state is undefined.
	Apply(a Action)
	// Outcome is the class as First sees it, 0 being First's best, once the game is over, otherwise Unfinished. See
	// [Game.ClassFor] for the class as Second sees it.
	Outcome() int
	// Goals are the final scores of First and Second, 0 to 100. Before the end they are the points that each can no
	// longer lose (for captures in Free-For-All, otherwise 0).
	Goals() [2]int

	// Key identifies the position: equal keys of one game have equal futures. Keys that hold a hash can collide: see
	// type Key.
	Key() Key
	// CanonicalKey is the least of the keys of the position's images under Game.Symmetries, and the index of the
	// symmetry that leads to it. Symmetric positions have the same canonical key; others do not, unless keys collide.
	CanonicalKey() (Key, int)
	// RandomAction returns the legal action of index floor(r n / 2^64), where n is the number of legal actions: all are
	// equally likely if r is uniform. The game must not be over.
	RandomAction(r uint64) Action
	// TerminalActions appends to dst the legal actions that end the game, in ascending order, with their outcomes.
	TerminalActions(dst []TerminalAction) []TerminalAction

	// Encode writes the mover's tensor [C, H, W] into dst, every entry of it.
	Encode(dst []float32)
	// CopyFrom makes the state an independent copy of src, a state of the same game.
	CopyFrom(src State)

	// Pieces appends to dst the piece on each absolute cell: 0 for none, k for Drawing.Pieces[k-1].
	Pieces(dst []uint8) []uint8
	// WinningCells appends to dst the cells that won the game, in the order of a line drawn through them, such as the
	// corners of a square; see Drawing.OpenLine. They hold pieces of the winner. One of them may be empty, if the rules
	// reward a shape that lacks one piece. There are none before the end, or if no such shape won the game.
	WinningCells(dst []int32) []int32
	// Detail is a short text of what the pieces do not show, such as stocks, or why the game ended as it did; it may be
	// empty.
	Detail() string
}

// TerminalAction is a legal action that ends the game.
type TerminalAction struct {
	Action  Action
	Outcome int // a class as First sees it
}

// GoalsOf returns the goals (final scores, 0 to 100) of First and Second for an outcome, which is a class as First sees
// it; zeros if it is Unfinished.
func GoalsOf(classes []Class, outcome int) [2]int {
	if outcome == Unfinished {
		return [2]int{}
	}
	return classes[outcome].Goals
}

// Playout plays random legal moves, all equally likely, until the game is over. It returns the number of these moves.
func Playout(s State, rng *rand.PCG) (plies int) {
	for ; !s.Done(); plies++ {
		s.Apply(s.RandomAction(rng.Uint64()))
	}
	return plies
}

// Key describes a position in a form that the game chooses; unused words are zero. It is exact where the position fits
// into 512 bits. Elsewhere, on boards of more than 255 cells and in large rule sheets, part or all of it is a Zobrist
// hash of at least 128 bits, whose random table is fixed. Keys of two given positions then collide with a probability
// of at most 2^-128 over random tables. Nothing excludes positions that are built to collide.
type Key [8]uint64

// Hash mixes the key into 64 bits.
func (k *Key) Hash() uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range k {
		h ^= w
		h *= 0xff51afd7ed558ccd // multiplier of MurmurHash3's 64-bit finaliser
		h ^= h >> 32
	}
	return h
}
