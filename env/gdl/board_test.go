package gdl

import (
	"fmt"
	"strings"
	"testing"
)

// TestHalfBoard finds the board of a game that uses the dark cells only.
func TestHalfBoard(t *testing.T) {
	var b strings.Builder
	for row := range 4 {
		for column := range 4 {
			if (row+column)%2 == 0 {
				fmt.Fprintf(&b, "(init (cell %c %d))", 'a'+column, row)
			}
		}
	}
	n, err := Read(t.Context(), b.String()+`
(role x) (role o) (<= (legal ?p (take ?c ?r)) (role ?p) (true (cell ?c ?r)))
(<= (next (cell ?c ?r)) (true (cell ?c ?r)))`)
	if err != nil {
		t.Fatal(err)
	}
	if board := findBoard(n.Program); board == nil || board.width() != 4 || board.height() != 4 {
		t.Errorf("board %v", board)
	}
}
