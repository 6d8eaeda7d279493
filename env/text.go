package env

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrAction is wrapped by errors about the text of an action.
var ErrAction = errors.New("unknown move")

// ParseAction returns the action that has the given text in ActionTexts. It ignores brackets and repeated blanks.
// Errors wrap [ErrAction].
func (g *Game) ParseAction(text string) (Action, error) {
	clean := strings.Join(strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(text)), " ")
	if strings.Contains(clean, " ") {
		clean = "(" + clean + ")"
	}
	if a, ok := g.index[clean]; ok {
		return a, nil
	}
	example := slices.IndexFunc(g.ActionTexts, func(text string) bool { return text != "" })
	return 0, fmt.Errorf("%w %s of %s; a move reads like %s", ErrAction, Quote(text), g.Name, g.ActionTexts[example])
}

// Texts returns the texts of actions. The result is never nil.
func (g *Game) Texts(actions []Action) []string {
	texts := make([]string, len(actions))
	for i, a := range actions {
		texts[i] = g.ActionTexts[a]
	}
	return texts
}

// Quote quotes a text from outside for an error message and cuts it after 60 bytes.
func Quote(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}

// FileName turns a game's name into the name of a file or folder: it replaces every run of characters other than a-z
// and 0-9 by one dash.
func FileName(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
			dash = false
		} else if !dash {
			b.WriteByte('-')
			dash = true
		}
	}
	return b.String()
}

// Nearest returns the candidate of least edit distance to name, or "" if that distance is more than a third of name's
// length, rounded up.
func Nearest(name string, candidates []string) string {
	best, bestDistance := "", (len(name)+2)/3+1
	for _, c := range candidates {
		if max(len(name)-len(c), len(c)-len(name)) >= bestDistance {
			continue // candidates may be very long
		}
		if d := editDistance(name, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance is the least number of edits that turn a into b. An edit inserts, deletes or replaces a byte or swaps
// two neighbours, and no byte is edited twice: Damerau-Levenshtein distance, variant optimal string alignment.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1) // rows[i][j] is the distance of a[:i] and b[:j]
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := range len(a) {
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(rows[i][j+1]+1, rows[i+1][j]+1, rows[i][j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[i-1][j-1]+1)
			}
			rows[i+1][j+1] = d
		}
	}
	return rows[len(a)][len(b)]
}
