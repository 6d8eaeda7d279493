package sheets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
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
	var rename func(x kif.Term) kif.Term
	rename = func(x kif.Term) kif.Term {
		_, notNumber := strconv.Atoi(x.Name)
		if notNumber != nil && !slices.Contains(kif.Keywords, x.Name) {
			if names[x.Name] == "" {
				names[x.Name] = fmt.Sprintf("w%dq", 1000+len(names)*7)
				if x.IsVariable() {
					names[x.Name] = "?" + names[x.Name]
				}
			}
			x.Name = names[x.Name]
		}
		args := make([]kif.Term, len(x.Args))
		for i, a := range x.Args {
			args[i] = rename(a)
		}
		x.Args = args
		return x
	}
	// Roles keep their order: it is the order of moves in a match.
	var roles, lines []string
	for _, r := range rules {
		r.Head = rename(r.Head)
		for i := range r.Body {
			r.Body[i] = rename(r.Body[i])
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
