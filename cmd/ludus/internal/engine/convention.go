package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
)

// Protocol is a text protocol of game engines.
type Protocol string

const (
	ProtocolGTP     Protocol = "GTP"
	ProtocolGomocup Protocol = "Gomocup"
	ProtocolNBoard  Protocol = "NBoard"
)

// difference says how a protocol writes the moves of a family of games, where it differs from ludus: "c3" is column c,
// row 3, and moves without cells have words.
type difference struct {
	protocol Protocol
	family   string
	columns  string            // letters of the columns; "": ludus's
	numbers  bool              // cells are "x,y": column and row, counted from 0
	words    map[string]string // other words for moves without cells, by ludus's
	fromTop  bool              // boards are drawn with row 1 at the top
	turned   bool              // rows are counted from ludus's last one
	resigns  bool              // genmove answers "resign" when the game is over; otherwise "pass"
}

// letters are the letters of columns, by their names in Names.Columns. Go's skip i.
var letters = map[string]string{"all": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "go": "ABCDEFGHJKLMNOPQRSTUVWXYZ"}

// differences has every game whose moves a protocol writes in another way than ludus.
//
// Othello programs have row 1 at the top, and ludus at the bottom; but both start with black on d5 and e4, so equal
// names are equal moves. In Hex both have black (red) connect row 1 with the last; for the swap see
// [Convention.Exchanged]. HTP, the Hex text protocol, has all letters.
var differences = []difference{
	{protocol: ProtocolGTP, family: "othello", columns: letters["go"], fromTop: true},
	{protocol: ProtocolGTP, family: "hex", words: map[string]string{"swap": "swap-pieces"}, fromTop: true, resigns: true},
	{protocol: ProtocolGTP, family: "line-up", columns: letters["go"]},
	{protocol: ProtocolGomocup, family: "line-up", numbers: true},
	{protocol: ProtocolNBoard, family: "othello", columns: letters["all"], words: map[string]string{"pass": "PA"}},
}

// Convention writes and reads the moves and players of a game as a protocol calls them. It is immutable.
type Convention struct {
	Game    *env.Game
	Colours [2]string // "black" and "white", in the order of the players
	difference
	exchanged bool                  // see Exchanged
	names     []string              // by action; "" if no position allows it
	actions   map[string]env.Action // by name in lower case; ludus's words for moves without cells are among the names
	parser    *notation.Parser      // reads ludus's forms of moves; nil if the protocol's differ
}

// NewConvention returns the convention of a protocol for a game.
func NewConvention(protocol Protocol, game *env.Game) *Convention {
	c := &Convention{Game: game, Colours: [2]string{"black", "white"}}
	if !gamefile.FirstIsBlack(game) {
		c.Colours = [2]string{"white", "black"}
	}
	i := slices.IndexFunc(differences, func(d difference) bool { return d.protocol == protocol && d.family == game.Family })
	if i < 0 {
		c.names, c.parser = game.ActionNames, notation.NewParser(game)
		return c
	}
	c.difference = differences[i]
	c.nameMoves()
	return c
}

// Exchanged returns the convention of Hex after a swap by which the players exchange their colours, and the piece stays
// what and where it is. That is the swap of HexGui before version 0.10 and of benzene's programs. ludus and others
// exchange column and row of the piece, and its colour, instead. So ludus's cells are written with column and row
// exchanged.
func (c *Convention) Exchanged() *Convention {
	e := &Convention{Game: c.Game, Colours: [2]string{c.Colours[1], c.Colours[0]}, difference: c.difference, exchanged: !c.exchanged}
	e.nameMoves()
	return e
}

// Names are a program's names of colours, cells and passes. Fields that are zero stay as the protocol has them.
type Names struct {
	Colours [2]string // of the players, in their order
	Columns string    // "all": letters include i; "go": they skip it
	Rows    string    // "top", "bottom": where row 1 is
	Pass    string
}

// With returns the convention of a program that differs in its names. An error says which of them the game does not
// allow.
func (c *Convention) With(names Names) (*Convention, error) {
	with := *c
	if names.Colours != [2]string{} {
		with.Colours = names.Colours
	}
	switch {
	case names.Columns == "" && names.Rows == "" && names.Pass == "":
		return &with, nil
	case c.parser != nil:
		return nil, fmt.Errorf("moves of %s are written as in ludus: its columns, rows and passes have no other names", c.Game.Name)
	}
	if names.Columns != "" {
		with.columns = letters[names.Columns]
		if c.columns == "" {
			with.columns = strings.ToLower(with.columns)
		}
	}
	if names.Rows != "" && (names.Rows == "top") != c.fromTop {
		with.fromTop, with.turned = !c.fromTop, !c.turned
	}
	if names.Pass != "" {
		with.words = maps.Clone(c.words)
		if with.words == nil {
			with.words = make(map[string]string)
		}
		with.words["pass"] = names.Pass
	}
	with.nameMoves()
	return &with, nil
}

