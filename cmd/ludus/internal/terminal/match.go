package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
)

// grammar reads moves as people write them: in full, or by their coordinates in many ways (see [grammar.match]).
type grammar struct {
	game      *env.Game
	rowsFirst bool     // texts name a cell's row before its column
	bare      bool     // labels are bare numbers, so that a cell may be written like b3, and as x and y
	steps     bool     // there are moves from cell to cell
	drops     bool     // a column is enough
	verbs     []string // of moves with coordinates
	spoken    []spoken // by action
}

// spoken is the text of an action taken apart.
type spoken struct {
	verb    string
	numbers []number
}

// number is a coordinate.
type number struct {
	digits string
	axis   byte // 'r', 'c' or 0 where that is not known
}

func newGrammar(game *env.Game) *grammar {
	d := &game.Drawing
	g := &grammar{game: game, bare: isNumber(d.Columns[0]), spoken: make([]spoken, game.NumActions())}
	for a, text := range game.ActionTexts {
		touch := d.ActionCells[a]
		g.steps = g.steps || touch.From != env.NoCell
		g.rowsFirst = g.rowsFirst || touch.To != env.NoCell && g.namesRowFirst(text, int(touch.To))
	}
	for a, text := range game.ActionTexts {
		s := &g.spoken[a]
		for i, word := range tokens(text) {
			switch {
			case i == 0:
				s.verb = word
			case isNumber(word):
				s.numbers = append(s.numbers, number{word, g.axis(len(s.numbers))})
			}
		}
		if len(s.numbers) > 0 && !slices.Contains(g.verbs, s.verb) {
			g.verbs = append(g.verbs, s.verb)
		}
	}
	g.drops = board.Drops(game)
	return g
}

// namesRowFirst reports whether a text names the row before the column; a cell of the diagonal does not tell.
func (g *grammar) namesRowFirst(text string, cell int) bool {
	row, column := g.coordinates(cell)
	words := slices.DeleteFunc(tokens(text), func(word string) bool { return !isNumber(word) })
	n := len(words)
	return row != column && n >= 2 && words[n-2] == row && words[n-1] == column
}

// coordinates are the numbers in the labels of a cell.
func (g *grammar) coordinates(cell int) (row, column string) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	d := &g.game.Drawing
	return strings.TrimLeft(d.Rows[cell/len(d.Columns)], letters), strings.TrimLeft(d.Columns[cell%len(d.Columns)], letters)
}

// axis is that of a text's number i.
func (g *grammar) axis(i int) byte {
	if (i%2 == 0) == g.rowsFirst {
		return 'r'
	}
	return 'c'
}

// brief is a short way to write a move.
func (g *grammar) brief(a env.Action) string {
	s := g.spoken[a]
	var words []string
	if len(g.verbs) > 1 && len(s.numbers) > 0 {
		words = append(words, s.verb[:1])
	}
	for _, n := range s.numbers {
		if !g.drops || n.axis == 'c' {
			words = append(words, n.digits)
		}
	}
	if len(s.numbers) == 0 {
		return s.verb
	}
	return strings.Join(words, " ")
}

// match finds the legal move that a line means. Its words may be left out or cut short. Its coordinates are those of the
// move, in their order, with or without anything between them ("3 2 4 3", "32-43"), or in any order where it says which
// is which ("c3 r2", "x3 y2"). Where labels are bare numbers, a move from cell to cell may be written "c2-c3". One cell
// is enough where only one legal move touches it, and a column is where pieces fall. If there is no such move or more
// than one, problem says so and names the nearest that are legal.
func (g *grammar) match(state env.State, legal []env.Action, line string) (action env.Action, problem string) {
	var unclear []env.Action
	readings := g.readings(line)
	for _, fits := range []func(wish, env.Action) bool{g.means, g.touches} {
		for _, w := range readings {
			var found []env.Action
			for _, a := range legal {
				if fits(w, a) {
					found = append(found, a)
				}
			}
			if len(found) == 1 {
				return found[0], ""
			}
			if len(found) > 1 && unclear == nil {
				unclear = found
			}
		}
		if unclear != nil {
			return 0, fmt.Sprintf("%s may mean %s; say more.", env.Quote(line), g.list(unclear, 4))
		}
		for _, w := range readings {
			for a := range g.spoken {
				if fits(w, env.Action(a)) {
					return 0, g.refuse(state, legal, env.Action(a), w)
				}
			}
		}
	}
	return 0, g.wonder(legal, line)
}

// wish is a line taken apart.
type wish struct {
	verbs   []string
	numbers []number
}

// fillers are words that say nothing.
var fillers = []string{"to", "from", "at", "on", "in", "play", "takes", "x", "and"}

// readings takes a line apart in the ways in which it may be meant.
func (g *grammar) readings(line string) (all []wish) {
	words := tokens(line)
	if len(words) == 0 {
		return nil
	}
	all = append(all, g.read(words, false))
	if g.bare && g.steps {
		all = append(all, g.read(words, true))
	}
	return all
}

