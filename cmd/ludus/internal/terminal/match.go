package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"ludus/env"
)

// match finds the legal move that a line means: a number counts from 1 in the list of legal moves; otherwise the line's
// numbers must be those of the move, in order, and its words, which may be cut short or left out, words of the move. If
// there is no such move or more than one, problem says so.
func match(game *env.Game, legal []env.Action, line string) (action env.Action, problem string) {
	words := tokens(line)
	if len(words) == 1 && isNumber(words[0]) {
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 || n > len(legal) {
			return 0, fmt.Sprintf("There are moves 1 to %d; \"moves\" lists them.", len(legal))
		}
		return legal[n-1], ""
	}
	var found []env.Action
	for _, a := range legal {
		if means(words, tokens(game.ActionTexts[a])) {
			found = append(found, a)
		}
	}
	switch len(found) {
	case 1:
		return found[0], ""
	case 0:
		for _, text := range game.ActionTexts {
			if means(words, tokens(text)) {
				return 0, fmt.Sprintf("%s is not legal now; \"moves\" lists what is.", text)
			}
		}
		return 0, fmt.Sprintf("%q is no move here; \"moves\" lists them, \"help\" says what else there is.", line)
	}
	texts := make([]string, 0, 4)
	for _, a := range found[:min(len(found), 4)] {
		texts = append(texts, game.ActionTexts[a])
	}
	return 0, fmt.Sprintf("%q may mean several moves: %s; say more.", line, strings.Join(texts, ", "))
}

// means reports whether the words of a line stand for a move's: every number of the move in its place, and in between
// any of the move's words in order, each as long as one likes.
func means(line, move []string) bool {
	if len(line) == 0 {
		return false
	}
	for _, m := range move {
		switch {
		case len(line) > 0 && isNumber(m) && line[0] == m:
			line = line[1:]
		case isNumber(m):
			return false
		case len(line) > 0 && !isNumber(line[0]) && strings.HasPrefix(m, line[0]):
			line = line[1:]
		}
	}
	return len(line) == 0
}

// tokens cuts a text into words and numbers: "(mark r3 c3)" into mark, r, 3, c, 3. All else separates.
func tokens(text string) (list []string) {
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
