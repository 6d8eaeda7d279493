package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ludus/cmd/internal/diagrams"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/match"
	"ludus/train/rundir"
)

// trained trains a tiny run and adds the files of other commands.
func trained(t *testing.T, name string) string {
	t.Helper()
	game := games.Must(name)
	dir := filepath.Join(t.TempDir(), "run")
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: game, Generations: 3, Threads: 2,
		Settings: map[string]float64{"parallel_games": 8, "plies_per_generation": 30, "simulations": 4, "channels": 4, "blocks": 1, "batch_size": 16},
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "ratings.json", `{"version":2,"anchor":"random","games":900,"agents":[
		{"agent":"net@3","generation":3,"rating":120.5,"low":80,"high":161,"games":300},
		{"agent":"mcts:200","rating":88,"low":60,"high":116,"games":300},
		{"agent":"net@1","generation":1,"rating":12,"low":-20,"high":44,"games":300},
		{"agent":"zoo,elo=50","rating":50,"low":30,"high":70,"games":300,"known":true},
		{"agent":"random","rating":0,"low":0,"high":0,"games":300}]}`)
	write(t, dir, "suite.jsonl", `{"generation":1,"agent":"policy","positions":100,"error":0.5,"low":0.4,"high":0.6}
{"generation":3,"agent":"policy","positions":100,"error":0.3,"low":0.2,"high":0.4}
{"generation":3,"agent":"net","positions":100,"error":0.1,"low":0.05,"high":0.2}
`)
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWrite(t *testing.T) {
	dir := trained(t, "free-for-all(size=5,steps=10)")
	if warnings, err := Write(dir); err != nil || len(warnings) > 0 {
		t.Fatalf("error %v, warnings %q", err, warnings)
	}
	page := read(t, dir, FileName)
	for _, want := range []string{"free-for-all(size=5,steps=10,objective=win)", "3 of 3: finished", "Score against mcts:200", `"longer":"`, `"name":"net@3","value":120.5,"low":80,"high":161`,
		`"name":"zoo,elo=50","value":50,"low":30,"high":70,"interval":"known"`, `"name":"random","value":0,"low":0,"high":0,"interval":"–"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.Contains(page, `"missing":`) {
		t.Errorf("the page of a whole run lacks something: %s", regexp.MustCompile(`"missing":"[^"]*`).FindString(page))
	}
	if !strings.Contains(page, "default-src &#39;none&#39;; script-src &#39;sha256-") || regexp.MustCompile(`(src|href)="?[^"#d]`).MatchString(page) {
		t.Error("the page may load something")
	}
	if _, err := Write(dir); err != nil || read(t, dir, FileName) != page {
		t.Errorf("written again, the page is another; error %v", err)
	}
}

// Sample games are legal and finished, and every searched position has its value and policy target.
func TestSamples(t *testing.T) {
	for _, name := range []string{"quad(size=4,quads=4,whites=2)", "breakthrough(columns=3,rows=5)", "golden-rectangle(columns=4,rows=4,span=1)"} {
		run, err := ReadRun(trained(t, name))
		if err != nil {
			t.Fatal(err)
		}
		samples, err := readSamples(run)
		if err != nil || len(samples.Games) == 0 || len(samples.Games) > maxSamples || samples.Description.Game != run.Game.Name {
			t.Fatalf("%s: %+v, error %v", name, samples, err)
		}
		for _, g := range samples.Games {
			var moves []string
			for i, p := range g.Positions[:len(g.Positions)-1] {
				if p.Random == (p.Value != nil) || p.Random != (len(p.Moves) == 0) || len(p.Moves) > p.Legal {
					t.Fatalf("%s, %s: position %d is %+v", name, g.Title, i, p)
				}
				moves = append(moves, p.Move)
			}
			state, _, err := env.ReplayText(run.Game, moves)
			if err != nil || !state.Done() || g.Goals != state.Goals() || diagrams.Pieces(state) != g.Positions[len(moves)].Pieces {
				t.Errorf("%s, %s does not end as it says: %v", name, g.Title, err)
			}
		}
	}
}

