package sheets

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"ludus/env/gdl/kif"
)

// Scramble returns a sheet as a match server may send it: with other names, but for keywords and numbers, and with rules and
// conditions shuffled. It also returns the new names by the old ones.
func Scramble(text string, rng *rand.Rand) (string, map[string]string, error) {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return "", nil, err
	}
	names := map[string]string{}
	rename := func(name string) string {
		if kif.IsFixed(name) {
			return name
		}
		if names[name] == "" {
			names[name] = fmt.Sprintf("w%dq", 1000+len(names)*7)
			if name[0] == '?' {
				names[name] = "?" + names[name]
			}
		}
		return names[name]
	}
	// Roles keep their order: it is the order of moves in a match.
	var roles, lines []string
	for _, r := range rules {
		r.Head = r.Head.Rename(rename)
		for i := range r.Body {
			r.Body[i] = r.Body[i].Rename(rename)
		}
		rng.Shuffle(len(r.Body), func(i, j int) { r.Body[i], r.Body[j] = r.Body[j], r.Body[i] })
		if r.Head.Name == "role" {
			roles = append(roles, r.String())
		} else {
			lines = append(lines, r.String())
		}
	}
	rng.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return strings.Join(append(roles, lines...), "\n"), names, nil
}
