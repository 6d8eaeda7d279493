package gamefile

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ludus/env"
)

// noMoves stands for a game without moves; PGN has it for an unknown result.
const noMoves = "*"

// numerals are the digits of numbers.
const numerals = "0123456789"

// readMoves reads a game: a line with a digit string or with moves as people write them, or tags as in PGN, such as
// [Black "Ada"], and lines with moves up to the next tag.
func (r *Reader) readMoves() (*Record, error) {
	line, at, err := r.source.readLine()
	for err == nil && isComment(line) {
		line, at, err = r.source.readLine()
	}
	record, tagged := &Record{Game: r.game}, false
	for ; err == nil && tag.MatchString(line); line, at, err = r.source.readLine() {
		record.readTag(line)
		tagged = true
	}
	fields := strings.Fields(line)
	switch {
	case err != nil && !(tagged && errors.Is(err, io.EOF)):
		return nil, err
	case r.game.Family == "line-up" && r.game.Drops() && isDigits(r.game, fields):
		return r.readDigits(fields, at)
	}
	p, between := newPosition(r.game), asides{game: r.game, pgn: tagged}
	err = p.readLine(record, between.blank(line, at), at)
	for tagged && !r.beginsGame() {
		line, at, broken := r.source.readLine()
		if broken != nil { // it comes back
			break
		}
		if !between.open() && isComment(line) {
			continue
		}
		line = between.blank(line, at)
		if err == nil {
			err = p.readLine(record, line, at)
		}
	}
	if err == nil && between.open() {
		err = errorAt(between.begin, p.plies+1, errors.New("the comment or variation that begins here has no end"))
	}
	record.finish(p.state)
	return record, err
}

// tag matches the beginning of a line with a tag of PGN. Comments have other square brackets.
var tag = regexp.MustCompile(`^\[\w+ +"`)

// beginsGame reports whether the next line that is not blank has a tag.
func (r *Reader) beginsGame() bool {
	r.source.visiblePeek()         // skips white space
	start, _ := r.source.Peek(100) // an error comes back later
	return tag.Match(start)
}

// asides are skipped between moves: comments in braces, and in PGN also comments from ; to the end of a line, and
// variations in brackets, which may have more of both in them. In PGN they may take several lines.
type asides struct {
	game    *env.Game
	pgn     bool
	comment bool  // in braces
	depth   int   // of brackets
	begin   place // of the last one
}

// open reports whether one has begun and not ended.
func (a *asides) open() bool { return a.comment || a.depth > 0 }

// blank returns a line with blanks in place of asides.
func (a *asides) blank(line string, at place) string {
	text := []rune(line)
	for i, c := range text {
		if !a.open() {
			a.begin = place{at.line, i + 1}
		}
		switch {
		case a.comment:
			a.comment = c != '}'
		case c == '{':
			a.comment = true
		case !a.pgn:
			continue
		case c == ';':
			return string(text[:i])
		case c == '(' && (a.depth > 0 || !isMove(a.game, string(text[i:]))):
			a.depth++
		case a.depth == 0:
			continue
		case c == ')':
			a.depth--
		}
		text[i] = ' '
	}
	return string(text)
}

// isMove reports whether a bracket begins as the official text of a move, such as (drop 1 2), which may be misspelt.
func isMove(game *env.Game, bracket string) bool {
	verb := func(text string) string {
		text = strings.TrimLeft(text[1:], " ")
		return text[:strings.IndexAny(text+" ", " )")]
	}
	return slices.ContainsFunc(game.ActionTexts, func(text string) bool {
		return strings.HasPrefix(text, "(") && strings.EqualFold(verb(text), verb(bracket))
	})
}

// isComment reports whether a line is a comment.
func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#") }

// readTag reads a tag of PGN, such as [Black "Ada"]. Those of no use are ignored.
func (r *Record) readTag(line string) {
	name, value, _ := strings.Cut(strings.Trim(line, "[]"), " ")
	value = strings.Trim(value, `" `)
	black := env.Second
	if FirstIsBlack(r.Game) {
		black = env.First
	}
	switch name {
	case "Event":
		r.Event = value
	case "Date":
		r.Date = value
	case "Site":
		r.Place = value
	case "Black":
		r.Players[black] = value
	case "White":
		r.Players[black.Opponent()] = value
	case "Result":
		r.Result = resultOf(value)
	}
}

// resultOf returns the result that a text such as "1-0" or "34-30" means, the first player's score first; "" if it is
// none.
func resultOf(text string) Result {
	before, after, _ := strings.Cut(text, "-")
	first, err := strconv.ParseUint(before, 10, 32)
	second, err2 := strconv.ParseUint(after, 10, 32)
	switch {
	case Result(text) == Draw, err == nil && err2 == nil && first == second:
		return Draw
	case err != nil || err2 != nil:
		return ""
	case first > second:
		return FirstWon
	}
	return SecondWon
}

// readLine adds the moves of a line to a record. Errors are [*Error].
func (p *position) readLine(r *Record, line string, at place) (err error) {
	line = strings.ReplaceAll(line, "\t", " ")
	for rest := afterNumber(line); rest != ""; rest = afterNumber(rest) {
		text := rest[:p.phrase(rest)]
		switch result := resultOf(text); {
		case result != "":
			r.Result = result
		case text[0] == '(' && !isMove(p.game, text):
			err = fmt.Errorf("%s: only games with tags, as in PGN, have variations in brackets", env.Quote(text))
		case text != noMoves:
			r.Moves, err = p.enter(r.Moves, &entry{Move: text})
		}
		if err != nil {
			at.column = utf8.RuneCountInString(line[:len(line)-len(rest)]) + 1
			return errorAt(at, p.plies+1, err)
		}
		rest = rest[len(text):]
	}
	return nil
}

