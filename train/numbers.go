package train

import (
	"maps"
	"slices"
)

// numbers remembers which numbered games of each playing process were received. They mostly arrive in order; a gap is
// remembered, because its games may follow later.
type numbers map[string]span

// span is the games below Next without the Missing ones.
type span struct {
	Next    int      `json:"next"`
	Missing [][2]int `json:"missing,omitempty"` // ranges [from, to), ascending
}

// maxMissing is how many gaps of a process are remembered. Games of the oldest gap are then taken for duplicates.
const maxMissing = 64

// add marks the games first to first+games-1 of a process as received. It returns false and changes nothing if one of them
// was received before.
func (n numbers) add(process string, first, games int) bool {
	s, end := n[process], first+games
	if first >= s.Next {
		if first > s.Next {
			s.Missing = newest(append(slices.Clone(s.Missing), [2]int{s.Next, first}))
		}
		s.Next = end
		n[process] = s
		return true
	}
	i := slices.IndexFunc(s.Missing, func(gap [2]int) bool { return gap[0] <= first && end <= gap[1] })
	if i < 0 {
		return false
	}
	gap := s.Missing[i]
	rest := [][2]int{{gap[0], first}, {end, gap[1]}}
	rest = slices.DeleteFunc(rest, func(g [2]int) bool { return g[0] == g[1] })
	s.Missing = newest(slices.Concat(s.Missing[:i], rest, s.Missing[i+1:]))
	n[process] = s
	return true
}

// newest returns the newest gaps that are remembered.
func newest(gaps [][2]int) [][2]int { return gaps[max(0, len(gaps)-maxMissing):] }

// missing returns the number of a process's games that were not received although later ones were.
func (s span) missing() (n int) {
	for _, gap := range s.Missing {
		n += gap[1] - gap[0]
	}
	return n
}

// clone returns an independent copy.
func (n numbers) clone() numbers {
	if n == nil {
		return numbers{}
	}
	return maps.Clone(n) // add never changes a slice in place
}
