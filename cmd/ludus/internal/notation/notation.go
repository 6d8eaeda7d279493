// Package notation reads moves as people type them: "(mark r3 c3)", "r3 c3", "3 3", "33" or, where pieces move,
// "b2-b3". All commands and pages that take moves use it.
package notation

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
)

// Parser reads the moves of one game. It is safe for concurrent use; its fields are read-only.
type Parser struct {
	Steps bool     // some moves move a piece from one cell to another
	Drops bool     // the column alone names a move, see [Drops]
	Verbs []string // first words of the moves that have coordinates

	game    *env.Game
	numeric bool   // rows and columns are both labelled 1, 2, 3; cells may also be typed b3 or x2 y3
	moves   []move // by action
}

// move is an action's text, split into its first word and its coordinates.
type move struct {
	verb        string
	coordinates []coordinate
}

// coordinate is a row or column number.
type coordinate struct {
	digits string
	axis   byte // 'r', 'c' or 0 if unknown
}

// NewParser returns a parser for a game's moves.
func NewParser(game *env.Game) *Parser {
	d := &game.Drawing
	p := &Parser{game: game, Drops: Drops(game), numeric: isNumber(d.Columns[0]), moves: make([]move, game.NumActions())}
	for a, text := range game.ActionTexts {
		p.Steps = p.Steps || d.ActionCells[a].From != env.NoCell
		m := &p.moves[a]
		for i, word := range tokens(text) {
			switch {
			case i == 0:
				m.verb = word
			case isNumber(word):
				m.coordinates = append(m.coordinates, coordinate{word, p.axisAt(len(m.coordinates))})
			}
		}
		if len(m.coordinates) > 0 && !slices.Contains(p.Verbs, m.verb) {
			p.Verbs = append(p.Verbs, m.verb)
		}
	}
	return p
}

// labels returns the digits in a cell's row and column labels.
func (p *Parser) labels(cell int) (row, column string) {
	d := &p.game.Drawing
	return strings.TrimLeft(d.Rows[cell/len(d.Columns)], letters), strings.TrimLeft(d.Columns[cell%len(d.Columns)], letters)
}

// axisAt returns the axis of coordinate i, from 0, in an action's text.
func (p *Parser) axisAt(i int) byte {
	if (i%2 == 0) != p.game.Drawing.ColumnsFirst {
		return 'r'
	}
	return 'c'
}

