package gamefile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/games"
)

// numbered are the families that SGF has a number for, and the names of games that ludus does not play.
var numbered = map[string]string{"2": "othello", "4": "line-up", "11": "hex"}

// numberOf returns SGF's number of a game, "" if it has none.
func numberOf(game *env.Game) string {
	for number, family := range numbered {
		if family == game.Family && !game.Drops() {
			return number
		}
	}
	return ""
}

// sgfGame returns the game of a tree in SGF. want is the game that it must be; nil: any.
func sgfGame(want *env.Game, root *node) (*env.Game, error) {
	columns, rows, _ := strings.Cut(root.get("SZ"), ":")
	if rows == "" {
		rows = columns
	}
	name, number := root.get("LUDUS"), root.get("GM")
	switch {
	case name != "" && (want == nil || name != want.Name):
		game, err := games.Find(name)
		if err == nil && want != nil {
			err = fmt.Errorf("the game is %s, not %s", game.Name, want.Name)
		}
		return game, err
	case want == nil && numbered[number] == "":
		return nil, fmt.Errorf("%w: GM[%s] is not one of SGF's numbers of Othello (2), Gomoku (4) and Hex (11)", errGame, number)
	case want == nil && columns == "":
		return games.New(map[string]string{"2": "othello", "4": "gomoku-15x15", "11": "hex"}[number])
	case want == nil && number == "4":
		return games.New(fmt.Sprintf("line-up(width=%s,height=%s,line=5)", columns, rows))
	case want == nil:
		return games.New(fmt.Sprintf("%s(size=%s)", numbered[number], columns))
	case number != "" && number != numberOf(want):
		return nil, fmt.Errorf("GM[%s] is not %s", number, want.Name)
	case columns != "" && (columns != strconv.Itoa(want.Tensor.W) || rows != strconv.Itoa(want.Tensor.H)):
		return nil, fmt.Errorf("the board has %s columns and %s rows, and that of %s has %d and %d", columns, rows, want.Name,
			want.Tensor.W, want.Tensor.H)
	}
	return want, nil
}

// sgfReader reads a line of a game in SGF: the main line, or a variation.
type sgfReader struct {
	*position
	record *Record
	// flipped means that white begins, though black does in ludus: so LittleGolem writes Hex.
	flipped bool
	// exchanged means that the players of Hex have exchanged colours by a swap, and the piece has stayed what and where
	// it is. In ludus the piece changes its colour, and its column and row are exchanged.
	exchanged bool
	over      bool       // a player has resigned
	own       bool       // ludus has written the file
	number    string     // SGF's number of the game
	root      *node      // of the tree
	plies     int        // moves so far
	last      env.Action // the last move
	mover     env.Player // who made it
}

// readSGF returns the record of a tree.
func readSGF(want *env.Game, root *node) (*Record, error) {
	game, err := sgfGame(want, root)
	if err != nil {
		at := root.at("GM")
		if root.get("LUDUS") != "" {
			at = root.at("LUDUS")
		}
		return nil, errorAt(at, 0, err)
	}
	r := &sgfReader{position: newPosition(game), root: root, number: numberOf(game), own: strings.HasPrefix(root.get("AP"), "ludus"), record: &Record{
		Game: game, Date: root.get("DT"), Event: root.get("EV"), Place: root.get("PC"), Comment: joined(root.get("GC"), root.get("C")),
	}}
	err = r.checkStart(root)
	if err != nil {
		return nil, err
	}
	r.record.Moves, err = r.line(root)
	if err != nil {
		return nil, err
	}
	black, white := env.First, env.Second
	if FirstIsBlack(game) == (r.flipped && game.Family != "hex") { // LittleGolem calls the first player black
		black, white = white, black
	}
	r.record.Players[black], r.record.Players[white] = root.get("PB"), root.get("PW")
	if r.record.Result == "" {
		r.readResult(root.get("RE"), black)
	}
	r.record.finish(r.position)
	return r.record, nil
}

