package gdl

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"ludus/env/naming"
)

// Name returns the name of a sheet's game without a cap on plies: its stem and the first 8 hexadecimal digits of the text's
// SHA-256, as in gdl(tic-tac-toe-41d4b05b). A cap on plies follows in the name of the game, as in gdl(reversi-e9dfb92b-144).
func Name(stem, text string) string {
	stem = cmp.Or(naming.FileName(strings.ToLower(stem)), "sheet")
	return fmt.Sprintf("%s(%s-%s)", Family, stem, hashOf(text))
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:8] }

// withLimit adds a cap of plies to a game's name; uncapped adds nothing.
func withLimit(name string, limit int) string {
	if limit == uncapped {
		return name
	}
	return fmt.Sprintf("%s-%d)", strings.TrimSuffix(name, ")"), limit)
}

// parseName splits a game's name into stem and cap of plies. It reports false if it is not a name of this sheet's game.
func parseName(name, text string) (stem string, limit int, ok bool) {
	inner := strings.TrimSuffix(strings.TrimPrefix(name, Family+"("), ")")
	stem, end, _ := strings.Cut(inner, "-"+hashOf(text))
	if end != "" {
		var err error
		if limit, err = strconv.Atoi(strings.TrimPrefix(end, "-")); err != nil || limit <= 0 {
			return stem, 0, false
		}
	}
	return stem, limit, name == withLimit(Name(stem, text), limit)
}

// IsName reports whether a name is that of a game of the sheet.
func IsName(name, text string) bool {
	_, _, ok := parseName(name, text)
	return ok
}
