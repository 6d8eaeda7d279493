package gamefile

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/env"
	"ludus/env/games"
)

// numbered are the families that SGF has a number for, their usual games, and what SGF calls them.
var numbered = map[string][3]string{"2": {"othello", "othello", "Othello"}, "4": {"line-up", "gomoku-15x15", "Gomoku"}, "11": {"hex", "hex", "Hex"}}

// numberOf returns SGF's number of a game, "" if it has none.
func numberOf(game *env.Game) string {
	for number, names := range numbered {
		if names[0] == game.Family && !game.Drops() {
			return number
		}
	}
	return ""
}

// sgfGame returns the game of a tree in SGF, and the place that says so. want is the game that it must be; nil: any.
func sgfGame(want *env.Game, root *node) (*env.Game, place, error) {
	columns, rows, rectangle := strings.Cut(root.get("SZ"), ":")
	if !rectangle {
		rows = columns
	}
	if name := root.get("LUDUS"); name != "" {
		game, err := gameNamed(want, name)
		return game, root.find("LUDUS").place, err
	}
	game, err := gameOfNumber(want, root.get("GM"), columns, rows)
	return game, root.find("GM").place, err
}

// gameNamed returns the game that a file names, perhaps by "". want is the game that it must be; nil: any.
func gameNamed(want *env.Game, name string) (*env.Game, error) {
	switch {
	case want != nil && (name == "" || name == want.Name):
		return want, nil
	case name == "":
		return nil, errGame
	}
	game, err := games.Restore(name, "")
	if err == nil && want != nil && game.Name != want.Name {
		err = fmt.Errorf("the game is %s, not %s", game.Name, want.Name)
	}
	return game, err
}

// gameOfNumber returns the game with SGF's number and size, both "" if unknown. want is the game that it must be; nil:
// any.
func gameOfNumber(want *env.Game, number, columns, rows string) (*env.Game, error) {
	switch names, known := numbered[number]; {
	case want == nil && number == "":
		return nil, fmt.Errorf("%w: GM, SGF's number of Othello (2), Gomoku (4) or Hex (11), is missing", errGame)
	case number != "" && !known:
		return nil, fmt.Errorf("the file is of GM[%s], a game that ludus does not have", number)
	case want == nil && columns == "":
		return games.New(names[1])
	case want == nil && number == "4":
		return games.New(fmt.Sprintf("line-up(width=%s,height=%s,line=5)", columns, rows))
	case want == nil:
		return games.New(fmt.Sprintf("%s(size=%s)", names[0], columns))
	case number != "" && number != numberOf(want):
		return nil, fmt.Errorf("the file is of %s (GM[%s]), not of %s", names[2], number, want.Name)
	case columns != "" && (columns != strconv.Itoa(want.Tensor.W) || rows != strconv.Itoa(want.Tensor.H)):
		return nil, fmt.Errorf("the board has %s columns and %s rows, and that of %s has %d and %d", columns, rows, want.Name,
			want.Tensor.W, want.Tensor.H)
	}
	return want, nil
}

// readSGF returns the record of a tree.
func readSGF(want *env.Game, root *node) (*Record, error) {
	game, at, err := sgfGame(want, root)
	if err != nil {
		return nil, errorAt(at, 0, err)
	}
	start := root.start()
	moves := root.line(strings.HasPrefix(root.get("AP"), "ludus"))
	opening, err := setUp(game, start, moves)
	if err != nil {
		return nil, err
	}
	d := root.draft(root.get("GC"))
	for _, n := range start {
		d.Comment = joined(d.Comment, n.get("C"))
	}
	d.Moves, d.Opening = append(opening, moves...), len(opening)
	if d.Opening == 0 {
		d.Opening, _ = strconv.Atoi(root.get("OPENING")) // 0 if it has none
	}
	winner, how, _ := strings.Cut(root.get("RE"), "+")
	switch strings.ToUpper(winner) {
	case "B", "BLACK":
		d.Result = FirstWon
	case "W", "WHITE":
		d.Result = SecondWon
	case "0", "DRAW", "1/2":
		d.Result = Draw
	}
	d.End = endOf(how)
	return d.record(game)
}