// joined joins texts that are not empty.
func joined(a, b string) string { return strings.TrimSpace(a + "\n" + b) }

// readResult reads a result such as B+8, W+R or Draw.
func (r *sgfReader) readResult(text string, black env.Player) {
	winner, how, _ := strings.Cut(text, "+")
	switch strings.ToUpper(winner) {
	case "B", "BLACK":
		r.record.Result = won(black)
	case "W", "WHITE":
		r.record.Result = won(black.Opponent())
	case "0", "DRAW", "1/2":
		r.record.Result = Draw
	}
	switch strings.ToUpper(how) {
	case "R", "RESIGN":
		r.record.End = "resigned"
	case "T", "TIME":
		r.record.End = "time"
	case "F", "FORFEIT":
		r.record.End = "forfeit"
	}
}

// checkStart returns an error if a game starts from another position than the usual. Othello programs write that out.
func (r *sgfReader) checkStart(root *node) error {
	pieces, d := r.state.Pieces(nil), &r.game.Drawing
	for _, p := range root.properties {
		if p.id != "AB" && p.id != "AW" && p.id != "AE" {
			continue
		}
		owner := r.colour(p.id[1:])
		for _, value := range p.values {
			cell, ok := r.cell(value)
			if !ok || p.id == "AE" || !d.IsOf(pieces[cell], owner) {
				return errorAt(p.place, 0, fmt.Errorf("%s[%s]: ludus plays from the usual starting position of %s only", p.id, value, r.game.Name))
			}
		}
	}
	return nil
}

// colour returns the player whose colour is "B" or "W".
func (r *sgfReader) colour(letter string) env.Player {
	if (letter == "B") == FirstIsBlack(r.game) != (r.flipped != r.exchanged) {
		return env.First
	}
	return env.Second
}

// line reads the moves of a node and of all that follow it in its line.
func (r *sgfReader) line(n *node) (moves []Move, err error) {
	var instead [][]Move // variations of the next move
	for {
		before := len(moves)
		moves, err = r.node(n, moves)
		if err != nil {
			return nil, err
		}
		if len(moves) > before {
			moves[before].Instead, instead = instead, nil
		}
		if len(n.children) == 0 || r.over {
			return moves, nil
		}
		for _, child := range n.children[1:] {
			branch := *r
			branch.position, branch.record, branch.plies = r.branch(), &Record{}, r.plies
			line, err := branch.line(child)
			if err != nil {
				return nil, err
			}
			if len(line) > 0 {
				instead = append(instead, line)
			}
		}
		n = n.children[0]
	}
}

// node reads a node and appends its move. A node without a move comments the move before it.
func (r *sgfReader) node(n *node, moves []Move) ([]Move, error) {
	before, played := len(moves), false
	for _, p := range n.properties {
		err := error(nil)
		switch {
		case p.id == "B" || p.id == "W":
			if played {
				err = errors.New("the node has two moves; a ; is missing between them")
				break
			}
			played = true
			moves, err = r.move(p, moves)
		case (p.id == "AB" || p.id == "AW" || p.id == "AE") && n != r.root:
			err = fmt.Errorf("%s changes the position within the game", p.id)
		}
		if err != nil {
			return nil, errorAt(p.place, r.plies+1, err)
		}
	}
	if len(moves) == 0 {
		return moves, nil
	}
	m := &moves[len(moves)-1]
	if n != r.root {
		m.Comment = joined(m.Comment, n.get("C"))
	}
	if len(moves) > before && r.own {
		m.Seconds = seconds(n.get("SECONDS"))
		if value, err := strconv.ParseFloat(n.get("V"), 64); err == nil {
			m.Value = clamped(value * colourSign(r.game) * r.mover.Sign())
		}
	}
	return moves, nil
}

// colourSign is 1 if black moves first, otherwise -1: it turns black's utility into First's.
func colourSign(game *env.Game) float64 {
	if FirstIsBlack(game) {
		return 1
	}
	return -1
}

