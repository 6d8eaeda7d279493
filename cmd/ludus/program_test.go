package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/program/fake"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/exploit"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// fakeSpec is the spec of the tests' own engine, see fake.Command.
func fakeSpec(kind agent.Kind, game string, args ...string) string {
	return string(kind) + `:"` + fake.Command(kind, game, args...) + `"`
}

// lastLine parses the JSON in the last line of an output.
func lastLine[T any](t *testing.T, out string) (x T) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &x); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return x
}

// TestSuiteOfProgram: an outside program is tested on solved positions with the same result by any number of threads,
// and what it did wrong is named.
func TestSuiteOfProgram(t *testing.T) {
	t.Parallel()
	check := func(spec string, args ...string) (string, suite.Result) {
		out := run(t, "", "", append([]string{"suite", "--check", "shipped", "othello-6x6", spec, "--positions", "150", "--json"}, args...)...)
		return out, lastLine[suite.Result](t, out)
	}
	spec := fakeSpec(agent.GTP, "othello-6x6")
	_, one := check(spec, "--threads", "1")
	_, two := check(spec, "--threads", "2")
	if one.Positions != 150 || one.Failures != nil || one.Error != two.Error || one.Error.Value <= 0 || one.Error.Value > 0.95 {
		t.Errorf("%+v and %+v", one, two)
	}
	out, faulty := check(fakeSpec(agent.GTP, "othello-6x6", "share=200", fake.Die, fake.Resign))
	if faulty.Positions != 150 || len(faulty.Failures) != 2 || faulty.Error.Value <= one.Error.Value ||
		!strings.Contains(out, "the program died in") || !strings.Contains(out, "counted as the worst move") {
		t.Errorf("%+v\n%s", faulty, out)
	}
}

// TestExploitProgram: a deterministic program is walked; others are refused.
func TestExploitProgram(t *testing.T) {
	t.Parallel()
	spec := fakeSpec(agent.GTP, "tic-tac-toe")
	fails(t, "", exitUsage, "deterministic=yes", "exploit", "tic-tac-toe", spec)
	out, _, code := ludus(t, "", "", "exploit", "tic-tac-toe", spec+",deterministic=yes", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var r exploit.Result
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil || code != 4 || !r.Complete || r.Failed != 0 || len(r.Faults) == 0 {
		t.Errorf("exit %d, %v, %s", code, err, out)
	}
}

// TestWriteMatch: the result names the clock, and is the sides' alone if no game counts.
func TestWriteMatch(t *testing.T) {
	game := games.Must("quad-5x5")
	m := match.Config{Game: game, MoveTime: 5 * time.Second, GameTime: time.Minute, OpeningPlies: 2}
	var err error
	if m.A, err = agent.ParseFactory(game, "random", nil); err != nil {
		t.Fatal(err)
	}
	m.B = m.A
	r := match.Result{Sides: [2]match.Side{1: {Void: match.FaultCount{agent.NoStart: 2}, LastFault: "exit status 7"}}}
	var out strings.Builder
	writeResult(&out, &m, &r)
	want := "quad-5x5: random against random, 5s a move, 1m0s a game for each side\nB, random: 2 void (did not start); last fault: exit status 7\n"
	if out.String() != want {
		t.Errorf("%s; want %s", out.String(), want)
	}
}

// TestExploitFailing: a program that gives no move is not one that the solver cannot judge.
func TestExploitFailing(t *testing.T) {
	t.Parallel()
	out, errs, code := ludus(t, "", "", "exploit", "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe", fake.Resign)+",deterministic=yes")
	if code != exitUnsolved || !strings.Contains(errs, "the program gave no move in 10 positions") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if err := exploitError(&exploit.Result{Failed: 1}); !strings.HasSuffix(err.Error(), "in 1 position") {
		t.Error(err)
	}
}

// TestPlayProgram: people play against a program, with undo and hints, and two programs are watched.
func TestPlayProgram(t *testing.T) {
	t.Parallel()
	out, errs, code := ludus(t, "", "b2\nhint\nundo\na1\n?\nswitch\nhint\nquit\n", "play", "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe"))
	if code != 0 || strings.Count(out, "would play") != 3 || !strings.Contains(out, "taken back: 2 moves") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	out, errs, code = ludus(t, "", "a1\nnew\nb2\nquit\n", "play", "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe", fake.Die))
	if code != 0 || strings.Count(out, "cannot go on: the program died") != 2 || strings.Count(out, "You win.") != 2 {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	out = run(t, "", "", "play", "othello", fakeSpec(agent.NBoard, "othello"), fakeSpec(agent.NBoard, "othello"))
	if !strings.Contains(out, "wins: ") && !strings.Contains(out, "A draw") {
		t.Errorf("%s", out)
	}
}

// TestAnalyzeProgram: a program's analysis names its move.
func TestAnalyzeProgram(t *testing.T) {
	t.Parallel()
	out := run(t, "", `{"id":1,"moves":["b2","a1"]}`+"\n"+`{"id":2}`+"\n", "analyze", "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe"))
	if strings.Count(out, `"value":null`) < 2 || strings.Count(out, `"best":"`) != 2 {
		t.Errorf("%s", out)
	}
}

// TestRateAnchor: programs join a run's ratings.
func TestRateAnchor(t *testing.T) {
	t.Parallel()
	dir := runFolder(t)
	spec := fakeSpec(agent.GTP, "quad-5x5")
	rate := func(args ...string) rundir.Ratings {
		return lastLine[rundir.Ratings](t, run(t, "", "", append([]string{"rate", dir, "--sims", "2", "--to", "300", "--json"}, args...)...))
	}
	find := func(table rundir.Ratings) rundir.Rating {
		i := slices.IndexFunc(table.Agents, func(r rundir.Rating) bool { return r.Agent == spec })
		if i < 0 {
			t.Fatalf("no rating in %+v", table)
		}
		return table.Agents[i]
	}
	first := find(rate("--anchor", spec))
	if first.Gone || first.Known || first.Games == 0 {
		t.Errorf("%+v", first)
	}
	if later := find(rate()); !later.Gone || later.Games < first.Games {
		t.Errorf("later %+v, first %+v", later, first)
	}
	if fixed := find(rate("--anchor", "1500="+spec)); !fixed.Known || fixed.Rating != 1500 || fixed.Gone {
		t.Errorf("%+v", fixed)
	}
	for want, args := range map[string][]string{
		"twice":                                {"--anchor", spec, "--anchor", "5=" + spec},
		"without a network":                    {"--anchor", "zoo"},
		"a rating is from":                     {"--anchor", "1e9=random"},
		"unknown kind":                         {"--anchor", "1500"},
		"--anchor 1500=: an agent must follow": {"--anchor", "1500="},
		"--anchor and --dial exclude":          {"--anchor", "random", "--dial"},
		"executable file":                      {"--anchor", `gtp:"no-such-program"`},
		"othello":                              {"--anchor", `nboard:"touch"`},
	} {
		if _, errs, code := ludus(t, "", "", append([]string{"rate", dir}, args...)...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
}