// isDigits reports whether the words of a line are a digit string such as "4453 -2": columns from 1, and after two or
// more perhaps the score of the last position in a test set, at most half the cells.
func isDigits(game *env.Game, fields []string) bool {
	if len(fields) == 2 {
		score, err := strconv.Atoi(fields[1])
		most := game.Tensor.W * game.Tensor.H / 2
		return err == nil && -most <= score && score <= most && len(fields[0]) > 1 && isDigits(game, fields[:1])
	}
	return len(fields) == 1 && strings.Trim(fields[0], "123456789") == ""
}

// readDigits reads a digit string.
func (r *Reader) readDigits(fields []string, at place) (*Record, error) {
	d := &draft{}
	if len(fields) == 2 {
		d.Comment = "score " + fields[1]
	}
	for i, digit := range fields[0] {
		e := entry{place: place{at.line, i + 1}, Move: env.ColumnName(int(digit - '1'))}
		if int(digit-'0') > r.game.Tensor.W {
			e.err = fmt.Errorf("column %c is not on the board, which has %d", digit, r.game.Tensor.W)
		}
		if strings.Count(fields[0][:i], string(digit)) == r.game.Tensor.H {
			e.err = fmt.Errorf("column %c is full", digit)
		}
		d.Moves = append(d.Moves, e)
	}
	return d.record(r.game)
}

// separators separate moves or judge them, as in "e4!?"; they cannot stand within one.
const separators = " \t,;)!?"

// afterNumber returns a text from its first word on, without numbers such as "12." and PGN's annotations, such as $1,
// before it.
func afterNumber(text string) string {
	text = strings.TrimLeft(text, separators)
	if strings.HasPrefix(text, "$") {
		return afterNumber(strings.TrimLeft(text[1:], numerals))
	}
	dotted := strings.TrimLeft(text, numerals)
	if len(dotted) < len(text) && strings.HasPrefix(dotted, ".") {
		return afterNumber(strings.TrimLeft(dotted, "."))
	}
	return text
}

// wordAt returns the end of the word that begins at a byte of a text; an official text in brackets is one word.
func wordAt(text string, from int) int {
	if close := strings.IndexByte(text[from:], ')'); text[from] == '(' && close > 0 {
		return from + close + 1
	}
	return from + 1 + strings.IndexAny(text[from+1:]+" ", separators+"(")
}

// phrase returns the length of the move or result that a text begins with: one word if that is a result or the exact
// name of a move, or else as many as name one, or the first of several cells without blanks between them, as Othello
// programs write "F5D6C3".
func (p *position) phrase(text string) int {
	first := wordAt(text, 0)
	isColumn := p.game.Drops() && first == 1 // not short for drop
	if _, exact := p.exact(text[:first]); exact || isColumn || isPass(text[:first]) || resultOf(text[:first]) != "" {
		return first
	}
	ends := []int{first}
	for end := first; len(ends) < 8; ends = append(ends, end) {
		next := len(text) - len(strings.TrimLeft(text[end:], " \t"))
		if next == len(text) || strings.IndexByte(",;()!?$", text[next]) >= 0 {
			break
		}
		end = wordAt(text, next)
	}
	for _, end := range slices.Backward(ends) {
		_, err := p.parse(text[:end])
		if err == nil {
			return end
		}
	}
	cell := len(text) - len(strings.TrimLeft(text[1:], numerals))
	if _, exact := p.exact(text[:cell]); cell < first && (exact || p.mustPass()) {
		return cell
	}
	return first
}

// writeMoves writes a game as its moves' names, with commas if one of them has a blank.
func writeMoves(r *Record) (string, error) {
	names, separator := r.Game.Names(r.Actions()), " "
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, " ") }) {
		separator = ", "
	}
	state, err := env.Replay(r.Game, r.Actions())
	if err == nil && !state.Done() && r.Result != "" {
		names = append(names, string(r.Result))
	}
	if len(names) == 0 {
		names = []string{noMoves}
	}
	return strings.Join(names, separator) + "\n", err
}

// readTranscript reads the moves of a game in a transcript. It does not compare legal moves; games.VerifyTranscript
// does.
func (r *Reader) readTranscript() (*Record, error) {
	d := &draft{}
	for begun := false; ; begun = true {
		line, at, err := r.source.readLine()
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		head, _, isMove := strings.Cut(rest, "|")
		_, move, _ := strings.Cut(strings.TrimSpace(head), " ")
		e := entry{place: at, by: name, Move: move}
		switch {
		case err != nil && !(begun && errors.Is(err, io.EOF)):
			return nil, err
		case err == nil && name != "game" && name != "goals":
			if !isMove {
				e.err = fmt.Errorf("a transcript has lines like \"game 1\" and \"%s 2 MOVE | MOVE;MOVE;\"", r.game.Players[0])
			}
			d.Moves = append(d.Moves, e)
		}
		next, _ := r.source.Peek(5) // an error comes back later
		if err != nil || name == "goals" || string(next) == "game " {
			return d.record(r.game)
		}
	}
}
