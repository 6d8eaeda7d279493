package env

import (
	"math"
	"slices"
)

// Shape is the shape of a tensor: channels (planes), height, width.
type Shape struct{ C, H, W int }

// Cells returns the number of cells of one plane.
func (s Shape) Cells() int { return s.H * s.W }

// Size returns the number of values in the tensor.
func (s Shape) Size() int { return s.C * s.H * s.W }

// Class is one way in which a game can end, as one player sees it. Its number is its index in [Game.Classes].
type Class struct {
	Name string
	// Goals are the final scores, 0 to 100, of the player and of its opponent; OpenGoals if the class leaves them open.
	Goals [2]int
	// Utility is what the class is worth to the player, in [-1, 1].
	Utility float32
	// Impossible means that the game's parameters exclude the class, such as 90 to 10 in Quad without whites. The class
	// only keeps networks alike; people do not see it.
	Impossible bool
}

// OpenGoals are the Goals of a class that does not determine the final scores; see [Game.GoalHead].
var OpenGoals = [2]int{-1, -1}

// Goal returns the player's final score. If the class does not determine it, Goal returns the score of equal utility:
// 50 (1 + Utility), rounded.
func (c Class) Goal() int {
	if c.Goals[0] >= 0 {
		return c.Goals[0]
	}
	return int(math.Round(50 * (1 + float64(c.Utility))))
}

// WinLoss are the classes of games that somebody always wins; WinDrawLoss also has draws.
var (
	WinLoss     = []Class{win, loss}
	WinDrawLoss = []Class{win, {Name: "draw", Goals: [2]int{50, 50}}, loss}

	win  = Class{Name: "win", Goals: [2]int{100, 0}, Utility: 1}
	loss = Class{Name: "loss", Goals: [2]int{0, 100}, Utility: -1}
)

// Symmetry is a permutation of the board under which the game stays the same.
type Symmetry struct {
	Cells   []int32  // cell i goes to Cells[i]
	Actions []Action // action a becomes Actions[a]
}

// Param is one parameter of a game's family with the value it has in this game.
type Param struct{ Name, Value string }

// Game describes one game. It is immutable after [Game.Finish] and shared by all goroutines.
//
// envtest checks for every game: Classes are sorted by falling utility, all utilities differ, and class k of one player
// is class K-1-k of the other, with the opposite utility. Every symmetry commutes with play, with Encode and with
// Frame. Positions with equal tensors have equal legal moves and equal classes along every continuation.
type Game struct {
	// The registry sets these (package games).

	Name   string  // canonical name, e.g. "quad-5x5"
	Full   string  // the family with its parameters: the name in files from before the game got its own; "" with a sheet
	Family string  // e.g. "quad"
	Params []Param // every parameter of the family, in the canonical order
	Sheet  string  // the rule sheet, for a game of one: files that name the game carry it

	// A game sets these.

	Players      [2]string    // names of First and Second, e.g. {"x", "o"}
	Summary      string       // what players do and how they win, in a few words for lists of games
	Rules        string       // for people who do not know the game: plain words, a line per paragraph
	Strategy     string       // one line of advice for beginners; may be empty
	Tensor       Shape        // height and width of the board; Finish sets C
	Planes       []string     // each of the tensor's C planes: a name, a colon, and its values
	PolicyNames  []string     // meaning of each policy plane, then of each extra entry, in the mover's frame
	PolicyExtras int          // number of extra entries
	Classes      []Class      // the ways in which a game can end for a player, best first
	GoalHead     bool         // classes do not determine the goals, so a network also predicts these
	MaxPlies     int          // upper bound of a game's length
	UsualPlies   int          // about twice the mean length, to plan by; few games are longer; Finish replaces 0 by MaxPlies
	Symmetries   []Symmetry   // identity first, absolute cells and actions; nil: the identity alone
	Figures      [][]int32    // sets of cells that matter as a whole, such as lines of four; absolute cells, ascending; may be nil
	FewReplies   bool         // leaving few replies is good, as in Othello: the solver tries such moves first
	Drawing      Drawing      // how positions are drawn
	NewState     func() State // returns the starting position; see also Derive

	// AddAction and Finish set these.

	ActionTexts  []string // official text of each action, such as "(mark r2 c3)"; "" if no position allows it
	ActionNames  []string // its name for people, such as "c2", see nameActions; unique; "" if no position allows it
	PolicyPlanes int      // number of planes of H*W policy entries, before the extra ones

	frames [2][]Action       // by player: see Frame
	index  map[string]Action // by text, with and without brackets, and by name
	folded map[string]Action // by the same in lower case, where index does not give the same action; see addFolded
}