// Replay is [env.ReplayText] for moves in any notation that [Parser.Parse] reads.
func Replay(game *env.Game, moves []string) (env.State, []env.Action, error) {
	r, parser := env.NewReplayer(game), NewParser(game)
	for i, text := range moves {
		action, err := game.ParseAction(text)
		if !r.State.Done() {
			action, err = parser.Parse(r.State, r.Legal, text)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		if err := r.Play(action); err != nil {
			return nil, nil, err
		}
	}
	return r.State, r.Moves, nil
}

// Parse finds the legal move that a text names. state must not be done. The text may be the action's own, or:
//   - without some words, or with words cut short: "r3 c3", "3 3", "m 3 3";
//   - the coordinates in order, with anything or nothing between them: "3 2 4 3", "32-43";
//   - the coordinates of a cell in either order if each names its axis: "c3 r2", "x3 y2";
//   - letters for columns if rows and columns are labelled 1, 2, 3: "c2-c3";
//   - one cell of a move from cell to cell, or the column where pieces fall, if only one legal move has it.
//
// If no legal move fits, the error names the nearest legal moves; if several fit, it lists them.
func (p *Parser) Parse(state env.State, legal []env.Action, text string) (env.Action, error) {
	var ambiguous []env.Action
	readings := p.readings(text)
	for _, fits := range []func(typed, env.Action) bool{p.fitsWhole, p.fitsPart} {
		for _, in := range readings {
			var found []env.Action
			for _, a := range legal {
				if fits(in, a) {
					found = append(found, a)
				}
			}
			if len(found) == 1 {
				return found[0], nil
			}
			if len(found) > 1 && ambiguous == nil {
				ambiguous = found
			}
		}
		if ambiguous != nil {
			return 0, fmt.Errorf("%s is ambiguous: %s", env.Quote(text), p.list(ambiguous, 4))
		}
		for _, in := range readings {
			for a := range p.moves {
				if fits(in, env.Action(a)) {
					return 0, p.illegal(state, legal, env.Action(a), in, text)
				}
			}
		}
	}
	return 0, p.unreadable(legal, text)
}

// typed is a text split into words and coordinates.
type typed struct {
	verbs       []string
	coordinates []coordinate
}

// fillers are words that Parse ignores.
var fillers = []string{"to", "from", "at", "on", "in", "play", "takes", "x", "and"}

// readings returns the ways to read a text as verbs and coordinates: with no letters as columns and, if the game allows
// it, with them.
func (p *Parser) readings(text string) (all []typed) {
	words := tokens(text)
	if len(words) == 0 {
		return nil
	}
	all = append(all, p.split(words, false))
	if p.numeric && p.Steps {
		all = append(all, p.split(words, true))
	}
	return all
}

// split separates words into verbs and coordinates. It puts pairs of coordinates in the order of the game's action
// texts, row or column first. With letters, a letter before a number is a column.
func (p *Parser) split(words []string, letters bool) (in typed) {
	axis := byte(0)
	for i, word := range words {
		beforeNumber := i+1 < len(words) && isNumber(words[i+1])
		switch {
		case isNumber(word):
			in.coordinates = append(in.coordinates, coordinate{word, axis})
			axis = 0
		case letters && beforeNumber && p.letterColumn(word) != "":
			in.coordinates = append(in.coordinates, coordinate{p.letterColumn(word), 'c'})
			axis = 'r'
		case beforeNumber && p.namedAxis(word) != 0:
			axis = p.namedAxis(word)
		case !slices.Contains(fillers, word):
			in.verbs = append(in.verbs, word)
		}
	}
	c := in.coordinates
	for i := 0; i+1 < len(c); i += 2 {
		if c[i].axis == p.axisAt(1) && c[i+1].axis == p.axisAt(0) {
			c[i], c[i+1] = c[i+1], c[i]
		}
	}
	return in
}

// letterColumn returns the number of the column that a letter stands for, or "". "a" is the first column; an "x" before
// it ("takes") is skipped.
func (p *Parser) letterColumn(word string) string {
	if len(word) == 2 {
		word = strings.TrimPrefix(word, "x")
	}
	if i := int(word[0] - 'a'); len(word) == 1 && i >= 0 && i < len(p.game.Drawing.Columns) {
		_, column := p.labels(i)
		return column
	}
	return ""
}

// namedAxis returns the axis that a word before a number names, or 0.
func (p *Parser) namedAxis(word string) byte {
	switch {
	case word == "r" || word == "row" || p.numeric && word == "y":
		return 'r'
	case word == "c" || word == "col" || word == "column" || p.numeric && word == "x":
		return 'c'
	}
	return 0
}

// fitsWhole reports whether the input names all of an action. "pass" also names noop.
func (p *Parser) fitsWhole(in typed, a env.Action) bool {
	m := p.moves[a]
	if len(in.coordinates) == 0 && len(m.coordinates) == 0 {
		return m.verb != "" && len(in.verbs) == 1 && (strings.HasPrefix(m.verb, in.verbs[0]) || m.verb == "noop" && in.verbs[0] == "pass")
	}
	return len(m.coordinates) > 0 && in.verbFits(m) && sameCoordinates(in.coordinates, m.coordinates)
}

// fitsPart reports whether the input names part of a move. For a step that is one of its two cells; for a placement one
// coordinate with its axis ("c3"), or just the column in games where pieces drop.
func (p *Parser) fitsPart(in typed, a env.Action) bool {
	m := p.moves[a]
	switch {
	case len(in.coordinates) == 0 || !in.verbFits(m):
		return false
	case len(m.coordinates) == 4:
		return sameCoordinates(in.coordinates, m.coordinates[:2]) || sameCoordinates(in.coordinates, m.coordinates[2:])
	case len(m.coordinates) == 2 && len(in.coordinates) == 1 && (in.coordinates[0].axis != 0 || p.Drops):
		c := in.coordinates[0]
		if c.axis == 0 {
			c.axis = 'c'
		}
		return slices.Contains(m.coordinates, c)
	}
	return false
}

// verbFits reports whether the input has no verb, or only one, which is a prefix of the move's verb.
func (in *typed) verbFits(m move) bool {
	return len(in.verbs) == 0 || len(in.verbs) == 1 && strings.HasPrefix(m.verb, in.verbs[0])
}

// sameCoordinates reports whether typed coordinates equal a move's. Typed ones may run together: "32" for 3 and 2.
func sameCoordinates(in, move []coordinate) bool {
	for _, c := range in {
		digits, first := c.digits, true
		for digits != "" {
			if len(move) == 0 || c.axis != 0 && (!first || c.axis != move[0].axis) {
				return false
			}
			rest, ok := strings.CutPrefix(digits, move[0].digits)
			if !ok {
				return false
			}
			digits, move, first = rest, move[1:], false
		}
	}
	return len(move) == 0
}

// illegal returns an error that explains by the pieces on the board why an action that a text names is not legal.
func (p *Parser) illegal(state env.State, legal []env.Action, a env.Action, in typed, text string) error {
	d, pieces, cells := &p.game.Drawing, state.Pieces(nil), p.game.Drawing.ActionCells[a]
	mover := state.Player()
	why := "is not legal now"
	if from := cells.From; from != env.NoCell {
		switch piece := pieces[from]; {
		case piece == 0:
			why = fmt.Sprintf("is not legal: no piece is on %s", d.CellName(from))
		case d.Pieces[piece-1].Player != mover:
			why = fmt.Sprintf("is not legal: the piece on %s is %s", d.CellName(from), d.Pieces[piece-1].Name)
		case pieces[cells.To] > 0 && d.Pieces[pieces[cells.To]-1].Player == mover:
			why = fmt.Sprintf("is not legal: %s is on %s, too", d.Pieces[piece-1].Name, d.CellName(cells.To))
		}
	} else if to := cells.To; to != env.NoCell && pieces[to] > 0 {
		why = fmt.Sprintf("is not legal: %s is on %s", d.Pieces[pieces[to]-1].Name, d.CellName(to))
	}
	name := p.game.ActionTexts[a]
	if len(in.coordinates) == 0 {
		return fmt.Errorf("%s %s; moves look like %s", name, why, p.Describe(legal[0]))
	}
	if len(in.coordinates) < len(p.moves[a].coordinates) && !p.fitsWhole(in, a) {
		name, why = env.Quote(text), "is not a legal move now"
	}
	return fmt.Errorf("%s %s. %s", name, why, p.nearest(legal, p.moves[a].coordinates))
}

// unreadable returns the error for a text that names no action of the game, legal or not.
func (p *Parser) unreadable(legal []env.Action, text string) error {
	quoted, words := env.Quote(text), tokens(text)
	if slices.ContainsFunc(words, isNumber) {
		all := p.readings(text) // the last one takes letters as columns if possible: it has the most coordinates
		return fmt.Errorf("%s is not a move of this game. %s", quoted, p.nearest(legal, p.splitDigits(all[len(all)-1].coordinates)))
	}
	if len(words) > 0 {
		begins := func(a env.Action) bool {
			return len(p.moves[a].coordinates) > 0 && strings.HasPrefix(p.moves[a].verb, words[0])
		}
		if i := slices.IndexFunc(legal, begins); i >= 0 {
			return fmt.Errorf("%s is incomplete; moves look like %s", quoted, p.Describe(legal[i]))
		}
	}
	return fmt.Errorf("%s is not a move of this game; moves look like %s", quoted, p.Describe(legal[0]))
}

// splitDigits splits numbers that were typed without a gap, such as 32, into digits, if all labels have one digit.
func (p *Parser) splitDigits(coordinates []coordinate) (all []coordinate) {
	for _, c := range coordinates {
		if len(p.game.Drawing.Rows) > 9 || len(p.game.Drawing.Columns) > 9 {
			all = append(all, c)
			continue
		}
		for _, digit := range c.digits {
			all = append(all, coordinate{digits: string(digit)})
		}
	}
	return all
}

// nearest names the legal moves whose coordinates are closest to the given ones.
func (p *Parser) nearest(legal []env.Action, to []coordinate) string {
	sorted := slices.Clone(legal)
	slices.SortStableFunc(sorted, func(a, b env.Action) int {
		return cmp.Compare(distance(to, p.moves[a].coordinates), distance(to, p.moves[b].coordinates))
	})
	const most = 3
	if len(sorted) <= most {
		return "Legal: " + p.list(sorted, most)
	}
	return "Nearest: " + p.list(sorted[:most], most)
}

// distance is 1000 per missing coordinate, 100 per different one, plus the sum of the differences, each at most 99.
func distance(a, b []coordinate) int {
	sum := 0
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			sum += 1000
			continue
		}
		x, _ := strconv.Atoi(a[i].digits) // a number that is too large counts as the largest
		y, _ := strconv.Atoi(b[i].digits)
		if d := max(x-y, y-x); d > 0 {
			sum += 100 + min(d, 99)
		}
	}
	return sum
}

