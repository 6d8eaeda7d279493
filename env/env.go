package env

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// Player is a seat at the board.
type Player uint8

const (
	First  Player = 0 // moves first in the starting position
	Second Player = 1
)

// Opponent returns the opponent of p.
func (p Player) Opponent() Player { return 1 - p }

// Action is the absolute number of a move, in [0, Game.NumActions).
type Action int32

// Shape is the shape of a tensor: channels (planes), height, width.
type Shape struct{ C, H, W int }

// Cells is the number of cells of one plane.
func (s Shape) Cells() int { return s.H * s.W }

// Size is the number of values in the tensor.
func (s Shape) Size() int { return s.C * s.H * s.W }

// Class is one way in which a game can end, as one player sees it.
type Class struct {
	Name string
	// Own and Other are the goals (0 to 100) of the player and of its opponent; both are -1 where the class does not
	// settle them ([Game.GoalHead]).
	Own, Other int
	// Utility is what the class is worth to the player, in [-1, 1].
	Utility float32
}

// Symmetry is a permutation of the board under which the game stays the same.
type Symmetry struct {
	Cells   []int32  // cell i goes to Cells[i]
	Actions []Action // action a becomes Actions[a]
}

// Param is one parameter of a game's family with the value it has in this game.
type Param struct{ Name, Value string }

// Game describes one game. It is immutable once built and shared by all goroutines.
//
// Laws, checked by envtest for every game: Classes are sorted by falling utility, all utilities differ, and class k of
// one player is class K-1-k of the other, with the opposite utility. Every symmetry commutes with play, with Encode and
// with Frame. Equal tensors have equal legal moves and equal classes along every continuation.
type Game struct {
	Name    string    // canonical name, e.g. "quad-5x5"
	Family  string    // e.g. "quad"
	Params  []Param   // every parameter of the family, in the canonical order
	Players [2]string // names of First and Second, e.g. {"x", "o"}
	Rules   string    // the rules in a few lines, for people

	Tensor       Shape
	Planes       []string // each of the tensor's C planes: a name, a colon, and which values it has
	PolicyPlanes int      // planes of H*W policy entries...
	PolicyExtras int      // ...followed by this many single ones
	PolicyNames  []string // what each policy plane and extra means, in the mover's frame

	ActionTexts []string // official text of each action; entries that no position allows may be ""
	Classes     []Class  // a player's outcomes, best first
	// GoalHead says that the classes leave the goals open, so that a network predicts both (as a share of 100, mover's
	// first) beside them.
	GoalHead bool
	MaxPlies int // no game is longer

	Symmetries []Symmetry // the identity first; absolute cells and actions, which is the same as in the mover's frame

	Drawing Drawing // how positions are drawn

	// NewState returns the starting position.
	NewState func() State

	frames [2][]Action
	index  map[string]Action
}

// State is a position with one owner; it is not safe for concurrent use.
type State interface {
	// Player is the one to move. It has no meaning once the game is done.
	Player() Player
	// Done reports whether the game has ended.
	Done() bool
	// Legal appends the legal actions to dst, ascending. There is at least one unless the game is done.
	Legal(dst []Action) []Action
	// Apply plays a legal action. An illegal one is the caller's bug: the state is undefined afterwards.
	Apply(a Action)
	// RandomAction returns the legal action of index floor(r n / 2^64), n being how many Legal lists: of a uniform r each is as
	// likely as any other. The game must not be done.
	RandomAction(r uint64) Action
	// TerminalActions appends to dst the legal actions that end the game at once, ascending, with what each leads to: what
	// playing every legal action on a copy would find, for much less. There is none once the game is done.
	TerminalActions(dst []TerminalAction) []TerminalAction
	// Outcome is First's class once the game is done; Second's is K-1-Outcome.
	Outcome() int
	// Goals are both players' goals (0 to 100) once the game is done; before that, what each has earned for good so far
	// (captures in Free-For-All, otherwise 0).
	Goals() [2]int
	// Key is the whole position: equal keys of one game have equal futures.
	Key() Key
	// CanonicalKey is the least of the keys of the position's images under the game's symmetries, and the index of the
	// symmetry that leads to that image: symmetric positions have the same, and only they.
	CanonicalKey() (Key, int)
	// Encode writes the mover's tensor [C, H, W] into dst, every entry of it.
	Encode(dst []float32)
	// CopyFrom makes the state an independent copy of src, a state of the same game.
	CopyFrom(src State)
	// Pieces appends to dst what stands on each cell, by absolute cell: 0 for nothing, k for Drawing.Pieces[k-1].
	Pieces(dst []uint8) []uint8
	// WinningCells appends to dst the cells whose pieces won the game, in the order of a line around them: the corners of a square,
	// or the cell of a piece that broke through. There are none before the end, nor where it is not such pieces that won.
	WinningCells(dst []int32) []int32
	// Status says in one line what the cells do not show: who is to move or how the game ended, and stocks or captures.
	Status() string
	// Board draws the position for people: several lines, coordinates as in the action texts, the status last.
	Board() string
}

