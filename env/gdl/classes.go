package gdl

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"ludus/env"
	"ludus/env/gdl/gates"
)

// classes maps the goals of a final position to an outcome class. There are three kinds. bySum: both players' goals add
// up to 100, and First's goal is the class. byWin: classes are win, draw and loss. Otherwise the difference of the
// goals, First's minus Second's, is the class.
type classes struct {
	values []int // value of each class, descending: First's goal, or 1, 0, -1 for byWin, or the difference
	bySum  bool  // the players' goals always add up to 100
	byWin  bool  // win, draw and loss, because there are more than maxClasses differences
}

// maxClasses is the largest number of different goal differences that become classes of their own.
const maxClasses = 21

// newClasses derives the outcome classes from the goals that a circuit can compute.
func newClasses(circuit *gates.Circuit) (classes, error) {
	p := circuit.Program
	var holds [2]map[int]gates.Ref // by role, then value
	for role := range holds {
		holds[role] = map[int]gates.Ref{}
		for _, goal := range circuit.Goals[role] {
			holds[role][goal.Value] = goal.Holds
		}
		if len(holds[role]) == 0 {
			return classes{}, fmt.Errorf("%s has no goal", p.Terms.Text(p.Roles[role]))
		}
	}
	c := classes{bySum: len(holds[0]) == len(holds[1])}
	for v, r := range holds[0] {
		other, ok := holds[1][100-v]
		c.bySum = c.bySum && ok && other == r // one role gets v exactly when the other gets 100 - v
	}
	set := map[int]bool{}
	add := func(v int) { // also the class of the other player
		set[v] = true
		if c.bySum {
			set[100-v] = true
		} else {
			set[-v] = true
		}
	}
	for v := range holds[0] {
		if c.bySum {
			add(v)
			continue
		}
		for w := range holds[1] {
			add(v - w)
		}
	}
	if len(set) < 2 {
		return classes{}, errors.New("all goals are equal: nobody can win")
	}
	// A player without a goal gets 0, and it is not proven yet that this never happens.
	add(0)
	for _, goals := range holds {
		for v := range goals {
			add(v) // nothing new if bySum
		}
	}
	c.values = slices.Collect(maps.Keys(set))
	if len(c.values) > maxClasses {
		return classes{values: []int{1, 0, -1}, byWin: true}, nil
	}
	return c, nil
}

// draw returns the class value of a draw.
func (c *classes) draw() int {
	if c.bySum {
		return 50
	}
	return 0
}

// addDraw adds a draw to the classes, for games that reach the cap on plies.
func (c *classes) addDraw() {
	if !slices.Contains(c.values, c.draw()) {
		c.values = append(c.values, c.draw())
	}
}

// list sorts the class values and returns the classes as [env.Game] describes them.
func (c *classes) list() (list []env.Class) {
	slices.SortFunc(c.values, func(a, b int) int { return cmp.Compare(b, a) })
	for _, v := range c.values {
		class := env.Class{Name: strconv.Itoa(v), Goals: env.OpenGoals, Utility: float32(v) / 100}
		if c.bySum {
			class.Goals, class.Utility = [2]int{v, 100 - v}, float32(2*v-100)/100
		}
		switch {
		case c.byWin:
			class.Utility = float32(v)
			class.Name = []string{"loss", "draw", "win"}[v+1]
		case v == c.draw():
			class.Name = "draw"
		case len(c.values) <= 3 && v > c.draw():
			class.Name = "win"
		case len(c.values) <= 3:
			class.Name = "loss"
		case !c.bySum:
			class.Name = fmt.Sprintf("%+d", v)
		}
		list = append(list, class)
	}
	return list
}

// goalsAtLimit are the goals of a game that reaches the cap on plies.
var goalsAtLimit = [2]int{50, 50}

// of returns the class, an index into c.values, of the final goals of First and Second.
func (c *classes) of(goals [2]int) int {
	v := goals[0]
	if !c.bySum {
		v -= goals[1]
	}
	if c.byWin {
		v = cmp.Compare(v, 0)
	}
	return slices.Index(c.values, v)
}

// complete makes the goals of a final position add up to 100, if the classes are by such goals: it replaces the goal of the
// mover's opponent by 100 minus the mover's. That changes something only where a sheet wrongly gives a player no goal or
// several.
func (c *classes) complete(goals *[2]int, mover env.Player) {
	if c.bySum {
		goals[mover.Opponent()] = 100 - goals[mover]
	}
}
