package sweep

import (
	"math"
	"slices"

	"ludus/train/stats"
)

// Report is the result of a sweep, over the seeds that all arms have finished.
type Report struct {
	Game  string      `json:"game"`
	Seeds int         `json:"seeds"`
	Arms  []ArmReport `json:"arms"` // the first is the baseline
	// CPUDifference is the highest mean CPU time of an arm divided by the lowest, minus 1. EqualCPU means that it is at
	// most MaxCPUDifference.
	CPUDifference float64 `json:"cpu_difference"`
	EqualCPU      bool    `json:"equal_cpu"`
}

// MaxCPUDifference is the relative difference in CPU time up to which arms count as equally expensive.
const MaxCPUDifference = 0.02

// ArmReport holds an arm's runs and the measures over them.
type ArmReport struct {
	Arm
	CPUSeconds float64 `json:"cpu_seconds"` // mean over the runs
	Results[Measure]
	Runs []Run `json:"runs"`
}

// Measure is a mean over an arm's runs with a 95 % interval by Student's t over seeds. With a single seed, or with seeds
// that agree exactly, the interval is that of the first run's own test.
type Measure struct {
	Mean stats.Estimate `json:"mean"`
	// Difference is the mean difference from the baseline's run of the same number; Change is Difference divided by the
	// baseline's mean. Both are nil for the baseline, with a single seed, and if all seeds have the same difference, which
	// has no interval. Change is also nil if the baseline's mean is 0.
	Difference *stats.Estimate `json:"difference,omitempty"`
	Change     *stats.Estimate `json:"change,omitempty"`
}

// report sums up the run numbers, of the first `seeds`, that all arms have finished.
func (f *file) report(seeds int) *Report {
	r := &Report{Game: f.Game, Arms: []ArmReport{}}
	var complete []uint64 // run numbers, from 0, that all arms have finished
	for n := range uint64(seeds) {
		unfinished := slices.ContainsFunc(f.Arms, func(a fileArm) bool { return !f.Tests.complete(a.run(a.FirstSeed + n)) })
		if !unfinished {
			complete = append(complete, n)
		}
	}
	r.Seeds = len(complete)
	if r.Seeds == 0 {
		return r
	}
	low, high := math.Inf(1), 0.0
	for i := range f.Arms {
		arm := ArmReport{Arm: f.Arms[i].Arm}
		for _, n := range complete {
			run := f.Arms[i].run(arm.FirstSeed + n)
			arm.Runs = append(arm.Runs, *run)
			arm.CPUSeconds += run.CPUSeconds / float64(r.Seeds)
		}
		baseline := arm.Runs
		if i > 0 {
			baseline = r.Arms[0].Runs
		}
		for k, m := range arm.Fields() {
			*m = measure(arm.Runs, baseline, i == 0, func(r *Run) *stats.Estimate { return *r.Fields()[k] })
		}
		low, high = min(low, arm.CPUSeconds), max(high, arm.CPUSeconds)
		r.Arms = append(r.Arms, arm)
	}
	if low > 0 {
		r.CPUDifference = high/low - 1
	}
	r.EqualCPU = low > 0 && r.CPUDifference <= MaxCPUDifference
	return r
}

// complete reports whether r is not nil and has the results of all tests.
func (t *tests) complete(r *Run) bool {
	return r != nil && (t.Suite == "" || r.Search != nil) && (t.KeptOut == 0 || r.SearchKeptOut != nil) && (t.Opponent == "" || r.Score != nil)
}

// rounding is the width below which an interval counts as zero: rounding errors give equal numbers a tiny width.
const rounding = 1e-9

// measure sums up one measure (of) over runs; nil if they do not have it. Each run is compared with the baseline's run of
// the same index.
func measure(runs, baseline []Run, isBaseline bool, of func(*Run) *stats.Estimate) *Measure {
	if of(&runs[0]) == nil {
		return nil
	}
	var values, differences []float64
	level := 0.0 // the baseline's mean of this measure
	for i := range runs {
		value, base := of(&runs[i]).Value, of(&baseline[i]).Value
		values, differences = append(values, value), append(differences, value-base)
		level += base / float64(len(runs))
	}
	m := &Measure{Mean: *of(&runs[0])}
	if mean, ok := stats.StudentMean(values); ok && mean.High-mean.Low > rounding {
		m.Mean = stats.Estimate{Value: mean.Value, Low: max(0, mean.Low), High: min(1, mean.High)}
	}
	difference, ok := stats.StudentMean(differences)
	if isBaseline || !ok || difference.High-difference.Low < rounding {
		return m
	}
	m.Difference = &difference
	if level > 0 {
		m.Change = new(difference.Scaled(1 / level))
	}
	return m
}
