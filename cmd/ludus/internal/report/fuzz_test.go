package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/train/rundir"
)

const validConfig = `{"version":4,"game":"quad-5x5","settings":%s,"plan":{"generations":3,"parallel_games":8,"plies_per_generation":8}}`

// Whatever a run's files contain beside config.json, there is a page, perhaps with warnings.
func FuzzRun(f *testing.F) {
	const metrics = `{"generation":1,"generations":3,"games":8,"total_games":8,"positions":90,"policy_loss":2,"play_seconds":1}`
	const extreme = `{"generation":1,"generations":3,"games":8,"total_games":8,"positions":90,"steps":1,"learning_rate":1e308,"replay_positions":9,"policy_loss":1e308,"outcome_loss":-1e308,
		"validation_policy_loss":1e308,"policy_entropy":1e308,"simulations":9,"evaluations":9,"play_seconds":1e-308,"learn_seconds":1e-308,
		"idle_share":1e308,"mean_plies":1e308,"first_score":1e308,"duplicate_games":1e308,"proven_share":1e308}`
	const matches = `{"generation":1,"agent":"net@1","opponent":"random","games":4,"score":0.5,"low":0.1,"high":0.9,"final":true}`
	const suite = `{"generation":1,"agent":"policy","positions":100,"error":0.5,"low":0.4,"high":0.6}`
	const ratings = `{"version":2,"anchor":"random","agents":[{"agent":"net@1","generation":1,"rating":120.5,"low":80,"high":161},{"agent":"random"}]}`
	f.Add([]byte(metrics), []byte(matches), []byte(suite), []byte(ratings))
	f.Add([]byte(`{"generation":1e18,"policy_loss":1e308,"play_seconds":1e308}`), []byte(`{"games":-1}`), []byte(`{}`), []byte(`[]`))
	f.Add([]byte(strings.ReplaceAll(extreme, "\n", " ")+"\n"+strings.ReplaceAll(strings.Replace(extreme, `"generation":1`, `"generation":2`, 1), "\n", " ")), []byte(strings.ReplaceAll(matches, "0.5", "-1e308")), []byte(strings.ReplaceAll(suite, "0.5", "1e308")), []byte(ratings))
	f.Add([]byte("{}\n\n[]\n{\"generation\":-1}"), []byte("null"), []byte(`{"generation":2,"error":1e300}`), []byte(`{"agents":[{"generation":3,"low":1e308,"high":-1e308}]}`))
	game := games.Must("quad-5x5")
	settings, err := json.Marshal(rundir.DefaultSettings(game))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, metrics, matches, suite, ratings []byte) {
		dir := t.TempDir()
		write(t, dir, "config.json", fmt.Sprintf(validConfig, settings))
		for name, data := range map[string][]byte{"metrics.jsonl": metrics, "arena.jsonl": matches, "suite.jsonl": suite, "ratings.json": ratings} {
			write(t, dir, name, string(data)+"\n")
		}
		run, err := ReadRun(dir)
		if err != nil {
			t.Fatal(err)
		}
		page, err := run.Page().HTML()
		if err != nil || !bytes.Contains(page, []byte("quad-5x5")) {
			t.Fatalf("%d bytes of a page: %v", len(page), err)
		}
	})
}

// Whatever config.json contains, the run is read or there is an error.
func FuzzRunConfig(f *testing.F) {
	f.Add([]byte(`{"version":4,"game":"quad-5x5","settings":{"simulations":16},"plan":{"generations":3,"stopped":-1,"seconds":1e300}}`))
	f.Add([]byte(`{"game":"chess"}`))
	f.Add([]byte(`{"game":"quad-5x5","seed":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		write(t, dir, "config.json", string(data))
		if _, err := rundir.ReadConfig(dir); err != nil {
			if _, err := ReadRun(dir); err == nil {
				t.Error("a run without a valid config.json is read")
			}
		}
		if run, err := ReadRun(dir); err == nil {
			if _, err := run.Page().HTML(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
