package terminal

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"ludus/cmd/ludus/internal/analysis"
)

// What a review describes.
const (
	shownMistakes = 8    // mistakes; it only names smaller ones
	shownLosses   = 3    // smaller losses of a game without mistakes
	leastShown    = 0.02 // loss of these: 1 % of expected score
)

// Review returns a review as text, wrapped to the terminal's width, or to 80 columns if that is unlimited: where the
// game was lost, what each side gave away, the curve of the expected score, and the mistakes with the better moves.
func (s *Style) Review(r *analysis.Review) string {
	style := Style{Width: func() int { return min(s.room(), 80) }}
	var b strings.Builder
	line := func(indent int, text string) {
		narrow := Style{Width: func() int { return style.room() - indent }}
		for part := range strings.Lines(narrow.Wrapped(text) + "\n") {
			b.WriteString(strings.Repeat(" ", indent) + part)
		}
	}
	if text := LostText(r); text != "" {
		line(0, text)
	}
	writeSides(&b, r)
	line(0, fmt.Sprintf("Expected score of %s at the start and after each move; # is proven, x marks a mistake, X a blunder:", r.Sides[0].Player))
	writeCurve(&b, r, style.room())
	described, others := largestLosses(r.Moves, shownMistakes, func(m *analysis.ReviewedMove) bool { return m.IsMistake() })
	if described == nil {
		line(0, "No move was a mistake, as far as the agent sees.")
		described, _ = largestLosses(r.Moves, shownLosses, func(m *analysis.ReviewedMove) bool { return m.Loss >= leastShown && m.Grade != analysis.Random })
	}
	for _, m := range described {
		line(0, fmt.Sprintf("move %d, %s: %s", m.Ply, m.Player, MistakeText(m)))
		line(2, "better: "+BetterText(m))
		if len(m.Reply) > 0 {
			line(2, "after "+m.Move+": "+lineText(m.Reply))
		}
	}
	if others != nil {
		line(0, "smaller mistakes: move "+strings.Join(others, "; "))
	}
	return b.String()
}

// largestLosses returns those of the wanted moves that lose most, in the order of the game, and the numbers and names
// of the others.
func largestLosses(moves []analysis.ReviewedMove, most int, wanted func(*analysis.ReviewedMove) bool) (list []*analysis.ReviewedMove, others []string) {
	var all []*analysis.ReviewedMove
	for i := range moves {
		if wanted(&moves[i]) {
			all = append(all, &moves[i])
		}
	}
	bySize := slices.Clone(all)
	slices.SortStableFunc(bySize, func(a, b *analysis.ReviewedMove) int { return cmp.Compare(b.Loss, a.Loss) })
	for _, m := range all {
		if slices.Index(bySize, m) < most {
			list = append(list, m)
		} else {
			others = append(others, fmt.Sprintf("%d, %s", m.Ply, m.Move))
		}
	}
	return list, others
}

// LostText says where a game was lost, as a sentence; "" if nobody has lost it, or if that is not known.
func LostText(r *analysis.Review) string {
	t := r.Lost
	if t == nil {
		return ""
	}
	winner := r.Sides[0].Player
	if winner == t.Player {
		winner = r.Sides[1].Player
	}
	text := t.Player + " was lost from the start"
	if t.Ply > 0 {
		text = fmt.Sprintf("%s lost the game with move %d, %s", t.Player, t.Ply, t.Move)
		if r.Moves[t.Ply-1].Grade == analysis.Random {
			text += " (an opening ply)"
		}
	}
	switch {
	case t.Exact() && t.Value == -1:
		return fmt.Sprintf("%s: from there %s wins with best play, proven.", text, winner)
	case t.Exact():
		return fmt.Sprintf("%s: from there %s scores %s with best play, proven.", text, t.Player, percent(t.Value, 0))
	}
	text += ", by the agent's estimate"
	if t.ProvenFrom != nil && *t.ProvenFrom < len(r.Moves) {
		text += fmt.Sprintf("; the loss is proven from move %d on", *t.ProvenFrom)
	}
	return text + "."
}

