package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/train"
	"ludus/train/doctor"
	"ludus/train/match"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/stats"
)

// testProgress returns a function that shows a status and returns the line. The first status was shown some time ago.
func testProgress(ago time.Duration, first status) func(s status) string {
	var out bytes.Buffer
	p := &progress{w: &out, written: time.Now(), first: first, started: time.Now().Add(-ago)}
	return func(s status) string {
		out.Reset()
		p.written = time.Now().Add(-2 * progressEvery)
		p.show(s)
		p.show(s) // too soon
		return out.String()
	}
}

// A line has count, speed, time left and detail, each if known.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		ago   time.Duration
		first status
		then  status
		want  string
	}{
		{10 * time.Second, status{}, status{count: 50, unit: "games", share: 0.25, detail: "x"}, "50 games, 5.0 games/s, 30s left, x\n"},
		{10 * time.Second, status{count: 30, share: 0.15}, status{count: 50, unit: "games", share: 0.25}, "50 games, 2.0 games/s, 1m15s left\n"},
		{20 * time.Second, status{}, status{count: 60e6, unit: "nodes", share: -1, detail: "y"}, "60.0 million nodes, 3.0 million nodes/s, y\n"},
		{time.Second, status{}, status{share: 0.5, left: time.Minute, detail: "z"}, "1m0s left, z\n"},
		{time.Second, status{count: 7}, status{count: 7, unit: "games"}, "7 games\n"},
	} {
		if got := testProgress(c.ago, c.first)(c.then); got != c.want {
			t.Errorf("%+v: %q; want %q", c.then, got, c.want)
		}
	}
	var out bytes.Buffer
	p := &progress{w: &out, written: time.Now()}
	p.show(status{detail: "at once"})
	p.close()
	if out.Len() > 0 {
		t.Errorf("a short command shows %q", out.String())
	}
}

func TestMatchStatus(t *testing.T) {
	r := match.Result{Games: 50, Score: 0.5, Low: 0.4, High: 0.6}
	if s := matchStatus(&r, 200, "a: "); s.count != 50 || s.share != 0.25 || s.detail != "a: 50.0 % (40.0 to 60.0)" {
		t.Errorf("%+v", s)
	}
}

// The share of a search is that of the limit that it will reach first.
func TestSolveStatus(t *testing.T) {
	for _, c := range []struct {
		o    solveOptions
		want float64
	}{
		{solveOptions{}, -1}, {solveOptions{nodes: 100}, 0.4}, {solveOptions{time: time.Minute}, 0.5}, {solveOptions{nodes: 50, time: time.Minute}, 0.8},
	} {
		if s := c.o.status(40, 30*time.Second, ""); s.share != c.want || s.count != 40 {
			t.Errorf("%+v: %+v", c.o, s)
		}
	}
}

// A bar fits into its line: the last texts are left out.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		room int
		want string
	}{
		{100, "1m0s left, generation 1 of 9, rated 850"}, {39, "1m0s left, generation 1 of 9, rated 850"},
		{38, "1m0s left, generation 1 of 9"}, {12, "1m0s left"}, {4, "1m0s"}, {-3, ""},
	} {
		if got := fit("1m0s left, generation 1 of 9, rated 850", c.room); got != c.want {
			t.Errorf("%d columns: %q, want %q", c.room, got, c.want)
		}
	}
}

// TestScoreLine: the log and the status name the opponent as people know it.
func TestScoreLine(t *testing.T) {
	for name, want := range map[string]string{"quad-5x5": "the shipped agent", "hex(size=3)": "mcts:200"} {
		game := games.Must(name)
		var out bytes.Buffer
		w := watcher{progress: &progress{w: &out}, game: game}
		score := rundir.Score{Generation: 3, Opponent: shipped.Opponent(game), Games: 16, Estimate: stats.Estimate{Value: 0.4375, Low: 0.2, High: 0.7}}
		w.show(train.Event{Score: &score})
		line := "generation 3: scores 43.8 % (20.0 to 70.0) in 16 games against " + want + "; 95 % interval"
		if !strings.Contains(out.String(), line) || w.strength != "43.8 % against "+want {
			t.Errorf("%s: %q and %q", name, out.String(), w.strength)
		}
	}
}

// TestSummary shows the newest games with the values that rescoring found.
func TestSummary(t *testing.T) {
	game := games.Must("quad-5x5")
	diversity := rundir.Diversity{MeanPlies: 20.5, FirstScore: 0.75, Proven: 0.125, Duplicates: 0.0625}
	var out bytes.Buffer
	d := &doctor.Diagnosis{Summary: doctor.Summary{Good: []string{"It is good."}, Longer: "Longer helps.", Next: "train --run x"}}
	writeSummary(&out, game, &train.Summary{LastGames: rundir.Metrics{SolvedShare: 0.5, Diversity: diversity}}, d)
	want := "self-play in the last generation: 20.5 plies per game, " + game.Players[0] +
		" scores 75 %, 50 % of positions solved, 6.2 % duplicate games\n"
	for _, want := range []string{want, "It is good.\nLonger helps.\nNext: ", " train --run x\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %s", want, out.String())
		}
	}
}

// The log line of a generation has losses if there was a training step on its board.
func TestDescribeGeneration(t *testing.T) {
	m := &rundir.Metrics{Generation: 9, Size: 11, PlaySeconds: 2, Positions: 100, LearningRate: 0.003}
	if line := describeGeneration(m); line != "generation 9 on 11x11: 0 games, 50 positions/s, 2.0 s playing, 0.0 s solving, 0.0 s learning" {
		t.Error(line)
	}
	m.PolicyLoss, m.OutcomeLoss = 1.5, 0.25
	if line := describeGeneration(m); !strings.HasSuffix(line, ", losses 1.500 policy, 0.250 outcome") {
		t.Error(line)
	}
}
