package report

import (
	"ludus/env"
	"ludus/train"
)

// settingsOf lists a run's settings beside the defaults of its game.
func settingsOf(game *env.Game, config *train.Config) []Setting {
	defaults := train.DefaultSettings(game)
	var list []Setting
	for _, s := range train.AllSettings() {
		value, byDefault := s.Text(&config.Settings), s.Text(&defaults)
		list = append(list, Setting{Key: s.Key, Value: value, Default: byDefault, Doc: s.Help(), Changed: value != byDefault})
	}
	return list
}
