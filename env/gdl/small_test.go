package gdl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
)

// twoPlayers begins sheets of tests: a and b move in turn.
const twoPlayers = `
(role a) (role b) (init (control a))
(<= (legal a noop) (true (control b)))
(<= (legal b noop) (true (control a)))
(<= (next (control a)) (true (control b)))
(<= (next (control b)) (true (control a)))
`

// goals ends them: the player who did not move last wins.
const goals = `
(<= (goal a 100) (true (control a)))
(<= (goal a 0) (true (control b)))
(<= (goal b 100) (true (control b)))
(<= (goal b 0) (true (control a)))
`

// numbered joins texts, each with a number from first to last, by a step, in place of #.
func numbered(first, last, step int, text func(i int) string) string {
	var b strings.Builder
	for i := first; i <= last; i += step {
		b.WriteString(text(i) + "\n")
	}
	return b.String()
}

func mustBuild(t *testing.T, text string) (*env.Game, *Info) {
	t.Helper()
	e, info, err := New(t.Context(), "small", text)
	if err != nil {
		t.Fatal(err)
	}
	return e, info
}

// TestManyGoals checks games with more goals than classes: the higher goal wins.
func TestManyGoals(t *testing.T) {
	rules := twoPlayers + "(init (score 48))" + numbered(0, 100, 4, func(v int) string {
		return fmt.Sprintf("(<= (goal a %d) (true (score %d))) (<= (goal b %d) (true (score %d)))", v, v, 100-v, v) +
			fmt.Sprintf("(plus %d up %d) (plus %d stay %d) (plus %d down %d)", v, min(v+4, 100), v, v, v, max(v-4, 0))
	}) + `
		(<= (legal ?p up) (true (control ?p))) (<= (legal ?p stay) (true (control ?p))) (<= (legal ?p down) (true (control ?p)))
		(<= (next (score ?w)) (does ?p ?m) (true (score ?v)) (plus ?v ?m ?w))
	`
	for name, end := range map[string]string{
		"proven": "(init (step 0))" + numbered(0, 9, 1, func(i int) string {
			return fmt.Sprintf("(<= (next (step %d)) (true (step %d)))", i+1, i)
		}) + "(<= terminal (true (step 10)))",
		"cap": "(<= terminal (true (score 36))) (<= terminal (true (score 60)))",
	} {
		t.Run(name, func(t *testing.T) {
			e, info := mustBuild(t, rules+end)
			if info.Proven != (name == "proven") || len(e.Classes) != 3 {
				t.Errorf("%+v, %d classes", *info, len(e.Classes))
			}
			envtest.Run(t, e)
		})
	}
}

// TestMissingGoal plays to an end without a goal and to a position without a move, which random games do not find.
func TestMissingGoal(t *testing.T) {
	rules := twoPlayers + "(init (same 0))" + numbered(0, 19, 1, func(i int) string { return fmt.Sprintf("(succ %d %d)", i, i+1) }) + `
		(<= (legal ?p ?m) (true (control ?p)) (option ?m) (not stuck))
		(option x) (option y) (option z) (option u)
		(<= (next (same ?j)) (true (same ?i)) (does ?p x) (succ ?i ?j))
		(<= (next (same 0)) (does ?p ?m) (option ?m) (distinct ?m x))
		(<= (next (waits ?p)) (true (control ?p)))
		(<= (next (waits ?p)) (true (waits ?p)))
		(<= terminal (true (same 20)))
		(<= terminal (true (waits a)) (true (waits b)) (not (true (same 1))) (not long))
		(<= long (true (same ?i)) (distinct ?i 0))
	`
	for name, rest := range map[string]string{
		"no goal": "(<= (goal a 100) (not long)) (<= (goal b 60) (role b))",
		"no goals": "(<= (goal a 40) (true (control a)) (not long)) (<= (goal b 60) (true (control a)) (not long))" +
			"(<= (goal a 60) (true (control b)) (not long)) (<= (goal b 40) (true (control b)) (not long))",
		"no move": "(<= stuck (true (same 20))) (goal a 100) (goal b 60)",
	} {
		t.Run(name, func(t *testing.T) {
			text := rules + rest
			if name == "no move" {
				text = strings.Replace(text, "(<= terminal (true (same 20)))", "", 1)
			}
			e, _ := mustBuild(t, text)
			s := e.NewState()
			x, err := e.ParseAction("x")
			if err != nil {
				t.Fatal(err)
			}
			for range 19 {
				s.Apply(x)
			}
			ends := s.TerminalActions(nil)
			s.Apply(x)
			if !s.Done() || s.Outcome() < 0 || s.Outcome() >= len(e.Classes) || len(s.Legal(nil)) > 0 {
				t.Errorf("done %t, outcome %d, goals %v, moves %v", s.Done(), s.Outcome(), s.Goals(), s.Legal(nil))
			}
			if i := slices.IndexFunc(ends, func(end env.TerminalAction) bool { return end.Action == x }); i < 0 || ends[i].Outcome != s.Outcome() {
				t.Errorf("TerminalActions says %v, the outcome is %d", ends, s.Outcome())
			}
		})
	}
}

