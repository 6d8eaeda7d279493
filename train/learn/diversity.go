package learn

import (
	"cmp"
	"fmt"

	"ludus/train/record"
	"ludus/train/rundir"
)

// Diversity measures how varied finished games are; all is zero without any.
func Diversity(games []*record.Record) (d rundir.Diversity) {
	if len(games) == 0 {
		return d
	}
	n := float64(len(games))
	different := map[string]bool{} // the games' moves
	for _, r := range games {
		different[fmt.Sprint(r.Moves())] = true
		d.MeanPlies += float64(r.Length()) / n
		d.FirstScore += float64(1+cmp.Compare(r.Goals[0], r.Goals[1])) / 2 / n // a draw is 1/2
	}
	d.Duplicates, d.Proven = 1-float64(len(different))/n, record.ProvenShare(games)
	return d
}
