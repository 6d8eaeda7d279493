package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/train/rundir"
)

// Arm is a combination of settings to compare.
type Arm struct {
	Name     string             `json:"name"`     // such as "simulations=32", unique in its sweep
	Settings map[string]float64 `json:"settings"` // settings that differ from the game's defaults
	// FirstSeed is the seed of the arm's first run; the next runs have the next seeds. It is 1 plus seedsPerCopy for each
	// earlier arm with the same settings, because with equal seeds such arms would train the same networks.
	FirstSeed uint64 `json:"first_seed"`
}

// seedsPerCopy is the difference between the first seeds of arms with the same settings.
const seedsPerCopy = 1000

// MaxSeeds is the largest number of runs per arm.
const MaxSeeds = seedsPerCopy

// ParseArms returns the arms of a sweep; the first is the baseline. Each of sets is KEY=VALUE,VALUE,...; every combination
// of their values is an arm. Each of arms, "KEY=VALUE KEY=VALUE ...", adds an arm: the baseline with these settings
// changed. Without sets and arms the only arm has the defaults.
//
// Unless their settings say otherwise, runs of a sweep play no rating matches (rating_share=0) and do not train on the
// positions that [suite.KeptOut] names (keep_out=1). The error lists everything that is wrong.
func ParseArms(game *env.Game, sets, arms []string) ([]Arm, error) {
	var errs []error
	products := []Arm{{Settings: map[string]float64{"rating_share": 0, "keep_out": 1}}}
	var common []string
	seen := make(map[string]bool)
	for _, text := range sets {
		key, values, err := parseSet(text)
		if err == nil && seen[key] {
			err = fmt.Errorf("setting %s has two lists of values; write them as one", key)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		seen[key] = true
		if len(values) == 1 {
			common = append(common, assignment(key, values[0]))
		}
		products = combine(products, key, values)
	}
	if products[0].Name == "" {
		products[0].Name = strings.Join(common, " ")
	}
	if products[0].Name == "" {
		products[0].Name = "defaults"
	}
	all := products
	for _, text := range arms {
		arm, err := parseArm(&products[0], text)
		errs, all = append(errs, err), append(all, arm)
	}
	told := make(map[string]bool) // errors already reported: combinations share them
	for i := range all {
		changed := rundir.DefaultSettings(game)
		if err := changed.Change(all[i].Settings); err != nil && !told[err.Error()] {
			errs, told[err.Error()] = append(errs, err), true
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	separate(game, all)
	return all, nil
}

// parseSet parses KEY=VALUE,VALUE,...
func parseSet(text string) (key string, values []float64, err error) {
	key, list, ok := strings.Cut(text, "=")
	if !ok {
		return "", nil, fmt.Errorf("setting %q: write it as KEY=VALUE,VALUE, such as simulations=16,32", text)
	}
	for _, value := range strings.Split(list, ",") {
		name, x, err := rundir.ParseSetting(key + "=" + value)
		if err != nil {
			return "", nil, err
		}
		key, values = name, append(values, x)
	}
	return key, values, nil
}

// combine returns every combination of an arm and a value of the setting key. A single value is left out of the arms'
// names.
func combine(arms []Arm, key string, values []float64) (all []Arm) {
	for _, arm := range arms {
		for _, value := range values {
			next := Arm{Name: arm.Name, Settings: maps.Clone(arm.Settings)}
			next.Settings[key] = value
			if len(values) > 1 {
				next.Name = strings.TrimSpace(next.Name + " " + assignment(key, value))
			}
			all = append(all, next)
		}
	}
	return all
}

// parseArm parses "KEY=VALUE KEY=VALUE ..." as changes to the baseline.
func parseArm(baseline *Arm, text string) (Arm, error) {
	arm := Arm{Settings: maps.Clone(baseline.Settings)}
	words := strings.Fields(text)
	if len(words) == 0 {
		return arm, errors.New(`an arm is empty: write its settings as "KEY=VALUE KEY=VALUE"`)
	}
	var names []string
	for _, word := range words {
		key, value, err := rundir.ParseSetting(word)
		if err != nil {
			return arm, err
		}
		arm.Settings[key] = value
		names = append(names, assignment(key, value))
	}
	arm.Name = strings.Join(names, " ")
	return arm, nil
}

// separate gives arms with equal settings distinct names and seeds.
func separate(game *env.Game, arms []Arm) {
	for i := range arms {
		copies := 0
		for j := range i {
			if sameSettings(game, &arms[i], &arms[j]) {
				copies++
			}
		}
		if copies > 0 {
			arms[i].Name += fmt.Sprintf(" copy %d", copies+1)
		}
		arms[i].FirstSeed = uint64(1 + copies*seedsPerCopy)
	}
}

// sameSettings reports whether two arms have equal settings once defaults are filled in. Their settings are valid.
func sameSettings(game *env.Game, a, b *Arm) bool {
	x, y := rundir.DefaultSettings(game), rundir.DefaultSettings(game)
	return errors.Join(x.Change(a.Settings), y.Change(b.Settings)) == nil && len(x.Differences(&y)) == 0
}

// assignment formats KEY=VALUE without an exponent.
func assignment(key string, value float64) string {
	return key + "=" + strconv.FormatFloat(value, 'f', -1, 64)
}

// Assignments lists the arm's settings as KEY=VALUE, sorted by key.
func (a *Arm) Assignments() (list []string) {
	for _, key := range slices.Sorted(maps.Keys(a.Settings)) {
		list = append(list, assignment(key, a.Settings[key]))
	}
	return list
}

// dir returns the name of the directory of the arm's run with a seed.
func (a *Arm) dir(seed uint64) string {
	return strings.ReplaceAll(a.Name, " ", "+") + fmt.Sprintf("+seed=%d", seed)
}
