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
	r.games++
	if err != nil {
		return nil, err
	}
	l := lineReader{newPosition(r.game), &Record{Game: r.game}, at}
	if fields := strings.Fields(line); r.game.Family == "line-up" && r.game.Drops() && isDigits(fields) {
		err = l.digits(fields)
	} else {
		err = l.moves(line)
	}
	if err != nil {
		return nil, errorAt(l.at, l.plies+1, err)
	}
	l.record.finish(l.state)
	return l.record, nil
}

// isDigits reports whether the words of a line are a digit string such as "4453 -2": columns from 1, and perhaps the
// score of the last position in a test set.
func isDigits(fields []string) bool {
	if len(fields) == 2 {
		_, err := strconv.Atoi(fields[1])
		return err == nil && isDigits(fields[:1])
	}
	return len(fields) == 1 && strings.Trim(fields[0], "123456789") == ""
}

// lineReader reads a line.
type lineReader struct {
	*position
	record *Record
	at     place // of the current word
}

// enter plays a move.
func (l *lineReader) enter(text string) (err error) {
	l.record.Moves, err = l.position.enter(l.record.Moves, &entry{Move: text})
	return err
}

// digits plays a digit string.
func (l *lineReader) digits(fields []string) error {
	if len(fields) == 2 {
		l.record.Comment = "score " + fields[1]
	}
	for i, digit := range fields[0] {
		l.at.column = i + 1
		column := int(digit - '1')
		if column >= l.game.Tensor.W {
			return fmt.Errorf("column %c is not on the board, which has %d", digit, l.game.Tensor.W)
		}
		err := l.enter(env.ColumnName(column))
		if err != nil {
			return err
		}
	}
	return nil
}

// word is a word of a line: its bytes, and the number of the part between commas or semicolons that it is in.
type word struct{ from, to, part int }

// words returns the words of a line, without the numbers of moves. A text in brackets is one word.
func words(line string) (list []word) {
	part := 0
	for i := 0; i < len(line); {
		n := strings.IndexAny(line[i:]+" ", " \t,;()")
		if line[i] == '(' {
			n = strings.IndexByte(line[i:], ')') + 1
		}
		text := line[i : i+n]
		if dotted := strings.TrimLeft(text, numerals); len(dotted) < len(text) && strings.HasPrefix(dotted, ".") {
			text = strings.TrimLeft(dotted, ".")
		}
		if text != "" {
			list = append(list, word{i + n - len(text), i + n, part})
		}
		i += n
		if n == 0 {
			if line[i] == ',' || line[i] == ';' {
				part++
			}
			i++
		}
	}
	return list
}

// moves plays a list of moves. Commas, semicolons or blanks separate them. A move may have several words.
func (l *lineReader) moves(line string) error {
	for list := words(line); len(list) > 0; {
		w := list[0]
		l.at.column = utf8.RuneCountInString(line[:w.from]) + 1
		text := line[w.from:w.to]
		if slices.Contains([]Result{FirstWon, SecondWon, Draw, noMoves}, Result(text)) {
			if text != noMoves {
				l.record.Result = Result(text)
			}
			list = list[1:]
			continue
		}
		n := l.phrase(line, list)
		err := l.enter(line[w.from:list[n-1].to])
		if cells := joinedCells(text); err != nil && len(cells) > 1 {
			err = l.cells(cells)
		}
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// cells plays cells that stand in one word.
func (l *lineReader) cells(cells []string) error {
	for _, cell := range cells {
		err := l.enter(cell)
		if err != nil {
			return err
		}
		l.at.column += len(cell)
	}
	return nil
}

// phrase returns the number of words of the next move: one if that is the exact name of a move, or else as many as
// possible.
func (l *lineReader) phrase(line string, list []word) int {
	text := line[list[0].from:list[0].to]
	a, err := l.game.ParseAction(text)
	if err == nil && slices.Contains(l.legal, a) || isPass(text) {
		return 1
	}
	for n := min(len(list), 8); n > 1; n-- {
		if list[n-1].part == list[0].part {
			_, err := l.parse(line[list[0].from:list[n-1].to])
			if err == nil {
				return n
			}
		}
	}
	return 1
}

// joinedCells returns the cells of a text such as F5D6C3, which is how Othello programs write games; nil for another text.
func joinedCells(text string) (cells []string) {
	for text != "" {
		n := len(text) - len(strings.TrimLeft(text[1:], numerals))
		if !isLetter(text[0]) || n == 1 || n > 3 {
			return nil
		}
		cells, text = append(cells, text[:n]), text[n:]
	}
	return cells
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
			r.games++
			return nil, err
		case err == nil && name != "game" && name != "goals":
			if !isMove {
				e.err = fmt.Errorf("a transcript has lines like \"game 1\" and \"%s 2 MOVE | MOVE;MOVE;\"", r.game.Players[0])
			}
			d.Moves = append(d.Moves, e)
		}
		next, _ := r.source.buffer.Peek(5) // an error comes back later
		if err != nil || name == "goals" || string(next) == "game " {
			r.games++
			return d.record(r.game)
		}
	}
}
