package plan

import "ludus/train/rundir"

// A run is measured measuresPerRun times: the newest checkpoint plays a fixed opponent. The setting rating_share is the share
// of the run's time for these matches, and finalPart of that time is for the last generation.
const (
	measuresPerRun = 10
	finalPart      = 0.4
)

// FinalShare is the share of the run's time for matches of the last generation, InterimShare for those of all earlier ones.
func FinalShare(s *rundir.Settings) float64   { return finalPart * s.RatingShare }
func InterimShare(s *rundir.Settings) float64 { return s.RatingShare - FinalShare(s) }

// MeasureDue reports whether a generation is measured: the last one, and earlier ones at equal intervals. The interval
// is a multiple of keep_every if possible, so that measured checkpoints are kept.
func MeasureDue(c *rundir.Config, generation int) bool {
	interval := (c.Plan.Generations + measuresPerRun - 1) / measuresPerRun
	if keep := c.Settings.KeepEvery; keep > 0 && interval > keep {
		interval -= interval % keep
	}
	return generation%interval == 0 || generation >= c.Plan.Last()
}
