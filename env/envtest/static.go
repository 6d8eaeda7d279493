package envtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
)

// checkShape checks a game's names, shapes, and the texts and names of its actions.
func checkShape(g *env.Game) error {
	if g.Name == "" || g.Family == "" || g.Rules == "" || g.Players[0] == "" || g.Players[0] == g.Players[1] {
		return errors.New("name, family, rules and two different players are needed")
	}
	if g.Tensor.C < 1 || g.Tensor.H < 1 || g.Tensor.W < 1 || g.NumActions() < 1 || g.MaxPlies < 1 {
		return fmt.Errorf("tensor %v, %d actions, %d plies at most: all must be positive", g.Tensor, g.NumActions(), g.MaxPlies)
	}
	if g.UsualPlies < 1 || g.UsualPlies > g.MaxPlies {
		return fmt.Errorf("usually up to %d plies, at most %d: the first must be positive and not larger", g.UsualPlies, g.MaxPlies)
	}
	if strings.Contains(g.Summary+g.Strategy, "\n") || strings.Contains(g.Summary+g.Rules+g.Strategy, "  ") {
		return errors.New("summary and strategy are one line each, and no text contains repeated blanks")
	}
	texts, names := map[string]bool{"": true}, map[string]bool{"": true}
	for a, text := range g.ActionTexts {
		name := g.ActionNames[a]
		if text == "" && name == "" {
			continue
		}
		if texts[text] || names[name] {
			return fmt.Errorf("action %d has the text %q and the name %q; one is missing or another's", a, text, name)
		}
		texts[text], names[name] = true, true
		for _, printed := range []string{text, name, "  " + strings.ToUpper(name) + " "} {
			if back, err := g.ParseAction(printed); err != nil || back != env.Action(a) {
				return fmt.Errorf("action %d prints as %s, which reads as %d (%v)", a, printed, back, err)
			}
		}
	}
	return nil
}

// checkClasses checks that class k of one player is class K-1-k of the other, that the utilities of these two add up to
// 0, and that utilities fall from class to class.
func checkClasses(g *env.Game) error {
	k := len(g.Classes)
	if k < 2 {
		return fmt.Errorf("%d classes; a game has two at least", k)
	}
	for i, c := range g.Classes {
		other := g.Classes[k-1-i]
		if c.Goals != env.ByPlayer(env.Second, other.Goals) || c.Utility != -other.Utility {
			return fmt.Errorf("class %s is not the opposite of class %s", c.Name, other.Name)
		}
		if c.Impossible != other.Impossible {
			return fmt.Errorf("class %s is impossible, or class %s, but not both", c.Name, other.Name)
		}
		if c.Name == "" || c.Utility > 1 || i > 0 && c.Utility >= g.Classes[i-1].Utility {
			return fmt.Errorf("class %d (%q) needs a name and a utility in [-1, 1] below the class before", i, c.Name)
		}
		if open := c.Goals == env.OpenGoals; open != g.GoalHead {
			return fmt.Errorf("class %s has goals %v, while GoalHead is %t", c.Name, c.Goals, g.GoalHead)
		}
		if g.ClassFor(env.First, i) != i || g.ClassFor(env.Second, i) != k-1-i {
			return fmt.Errorf("ClassFor turns class %d wrongly", i)
		}
	}
	return nil
}

// checkFrames checks that First's frame changes no action, and that Second's is its own inverse, permutes the cells of
// every policy plane alike and keeps extra entries apart from cells.
func checkFrames(g *env.Game) error {
	for a := range g.NumActions() {
		action := env.Action(a)
		if g.Frame(env.First)[a] != action {
			return fmt.Errorf("First's frame moves action %d", a)
		}
		second := g.Frame(env.Second)
		if to := second[a]; to < 0 || int(to) >= len(second) || second[to] != action {
			return fmt.Errorf("Second's frame is not its own inverse at action %d", a)
		}
		cells := g.Tensor.Cells()
		extra := a >= g.PolicyPlanes*cells
		if extra != (int(second[a]) >= g.PolicyPlanes*cells) || !extra && int(second[a])%cells != g.FrameCell(env.Second, a%cells) {
			return fmt.Errorf("Second's frame moves action %d elsewhere than its cell", a)
		}
	}
	return nil
}

