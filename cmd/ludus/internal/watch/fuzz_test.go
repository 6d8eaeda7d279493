package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/report"
)

// Whatever a run's files contain, the run is listed, and list and view are valid JSON.
func FuzzRun(f *testing.F) {
	config := fmt.Sprintf(`{"version":4,"game":"quad-5x5","seed":1,"plan":{"generations":3,"parallel_games":8,"plies_per_generation":8},"settings":%s}`, settings(f))
	const metrics = `{"generation":1,"generations":3,"games":8,"total_games":8,"positions":90,"policy_loss":2,"play_seconds":1,"learn_seconds":2}`
	const matches = `{"generation":1,"agent":"net@1","opponent":"random","games":4,"score":0.5,"low":0.1,"high":0.9,"final":true}`
	const suite = `{"generation":1,"agent":"policy","positions":100,"error":0.5,"low":0.4,"high":0.6}`
	const ratings = `{"version":2,"anchor":"random","agents":[{"agent":"net@1","generation":1,"rating":120.5,"low":80,"high":161},{"agent":"random"}]}`
	f.Add([]byte(config), []byte(metrics), []byte(matches), []byte(suite), []byte(ratings))
	f.Add([]byte(config), []byte(`{"generation":1,"play_seconds":1.7e308,"learn_seconds":1.7e308}`), []byte(matches), []byte(suite), []byte(ratings))
	f.Add([]byte(config), []byte(`{"generation":-9e18,"play_seconds":1e308}`), []byte(`{"score":1e308}`), []byte(`{"error":-1e308}`), []byte(`{"version":2,"agents":[{"generation":-1,"low":1e308}]}`))
	f.Add([]byte(`{"version":4,"game":"chess"}`), []byte("{}\n[]\nnull"), []byte("null"), []byte("\x00"), []byte("[]"))
	f.Add([]byte(`{"version":9}`), []byte("\n\n"), []byte{}, []byte{}, []byte(`{"version":9}`))
	f.Fuzz(func(t *testing.T, config, metrics, matches, suite, ratings []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"metrics.jsonl": metrics, "arena.jsonl": matches, "suite.jsonl": suite, "ratings.json": ratings} {
			write(t, filepath.Join(dir, "run", name), string(data)+"\n")
		}
		write(t, filepath.Join(dir, "run", "config.json"), string(config))
		if release, err := checkpoints.Lock(filepath.Join(dir, "run", "lock")); err == nil {
			defer release() // it trains
		} else if !errors.Is(err, errors.ErrUnsupported) {
			t.Fatal(err)
		}
		w := New(dir)
		list := w.List()
		if len(list.Runs) != 1 || list.Runs[0].Name != "run" {
			t.Fatalf("listed are %+v", list.Runs)
		}
		if _, err := json.Marshal(list); err != nil {
			t.Fatalf("%v of %+v", err, list)
		}
		view, err := w.View("run")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(view); err != nil {
			t.Fatalf("%v of %+v", err, view)
		}
		if _, err := report.ReadRun(filepath.Join(dir, "run")); err != nil && view.Run.State != Starting && view.Run.Problem == "" {
			t.Errorf("the view does not show %v", err)
		}
		if entry := list.Runs[0]; entry.Generation < 0 || entry.Left < 0 || entry.State == Broken && entry.Problem == "" {
			t.Errorf("an entry of %+v", entry)
		}
	})
}