// list joins the descriptions of up to most moves with "or".
func (p *Parser) list(actions []env.Action, most int) string {
	var texts []string
	for _, a := range actions[:min(len(actions), most)] {
		texts = append(texts, p.Describe(a))
	}
	if more := len(actions) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), more)
	}
	return or(texts)
}

// or joins texts: "a, b or c".
func or(texts []string) string {
	n := len(texts)
	if n < 2 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:n-1], ", ") + " or " + texts[n-1]
}

// Describe returns an action's text, followed by its short form in brackets unless that is just its coordinates.
func (p *Parser) Describe(a env.Action) string {
	text := p.game.ActionTexts[a]
	if short := p.Short(a); short != text && (len(p.Verbs) > 1 || p.Drops) {
		return fmt.Sprintf("%s [%s]", text, short)
	}
	return text
}

// Short returns a short form of a move that [Parser.Parse] reads, such as "3 3" or "b 3 3".
func (p *Parser) Short(a env.Action) string {
	m := p.moves[a]
	if len(m.coordinates) == 0 {
		return m.verb
	}
	var words []string
	if len(p.Verbs) > 1 {
		words = append(words, m.verb[:1])
	}
	for _, c := range m.coordinates {
		if !p.Drops || c.axis == 'c' {
			words = append(words, c.digits)
		}
	}
	return strings.Join(words, " ")
}