// AddAction appends the next action. Actions are numbered like policy entries: plane by plane, cell by cell, then the
// extra ones. Its official text is the verb and the labels of the cells, such as "(move 1 1 1 2)"; an action with the
// verb "" is never legal.
func (g *Game) AddAction(verb string, cells FromTo) {
	g.ActionTexts = append(g.ActionTexts, g.Drawing.text(verb, cells))
	g.Drawing.ActionCells = append(g.Drawing.ActionCells, cells)
}

// Permute returns the permutation that takes the cell in row r and column c to cell(r, c) and policy plane p to
// plane(p); a nil function keeps the cells or planes. Extra entries stay. All actions must have been added.
func (g *Game) Permute(cell func(r, c int) (int, int), plane func(p int) int) Symmetry {
	n, w := g.Tensor.Cells(), g.Tensor.W
	s := Symmetry{Cells: make([]int32, n), Actions: make([]Action, g.NumActions())}
	for i := range n {
		r, c := i/w, i%w
		if cell != nil {
			r, c = cell(r, c)
		}
		s.Cells[i] = int32(r*w + c)
	}
	for a := range s.Actions {
		p := a / n
		switch {
		case a >= g.NumActions()-g.PolicyExtras:
			s.Actions[a] = Action(a)
			continue
		case plane != nil:
			p = plane(p)
		}
		s.Actions[a] = Action(p*n) + Action(s.Cells[a%n])
	}
	return s
}

// SquareSymmetries returns those of the eight rotations and reflections of a square that map the board's existing cells
// onto themselves, the identity first; boards that are not square have four at most. Policy planes stay.
func (g *Game) SquareSymmetries() (list []Symmetry) {
	top, right, exists := g.Tensor.H-1, g.Tensor.W-1, g.Drawing.Cells
	images := []func(r, c int) (int, int){
		nil,
		func(r, c int) (int, int) { return top - r, c },
		func(r, c int) (int, int) { return r, right - c },
		func(r, c int) (int, int) { return top - r, right - c },
		func(r, c int) (int, int) { return c, r }, // from here on rows and columns are exchanged
		func(r, c int) (int, int) { return right - c, r },
		func(r, c int) (int, int) { return c, top - r },
		func(r, c int) (int, int) { return right - c, top - r },
	}
	if top != right {
		images = images[:4]
	}
	for _, cell := range images {
		s, keeps := g.Permute(cell, nil), true
		for from, to := range s.Cells {
			keeps = keeps && (exists == nil || exists[from] == exists[to])
		}
		if keeps {
			list = append(list, s)
		}
	}
	return list
}

// Finish completes a game whose fields are set: it fills in defaults, names the actions and sets the players' frames.
// second maps actions to Second's frame and back; nil means that both players share one frame.
func (g *Game) Finish(second []Action) *Game {
	n := len(g.ActionTexts)
	g.Tensor.C, g.PolicyPlanes = len(g.Planes), len(g.PolicyNames)-g.PolicyExtras
	if n != g.PolicyPlanes*g.Tensor.Cells()+g.PolicyExtras {
		panic("env: game whose actions do not fit its policy planes: " + g.Name)
	}
	if g.Tensor.W > maxColumns {
		panic("env: game with more than 26 columns, one for each letter: " + g.Name)
	}
	d := &g.Drawing
	if d.Cells == nil {
		d.Cells = slices.Repeat([]bool{true}, g.Tensor.Cells())
	}
	if d.Pieces == nil {
		d.Pieces = []Piece{{Name: g.Players[First], Player: First}, {Name: g.Players[Second], Player: Second}}
	}
	identity := make([]Action, n)
	for a := range identity {
		identity[a] = Action(a)
	}
	g.nameActions()
	if g.UsualPlies == 0 {
		g.UsualPlies = g.MaxPlies
	}
	if g.Symmetries == nil {
		g.Symmetries = []Symmetry{g.Permute(nil, nil)}
	}
	if second == nil {
		second = identity
	}
	g.frames = [2][]Action{identity, second}
	return g
}

// Renamed returns the name of the game that a file names. In files gomoku is gomoku-9x9; the program never writes it.
func Renamed(name string) string {
	if name == "gomoku" {
		return "gomoku-9x9"
	}
	return name
}

// Is reports whether name is the canonical name of the game, or its full name, which older files may have.
func (g *Game) Is(name string) bool { return name != "" && (name == g.Name || name == g.Full) }

// NumActions returns A, the number of actions and of policy entries.
func (g *Game) NumActions() int { return len(g.ActionTexts) }

// Copy returns an independent copy of s, a state of the game.
func (g *Game) Copy(s State) State {
	c := g.NewState()
	c.CopyFrom(s)
	return c
}

// After returns the position after a legal action in s, which it does not change.
func (g *Game) After(s State, a Action) State {
	next := g.Copy(s)
	next.Apply(a)
	return next
}
