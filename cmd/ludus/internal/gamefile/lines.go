package gamefile

import (
	"errors"
	"fmt"
	"io"
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

// readMoves reads a game of a line: a digit string, or moves as people write them.
func (r *Reader) readMoves() (*Record, error) {
	line, at, err := r.source.readLine()
	for err == nil && strings.HasPrefix(strings.TrimSpace(line), "#") { // a comment
		line, at, err = r.source.readLine()
	}
	line = strings.ReplaceAll(line, "\t", " ")
	fields := strings.Fields(line)
	switch {
	case err != nil:
		return nil, err
	case r.game.Family == "line-up" && r.game.Drops() && isDigits(r.game, fields):
		return r.readDigits(fields, at)
	}
	p, record := newPosition(r.game), &Record{Game: r.game}
	for rest := afterNumber(line); rest != ""; rest = afterNumber(rest) {
		text := rest[:p.phrase(rest)]
		switch result := Result(text); result {
		case FirstWon, SecondWon, Draw:
			record.Result = result
		case noMoves:
		default:
			record.Moves, err = p.enter(record.Moves, &entry{Move: text})
		}
		if err != nil {
			at.column = utf8.RuneCountInString(line[:len(line)-len(rest)]) + 1
			return nil, errorAt(at, p.plies+1, err)
		}
		rest = rest[len(text):]
	}
	record.finish(p.state)
	return record, nil
}

// isDigits reports whether the words of a line are a digit string such as "4453 -2": columns from 1, and after two or more
// perhaps the score of the last position in a test set, at most half the cells.
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

// separators separate moves; commas and semicolons cannot stand within one.
const separators = " \t,;)"

// afterNumber returns a text from its first word on, without a number such as "12." before it.
func afterNumber(text string) string {
	text = strings.TrimLeft(text, separators)
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

// phrase returns the length of the move that a text begins with: one word if that is the exact name of a move, or else as
// many as name one, or the first of several cells without blanks between them, as Othello programs write "F5D6C3".
func (p *position) phrase(text string) int {
	first := wordAt(text, 0)
	if _, exact := p.exact(text[:first]); exact || isPass(text[:first]) {
		return first
	}
	ends := []int{first}
	for end := first; len(ends) < 8; ends = append(ends, end) {
		next := len(text) - len(strings.TrimLeft(text[end:], " \t"))
		if next == len(text) || strings.IndexByte(",;)", text[next]) >= 0 {
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

// readTranscript reads the moves of a game in a transcript. It does not compare legal moves; games.VerifyTranscript does.
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