// MistakeText says what a move gives away.
func MistakeText(m *analysis.ReviewedMove) string {
	about, proven, grade := "about ", "", ""
	if m.Exact {
		about, proven = "", ", proven"
	}
	if m.Grade == analysis.Blunder {
		grade = ", a blunder"
	}
	return fmt.Sprintf("%s gives away %s%s (%s to %s%s)%s", m.Move, about, percent(m.Loss-1, 0), percent(m.Before, 0), percent(m.After, 0), proven, grade)
}

// BetterText names the better move, why it is better, and how it goes on.
func BetterText(m *analysis.ReviewedMove) string {
	text := m.Best
	if m.Reason != "" {
		text += ", which " + m.Reason
	}
	if len(m.Line) > 1 {
		text += "; then " + lineText(m.Line[1:])
	}
	return text
}

// lineText writes the first moves of a line.
func lineText(moves []string) string {
	const most = 7
	text := strings.Join(moves[:min(most, len(moves))], " ")
	if len(moves) > most {
		text += " ..."
	}
	return text
}

// writeSides writes what each side gave away, as a table.
func writeSides(b *strings.Builder, r *analysis.Review) {
	var names [2]string
	width := 0
	for p, side := range r.Sides {
		names[p] = side.Player
		if r.Players[p] != "" {
			names[p] += " (" + r.Players[p] + ")"
		}
		width = min(max(width, uniseg.StringWidth(names[p])), 30)
	}
	fmt.Fprintf(b, "%s  moves   best  mistakes  of these blunders  mean loss\n", pad("", width))
	for p, side := range r.Sides {
		share, loss := "-", "-"
		if side.Moves > 0 {
			share, loss = fmt.Sprintf("%d %%", (200*side.Best/side.Moves+1)/2), fmt.Sprintf("%.1f %%", 50*side.Loss)
		}
		fmt.Fprintf(b, "%s  %5d  %5s  %8d  %17d  %9s\n", pad(names[p], width), side.Moves, share, side.Mistakes, side.Blunders, loss)
	}
}

// curveRows is the number of rows of a curve: from 100 to 0 % in steps of 25.
const curveRows = 5

// writeCurve draws the expected score of the first player, a column per position, or per several if there are more than
// columns; a row below marks mistakes, another counts moves.
func writeCurve(b *strings.Builder, r *analysis.Review, columns int) {
	const frame = len("100 % |")
	each := 1 + (len(r.Positions)-1)/max(1, columns-frame) // positions of a column
	n := (len(r.Positions) + each - 1) / each
	rows := make([][]byte, curveRows+1)
	for i := range rows {
		rows[i] = bytes.Repeat([]byte{' '}, n)
	}
	for i, p := range r.Positions {
		column := i / each
		if i%each == each-1 || i == len(r.Positions)-1 {
			mark := byte('*')
			if p.Proven {
				mark = '#'
			}
			rows[int(math.Round((1-p.Value)/2*(curveRows-1)))][column] = mark
		}
		if i == 0 {
			continue
		}
		mark := &rows[curveRows][column]
		switch m := &r.Moves[i-1]; {
		case m.Grade == analysis.Blunder:
			*mark = 'X'
		case m.IsMistake() && *mark == ' ':
			*mark = 'x'
		}
	}
	for i, row := range rows[:curveRows] {
		fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("%3d %% |%s", 100-i*100/(curveRows-1), row), " "))
	}
	marks := strings.TrimRight(string(rows[curveRows]), " ")
	if marks != "" {
		fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", frame), marks)
	}
	scale := ""
	for i := 0; i < n-5; i += 10 {
		scale = pad(scale, i) + fmt.Sprint(i*each)
	}
	scale = pad(scale, n-1) + fmt.Sprint(len(r.Moves))
	fmt.Fprintf(b, "%*s%s\n", frame, "move ", scale)
}