// read takes words apart; with letters, a letter before a number is a column.
func (g *grammar) read(words []string, letters bool) (w wish) {
	axis := byte(0)
	for i, word := range words {
		beforeNumber := i+1 < len(words) && isNumber(words[i+1])
		switch {
		case isNumber(word):
			w.numbers = append(w.numbers, number{word, axis})
			axis = 0
		case letters && beforeNumber && g.column(word) != "":
			w.numbers = append(w.numbers, number{g.column(word), 'c'})
			axis = 'r'
		case beforeNumber && g.axisNamed(word) != 0:
			axis = g.axisNamed(word)
		case !slices.Contains(fillers, word):
			w.verbs = append(w.verbs, word)
		}
	}
	for i := 0; i+1 < len(w.numbers); i++ {
		if a, b := w.numbers[i], w.numbers[i+1]; i%2 == 0 && a.axis == g.axis(1) && b.axis == g.axis(0) {
			w.numbers[i], w.numbers[i+1] = b, a
		}
	}
	return w
}

// column is the number of the column that a letter stands for, a being the first, also after an x for "takes"; or "".
func (g *grammar) column(word string) string {
	if len(word) == 2 {
		word = strings.TrimPrefix(word, "x")
	}
	if i := int(word[0] - 'a'); len(word) == 1 && i >= 0 && i < len(g.game.Drawing.Columns) {
		_, column := g.coordinates(i)
		return column
	}
	return ""
}

// axisNamed is the axis that a word before a number names, or 0.
func (g *grammar) axisNamed(word string) byte {
	switch word {
	case "r", "row":
		return 'r'
	case "c", "col", "column":
		return 'c'
	case "y":
		if g.bare {
			return 'r'
		}
	case "x":
		if g.bare {
			return 'c'
		}
	}
	return 0
}

// means reports whether a wish is an action, whole.
func (g *grammar) means(w wish, a env.Action) bool {
	s := g.spoken[a]
	if len(w.numbers) == 0 && len(s.numbers) == 0 {
		return s.verb != "" && len(w.verbs) == 1 && (strings.HasPrefix(s.verb, w.verbs[0]) || w.verbs[0] == "pass")
	}
	return len(s.numbers) > 0 && g.says(w, s) && covers(w.numbers, s.numbers)
}

// touches reports whether a wish names one cell of a step, or one coordinate of a piece to place.
func (g *grammar) touches(w wish, a env.Action) bool {
	s := g.spoken[a]
	switch {
	case len(w.numbers) == 0 || !g.says(w, s):
		return false
	case len(s.numbers) == 4:
		return covers(w.numbers, s.numbers[:2]) || covers(w.numbers, s.numbers[2:])
	case len(s.numbers) == 2 && len(w.numbers) == 1 && (w.numbers[0].axis != 0 || g.drops):
		column := w.numbers[0]
		if column.axis == 0 {
			column.axis = 'c'
		}
		return slices.Contains(s.numbers, column)
	}
	return false
}

// says reports whether the words of a wish are the beginning of an action's verb, or none.
func (g *grammar) says(w wish, s spoken) bool {
	return len(w.verbs) == 0 || len(w.verbs) == 1 && strings.HasPrefix(s.verb, w.verbs[0])
}

