package report

import (
	"encoding/json"

	"ludus/train"
)

// settingsOf lists a run's settings beside the defaults for its game.
func settingsOf(config *train.Config, known []train.Setting) []Setting {
	text, err := json.Marshal(config.Settings)
	if err != nil {
		panic("report: settings that JSON cannot write: " + err.Error())
	}
	var values map[string]json.Number
	if err := json.Unmarshal(text, &values); err != nil {
		panic("report: settings that are not numbers: " + err.Error())
	}
	var list []Setting
	for _, s := range known {
		value := values[s.Key].String()
		list = append(list, Setting{Key: s.Key, Value: value, Default: s.Default, Doc: s.Doc, Changed: value != s.Default})
	}
	return list
}
