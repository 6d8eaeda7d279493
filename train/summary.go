package train

import (
	"ludus/train/rundir"
)

// maxSummarized bounds the positions whose diversity a summary measures, the newest ones, and so its memory.
const maxSummarized = 1_000_000

// summary reads back the results of a finished run; already says that it was finished before.
func (r *run) summary(already bool) (*Summary, error) {
	s := &Summary{
		Dir: r.Dir, Config: *r.config, Already: already, Games: r.count.Games, Positions: r.count.Positions,
		Steps: r.count.Steps, Seconds: r.count.Seconds,
	}
	matches, _, err := rundir.MatchesFile.Read(r.Dir)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		if m.Final && m.Generation == r.count.Generation {
			s.Matches = append(s.Matches, m)
		}
	}
	if table, err := rundir.ReadRatings(r.Dir); err == nil {
		s.Rating = table.Find(r.count.Generation)
	}
	var d diversity
	for g := r.count.Generation; g > 0 && d.searched < maxSummarized; g-- {
		games, _, err := readGames(r.Game, r.Dir, g)
		if isLost(err) {
			r.note("%v; the summary leaves it out", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, game := range games {
			d.add(r.Game, game)
		}
	}
	s.Diversity = d.result()
	return s, nil
}