// signs are those of black's utility for the player of a colour.
var signs = map[string]float64{"B": 1, "W": -1}

// joined joins texts that are not empty.
func joined(a, b string) string { return strings.TrimSpace(a + "\n" + b) }

// endOf returns why a game ended early, from a result such as R or Time.
func endOf(how string) string {
	return map[string]string{"R": "resigned", "T": "time", "F": "forfeit"}[strings.ToUpper(how[:min(1, len(how))])]
}

// line returns the moves of a node and of all that follow it in its line, and their variations. A node without a move
// comments the move before it. own means that ludus has written the file.
func (n *node) line(own bool) (list []entry) {
	var instead [][]entry // variations of the next move
	for {
		var e entry
		for _, p := range n.properties {
			switch {
			case (p.id == "B" || p.id == "W") && e.by == "":
				e = entry{Move: p.value(), place: p.place, by: p.id}
			case p.id == "B" || p.id == "W":
				e.place, e.err = p.place, errors.New("the node has two moves; a ; is missing between them")
			case (p.id == "AB" || p.id == "AW" || p.id == "AE") && !n.isStart:
				e.by, e.place, e.err = p.id, p.place, fmt.Errorf("%s changes the position within the game", p.id)
			}
		}
		if e.by != "" {
			if own {
				e.Seconds, _ = strconv.ParseFloat(n.get("SECONDS"), 64)
				e.Value = number(n.get("V"), signs[e.by])
			}
			e.Bad, _ = strconv.Atoi(n.get("BM"))
			e.Instead, instead = instead, nil
			list = append(list, e)
		}
		if len(list) > 0 && !n.isStart {
			last := &list[len(list)-1]
			last.Comment = joined(last.Comment, n.get("C"))
		}
		if len(n.children) == 0 {
			return list
		}
		for _, child := range n.children[1:] {
			instead = append(instead, child.line(own))
		}
		n = n.children[0]
	}
}

// number returns the number in a text times a factor, nil if there is none.
func number(text string, factor float64) *float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) {
		return nil
	}
	return new(x * factor)
}

// fromSGF returns ludus's name of a move in SGF or GGF: a cell, a pass or a swap.
func (p *position) fromSGF(text string) (string, error) {
	cell, point := p.cell(text)
	switch {
	case text == "" || text == "tt" && cell < 0:
		return "pass", nil
	case oneOf(text, "swap", "swap-pieces", "swap-sides"):
		return "swap", nil
	case numberOf(p.game) == "":
		return text, nil
	case cell >= 0:
		return p.game.CellName(int32(cell)), nil
	case point && !isPass(text):
		return "", fmt.Errorf("%s is not on the board, which has %d columns and %d rows", env.Quote(text), p.game.Tensor.W, p.game.Tensor.H)
	}
	return text, nil
}

// cell returns the cell of a point: "c2" as in ludus, or "cb", whose row is counted from the top of the board. Boards
// of Othello and Hex have row 1 at the top, those of Gomoku the last. It is -1 if the text is no point, or one that is
// not on the board.
func (p *position) cell(text string) (cell int, point bool) {
	if len(text) < 2 || !isLetter(text[0]) {
		return -1, false
	}
	size, column := p.game.Tensor, int(text[0]|0x20)-'a'
	number, err := strconv.ParseUint(text[1:], 10, 8)
	row := int(number) - 1
	switch {
	case err == nil:
	case len(text) != 2 || !isLetter(text[1]):
		return -1, false
	case p.game.Family == "line-up":
		row = size.H - 1 - int(text[1]|0x20) + 'a'
	default:
		row = int(text[1]|0x20) - 'a'
	}
	if p.exchanged {
		column, row = row, column
	}
	if column < 0 || column >= size.W || row < 0 || row >= size.H {
		return -1, true
	}
	return row*size.W + column, true
}

