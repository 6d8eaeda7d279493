package plan

import (
	"cmp"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/rundir"
)

// longTime is the time of a run, times its cores, from which on its default network is larger. Small networks learn
// faster at first, large ones get further.
const longTime = 2 * time.Hour // 12 to 30 minutes showed no gain, see docs/METHODS.md, Network

// networkSize returns the default channels and blocks of the network for a short or a long run.
func networkSize(game *env.Game, long bool) (channels, blocks int) {
	small := infer.DefaultConfig(game)
	if long {
		return 64, small.Blocks + 1
	}
	return small.Channels, small.Blocks
}

// NetworkSize returns the default channels and blocks of the network for a run of length l on the given threads.
func NetworkSize(game *env.Game, l Length, threads int) (channels, blocks int) {
	coreTime := cmp.Or(l.Time, DefaultTime)
	if !l.CPU {
		coreTime *= time.Duration(threads)
	}
	return networkSize(game, coreTime >= longTime)
}

// ChangedSettings lists the settings that differ from the defaults of "ludus train GAME", as [rundir.Settings.Changed]
// does. It leaves out the network's size if that is the default for some length.
func ChangedSettings(game *env.Game, settings *rundir.Settings) []string {
	plain := rundir.DefaultSettings(game)
	if channels, blocks := networkSize(game, true); settings.Channels == channels && settings.Blocks == blocks {
		plain.Channels, plain.Blocks = channels, blocks
	}
	return settings.Changed(plain)
}
