package plan

import (
	"cmp"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// networkSize is the size of a new run's network if the run's time, times its cores, is at least `from`.
type networkSize struct {
	from             time.Duration
	channels, blocks int
}

// networkSizes returns the default network sizes of a game, in ascending order of time. Small networks learn faster at
// first, large ones get further.
func networkSizes(game *env.Game) []networkSize {
	small := infer.DefaultConfig(game)
	return []networkSize{
		{0, small.Channels, small.Blocks},
		{2 * time.Hour, 64, small.Blocks + 1}, // 12 to 30 minutes showed no gain, see docs/METHODS.md, Network
	}
}

// NetworkSize returns the default channels and blocks of the network for a run of length l on the given threads.
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

// ChangedSettings lists the settings that differ from the defaults of "ludus train GAME", as [rundir.Settings.Changed]
// does. It leaves out the network's size if that is the default for some length.
func ChangedSettings(game *env.Game, settings *rundir.Settings) []string {
	plain := rundir.DefaultSettings(game)
	for _, size := range networkSizes(game) {
		if settings.Channels == size.channels && settings.Blocks == size.blocks {
			plain.Channels, plain.Blocks = size.channels, size.blocks
		}
	}
	return settings.Changed(plain)
}