// TerminalAction is a legal action that ends the game at once.
type TerminalAction struct {
	Action  Action
	Outcome int // First's class, as State.Outcome will tell it
}

// Playout plays random legal moves on s, all equally likely, until the game is done, and returns their number.
func Playout(s State, rng *rand.PCG) (plies int) {
	for ; !s.Done(); plies++ {
		s.Apply(s.RandomAction(rng.Uint64()))
	}
	return plies
}

// Key holds a whole position of any game here, unused words zero.
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

// Finish completes a game that a family has filled in: it indexes the action texts and sets how each player's actions
// map to the mover's frame. frame is the involution that turns Second's actions into its own frame; nil means that both
// players share one frame.
func (g *Game) Finish(frame []Action) *Game {
	n := g.NumActions()
	if len(g.ActionTexts) != n || len(g.Planes) != g.Tensor.C || len(g.PolicyNames) != g.PolicyPlanes+g.PolicyExtras {
		panic("env: game with inconsistent shapes: " + g.Name)
	}
	identity := make([]Action, n)
	g.index = make(map[string]Action, n)
	for a := range identity {
		identity[a] = Action(a)
		if text := g.ActionTexts[a]; text != "" {
			g.index[text] = Action(a)
		}
	}
	if frame == nil {
		frame = identity
	}
	g.frames = [2][]Action{identity, frame}
	return g
}

// NumActions is A, the number of actions and of policy entries.
func (g *Game) NumActions() int { return g.PolicyPlanes*g.Tensor.Cells() + g.PolicyExtras }

// ErrAction is wrapped by errors about the text of an action.
var ErrAction = errors.New("unknown move")

// ParseAction reads the official text of an action; blanks may be repeated and the outer brackets left out.
func (g *Game) ParseAction(text string) (Action, error) {
	clean := strings.Join(strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(text)), " ")
	if strings.Contains(clean, " ") {
		clean = "(" + clean + ")"
	}
	if a, ok := g.index[clean]; ok {
		return a, nil
	}
	return 0, fmt.Errorf("%w %s of %s; a move reads like %s", ErrAction, Quote(text), g.Name, g.example())
}

func (g *Game) example() string {
	for _, text := range g.ActionTexts {
		if text != "" {
			return text
		}
	}
	return ""
}

// Quote quotes a text from outside for an error message and cuts it after 60 bytes.
func Quote(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}

// FileName turns a game's name into the name of a file or folder: every run of characters other than a-z and 0-9
// becomes one dash.
func FileName(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
			dash = false
		} else if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	return b.String()
}

// Nearest returns the candidate closest to name by edit distance, or "" where none is near enough to be what was meant:
// within a third of name's length, rounded up.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", (len(name)+2)/3+1
	for _, c := range candidates {
		if max(len(name)-len(c), len(c)-len(name)) >= bestDistance {
			continue // no need to compare what may be very long
		}
		if d := editDistance(name, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is how many bytes are to be put in, taken out, replaced or exchanged with their neighbour to make b of a: the
// distance of Damerau and Levenshtein, where no byte is touched twice (optimal string alignment).
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1) // rows[i][j] is that of a[:i] and b[:j]
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}