// TestArities checks a sheet with one name at two numbers of arguments.
func TestArities(t *testing.T) {
	e, _ := mustBuild(t, twoPlayers+goals+numbered(1, 3, 1, func(i int) string {
		return fmt.Sprintf("(init (free x %d)) (index %d) (succ %d %d)", i, i, i, i+1) +
			numbered(1, 3, 1, func(j int) string { return fmt.Sprintf("(init (free x %d %d))", i, j) })
	})+`
		(<= (legal ?p (mark x ?i)) (true (control ?p)) (true (free x ?i)))
		(<= (legal ?p (mark x ?i ?j)) (true (control ?p)) (true (free x ?i ?j)))
		(<= (next (free x ?i)) (true (free x ?i)) (not (line ?i)))
		(<= (next (free x ?i ?j)) (true (free x ?i ?j)) (not (cell ?i ?j)))
		(<= (line ?i) (does ?p (mark x ?i)))
		(<= (cell ?i ?j) (does ?p (mark x ?i ?j)))
		(<= open (true (free x ?i)))
		(<= open (true (free x ?i ?j)))
		(<= terminal (not open))
	`)
	if n := len(e.NewState().Legal(nil)); n != 12 {
		t.Errorf("%d moves, want 12", n)
	}
	envtest.Run(t, e)
}

// TestNumbers checks which fluents share a plane: of (step ?n) and of (points ?n) one is true at a time, of (free ?n)
// several.
func TestNumbers(t *testing.T) {
	e, _ := mustBuild(t, twoPlayers+goals+"(init (step 0)) (init (points 0)) (init (free 1)) (init (free 2)) (init (free 3)) (init (free 4))"+
		numbered(0, 9, 1, func(i int) string { return fmt.Sprintf("(succ %d %d)", i, i+1) })+`
		(<= (legal ?p (take ?n)) (true (control ?p)) (true (free ?n)))
		(<= (legal ?p keep) (true (control ?p)))
		(<= (next (free ?n)) (true (free ?n)) (not (taken ?n)))
		(<= (taken ?n) (does ?p (take ?n)))
		(<= (next (points ?m)) (true (points ?n)) gain (succ ?n ?m))
		(<= (next (points ?n)) (true (points ?n)) (not gain))
		(<= gain (does ?p (take ?n)) (true (free ?n)))
		(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
		(<= terminal (true (step 9)))
	`)
	for _, want := range []string{"(step n): on every cell", "(points n): on every cell", "(free 2): 1 on every"} {
		if !slices.ContainsFunc(e.Planes, func(name string) bool { return strings.HasPrefix(name, want) }) {
			t.Errorf("no plane %q of %q", want, e.Planes)
		}
	}
	envtest.Run(t, e)
}

// TestLoops checks the laws on a sheet of loops.
func TestLoops(t *testing.T) {
	e, _ := mustBuild(t, loops)
	envtest.Run(t, e)
}

// TestPlaces checks a board whose coordinates are not side by side.
func TestPlaces(t *testing.T) {
	e, info := mustBuild(t, twoPlayers+goals+numbered(1, 3, 1, func(i int) string {
		return numbered(1, 4, 1, func(j int) string { return fmt.Sprintf("(init (at %d none %d))", i, j) })
	})+`
		(<= (legal ?p (put ?i ?p ?j)) (true (control ?p)) (true (at ?i none ?j)))
		(<= (next (at ?i ?p ?j)) (does ?p (put ?i ?p ?j)))
		(<= (next (at ?i ?c ?j)) (true (at ?i ?c ?j)) (not (put ?i ?j)))
		(<= (put ?i ?j) (does ?p (put ?i ?p ?j)))
		(<= open (true (at ?i none ?j)))
		(<= terminal (not open))
	`)
	if info.Board != "3 x 4, from facts at/3" || e.PolicyExtras > 0 || e.Tensor != (env.Shape{C: 6, H: 4, W: 3}) {
		t.Errorf("%+v, tensor %v, policy %q", *info, e.Tensor, e.PolicyNames)
	}
	envtest.Run(t, e)
}

// TestSteps checks that a counter of more steps than a set of turns may have bounds the game.
func TestSteps(t *testing.T) {
	const steps = 300
	e, info := mustBuild(t, twoPlayers+goals+"(init (step 0)) (<= (legal ?p go) (true (control ?p))) (<= (legal ?p stay) (true (control ?p)))"+
		numbered(0, steps-1, 1, func(i int) string { return fmt.Sprintf("(succ %d %d)", i, i+1) })+
		fmt.Sprintf("(<= (next (step ?j)) (true (step ?i)) (succ ?i ?j)) (<= terminal (true (step %d)))", steps))
	if e.MaxPlies != steps || !info.Proven || e.Tensor.Size() > 10 {
		t.Errorf("%+v, %d plies, tensor %v", *info, e.MaxPlies, e.Tensor)
	}
}

// TestChangesBackAndForth plays moves whose changes, passed on one by one, would double at each of 40 levels.
func TestChangesBackAndForth(t *testing.T) {
	e, _ := mustBuild(t, twoPlayers+goals+"(init x) (init y) (init z) (init (step 0)) (<= t0 (true x))"+
		numbered(0, 39, 1, func(i int) string {
			// u and v stay true, but each is false for a moment when t becomes true or false.
			return strings.NewReplacer("#", strconv.Itoa(i), "@", strconv.Itoa(i+1)).Replace("(<= u# t# (true y)) (<= u# (not t#) (true y))" +
				"(<= v# (not t#) (true z)) (<= v# t# (true z)) (<= t@ u# v#) (<= (legal ?p (go #)) (true (control ?p)) t@)")
		})+`
		(<= (next x) (not (true x)))
		(<= (next y) (not (does a (go 1))))
		(<= (next z) (true z))
		(<= (legal ?p pass) (true (control ?p)))
		(<= (next (step ?j)) (true (step ?i)) (succ ?i ?j)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
		(<= terminal (true (step 5)))
	`)
	s := e.NewState().(*state)
	for !s.Done() {
		checkPosition(t, s)
		s.Apply(s.RandomAction(0))
	}
}