// sgfWriter writes a tree.
type sgfWriter struct {
	strings.Builder
	game    *env.Game
	colours [2]string // by player
}

// writeSGF writes a game as a tree.
func writeSGF(r *Record) (string, error) {
	s := &sgfWriter{game: r.Game, colours: [2]string{"B", "W"}}
	if !FirstIsBlack(r.Game) {
		s.colours = [2]string{"W", "B"}
	}
	size := strconv.Itoa(r.Game.Tensor.W)
	if r.Game.Tensor.H != r.Game.Tensor.W {
		size += ":" + strconv.Itoa(r.Game.Tensor.H)
	}
	s.WriteString("(;FF[4]CA[UTF-8]AP[ludus:0]" + properties(escaper,
		"GM", numberOf(r.Game), "SZ", size, "LUDUS", r.Game.Name, "P"+s.colours[0], r.Players[0], "P"+s.colours[1], r.Players[1],
		"DT", day(r.Date), "EV", r.Event, "PC", r.Place, "RE", s.result(r), "OPENING", strings.TrimLeft(strconv.Itoa(r.Opening), "0"), "C", r.Comment))
	s.line(r.Moves, r.Game.NewState())
	s.WriteString(")\n")
	return s.String(), nil
}

// day returns the day of a date as SGF writes it, without a time such as GGS adds. Other dates stay as they are.
func day(date string) string {
	day := strings.ReplaceAll(date[:min(len(date), len(time.DateOnly))], ".", "-")
	_, err := time.Parse(time.DateOnly, day)
	if err != nil || strings.HasPrefix(date[len(day):], ",") { // SGF lists days so
		return date
	}
	return day
}

// result returns a record's result in SGF's form, "" if it is unknown.
func (s *sgfWriter) result(r *Record) string {
	winner, lead, how := r.score()
	switch {
	case r.Result == "":
		return ""
	case r.Result == Draw:
		return "Draw"
	case lead > 0 && lead < 100:
		how = strconv.Itoa(lead)
	}
	return s.colours[winner] + "+" + how
}

// line writes moves from a position, ten on a line of the file. Where variations begin, the line itself goes on in
// brackets.
func (s *sgfWriter) line(moves []Move, state env.State) {
	for i, m := range moves {
		if m.Instead != nil {
			main := slices.Clone(moves[i:])
			main[0].Instead = nil
			for _, line := range append([][]Move{main}, m.Instead...) {
				s.WriteString("\n(")
				s.line(line, s.game.Copy(state))
				s.WriteString(")")
			}
			return
		}
		if i%10 == 0 {
			s.WriteString("\n")
		}
		colour := s.colours[state.Player()]
		value, seconds := m.known(signs[colour], -1)
		s.WriteString(";" + colour + "[" + escaper.Replace(s.move(m.Action)) + "]" + properties(escaper, "V", value, "SECONDS", seconds, "BM", strings.TrimLeft(strconv.Itoa(m.Bad), "0"), "C", m.Comment))
		state.Apply(m.Action)
	}
}

// move returns a move as SGF writes it: Gomoku "hh" from the top left corner, Othello and Hex "f5", other games as
// ludus.
func (s *sgfWriter) move(a env.Action) string {
	name, cell := s.game.ActionNames[a], int(s.game.Drawing.ActionCells[a].To)
	switch {
	case s.game.Family == "hex" && name == "swap":
		return "swap-pieces"
	case s.game.Family == "othello" && name == "pass":
		return "PA"
	case numberOf(s.game) == "4" && cell != env.NoCell:
		w, h := s.game.Tensor.W, s.game.Tensor.H
		return string([]byte{'a' + byte(cell%w), 'a' + byte(h-1-cell/w)})
	}
	return name
}
