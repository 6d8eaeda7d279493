package bench

import (
	"context"
	"fmt"
	"math/bits"
	"runtime"
	"time"

	"ludus/env"
	"ludus/model/infer/kernel"
	"ludus/train"
)

// ScalingReport holds speeds by number of cores. Its JSON form is the output of `ludus bench --cores N --json`.
type ScalingReport struct {
	Kernels string    `json:"kernels"` // instruction set of the network's kernels
	Cores   int       `json:"cores"`   // that this process may use at once
	Scaling []Scaling `json:"scaling"`
	Seconds float64   `json:"seconds"` // that the measurements took
}

// Scaling is the speed of a run without files on some number of cores. The speed-ups are over one core, of the rows that are
// measured or computed likewise.
type Scaling struct {
	Game      string  `json:"game"`
	Net       string  `json:"net"`
	Cores     int     `json:"cores"`
	Computed  bool    `json:"computed"`        // from the CPU times of tasks on one core
	Positions float64 `json:"positions_per_s"` // of self-play alone
	Samples   float64 `json:"samples_per_s"`   // of training alone
	Play      float64 `json:"play_speedup"`
	Learn     float64 `json:"learn_speedup"`
	Run       float64 `json:"run_speedup"` // of generations
}

// RunScaling measures and computes how runs of the games scale to the given number of cores. It fails only if ctx ends. The
// options must be valid.
func (o *Options) RunScaling(ctx context.Context, cores int) (*ScalingReport, error) {
	start, report := time.Now(), &ScalingReport{Kernels: kernel.InstructionSet(), Cores: runtime.GOMAXPROCS(0)}
	for i, game := range o.Games {
		rows, err := o.scaling(ctx, game, cores, func(item string) { o.Progress(Progress{"scaling", item, i, len(o.Games)}) })
		if err != nil {
			return nil, fmt.Errorf("measuring the scaling of %s: %w", game.Name, err)
		}
		report.Scaling = append(report.Scaling, rows...)
	}
	report.Seconds = time.Since(start).Seconds()
	return report, nil
}

// scaling returns the rows of one game: those that are measured, then those that are computed.
func (o *Options) scaling(ctx context.Context, game *env.Game, cores int, progress func(item string)) ([]Scaling, error) {
	measured := powersOfTwo(min(cores, runtime.GOMAXPROCS(0)))
	times, err := train.MeasureScaling(ctx, game, o.settings(game), measured, powersOfTwo(cores), func(cores int, computed bool) {
		how := "measured"
		if computed {
			how = "computed"
		}
		progress(fmt.Sprintf("%s, %d cores %s", game.Name, cores, how))
	})
	if err != nil {
		return nil, err
	}
	var rows []Scaling
	one := times[0]
	for _, t := range times {
		if t.Cores == 1 {
			one = t
		}
		rows = append(rows, Scaling{
			Game: game.Name, Net: o.net(game).String(), Cores: t.Cores, Computed: t.Computed,
			Positions: float64(t.Positions) / t.Play, Samples: float64(t.Samples) / t.Learn,
			Play: one.Play / t.Play, Learn: one.Learn / t.Learn, Run: one.Seconds / t.Seconds,
		})
	}
	return rows, nil
}

// OneCore returns the least speed of self-play or training on one core, measured over computed. Other programs slow down only
// what is measured.
func (r *ScalingReport) OneCore() float64 {
	least := 1.0
	for _, measured := range r.Scaling {
		for _, computed := range r.Scaling {
			if measured.Game == computed.Game && measured.Cores == 1 && computed.Cores == 1 && !measured.Computed && computed.Computed {
				least = min(least, measured.Positions/computed.Positions, measured.Samples/computed.Samples)
			}
		}
	}
	return least
}

// powersOfTwo lists the powers of two below n, and n.
func powersOfTwo(n int) []int {
	var all []int
	for i := range bits.Len(uint(n - 1)) {
		all = append(all, 1<<i)
	}
	return append(all, n)
}
