package board

import (
	"slices"

	"ludus/cmd/internal/diagrams"
	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// Description tells a page about a game: its rules in short, and how to draw its board.
type Description struct {
	Game      string             `json:"game"`     // canonical name
	Rules     string             `json:"rules"`    // one line per paragraph
	Strategy  string             `json:"strategy"` // one line of advice
	Players   [2]string          `json:"players"`
	Rows      []string           `json:"rows"`     // row names from the bottom up; "" for a row without cells
	Columns   []string           `json:"columns"`  // column names; "" for a column without cells
	Hexagons  bool               `json:"hexagons"` // see [env.Drawing]
	OpenLine  bool               `json:"openLine"` // see [env.Drawing]
	Opposite  bool               `json:"opposite"` // see [env.Game.Opposite]
	Cells     []bool             `json:"cells"`    // by row and column: whether the cell exists
	Pieces    []Piece            `json:"pieces"`
	Actions   map[string]Move    `json:"actions"` // by name
	Drops     bool               `json:"drops"`   // see [env.Game.Drops]
	MaxPlies  int                `json:"maxPlies"`
	BestPlay  string             `json:"bestPlay,omitempty"` // see [analysis.BestPlay]
	GoalHead  bool               `json:"goalHead"`           // points are not the score; see [env.Game]
	Utilities [2]float64         `json:"utilities"`          // see [analysis.Utilities]
	Diagrams  []diagrams.Diagram `json:"diagrams"`           // pictures for the rules
}

// Piece is a kind of piece. Side is its player, or 2 for a neutral piece.
type Piece struct {
	Name  string `json:"name"`
	Side  int    `json:"side"`
	Label string `json:"label,omitempty"` // letters drawn on the piece
	Void  bool   `json:"void,omitempty"`  // not a piece: see [env.Piece]
}

// maxLabel is the largest number of characters on a piece.
const maxLabel = 3

// Move holds the two cells on which a move is drawn, -1 for none, and its kind, such as "mark".
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
	d.BestPlay, d.Utilities = analysis.BestPlay(game), analysis.Utilities(game)
	for action, name := range game.ActionNames {
		if cells := game.Drawing.ActionCells[action]; name != "" {
			d.Actions[name] = Move{cells.From, cells.To, game.Verb(env.Action(action))}
		}
	}
	return d
}

// DescribeBoard describes the players, the board and the pieces of a game. Unlike Describe it does not need moves,
// outcomes and rules.
func DescribeBoard(game *env.Game) *Description {
	drawing := &game.Drawing
	d := &Description{
		Players: game.Players, Hexagons: drawing.Hexagons, OpenLine: drawing.OpenLine, Cells: drawing.Cells,
		Actions: make(map[string]Move),
	}
	d.Rows, d.Columns = game.AxisLabels()
	marks := game.Marks()
	for i, p := range drawing.Pieces {
		piece := Piece{Name: p.Name, Side: int(p.Player), Void: p.Void}
		if p.Neutral {
			piece.Side = 2
		}
		if drawing.Inferred { // sheets may have many kinds
			name := []rune(p.Name)
			short := string(name[:min(len(name), maxLabel)])
			alike := func(q Piece) bool { return q.Side == piece.Side && (piece.Side < 2 || q.Label == short) }
			switch j := slices.IndexFunc(d.Pieces, alike); {
			case j >= 0 && piece.Side < 2: // a second kind of this player's: both get marks
				d.Pieces[j].Label, piece.Label = marks[j], marks[i]
			case j >= 0:
				piece.Label = marks[i]
			case piece.Side == 2:
				piece.Label = short
			}
		}
		d.Pieces = append(d.Pieces, piece)
	}
	// Pages show the player to move by one of the player's pieces, even if none stands on the board.
	for side, player := range game.Players {
		if !slices.ContainsFunc(d.Pieces, func(p Piece) bool { return p.Side == side }) {
			d.Pieces = append(d.Pieces, Piece{Name: player, Side: side})
		}
	}
	return d
}

// Position describes the position after some moves.
type Position struct {
	Moves  []string `json:"moves"`
	Player int      `json:"player"` // player to move; -1 at the end of the game
	Pieces string   `json:"pieces"` // see [diagrams.Pieces]
	Status string   `json:"status"`
	Done   bool     `json:"done"`
	Goals  [2]int   `json:"goals"` // goals of both players so far
	WonBy  []int32  `json:"wonBy"` // winning cells, see [env.State]
	Legal  []string `json:"legal"` // names of the legal moves, ascending by action
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
