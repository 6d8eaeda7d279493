package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/checkpoints/zoo"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

// trained trains a tiny run.
func trained(t *testing.T, dir string) {
	t.Helper()
	game := games.Must("quad-5x5")
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: game, Generations: 2, Threads: 2,
		Settings: map[string]float64{"parallel_games": 8, "plies_per_generation": 30, "simulations": 4, "channels": 4, "blocks": 1, "batch_size": 16, "rating_share": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, w *Watcher, name string) *View {
	t.Helper()
	v, err := w.View(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// until waits for a view that satisfies good.
func until(t *testing.T, w *Watcher, name string, good func(*View) bool) *View {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(viewInterval) {
		if v := view(t, w, name); good(v) {
			return v
		}
	}
	t.Fatal("no such view within 20 s")
	return nil
}

const config = `{"version":4,"game":"quad-5x5","seed":1,"settings":%s,"plan":{"generations":4,"parallel_games":8,"plies_per_generation":3}}`

// scores returns the lines of arena.jsonl for scores in % of generations 1, 2 and so on, in 20 games each.
func scores(percent ...int) string {
	var lines strings.Builder
	for i, x := range percent {
		fmt.Fprintf(&lines, `{"generation":%d,"agent":"net@%d","opponent":"zoo","number":1,"simulations":64,"shipped":"%s","games":20,"pentanomial":[%d,0,0,0,%d]}`+"\n",
			i+1, i+1, zoo.CardOf("quad-5x5").Network.SHA256[:16], 10-x/10, x/10)
	}
	return lines.String()
}

// settings returns a game's default settings as JSON.
func settings(t testing.TB) string {
	t.Helper()
	game := games.Must("quad-5x5")
	data, err := json.Marshal(rundir.DefaultSettings(game))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Every state of a run, and folders that are not runs.
func TestList(t *testing.T) {
	dir := t.TempDir()
	path := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	good := fmt.Sprintf(config, settings(t))
	trained(t, path("finished"))
	write(t, path("nested", "stopped", "config.json"), good)
	write(t, path("nested", "stopped", "metrics.jsonl"), `{"generation":1,"total_games":7,"play_seconds":3,"learn_seconds":1}`+"\n"+`{"generation":2,"total_g`)
	write(t, path("nested", "stopped", "arena.jsonl"), scores(20))
	write(t, path("nested", "deep", "er", "config.json"), good)
	write(t, path("notes", "readme.txt"), "nothing")
	write(t, path(".hidden", "config.json"), good)
	write(t, path("a file"), "")
	write(t, path("torn", "config.json"), good[:40])
	write(t, path("newer", "config.json"), strings.Replace(good, `"version":4`, `"version":9`, 1))
	write(t, path("unknown", "config.json"), strings.Replace(good, `"quad-5x5"`, `"quadd-5x5"`, 1))
	write(t, path("empty", "checkpoints", "000001", "weights"), "")
	write(t, path("folder", "config.json", "x"), "")
	write(t, path("training", "config.json"), good)
	write(t, path("training", "metrics.jsonl"), `{"generation":1,"play_seconds":3,"learn_seconds":1}`+"\n")
	write(t, path("short", "config.json"), strings.Replace(good, `"plan":{`, `"plan":{"seconds":60,`, 1))
	write(t, path("short", "metrics.jsonl"), `{"generation":1,"play_seconds":30,"learn_seconds":1,"run_seconds":50}`+"\n")
	write(t, path("absurd", "config.json"), good)
	write(t, path("absurd", "metrics.jsonl"), `{"generation":1,"play_seconds":1e308,"learn_seconds":1e308}`+"\n")
	write(t, path("starting", "lock"), "")
	for _, name := range []string{"training", "starting", "short", "absurd"} {
		release, err := checkpoints.Lock(path(name, "lock"))
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	outside := t.TempDir()
	write(t, filepath.Join(outside, "config.json"), good)
	for from, to := range map[string]string{"link": path("finished"), "link-out": outside, "link-to-nothing": path("nothing")} {
		if err := os.Symlink(to, path(from)); err != nil {
			t.Skip("no links here: ", err)
		}
	}

	w := New(dir)
	found := w.List()
	states := map[string]string{}
	for _, e := range found.Runs {
		states[e.Name] = e.State
		if (e.State == Broken) != (e.Problem != "") || e.State == Broken && e.Agent != "" {
			t.Errorf("%+v", e)
		}
	}
	want := map[string]string{
		"finished": Finished, "nested/stopped": Stopped, "torn": Broken, "newer": Broken, "unknown": Broken, "empty": Broken, "folder": Broken,
		"training": Training, "short": Training, "absurd": Training, "starting": Starting, "link": Finished, "link-out": Broken,
	}
	if !reflect.DeepEqual(states, want) || found.Note != "" {
		t.Errorf("runs %v\nwant %v\nnote %q", states, want, found.Note)
	}
	for _, e := range found.Runs {
		switch problem := e.Problem; e.Name {
		case "finished":
			if e.Generation != 2 || e.Generations != 2 || e.Agent != "net:finished" || e.Game != "quad-5x5" || e.Games == 0 || e.Changed == 0 {
				t.Errorf("%+v", e)
			}
		case "nested/stopped":
			if e.Generation != 1 || e.Games != 7 || e.Score == nil || e.Score.Value != 0.2 || e.Score.Games != 20 || e.Left != 0 || e.Agent != "" {
				t.Errorf("%+v", e)
			}
		case "training":
			if e.Left < 12 || e.Left > 14 { // three generations of four seconds, and matches
				t.Errorf("%v seconds left", e.Left)
			}
		case "short":
			if e.Left != 10 { // its time ends sooner
				t.Errorf("%v seconds left", e.Left)
			}
		case "absurd":
			if _, err := json.Marshal(e); err != nil || e.Left != 0 {
				t.Errorf("%+v: %v", e, err)
			}
		case "newer":
			if !strings.Contains(problem, "another version") {
				t.Errorf("newer: %s", problem)
			}
		case "unknown":
			if !strings.Contains(problem, "quadd-5x5") {
				t.Errorf("unknown: %s", problem)
			}
		case "link-out":
			if !strings.Contains(problem, "leads out") {
				t.Errorf("link-out: %s", problem)
			}
		}
	}
}

// A run's curve shows its losses, and its scores once five checkpoints have one.
func TestCurve(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	write(t, filepath.Join(run, "config.json"), fmt.Sprintf(config, settings(t)))
	var lines strings.Builder
	for g := 1; g <= 100; g++ {
		fmt.Fprintf(&lines, `{"generation":%d,"validation_policy_loss":%d,"validation_outcome_loss":0.5}`+"\n", g, 1+100/g)
	}
	write(t, filepath.Join(run, "metrics.jsonl"), lines.String())
	w := New(dir)
	curve := w.List().Runs[0].Curve
	if curve == nil || curve.Kind != LossCurve || len(curve.Values) != curvePoints || curve.Values[0] != 101.5 || curve.Generations[curvePoints-1] != 100 {
		t.Errorf("the curve of losses: %+v", curve)
	}
	write(t, filepath.Join(run, "arena.jsonl"), scores(20, 70, 30, 40))
	if curve := New(dir).List().Runs[0].Curve; curve == nil || curve.Kind != LossCurve {
		t.Errorf("the curve of four scores: %+v", curve)
	}
	write(t, filepath.Join(run, "arena.jsonl"), scores(20, 70, 30, 40, 50))
	want := &Curve{Kind: ScoreCurve, Generations: []int{1, 2, 3, 4, 5}, Values: []float64{20, 70, 30, 40, 50}}
	if curve := New(dir).List().Runs[0].Curve; !reflect.DeepEqual(curve, want) {
		t.Errorf("the curve of scores: %+v", curve)
	}
}

// A run whose losses left all bounds has diverged until it has trained beyond.
func TestDivergedState(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	text := strings.Replace(fmt.Sprintf(config, settings(t)), `"generations":`, `"diverged":2,"generations":`, 1)
	write(t, filepath.Join(run, "config.json"), text)
	for generation, want := range map[int]string{1: Diverged, 2: Stopped} {
		write(t, filepath.Join(run, "metrics.jsonl"), fmt.Sprintf(`{"generation":%d}`+"\n", generation))
		if state := New(dir).List().Runs[0].State; state != want {
			t.Errorf("after generation %d: %s, want %s", generation, state, want)
		}
	}
}

// A run's agent is its newest checkpoint, unless another that is still on disk is rated clearly higher.
func TestBest(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	write(t, filepath.Join(run, "config.json"), fmt.Sprintf(config, settings(t)))
	write(t, filepath.Join(run, "ratings.json"), `{"version":2,"agents":[{"agent":"net@9","generation":9,"rating":70,"low":20,"high":120},
		{"agent":"net@5","generation":5,"rating":80,"low":75,"high":85},{"agent":"net@1","generation":1,"rating":55,"low":45,"high":65}]}`)
	for _, c := range []struct{ checkpoint, want string }{{"", ""}, {"000001", ""}, {"000009", ""}, {"000005", "net:run@best"}} {
		if c.checkpoint != "" {
			write(t, filepath.Join(run, "checkpoints", c.checkpoint, "manifest.json"), "{}")
		}
		if e := New(dir).List().Runs[0]; e.Best != c.want {
			t.Errorf("with checkpoint %s: %+v", c.checkpoint, e)
		}
	}
}

// Symbolic links to runs inside the folder are followed; nothing is read through links that lead out.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	good := fmt.Sprintf(config, settings(t))
	outside := t.TempDir()
	write(t, filepath.Join(dir, "runs", "run", "config.json"), good)
	write(t, filepath.Join(outside, "a", "config.json"), good)
	for from, to := range map[string]string{
		"inside": filepath.Join(dir, "runs", "run"), "out": filepath.Join(outside, "a"), "all-out": outside, "up": "..",
	} {
		if err := os.Symlink(to, filepath.Join(dir, "runs", from)); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	t.Chdir(dir)
	w := New("runs")
	var names []string
	for _, e := range w.List().Runs {
		names = append(names, e.Name+" "+e.State)
	}
	if want := []string{"inside stopped", "out broken", "run stopped"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	if v := view(t, w, "inside"); len(v.Sections) == 0 || v.Run.State != Stopped {
		t.Errorf("a link inside: %+v", v.Run)
	}
	if v := view(t, w, "out"); len(v.Sections) > 0 || len(v.Facts) > 0 || v.Run.Game != "" || !strings.Contains(v.Run.Problem, "leads out") {
		t.Errorf("a link that leads out is followed: %+v", v)
	}
	view(t, w, "run")
	if err := os.RemoveAll(filepath.Join("runs", "run")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "a"), filepath.Join("runs", "run")); err != nil {
		t.Fatal(err)
	}
	until(t, w, "run", func(v *View) bool { return len(v.Sections) == 0 && strings.Contains(v.Run.Problem, "leads out") })
}

func TestListOfOneRunAndOfNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	empty := New(dir).List()
	if len(empty.Runs) > 0 || empty.Note != "" {
		t.Errorf("a missing folder: %+v", empty)
	}
	trained(t, dir)
	w := New(dir)
	l := w.List()
	if len(l.Runs) != 1 || l.Runs[0].Name != "." || l.Runs[0].Title != "run" || l.Runs[0].Agent != "net:." {
		t.Errorf("a run in place of a folder of runs: %+v", l)
	}
	if v := view(t, w, "."); len(v.Sections) == 0 || v.Run.State != Finished {
		t.Errorf("its view: %+v", v.Run)
	}
}

// A file named like one of a run's does not hide the runs beside it.
func TestListBesideOtherFiles(t *testing.T) {
	for _, other := range []string{"config.json", "lock", "checkpoints/other"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, filepath.FromSlash(other)), "{}")
		write(t, filepath.Join(dir, "run", "config.json"), "{}")
		if l := New(dir).List(); len(l.Runs) != 1 || l.Runs[0].Name != "run" {
			t.Errorf("beside %s: %+v", other, l.Runs)
		}
	}
}

// A run's folder whose name is not UTF-8 is left out, because pages could not name it; the note names it.
func TestListOfOtherBytes(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "\xe4"), 0o700); err != nil {
		t.Skip("this file system takes no such name")
	}
	write(t, filepath.Join(dir, "\xe4", "config.json"), "{}")
	write(t, filepath.Join(dir, "ä", "config.json"), "{}")
	if l := New(dir).List(); len(l.Runs) != 1 || l.Runs[0].Name != "ä" || !strings.Contains(l.Note, `"\xe4" is left out`) {
		t.Errorf("%+v", l)
	}
}

