package report

import (
	"ludus/env"
	"ludus/train/rundir"
)

// settingsOf lists a run's settings beside the defaults of its game.
func settingsOf(game *env.Game, config *rundir.Config) []Setting {
	defaults := rundir.DefaultSettings(game)
	var list []Setting
	for _, s := range rundir.AllSettings() {
		value, byDefault := s.Text(&config.Settings), s.Text(&defaults)
		list = append(list, Setting{Key: s.Key, Value: value, Default: byDefault, Doc: s.Help(), Changed: value != byDefault})
	}
	return list
}