// nameMoves sets names and actions.
func (c *Convention) nameMoves() {
	c.names, c.actions = make([]string, c.Game.NumActions()), make(map[string]env.Action)
	for a, name := range c.Game.ActionNames {
		if name == "" {
			continue
		}
		if cell := c.Game.Drawing.ActionCells[a].To; cell != env.NoCell {
			name = c.cell(int(cell)/c.Game.Tensor.W, int(cell)%c.Game.Tensor.W)
		} else if word, other := c.words[name]; other {
			c.actions[name] = env.Action(a)
			name = word
		}
		c.names[a] = name
		c.actions[strings.ToLower(name)] = env.Action(a)
	}
}

// cell returns the name of the cell in a row and a column, both counted from 0.
func (c *Convention) cell(row, column int) string {
	if c.exchanged {
		row, column = column, row
	}
	if c.turned {
		row = c.Game.Tensor.H - 1 - row
	}
	if c.numbers {
		return fmt.Sprintf("%d,%d", column, row)
	}
	return c.column(column) + env.RowName(row)
}

// column returns the letter of a column.
func (c *Convention) column(column int) string {
	if c.columns != "" {
		return c.columns[column : column+1]
	}
	return env.ColumnName(column)
}

// Write returns the protocol's name of a move.
func (c *Convention) Write(a env.Action) string { return c.names[a] }

// Read returns the legal move that a text names, in any case. state must not be terminal. If there is none, the error
// names legal moves.
func (c *Convention) Read(state env.State, text string) (env.Action, error) {
	legal := state.Legal(nil)
	if c.parser != nil {
		return c.parser.Parse(state, legal, text)
	}
	a, known := c.actions[strings.ToLower(text)]
	if known && slices.Contains(legal, a) {
		return a, nil
	}
	var examples []string
	for _, a := range legal[:min(len(legal), 4)] {
		examples = append(examples, c.names[a])
	}
	if len(legal) > 4 {
		examples = append(examples, "...")
	}
	what := "is not legal now"
	if !known {
		what = "is not a move of this game"
		if c.columns != "" {
			what += ", whose columns are " + c.columns[:c.Game.Tensor.W]
		}
	}
	return 0, fmt.Errorf("%s %s; legal moves: %s", env.Quote(text), what, strings.Join(examples, ", "))
}

// ReadColour returns the player that a text names: by the colour, its first letter, or ludus's name of the player.
func (c *Convention) ReadColour(text string) (env.Player, error) {
	text = strings.ToLower(text)
	for p, colour := range c.Colours {
		if text == colour || text == colour[:1] || text == strings.ToLower(c.Game.Players[p]) {
			return env.Player(p), nil
		}
	}
	return 0, fmt.Errorf("%s is not a colour; write b (%s) or w (%s)", env.Quote(text),
		c.Game.Players[slices.Index(c.Colours[:], "black")], c.Game.Players[slices.Index(c.Colours[:], "white")])
}

// lines draws a position, a line for each row, row 1 first: X for black's pieces, O for white's, ? for missing cells.
func (c *Convention) lines(state env.State) []string {
	d, pieces, w := &c.Game.Drawing, state.Pieces(nil), c.Game.Tensor.W
	rows := make([]string, c.Game.Tensor.H)
	for i := range pieces {
		cell := i
		if c.exchanged {
			cell = i%w*w + i/w
		}
		k := pieces[cell]
		letter := "."
		switch {
		case !d.Cells[cell] || d.IsVoid(k):
			letter = "?"
		case k > 0 && d.Pieces[k-1].Neutral:
			letter = d.Pieces[k-1].Name[:1]
		case k > 0:
			letter = map[string]string{"black": "X", "white": "O"}[c.Colours[d.Pieces[k-1].Player]]
		}
		rows[i/w] += " " + letter
	}
	return rows
}

// board draws a position with the names of its rows and columns, and says who is to move or how the game ended.
func (c *Convention) board(state env.State) string {
	labels, columns := c.Game.AxisLabels()
	rows := c.lines(state)
	head := "  "
	for i, label := range columns {
		if c.columns != "" {
			label = c.column(i)
		}
		head += fmt.Sprintf(" %-1s", label)
	}
	for r := range rows {
		indent := ""
		if c.Game.Drawing.Hexagons {
			indent = strings.Repeat(" ", r)
		}
		rows[r] = fmt.Sprintf("%s%2s%s", indent, labels[r], rows[r])
	}
	if c.fromTop {
		rows = append([]string{head}, rows...)
	} else {
		slices.Reverse(rows)
		rows = append(rows, head)
	}
	status := fmt.Sprintf("%s to move", c.Colours[state.Player()])
	if state.Done() {
		status = "over: " + c.score(state)
	}
	return strings.Join(append(rows, status), "\n")
}

// score returns the result of a finished game in GTP's form: B or W, and by how much it won; 0 for a draw. That is a
// number of discs in Othello, where the winner gets the empty cells, nothing in Hex, and a difference of final scores
// elsewhere.
func (c *Convention) score(state env.State) string {
	winner, lead := gamefile.Lead(c.Game, state)
	if lead == 0 {
		return "0"
	}
	text := strings.ToUpper(c.Colours[winner][:1]) + "+"
	if c.Game.Family == "hex" {
		return text
	}
	return text + strconv.Itoa(lead)
}