// Damaged files cause warnings, and the rest is shown.
func TestDamagedRun(t *testing.T) {
	dir := trained(t, "quad-5x5")
	write(t, dir, "metrics.jsonl", "{broken\n"+read(t, dir, "metrics.jsonl")+`{"generation":4,"torn`)
	write(t, dir, "ratings.json", "[")
	warnings, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"metrics.jsonl: 1 of 4 lines", "ratings.json"} {
		if len(warnings) != 2 || !strings.Contains(warnings[i], want) {
			t.Fatalf("warnings %q; want one of %s at %d", warnings, want, i)
		}
	}
	page := read(t, dir, FileName)
	for _, want := range []string{"generation 3, game ", `"longer":"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}

	for _, name := range []string{"metrics.jsonl", "arena.jsonl", "suite.jsonl", "ratings.json", "checkpoints", "games"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Write(dir); err != nil {
		t.Errorf("with config.json alone: %v", err)
	}
	if page := read(t, dir, FileName); !strings.Contains(page, "none of 3 yet") || strings.Contains(page, `"samples"`) {
		t.Error("the page of a run that has hardly begun does not say so")
	}
	if _, err := Write(t.TempDir()); !errors.Is(err, rundir.ErrNoRun) {
		t.Errorf("an empty folder: %v", err)
	}
}

// Several processes may write the same report at once.
func TestWriteTogether(t *testing.T) {
	dir := trained(t, "quad-5x5")
	if _, err := Write(dir); err != nil {
		t.Fatal(err)
	}
	want := read(t, dir, FileName)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 10 {
				if _, err := Write(dir); err != nil {
					t.Error(err)
				}
				if page := read(t, dir, FileName); page != want {
					t.Errorf("a page of %d bytes instead of %d", len(page), len(want))
				}
			}
		})
	}
	writers.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%s are left", left)
	}
}

// Suite results on few positions are not shown.
func TestFewSuitePositions(t *testing.T) {
	run := &Run{Suite: []rundir.SuiteResult{{Generation: 1, Agent: "net", Positions: 20, Error: 0.5, High: 1}}}
	if c := suiteChart([]*Run{run}); len(c.Lines) > 0 || !strings.Contains(c.Missing, "100") {
		t.Errorf("%+v", c)
	}
}

const evil = `</script><script>document.title="evil"</script><!--"'&`

// Texts cannot become markup.
func TestPageEscapes(t *testing.T) {
	chart := Chart{ID: "evil", Title: evil, Note: evil, X: evil, Unit: evil, Lines: []Line{{Name: evil, X: []float64{1}, Y: []float64{2}}}}
	page := Page{
		Title: evil, Subtitle: evil, Warnings: []string{evil}, Facts: []Fact{{evil, evil}},
		Settings: []Setting{{evil, evil, evil, evil, true}},
		Sections: []Section{{ID: "s", Title: evil, Note: evil, Charts: []Chart{chart, {ID: "none", Title: evil, Missing: evil}},
			Ladders: []Ladder{{ID: "l", Title: evil, Note: evil, Unit: evil, Bars: []Bar{{Name: evil, Detail: evil, High: 1}}}}}},
	}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	own := strings.Count(pageHTML+static.UPlot()+static.Inline("report.js"), "<!--")
	if n := bytes.Count(html, []byte("<script")); n != 3 {
		t.Errorf("%d scripts; the page has 3", n)
	}
	if bytes.Count(html, []byte("</script")) != 3 || bytes.Count(html, []byte("<!--")) != own || bytes.Contains(html, []byte(`document.title="evil"`)) {
		t.Error("a text is not escaped")
	}
	_, data, _ := strings.Cut(string(html), `type="application/json">`)
	data, _, _ = strings.Cut(data, "</script>")
	var back Page
	if err := json.Unmarshal([]byte(data), &back); err != nil || back.Sections[0].Charts[0].Title != evil {
		t.Errorf("the data block gives back %+v, error %v", back, err)
	}
}

// Long lines are thinned to means; short ones stay as they are.
func TestThin(t *testing.T) {
	for _, n := range []int{1, 60, 500, 501, 9999} {
		var l Line
		for i := range n {
			l.AddInterval(float64(i+1), 2*float64(i+1), 0, 5)
		}
		thin(&l)
		if len(l.X) > maxPoints || n <= maxPoints && len(l.X) != n || len(l.X) < min(n, maxPoints/2) {
			t.Errorf("%d points become %d", n, len(l.X))
		}
		for i, x := range l.X {
			if y := l.Y[i]; y < 1.999*x || y > 2.001*x || l.High[i] != 5 {
				t.Fatalf("%d points: at %v stands %v", n, x, y)
			}
		}
		if l.Dots != (n <= dottedPoints) {
			t.Errorf("%d points: dots are %t", n, l.Dots)
		}
	}
}

func TestRounded(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, 1.0 / 3: 0.33333, -0.000123456789: -0.00012346, 54321.678: 54322, 1234567.8: 1234568, 12.3456789: 12.346,
	} {
		if got := rounded(x); got != want {
			t.Errorf("rounded(%v) = %v, want %v", x, got, want)
		}
	}
}

