package board

import (
	"strings"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// Description is what a page needs to know about a game: its rules in short and how to draw its board.
type Description struct {
	Game     string          `json:"game"`     // canonical name
	Rules    string          `json:"rules"`    // a line per paragraph
	Strategy string          `json:"strategy"` // a line of advice
	Players  [2]string       `json:"players"`
	Rows     []string        `json:"rows"`     // names from the bottom up, "" if the row has no cells
	Columns  []string        `json:"columns"`  // names, "" if the column has no cells
	Hexagons bool            `json:"hexagons"` // see [env.Drawing]
	OpenLine bool            `json:"openLine"` // see [env.Drawing]
	Opposite bool            `json:"opposite"` // see [env.Game.Opposite]
	Cells    []bool          `json:"cells"`    // whether each cell exists
	Pieces   []Piece         `json:"pieces"`
	Actions  map[string]Move `json:"actions"` // by name
	Drops    bool            `json:"drops"`   // see [notation.Drops]
	MaxPlies int             `json:"maxPlies"`
	GoalHead bool            `json:"goalHead"` // whether points are not the score; see [env.Game]
	Diagrams []Diagram       `json:"diagrams"` // for the rules
}

// Piece is a kind of piece. Side is its player, or 2 for a neutral piece.
type Piece struct {
	Name string `json:"name"`
	Side int    `json:"side"`
}

// Move is the pair of cells that a move is drawn on, -1 for none, and its kind, such as "mark".
type Move struct {
	From int32  `json:"from"`
	To   int32  `json:"to"`
	Kind string `json:"kind"` // see [env.Game.Verb]
}

// Describe describes a game.
func Describe(game *env.Game) *Description {
	drawing := &game.Drawing
	d := &Description{
		Game: game.Name, Rules: game.Rules, Strategy: game.Strategy, Players: game.Players,
		Hexagons: drawing.Hexagons, OpenLine: drawing.OpenLine, Opposite: game.Opposite(),
		Cells: drawing.Cells, Actions: make(map[string]Move), Drops: notation.Drops(game), MaxPlies: game.MaxPlies,
		GoalHead: game.GoalHead, Diagrams: Diagrams(game),
	}
	d.Rows, d.Columns = game.AxisLabels()
	for _, p := range drawing.Pieces {
		side := int(p.Player)
		if p.Neutral {
			side = 2
		}
		d.Pieces = append(d.Pieces, Piece{p.Name, side})
	}
	for action, name := range game.ActionNames {
		if cells := drawing.ActionCells[action]; name != "" {
			d.Actions[name] = Move{cells.From, cells.To, game.Verb(env.Action(action))}
		}
	}
	return d
}

// Position is the position after some moves from the start.
type Position struct {
	Moves  []string `json:"moves"`
	Player int      `json:"player"` // to move; -1 at the end of the game
	Pieces string   `json:"pieces"` // see [Pieces]
	Status string   `json:"status"`
	Done   bool     `json:"done"`
	Goals  [2]int   `json:"goals"` // of each player so far
	WonBy  []int32  `json:"wonBy"` // cells, see [env.State]
	Legal  []string `json:"legal"` // ascending by action
}

// NewPosition describes a state reached by moves.
func NewPosition(game *env.Game, state env.State, moves []env.Action) *Position {
	p := &Position{
		Moves: game.Names(moves), Player: int(state.Player()), Pieces: Pieces(state), Status: game.Status(state),
		Done: state.Done(), Goals: state.Goals(), WonBy: state.WinningCells([]int32{}), Legal: []string{},
	}
	if p.Done {
		p.Player = -1
		return p
	}
	p.Legal = game.Names(state.Legal(nil))
	return p
}

// Pieces writes the board as a digit per cell: 0 for an empty cell, else the piece's index in Description.Pieces plus
// 1.
func Pieces(state env.State) string {
	var b strings.Builder
	for _, piece := range state.Pieces(nil) {
		b.WriteByte('0' + piece)
	}
	return b.String()
}
