package board

import (
	"strings"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// Board is what drawing needs of a game.
type Board struct {
	Players [2]string `json:"players"`
	Rows    []string  `json:"rows"`    // labels
	Columns []string  `json:"columns"` // labels
	TopDown bool      `json:"topDown"` // row 0 is the uppermost
	Cells   []bool    `json:"cells"`   // those that exist
	Pieces  []Piece   `json:"pieces"`
}

// Piece is a kind of piece; its side is 0, 1 or, for nobody's, 2.
type Piece struct {
	Name string `json:"name"`
	Side int    `json:"side"`
}

// Of is the board of a game.
func Of(game *env.Game) Board {
	d := &game.Drawing
	b := Board{Players: game.Players, Rows: d.Rows, Columns: d.Columns, TopDown: d.TopDown, Cells: d.Cells}
	for _, p := range d.Pieces {
		side := int(p.Player)
		if p.Neutral {
			side = 2
		}
		b.Pieces = append(b.Pieces, Piece{p.Name, side})
	}
	return b
}

// Pieces writes what stands on each cell, a digit each: 0 for nothing, or the kind's number in Board.Pieces from 1.
func Pieces(state env.State) string {
	var b strings.Builder
	for _, piece := range state.Pieces(nil) {
		b.WriteByte('0' + piece)
	}
	return b.String()
}

// Description is what a page needs of a game.
type Description struct {
	Game  string `json:"game"` // canonical name
	Rules string `json:"rules"`
	Board
	Actions  map[string]Touch `json:"actions"` // by official text
	Drops    bool             `json:"drops"`   // see [notation.Drops]
	MaxPlies int              `json:"maxPlies"`
}

// Touch is the pair of absolute cells that a move is drawn on, -1 where there is none.
type Touch struct {
	From int32 `json:"from"`
	To   int32 `json:"to"`
}

// Describe describes a game.
func Describe(game *env.Game) *Description {
	d := &Description{
		Game: game.Name, Rules: game.Rules, Board: Of(game), Actions: make(map[string]Touch), Drops: notation.Drops(game), MaxPlies: game.MaxPlies,
	}
	for action, text := range game.ActionTexts {
		if text != "" {
			d.Actions[text] = Touch(game.Drawing.ActionCells[action])
		}
	}
	return d
}

// Position is where moves lead.
type Position struct {
	Moves  []string `json:"moves"`  // from the start, official texts
	Player int      `json:"player"` // to move; -1 once the game is done
	Pieces string   `json:"pieces"` // see [Pieces]
	Status string   `json:"status"`
	Done   bool     `json:"done"`
	Goals  [2]int   `json:"goals"` // what each player has earned so far
	WonBy  []int32  `json:"wonBy"` // cells, see [env.State]
	Legal  []string `json:"legal"` // ascending by action
}

// Show describes a state to which moves have led.
func Show(game *env.Game, state env.State, moves []env.Action) *Position {
	p := &Position{
		Moves: texts(game, moves), Player: int(state.Player()), Pieces: Pieces(state), Status: game.Status(state),
		Done: state.Done(), Goals: state.Goals(), WonBy: state.WinningCells([]int32{}), Legal: []string{},
	}
	if p.Done {
		p.Player = -1
		return p
	}
	p.Legal = texts(game, state.Legal(nil))
	return p
}

func texts(game *env.Game, actions []env.Action) []string {
	list := make([]string, len(actions))
	for i, a := range actions {
		list[i] = game.ActionTexts[a]
	}
	return list
}