// clamped returns a utility within [-1, 1], nil if it is no number.
func clamped(value float64) *float64 {
	if value != value {
		return nil
	}
	return new(max(-1, min(1, value+0))) // + 0 turns -0 into 0
}

// seconds returns the time in a text, 0 if there is none.
func seconds(text string) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x < 1e9) {
		return 0
	}
	return x
}

// move plays a move such as B[f5] and appends it.
func (r *sgfReader) move(p property, moves []Move) ([]Move, error) {
	text := strings.TrimSpace(p.values[0])
	player := r.colour(p.id)
	if r.plies == 0 && player != r.state.Player() {
		r.flipped, player = true, player.Opponent()
	}
	swapped := r.plies == 2 && r.game.ActionNames[r.last] == "swap"
	if swapped && player != r.state.Player() {
		r.exchanged, player = true, player.Opponent()
	}
	if oneOf(text, "resign", "forfeit", "resigned") {
		r.record.Result, r.record.End, r.over = Lost(player), "resigned", true
		return moves, nil
	}
	if pass, forced := r.forcedPass(); forced && player != r.state.Player() {
		moves = r.append(moves, pass)
	}
	if !r.state.Done() && player != r.state.Player() {
		return moves, fmt.Errorf("%s[%s]: it is %s's turn", p.id, text, r.game.Players[r.state.Player()])
	}
	text, err := r.text(text)
	if err != nil {
		return moves, err
	}
	before := len(moves)
	r.mover = player
	moves, err = r.add(moves, text)
	if err == nil && len(moves) > before {
		r.last = moves[len(moves)-1].Action
		r.plies += len(moves) - before
	}
	return moves, err
}

// append plays a legal move and appends it.
func (r *sgfReader) append(moves []Move, a env.Action) []Move {
	r.play(a)
	r.plies, r.last = r.plies+1, a
	return append(moves, Move{Action: a})
}

// text returns ludus's name of a move: a cell, a pass or a swap.
func (r *sgfReader) text(value string) (string, error) {
	cell, ok := r.cell(value)
	switch {
	case value == "" || value == "tt" && !ok:
		return "pass", nil
	case oneOf(value, "swap", "swap-pieces", "swap-sides"):
		return "swap", nil
	case r.number == "":
		return value, nil
	case ok:
		return r.game.CellName(int32(cell)), nil
	case point.MatchString(value) || len(value) == 2 && isLetter(value[0]) && isLetter(value[1]) && !isPass(value):
		return "", fmt.Errorf("%s is not on the board, which has %d columns and %d rows", env.Quote(value), r.game.Tensor.W, r.game.Tensor.H)
	}
	return value, nil
}

var point = regexp.MustCompile(`^([a-zA-Z])([0-9]{1,2})$`)

// cell returns the cell of a point: "c2" as in ludus, or "cb", whose row is counted from the top of the board. Boards of
// Othello and Hex have row 1 at the top, those of Gomoku the last.
func (r *sgfReader) cell(value string) (cell int, ok bool) {
	size := r.game.Tensor
	var column, row int
	if match := point.FindStringSubmatch(value); match != nil {
		column = int(match[1][0]|0x20) - 'a'
		row, _ = strconv.Atoi(match[2])
		row--
	} else if len(value) == 2 && isLetter(value[0]) && isLetter(value[1]) {
		column, row = int(value[0]|0x20)-'a', int(value[1]|0x20)-'a'
		if r.game.Family == "line-up" {
			row = size.H - 1 - row
		}
	} else {
		return 0, false
	}
	if r.exchanged {
		column, row = row, column
	}
	return row*size.W + column, column < size.W && 0 <= row && row < size.H
}

