package naming

import (
	"strings"
	"unicode"
)

// FileName turns a game's name into the name of a file or folder: it replaces every run of characters other than a-z
// and 0-9 by one dash, and leaves out dashes at the ends.
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
	return strings.Trim(b.String(), "-")
}

// ShellWord returns a text, such as a game's name, as one word of a command line: in quotes if a shell might take it apart
// or change it.
func ShellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:,=@%+", r)
	}
	if text != "" && text[0] != '=' && strings.TrimLeftFunc(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
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
