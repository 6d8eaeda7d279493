package gamefile

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ludus/env"
)

var (
	digitString = regexp.MustCompile(`^\s*([1-9]+)(\s+-?\d+)?$`) // columns, and the score of a test set
	word        = regexp.MustCompile(`\([^()]*\)|[^\s()]+`)      // or an official text in brackets
	moveNumber  = regexp.MustCompile(`^\d+\.+`)
	joinedCells = regexp.MustCompile(`^([a-zA-Z]\d{1,2}){2,}$`) // Othello's F5D6C3
	joinedCell  = regexp.MustCompile(`[a-zA-Z]\d+`)
)

// hasDigits reports whether games may be written as digit strings.
func hasDigits(game *env.Game) bool {
	return game.Family == "line-up" && game.Drops() && game.Tensor.W <= 9
}

// readMoves reads a game of a line: a digit string, or moves as people write them.
func (r *Reader) readMoves() (*Record, error) {
	for {
		line, err := r.source.readLine()
		if err != nil {
			r.games++
			return nil, err
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") { // a comment
			continue
		}
		r.games++
		l := lineReader{position: newPosition(r.game), record: &Record{Game: r.game}, at: place{r.source.place().line, 1}}
		if digits := digitString.FindStringSubmatch(line); digits != nil && hasDigits(r.game) {
			err = l.digits(strings.TrimSpace(line))
		} else {
			err = l.moves(line)
		}
		if err != nil {
			return nil, errorAt(l.at, len(l.record.Moves)+1, err)
		}
		l.record.finish(l.position)
		return l.record, nil
	}
}

// noMoves stands for a game without moves; PGN has it for an unknown result.
const noMoves = "*"

// lineReader reads a line.
type lineReader struct {
	*position
	record *Record
	at     place // of the current word
}

// digits plays a digit string such as "4453 -2": columns from 1, and perhaps the score of the last position in a test
// set.
func (l *lineReader) digits(line string) (err error) {
	columns, score, _ := strings.Cut(line, " ")
	if score != "" {
		l.record.Comment = "score " + strings.TrimSpace(score)
	}
	for i := range len(columns) {
		l.at.column = i + 1
		column := int(columns[i] - '1')
		if column >= l.game.Tensor.W {
			return fmt.Errorf("column %c is not on the board, which has %d", columns[i], l.game.Tensor.W)
		}
		l.record.Moves, err = l.add(l.record.Moves, env.ColumnName(column))
		if err != nil {
			return err
		}
	}
	return nil
}

// moves plays a list of moves. Commas, semicolons or blanks separate them. A move may have several words.
func (l *lineReader) moves(line string) error {
	for offset, piece := range pieces(line) {
		words := word.FindAllStringIndex(piece, -1)
		for len(words) > 0 {
			from := words[0][0]
			l.at.column = utf8.RuneCountInString(line[:offset+from]) + 1
			text := piece[from:words[0][1]]
			if number := moveNumber.FindString(text); number != "" {
				text = text[len(number):]
				from += len(number)
				if text == "" {
					words = words[1:]
					continue
				}
			}
			n, err := l.move(piece, from, words, text)
			if err != nil {
				return err
			}
			words = words[n:]
		}
	}
	return nil
}

// pieces yields the parts of a line between commas and semicolons, with their offsets.
func pieces(line string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for offset := 0; ; {
			n := strings.IndexAny(line[offset:], ",;")
			if n < 0 {
				yield(offset, line[offset:])
				return
			}
			if !yield(offset, line[offset:offset+n]) {
				return
			}
			offset += n + 1
		}
	}
}

// move plays the move whose first word is text, or a result, and returns its number of words. It tries the first word
// as the exact name of a move, then as many words as possible.
func (l *lineReader) move(piece string, from int, words [][]int, text string) (n int, err error) {
	if text == noMoves {
		return 1, nil
	}
	if slices.Contains([]Result{FirstWon, SecondWon, Draw}, Result(text)) {
		l.record.Result = Result(text)
		return 1, nil
	}
	a, err := l.game.ParseAction(text)
	if err == nil && slices.Contains(l.legal, a) || isPass(text) || len(words) == 1 {
		return 1, l.word(text)
	}
	for n := min(len(words), 8); n > 1 && !l.state.Done(); n-- {
		if _, err := l.parse(piece[from:words[n-1][1]]); err == nil {
			return n, l.word(piece[from:words[n-1][1]])
		}
	}
	return 1, l.word(text)
}

// word plays a move, or several cells without blanks between them.
func (l *lineReader) word(text string) (err error) {
	l.record.Moves, err = l.addLoosely(l.record.Moves, text)
	if err == nil || !joinedCells.MatchString(text) {
		return err
	}
	column := l.at.column
	for _, at := range joinedCell.FindAllStringIndex(text, -1) {
		l.at.column = column + at[0]
		l.record.Moves, err = l.addLoosely(l.record.Moves, text[at[0]:at[1]])
		if err != nil {
			return err
		}
	}
	return nil
}

// writeMoves writes a game as its moves' names, with commas if one of them has a blank.
func writeMoves(w *writer, r *Record) error {
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
	w.print(strings.Join(names, separator) + "\n")
	return err
}

// writeDigits writes a game as the digits of its moves' columns.
func writeDigits(w *writer, r *Record) error {
	if !hasDigits(r.Game) {
		return fmt.Errorf("digit strings are for Connect Four on boards of at most 9 columns, not for %s", r.Game.Name)
	}
	for _, a := range r.Actions() {
		w.print(strconv.Itoa(int(r.Game.Drawing.ActionCells[a].To)%r.Game.Tensor.W + 1))
	}
	if score, ok := strings.CutPrefix(r.Comment, "score "); len(r.Moves) == 0 {
		w.print(noMoves)
	} else if ok {
		w.print(" " + score)
	}
	w.print("\n")
	return nil
}