// Waiting callers get what is added to a run's files, but not incomplete lines.
func TestViewGrows(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	trained(t, run)
	metrics := filepath.Join(run, "metrics.jsonl")
	line := strings.TrimSpace(strings.Split(read(t, metrics), "\n")[1])
	w := New(dir)
	before := view(t, w, "run")

	appendText(t, metrics, strings.Replace(line, `"generation":2`, `"generation":3`, 1)[:100])
	changed := time.Unix(before.Run.Changed, 0) // the view shows this time, in seconds
	if err := os.Chtimes(metrics, changed, changed); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * viewInterval)
	if v := view(t, w, "run"); !reflect.DeepEqual(v, before) {
		t.Fatalf("half a line is a change: %+v", v.Run)
	}
	appendText(t, metrics, strings.Replace(line, `"generation":2`, `"generation":3`, 1)[100:]+"\n")
	start := time.Now()
	until(t, w, "run", func(v *View) bool { return v.Run.Generation == 3 && v.Facts[0].Value != before.Facts[0].Value })
	t.Logf("seen after %v", time.Since(start))
	for g := 4; g < 700; g++ { // past the number of points at which lines are thinned
		appendText(t, metrics, strings.Replace(line, `"generation":2`, fmt.Sprintf(`"generation":%d`, g), 1)+"\n")
		if g%200 == 0 || g == 699 {
			until(t, w, "run", func(v *View) bool { return v.Run.Generation == g })
		}
	}
	until(t, w, "run", func(v *View) bool { return strings.HasPrefix(v.Facts[0].Value, "699") })
	write(t, filepath.Join(run, "ratings.json"), `{"version":2,"agents":[{"agent":"net@2","generation":2,"rating":70,"low":50,"high":90},{"agent":"random","rating":0}]}`)
	rated := until(t, w, "run", func(v *View) bool {
		return len(v.Sections[0].Ladders) == 1 && len(v.Sections[0].Ladders[0].Bars) == 2
	})
	if c := rated.Sections[0].Charts[2]; c.ID != "rating" || len(c.Lines) != 2 {
		t.Errorf("the chart is %+v", c)
	}
	if err := os.RemoveAll(run); err != nil {
		t.Fatal(err)
	}
	gone := until(t, w, "run", func(v *View) bool { return v.Run.State == Broken && len(w.List().Runs) == 0 })
	if !strings.Contains(gone.Run.Problem, "gone") || len(gone.Sections) != 0 {
		t.Errorf("a deleted run: %+v", gone.Run)
	}
	trained(t, run)
	until(t, w, "run", func(v *View) bool { return v.Run.State == Finished && len(v.Sections) > 0 })
}