// writeSGF writes a game as a tree, on lines of at most 80 columns where its values allow.
func writeSGF(w *writer, r *Record) error {
	first, second := "B", "W"
	if !FirstIsBlack(r.Game) {
		first, second = second, first
	}
	s := &sgfWriter{writer: w, game: r.Game, colours: [2]string{first, second}}
	w.print("(;FF[4]CA[UTF-8]AP[ludus]")
	if number := numberOf(r.Game); number != "" {
		w.print("GM[" + number + "]")
	}
	size := strconv.Itoa(r.Game.Tensor.W)
	if r.Game.Tensor.H != r.Game.Tensor.W {
		size += ":" + strconv.Itoa(r.Game.Tensor.H)
	}
	w.print("SZ[" + size + "]")
	for _, p := range [][2]string{
		{"LUDUS", r.Game.Name}, {"P" + first, r.Players[env.First]}, {"P" + second, r.Players[env.Second]},
		{"DT", r.Date}, {"EV", r.Event}, {"PC", r.Place}, {"RE", s.result(r)}, {"C", r.Comment},
	} {
		s.property(p[0], p[1])
	}
	w.print("\n")
	s.line(r.Moves, r.Game.NewState())
	w.print(")\n")
	return nil
}

// sgfWriter writes a tree.
type sgfWriter struct {
	*writer
	game    *env.Game
	colours [2]string // by player
	column  int
}

// result returns a record's result in SGF's form, "" if it is unknown.
func (s *sgfWriter) result(r *Record) string {
	winner := env.First
	switch r.Result {
	case "":
		return ""
	case Draw:
		return "Draw"
	case SecondWon:
		winner = env.Second
	}
	text := s.colours[winner] + "+"
	switch r.End {
	case "":
		state, _ := env.Replay(r.Game, r.Actions()) // cannot fail: they are legal
		if _, lead := Lead(r.Game, state); lead > 0 && lead < 100 {
			text += strconv.Itoa(lead)
		}
	case "resigned":
		text += "R"
	case "time", "overstepped":
		text += "T"
	default:
		text += "F"
	}
	return text
}

var escaper = strings.NewReplacer("\\", "\\\\", "]", "\\]")

// property writes a property that is not empty.
func (s *sgfWriter) property(id, value string) {
	if value != "" {
		s.print(id + "[" + escaper.Replace(value) + "]")
	}
}

// line writes moves from a position, and their variations: where others begin, the line itself goes on in brackets.
func (s *sgfWriter) line(moves []Move, state env.State) {
	type fork struct {
		lines [][]Move
		state env.State
	}
	var forks []fork
	for i := range moves {
		m := &moves[i]
		if m.Instead != nil {
			forks = append(forks, fork{m.Instead, copyOf(s.game, state)})
			s.print("\n(")
			s.column = 1
		}
		text, mover := s.move(m.Action), state.Player()
		if s.column += len(text) + 4; s.column > 80 {
			s.print("\n")
			s.column = len(text) + 4
		}
		s.print(";" + s.colours[mover] + "[" + escaper.Replace(text) + "]")
		if m.Value != nil {
			s.property("V", strconv.FormatFloat(*m.Value*mover.Sign()*colourSign(s.game)+0, 'g', -1, 64))
		}
		if m.Seconds > 0 {
			s.property("SECONDS", strconv.FormatFloat(m.Seconds, 'g', -1, 64))
		}
		s.property("C", m.Comment)
		if m.Value != nil || m.Seconds > 0 || m.Comment != "" {
			s.column = 80 // the next move begins a line
		}
		state.Apply(m.Action)
	}
	for _, f := range slices.Backward(forks) {
		s.print(")")
		for _, line := range f.lines {
			s.print("\n(")
			s.column = 1
			s.line(line, copyOf(s.game, f.state))
			s.print(")")
		}
	}
}

func copyOf(game *env.Game, state env.State) env.State {
	c := game.NewState()
	c.CopyFrom(state)
	return c
}

// move returns a move as SGF writes it: Gomoku "hh" from the top left corner, Othello and Hex "f5", other games as ludus.
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
