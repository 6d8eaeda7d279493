package learn

import (
	"encoding/binary"
	"hash/fnv"

	"ludus/train/record"
	"ludus/train/rundir"
)

// Diversity measures how varied finished games are; all is zero without any. It compares games by 64-bit hashes.
func Diversity(games []*record.Record) (d rundir.Diversity) {
	if len(games) == 0 {
		return d
	}
	n := float64(len(games))
	different := map[uint64]bool{} // hashes of the games' moves
	for _, r := range games {
		hash := fnv.New64a()
		for _, a := range r.Moves() {
			hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(a)))
		}
		different[hash.Sum64()] = true
		d.MeanPlies += float64(r.Length()) / n
		d.FirstScore += firstScore(r.Goals) / n
	}
	d.Duplicates, d.Proven = 1-float64(len(different))/n, record.ProvenShare(games)
	return d
}

// firstScore is First's score: 1 if its goal is higher than Second's, 1/2 if they are equal.
func firstScore(goals [2]int) float64 {
	switch {
	case goals[0] > goals[1]:
		return 1
	case goals[0] < goals[1]:
		return 0
	}
	return 0.5
}