// Forms lists forms of a move that [Parser.Parse] reads: "(mark r3 c3), mark r3 c3 or 3 3". The first is
// the action's text, in GDL's parentheses.
func (p *Parser) Forms(a env.Action) string {
	text := p.game.ActionTexts[a]
	forms := []string{text}
	var digits []string
	for _, c := range p.moves[a].coordinates {
		digits = append(digits, c.digits)
	}
	if len(digits) > 0 {
		forms = append(forms, strings.Trim(text, "()"), p.Short(a))
	}
	if cells := p.game.Drawing.ActionCells[a]; p.numeric && cells.From != env.NoCell {
		forms = append(forms, strings.Join(digits[:2], "")+"-"+strings.Join(digits[2:], ""))
		forms = append(forms, p.chessCell(cells.From)+"-"+p.chessCell(cells.To))
	}
	return or(forms)
}

// chessCell names a cell as in chess, such as b3.
func (p *Parser) chessCell(cell int32) string {
	row, _ := p.labels(int(cell))
	return string(rune('a'+int(cell)%len(p.game.Drawing.Columns))) + row
}

// Verb is the first word of an action's text.
func (p *Parser) Verb(a env.Action) string { return p.moves[a].verb }

// Drops reports whether pieces fall, so a column alone names a move. It checks that the moves in the starting position place
// a piece on each cell of the lowest row.
func Drops(game *env.Game) bool {
	d, legal := &game.Drawing, game.NewState().Legal(nil)
	for i, a := range legal {
		if d.ActionCells[a] != env.Placed(i) {
			return false
		}
	}
	return !d.TopDown && len(legal) == len(d.Columns)
}

const (
	letters = "abcdefghijklmnopqrstuvwxyz"
	digits  = "0123456789"
)

// tokens splits a text into words and numbers in lower case: "(mark r3 c3)" into mark, r, 3, c, 3. All other characters
// separate words.
func tokens(text string) (list []string) {
	for text = strings.ToLower(text); text != ""; {
		rest := strings.TrimLeft(text, letters)
		if rest == text {
			rest = strings.TrimLeft(text, digits)
		}
		if rest == text {
			text = text[1:]
			continue
		}
		list = append(list, text[:len(text)-len(rest)])
		text = rest
	}
	return list
}

func isNumber(token string) bool { return token[0] >= '0' && token[0] <= '9' }