// checkSymmetries checks that the symmetries are different permutations with the identity first, and that each moves an
// action along with its cell and commutes with Second's frame. If they were no group, checkCanonicalKey would find it.
func checkSymmetries(g *env.Game) error {
	if len(g.Symmetries) == 0 {
		return errors.New("no symmetries; the identity is needed")
	}
	n, planes := g.Tensor.Cells(), g.PolicyPlanes
	frame := g.Frame(env.Second)
	for i, s := range g.Symmetries {
		if !isPermutation(s.Cells, n) || !isPermutation(s.Actions, g.NumActions()) {
			return fmt.Errorf("symmetry %d is not a permutation of the cells and actions", i)
		}
		for a, to := range s.Actions {
			if i == 0 && int(to) != a {
				return errors.New("the first symmetry is not the identity")
			}
			if (a < planes*n) != (int(to) < planes*n) || a < planes*n && s.Cells[a%n] != int32(to)%int32(n) {
				return fmt.Errorf("symmetry %d moves action %d to %d, away from its cell", i, a, to)
			}
			if frame[to] != s.Actions[frame[a]] {
				return fmt.Errorf("symmetry %d and Second's frame do not commute at action %d", i, a)
			}
		}
		for j, other := range g.Symmetries {
			if i != j && slices.Equal(s.Cells, other.Cells) {
				return fmt.Errorf("symmetries %d and %d are the same", i, j)
			}
		}
	}
	return nil
}

// checkFigures checks env.Game.Figures: each has at least two cells of the board, in ascending order, no two are equal,
// and symmetries and Second's frame take figures to figures.
func checkFigures(g *env.Game) error {
	known := map[string]bool{}
	for i, figure := range g.Figures {
		if len(figure) < 2 || figure[0] < 0 || int(figure[len(figure)-1]) >= g.Tensor.Cells() {
			return fmt.Errorf("figure %d, %v: two or more cells of the board are needed", i, figure)
		}
		if cells := g.Drawing.Cells; cells != nil && slices.ContainsFunc(figure, func(i int32) bool { return !cells[i] }) {
			return fmt.Errorf("figure %d, %v, has a cell that the board lacks", i, figure)
		}
		if !slices.IsSorted(figure) || len(slices.Compact(slices.Clone(figure))) < len(figure) {
			return fmt.Errorf("figure %d, %v: the cells must ascend", i, figure)
		}
		if known[fmt.Sprint(figure)] {
			return fmt.Errorf("figure %d, %v, is there twice", i, figure)
		}
		known[fmt.Sprint(figure)] = true
	}
	maps := [][]int32{make([]int32, g.Tensor.Cells())}
	for cell := range maps[0] {
		maps[0][cell] = int32(g.FrameCell(env.Second, cell))
	}
	for _, s := range g.Symmetries {
		maps = append(maps, s.Cells)
	}
	for i, figure := range g.Figures {
		for j, cells := range maps {
			var image []int32
			for _, cell := range figure {
				image = append(image, cells[cell])
			}
			slices.Sort(image)
			if !known[fmt.Sprint(image)] {
				return fmt.Errorf("figure %d, %v, goes to no figure in Second's frame (0) or by a symmetry (1 and up): %d", i, figure, j)
			}
		}
	}
	return nil
}

// isPermutation reports whether p holds each number below n once.
func isPermutation[T int32 | env.Action](p []T, n int) bool {
	seen := make([]bool, n)
	for _, to := range p {
		if to < 0 || int(to) >= n || seen[to] {
			return false
		}
		seen[to] = true
	}
	return len(p) == n
}