// Several runs share a chart: each has a colour, and its name precedes its lines' names.
func TestSectionsOfRuns(t *testing.T) {
	dir := trained(t, "quad-5x5")
	a, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := *a
	a.Name, b.Name = "one", "two"
	for _, s := range Sections(a, &b) {
		if len(s.Ladders) > 0 {
			t.Errorf("%s: a ladder of two runs", s.ID)
		}
		for _, c := range s.Charts {
			runs := 0
			for _, l := range c.Lines {
				if l.Name == "ideal" {
					continue
				}
				if want := []string{"one: ", "two: "}[l.Colour]; !strings.HasPrefix(l.Name, want) {
					t.Errorf("%s: line %q in colour %d", c.ID, l.Name, l.Colour)
				}
				runs |= 1 << l.Colour
			}
			if c.Missing == "" && runs != 3 {
				t.Errorf("%s shows runs %b", c.ID, runs)
			}
		}
	}
}

// Generations that are repeated after a stop replace the old ones, and lines without a generation are dropped.
func TestAscending(t *testing.T) {
	var run Run
	for i, g := range []int{1, 2, 3, 2, 3, 0, 4} {
		run.addGeneration(&rundir.Metrics{Generation: g, Steps: i})
	}
	var steps []int
	for _, g := range run.Generations {
		steps = append(steps, g.Steps)
	}
	if !slices.Equal(steps, []int{0, 3, 4, 6}) {
		t.Errorf("kept lines %v", steps)
	}
}

// The charts of a long run are thinned, and say so.
func TestLongRun(t *testing.T) {
	run := &Run{Game: games.Must("quad-5x5")}
	for i := range 1200 {
		run.Generations = append(run.Generations, Generation{Metrics: rundir.Metrics{Generation: i + 1, PolicyLoss: 1, ValidationPolicyLoss: 2}})
	}
	for _, s := range Sections(run) {
		if s.ID != "learning" {
			continue
		}
		if loss := s.Charts[0].Lines; len(loss) != 2 || len(loss[0].X) != 400 || loss[0].X[0] != 2 || loss[0].Y[399] != 2 {
			t.Errorf("the curves of 1200 generations: %+v", loss)
		}
		if !strings.Contains(s.Note, "mean of up to 3 generations") {
			t.Errorf("the note says %q", s.Note)
		}
	}
}

// A match result whose Elo difference has no upper bound is described without it.
// A run of several sizes has a line for each size in its own charts, and one for its largest board beside other runs.
func TestSectionsOfSizes(t *testing.T) {
	sizes, err := rundir.SizesOf(5, 7)
	if err != nil {
		t.Fatal(err)
	}
	run := &Run{Name: "r", Game: games.Must("hex-7x7"), Config: &rundir.Config{Settings: rundir.Settings{Sizes: sizes}}}
	for i, size := range []int{5, 7, 5} {
		run.Generations = append(run.Generations, Generation{Metrics: rundir.Metrics{
			Generation: i + 1, Size: size, PolicyLoss: 10 + float64(size), ValidationPolicyLoss: float64(size), ReplayPositions: 8,
		}})
	}
	lines := func(id string, runs ...*Run) (text string) {
		for _, s := range Sections(runs...) {
			for _, c := range s.Charts {
				for _, l := range c.Lines {
					if c.ID == id {
						text += fmt.Sprintf("%s %v %v %d; ", l.Name, l.X, l.Y, l.Colour)
					}
				}
			}
		}
		return text
	}
	const (
		loss   = "validation on 7x7 [2] [7] 0; validation on 5x5 [1 3] [5 5] 2; training on 7x7 [2] [17] 1; "
		window = "window [1 2 3] [8 8 8] 0; "
		beside = "r: validation on 7x7 [2] [7] 0; r: training on 7x7 [2] [17] 0; r: validation on 7x7 [2] [7] 1; r: training on 7x7 [2] [17] 1; "
	)
	if got := lines("policy-loss", run); got != loss {
		t.Errorf("policy loss: %s, want %s", got, loss)
	}
	if got := lines("window", run); got != window {
		t.Errorf("window: %s, want %s", got, window)
	}
	if got := lines("policy-loss", run, run); got != beside {
		t.Errorf("policy losses of two runs: %s, want %s", got, beside)
	}
}

func TestMatchDetail(t *testing.T) {
	r := match.Result{Games: 4, Wins: 4, Score: 1, EloLow: -163, EloHigh: match.MaxElo}
	if got := MatchDetail(&r); got != "4 wins, 0 draws, 0 losses" {
		t.Errorf("the detail is %q", got)
	}
}