// covers reports whether the numbers of a line are those of a move, some of them perhaps run together.
func covers(line, move []number) bool {
	for _, n := range line {
		digits, first := n.digits, true
		for digits != "" {
			if len(move) == 0 || n.axis != 0 && (!first || n.axis != move[0].axis) {
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

// refuse says why an action is not legal, as far as the board shows it.
func (g *grammar) refuse(state env.State, legal []env.Action, a env.Action, w wish) string {
	d, pieces, touch := &g.game.Drawing, state.Pieces(nil), g.game.Drawing.ActionCells[a]
	mover := state.Player()
	why := "is not legal now"
	if from := touch.From; from != env.NoCell {
		switch piece := pieces[from]; {
		case piece == 0:
			why = fmt.Sprintf("is not legal: no piece stands on %s", g.cell(from))
		case d.Pieces[piece-1].Player != mover:
			why = fmt.Sprintf("is not legal: the piece on %s is %s", g.cell(from), d.Pieces[piece-1].Name)
		case pieces[touch.To] > 0 && d.Pieces[pieces[touch.To]-1].Player == mover:
			why = fmt.Sprintf("is not legal: %s stands on %s, too", d.Pieces[piece-1].Name, g.cell(touch.To))
		}
	} else if to := touch.To; to != env.NoCell && pieces[to] > 0 {
		why = fmt.Sprintf("is not legal: %s is on %s", d.Pieces[pieces[to]-1].Name, g.cell(to))
	}
	name := g.game.ActionTexts[a]
	if len(w.numbers) == 0 {
		return fmt.Sprintf("%s %s; a move reads like %s, and help says what else there is.", name, why, g.one(legal[0]))
	}
	if len(w.numbers) < len(g.spoken[a].numbers) && !g.means(w, a) { // it names but a part
		name, why = w.text(), "is no legal move now"
	}
	return fmt.Sprintf("%s %s. %s", name, why, g.near(legal, g.spoken[a].numbers))
}

// text is a wish in few words.
func (w *wish) text() string {
	words := slices.Clone(w.verbs)
	for _, n := range w.numbers {
		words = append(words, n.digits)
	}
	return strings.Join(words, " ")
}

// cell names a cell as the action texts do.
func (g *grammar) cell(cell int32) string {
	d := &g.game.Drawing
	row, column := d.Rows[int(cell)/len(d.Columns)], d.Columns[int(cell)%len(d.Columns)]
	if g.rowsFirst {
		return row + " " + column
	}
	return column + " " + row
}

// wonder answers a line that is no move of the game.
func (g *grammar) wonder(legal []env.Action, line string) string {
	quoted, words := env.Quote(line), tokens(line)
	if slices.ContainsFunc(words, isNumber) {
		all := g.readings(line)
		return fmt.Sprintf("%s is no move here. %s", quoted, g.near(legal, g.apart(all[len(all)-1].numbers)))
	}
	if len(words) > 0 {
		begins := func(a env.Action) bool {
			return len(g.spoken[a].numbers) > 0 && strings.HasPrefix(g.spoken[a].verb, words[0])
		}
		if i := slices.IndexFunc(legal, begins); i >= 0 {
			return fmt.Sprintf("%s needs more; a move reads like %s.", quoted, g.one(legal[i]))
		}
	}
	if len(words) == 1 {
		near := env.Nearest(words[0], slices.Concat(commands, g.verbs))
		if near != "" && !slices.Contains(g.verbs, near) {
			return fmt.Sprintf("%s is no move and no command; did you mean %s?", quoted, near)
		}
	}
	return fmt.Sprintf("%s is no move here; a move reads like %s, and help says what else there is.", quoted, g.one(legal[0]))
}

// apart takes numbers apart that were run together, where labels have one digit.
func (g *grammar) apart(numbers []number) (all []number) {
	for _, n := range numbers {
		if len(g.game.Drawing.Rows) > 9 || len(g.game.Drawing.Columns) > 9 {
			all = append(all, n)
			continue
		}
		for _, digit := range n.digits {
			all = append(all, number{digits: string(digit)})
		}
	}
	return all
}

// near names the legal moves whose coordinates are nearest.
func (g *grammar) near(legal []env.Action, numbers []number) string {
	near := slices.Clone(legal)
	slices.SortStableFunc(near, func(a, b env.Action) int {
		return cmp.Compare(distance(numbers, g.spoken[a].numbers), distance(numbers, g.spoken[b].numbers))
	})
	const some = 3
	if len(near) <= some {
		return "Legal: " + g.list(near, some) + "."
	}
	return "Near it: " + g.list(near[:some], some) + "."
}

// distance counts the coordinates that differ, and then by how much.
func distance(a, b []number) int {
	sum := 0
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) {
			sum += 1000
			continue
		}
		if step := abs(value(a[i].digits) - value(b[i].digits)); step > 0 {
			sum += 100 + min(step, 99)
		}
	}
	return sum
}

// value is the number that digits write, or a large one.
func value(digits string) (n int) {
	for i := 0; i < len(digits) && i < 6; i++ {
		n = 10*n + int(digits[i]-'0')
	}
	return n
}

func abs(x int) int { return max(x, -x) }

// list names moves, at most so many of them.
func (g *grammar) list(actions []env.Action, most int) string {
	var texts []string
	for _, a := range actions[:min(len(actions), most)] {
		texts = append(texts, g.one(a))
	}
	if more := len(actions) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(texts, ", "), more)
	}
	if n := len(texts); n > 1 {
		return strings.Join(texts[:n-1], ", ") + " or " + texts[n-1]
	}
	return texts[0]
}

// one names a move in full and, where its numbers alone are too little or too much, as one may type it.
func (g *grammar) one(a env.Action) string {
	text := g.game.ActionTexts[a]
	if brief := g.brief(a); brief != text && (len(g.verbs) > 1 || g.drops) {
		return fmt.Sprintf("%s [%s]", text, brief)
	}
	return text
}

// tokens cuts a text into words and numbers, in lower case: "(mark r3 c3)" into mark, r, 3, c, 3. All else separates.
func tokens(text string) (list []string) {
	text = strings.ToLower(text)
	kind := func(r byte) int {
		switch {
		case r >= '0' && r <= '9':
			return 1
		case r >= 'a' && r <= 'z':
			return 2
		}
		return 0
	}
	for i := 0; i < len(text); {
		j := i + 1
		for j < len(text) && kind(text[j]) == kind(text[i]) {
			j++
		}
		if kind(text[i]) > 0 {
			list = append(list, text[i:j])
		}
		i = j
	}
	return list
}

func isNumber(token string) bool { return token[0] >= '0' && token[0] <= '9' }
