package plan

import (
	"cmp"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// networkSize is the network of new runs that all cores together have at least the given time for.
type networkSize struct {
	from             time.Duration
	channels, blocks int
}

// networkSizes returns the networks of new runs, in ascending order of time. Small networks learn faster at first, large
// ones get further.
func networkSizes(game *env.Game) []networkSize {
	small := infer.DefaultConfig(game)
	return []networkSize{
		{0, small.Channels, small.Blocks},
		{2 * time.Hour, 64, small.Blocks + 1}, // in 12 to 30 minutes no gain was shown, see docs/METHODS.md, Network
	}
}

// NetworkSize returns the channels and blocks of the network for a new run of a time on so many threads.
func NetworkSize(game *env.Game, l Length, threads int) (channels, blocks int) {
	coreTime := cmp.Or(l.Time, DefaultTime)
	if !l.CPU {
		coreTime *= time.Duration(threads)
	}
	for _, size := range networkSizes(game) {
		if coreTime >= size.from {
			channels, blocks = size.channels, size.blocks
		}
	}
	return channels, blocks
}

// ChangedSettings lists the settings that differ from those of a plain "ludus train GAME", as [rundir.Settings.Changed]
// does, without the size of the network if some length of a plain run has it.
func ChangedSettings(game *env.Game, settings *rundir.Settings) []string {
	plain := rundir.DefaultSettings(game)
	for _, size := range networkSizes(game) {
		if settings.Channels == size.channels && settings.Blocks == size.blocks {
			plain.Channels, plain.Blocks = size.channels, size.blocks
		}
	}
	return settings.Changed(plain)
}