// A deleted run is forgotten once nobody has viewed it for a while.
func TestForgotten(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"stays", "goes"} {
		write(t, filepath.Join(dir, name, "config.json"), fmt.Sprintf(config, settings(t)))
	}
	w := New(dir)
	w.List()
	if err := os.RemoveAll(filepath.Join(dir, "goes")); err != nil {
		t.Fatal(err)
	}
	until(t, w, "goes", func(v *View) bool { return v.Run.State == Broken && len(w.List().Runs) == 1 })
	for _, run := range w.runs {
		run.checked = run.checked.Add(-2 * forgetAfter)
	}
	w.scan()
	if w.runs["goes"] != nil || w.runs["stays"] == nil {
		t.Errorf("kept are %v", w.runs)
	}
}

// A starting run is not shown as broken, and is read as soon as it has a plan.
func TestStartingRun(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	write(t, filepath.Join(run, "lock"), "")
	release, err := checkpoints.Lock(filepath.Join(run, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	w := New(dir)
	v := view(t, w, "run")
	if v.Run.State != Starting || len(v.Sections) > 0 {
		t.Fatalf("without a plan: %+v", v.Run)
	}
	if err := checkpoints.WriteFile(filepath.Join(run, "config.json"), fmt.Appendf(nil, config, settings(t))); err != nil {
		t.Fatal(err)
	}
	until(t, w, "run", func(v *View) bool { return v.Run.State == Training && len(v.Sections) > 0 })
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// TestWorkers: a view has the workers of a run that trains, if their state is new.
func TestWorkers(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	write(t, filepath.Join(run, "config.json"), fmt.Sprintf(config, settings(t)))
	status := &rundir.WorkersStatus{Time: time.Now().Unix(), Workers: []rundir.WorkerStatus{{Name: "a"}}}
	if err := rundir.WriteWorkers(run, status); err != nil {
		t.Fatal(err)
	}
	w := New(dir)
	if view(t, w, "run").Workers != nil {
		t.Error("a stopped run has workers")
	}
	release, err := rundir.Lock(run)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	until(t, w, "run", func(v *View) bool { return v.Workers != nil && v.Workers.Workers[0].Name == "a" })
	status.Time -= 1000
	if err := rundir.WriteWorkers(run, status); err != nil {
		t.Fatal(err)
	}
	until(t, w, "run", func(v *View) bool { return v.Workers == nil })
}

func TestUnknown(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run0", "config.json"), fmt.Sprintf(config, settings(t)))
	w := New(dir)
	for _, name := range []string{"", "nothing", "..", "../run0", "run0/../run1", "/etc", "run0/", "run0\x00"} {
		if _, err := w.View(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// A viewed run of 2,000 generations needs little memory.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	trained(t, run)
	line := strings.TrimSpace(strings.Split(read(t, filepath.Join(run, "metrics.jsonl")), "\n")[1])
	var b strings.Builder
	for g := range 2000 {
		b.WriteString(strings.Replace(line, `"generation":2`, fmt.Sprintf(`"generation":%d`, g+1), 1) + "\n")
	}
	write(t, filepath.Join(run, "metrics.jsonl"), b.String())
	w := New(dir)
	before := heap()
	v := view(t, w, "run")
	grown := heap() - before
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes of metrics take %d KB, the view is %d KB", b.Len(), grown>>10, len(data)>>10)
	if grown > 8<<20 || len(data) > 1<<20 {
		t.Errorf("2,000 generations take %d KB, the view %d KB", grown>>10, len(data)>>10)
	}
	runtime.KeepAlive(v)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
