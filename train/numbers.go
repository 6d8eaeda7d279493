package train

import (
	"maps"
	"slices"
)

// numbers records, by playing process, which of its numbered games were received. Games mostly arrive in order; gaps are
// remembered, because their games may follow later.
type numbers map[string]span

// span is a process's received games: all numbers below Next except the Missing ones.
type span struct {
	Next    int      `json:"next"`
	Missing [][2]int `json:"missing,omitempty"` // ranges [from, to), ascending
}

// maxMissing is the number of gaps that are remembered per process. Games of a forgotten gap count as duplicates.
const maxMissing = 64

// add records the games first to first+games-1 of a process as received. If one of them was received before, it returns
// false and records nothing.
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
	// i is the gap that all these games lie in; without one, some of them were received before.
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

// newest returns the newest maxMissing gaps.
func newest(gaps [][2]int) [][2]int { return gaps[max(0, len(gaps)-maxMissing):] }

// clone returns an independent copy.
func (n numbers) clone() numbers {
	if n == nil {
		return numbers{}
	}
	return maps.Clone(n) // shallow: add never changes a slice in place
}
