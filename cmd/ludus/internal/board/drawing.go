package board

import (
	"slices"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
)

// Description is what a page needs to know about a game: its rules in short and how to draw its board.
type Description struct {
	Game     string             `json:"game"`     // canonical name
	Rules    string             `json:"rules"`    // a line per paragraph
	Strategy string             `json:"strategy"` // a line of advice
	Players  [2]string          `json:"players"`
	Rows     []string           `json:"rows"`     // names from the bottom up, "" if the row has no cells
	Columns  []string           `json:"columns"`  // names, "" if the column has no cells
	Hexagons bool               `json:"hexagons"` // see [env.Drawing]
	OpenLine bool               `json:"openLine"` // see [env.Drawing]
	Opposite bool               `json:"opposite"` // see [env.Game.Opposite]
	Cells    []bool             `json:"cells"`    // whether each cell exists
	Pieces   []Piece            `json:"pieces"`
	Actions  map[string]Move    `json:"actions"` // by name
	Drops    bool               `json:"drops"`   // see [env.Game.Drops]
	MaxPlies int                `json:"maxPlies"`
	GoalHead bool               `json:"goalHead"` // whether points are not the score; see [env.Game]
	Diagrams []diagrams.Diagram `json:"diagrams"` // for the rules
}

// Piece is a kind of piece. Side is its player, or 2 for a neutral piece.
type Piece struct {
	Name  string `json:"name"`
	Side  int    `json:"side"`
	Label string `json:"label,omitempty"` // drawn on it
	Void  bool   `json:"void,omitempty"`  // no piece: see [env.Piece]
}

// maxLabel is the number of characters of a piece's label.
const maxLabel = 3

// Move is the pair of cells that a move is drawn on, -1 for none, and its kind, such as "mark".
type Move struct {
	From int32  `json:"from"`
	To   int32  `json:"to"`
	Kind string `json:"kind"` // see [env.Game.Verb]
}

// Describe describes a game.
func Describe(game *env.Game) *Description {
	d := DescribeBoard(game)
	d.Game, d.Rules, d.Strategy, d.MaxPlies, d.GoalHead = game.Name, game.Rules, game.Strategy, game.MaxPlies, game.GoalHead
	d.Opposite, d.Drops, d.Diagrams = game.Opposite(), game.Drops(), diagrams.Of(game)
	for action, name := range game.ActionNames {
		if cells := game.Drawing.ActionCells[action]; name != "" {
			d.Actions[name] = Move{cells.From, cells.To, game.Verb(env.Action(action))}
		}
	}
	return d
}

// DescribeBoard describes the players, the board and the pieces of a game. Its moves, ends and rules may be unknown.
func DescribeBoard(game *env.Game) *Description {
	drawing := &game.Drawing
	d := &Description{
		Players: game.Players, Hexagons: drawing.Hexagons, OpenLine: drawing.OpenLine, Cells: drawing.Cells,
		Actions: make(map[string]Move),
	}
	d.Rows, d.Columns = game.AxisLabels()
	for _, p := range drawing.Pieces {
		piece := Piece{Name: p.Name, Side: int(p.Player), Void: p.Void}
		if p.Neutral {
			piece.Side = 2
			if name := []rune(p.Name); drawing.Inferred { // there may be many kinds
				piece.Label = string(name[:min(len(name), maxLabel)])
			}
		}
		d.Pieces = append(d.Pieces, piece)
	}
	// Pages show whose move it is by a piece of the player, even if none stands on the board.
	for side, player := range game.Players {
		if !slices.ContainsFunc(d.Pieces, func(p Piece) bool { return p.Side == side }) {
			d.Pieces = append(d.Pieces, Piece{Name: player, Side: side})
		}
	}
	return d
}

// Position is the position after some moves from the start.
type Position struct {
	Moves  []string `json:"moves"`
	Player int      `json:"player"` // to move; -1 at the end of the game
	Pieces string   `json:"pieces"` // see [diagrams.Pieces]
	Status string   `json:"status"`
	Done   bool     `json:"done"`
	Goals  [2]int   `json:"goals"` // of each player so far
	WonBy  []int32  `json:"wonBy"` // cells, see [env.State]
	Legal  []string `json:"legal"` // ascending by action
}

// NewPosition describes a state reached by moves.
func NewPosition(game *env.Game, state env.State, moves []env.Action) *Position {
	p := &Position{
		Moves: game.Names(moves), Player: int(state.Player()), Pieces: diagrams.Pieces(state), Status: game.Status(state),
		Done: state.Done(), Goals: state.Goals(), WonBy: state.WinningCells([]int32{}), Legal: []string{},
	}
	if p.Done {
		p.Player = -1
		return p
	}
	p.Legal = game.Names(state.Legal(nil))
	return p
}
