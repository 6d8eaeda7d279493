package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/report"
	"ludus/cmd/ludus/internal/watch"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/doctor"
	"ludus/train/record"
)

// trainRun trains a run of four generations.
func trainRun(t *testing.T, dir string) {
	t.Helper()
	game := games.Must("quad-5x5")
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: game, Generations: 4, Threads: 2,
		Settings: map[string]float64{"parallel_games": 8, "plies_per_generation": 20, "simulations": 4, "channels": 4, "blocks": 1, "batch_size": 16, "rating_share": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// getJSON makes a GET request and decodes the reply.
func getJSON[T any](c *client, path string) (reply T) {
	c.t.Helper()
	response, text := c.do(c.request("GET", path, ""))
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: %d %s", path, response.StatusCode, text)
	}
	if err := json.Unmarshal([]byte(text), &reply); err != nil {
		c.t.Fatalf("%s: %v", path, err)
	}
	return reply
}

// A reply that a client has already has no body. A line that is added to metrics.jsonl soon comes in a new view.
func TestNewerView(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "deep", "run")
	trainRun(t, run)
	c := start(t, Options{Runs: dir, Threads: 1})
	list, view := getJSON[watch.List](c, "/api/runs"), getJSON[watch.View](c, "/api/run?name=deep%2Frun")
	if e := list.Runs[0]; e.Name != "deep/run" || e.Title != e.Name || e.Game != "quad-5x5" || e.Agent != "net:deep/run" || e.State != watch.Finished {
		t.Errorf("the list has %+v", e)
	}
	if view.Run.Generation != 4 || len(view.Sections) == 0 || len(view.Checkpoints) == 0 {
		t.Fatalf("the view is %+v", view)
	}
	etag := ""
	newer := func() int {
		response, body := c.do(c.request("GET", "/api/run?name=deep%2Frun", "", "If-None-Match: "+etag))
		etag = response.Header.Get("ETag")
		if response.StatusCode == http.StatusOK {
			if err := json.Unmarshal([]byte(body), &view); err != nil {
				t.Fatal(err)
			}
		} else if body != "" {
			t.Errorf("status %d with %q", response.StatusCode, body)
		}
		return response.StatusCode
	}
	if first, second := newer(), newer(); first != http.StatusOK || second != http.StatusNotModified {
		t.Errorf("status %d, then %d", first, second)
	}

	metrics, err := os.ReadFile(filepath.Join(run, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(metrics)), "\n")
	added := strings.Replace(lines[3], `"generation":4`, `"generation":5`, 1) + "\n"
	f, err := os.OpenFile(filepath.Join(run, "metrics.jsonl"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	begun := time.Now()
	fmt.Fprint(f, added[:50]) // a writer may be seen half-way
	time.Sleep(50 * time.Millisecond)
	fmt.Fprint(f, added[50:])
	eventually(t, "the view has the new generation", func() bool {
		return newer() == http.StatusOK && view.Facts[0].Value == "5 of 4: finished" && view.Run.Generation == 5
	})
	t.Logf("a new view after %v", time.Since(begun))
	for _, section := range view.Sections {
		for _, chart := range section.Charts {
			for _, line := range chart.Lines {
				if last := line.X[len(line.X)-1]; chart.ID == "seconds" && last != 5 {
					t.Errorf("chart %s ends at %v", chart.ID, last)
				}
			}
		}
	}
	eventually(t, "the list has it", func() bool { return getJSON[watch.List](c, "/api/runs").Runs[0].Generation == 5 })
}

// Runs that cannot be read, and invalid requests.
func TestRunRefusals(t *testing.T) {
	dir := t.TempDir()
	trainRun(t, filepath.Join(dir, "run"))
	if err := os.MkdirAll(filepath.Join(dir, "broken"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"broken/config.json": `{"version":99}`, "run/games/000002.games": "torn", "secret": "x"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: 1})
	for path, want := range map[string]string{
		"/api/run":                                        "no such run",
		"/api/run?name=":                                  "no such run",
		"/api/run?name=..%2F..%2Fetc":                     "no such run",
		"/api/run?name=run%2F..%2Frun":                    "no such run",
		"/api/run/games?name=other":                       "no such run",
		"/api/run/doctor?name=other":                      "no such run",
		"/api/run/games?name=broken":                      "another version",
		"/api/run/games?name=run&generation=2":            "damaged",
		"/api/run/games?name=run&generation=77":           "the run keeps no games of generation 77",
		"/api/run/games?name=run&generation=1&game=99999": "no game 99999 in generation 1",
	} {
		c.refuses(c.request("GET", path, ""), http.StatusNotFound, want)
		if _, body := c.do(c.request("GET", path, "")); strings.Contains(body, filepath.Join(dir, "run")) {
			t.Errorf("%s reveals the folder: %s", path, body)
		}
	}
	c.refuses(c.request("GET", "/api/run/games?name=run&generation=x", ""), http.StatusBadRequest, `generation must be a whole number from 0, not "x"`)
	c.refuses(c.request("GET", "/api/run/games?name=run&generation=1&game=-1", ""), http.StatusBadRequest, "game must be a whole number from 0")
	if view := getJSON[watch.View](c, "/api/run?name=broken"); view.Run.State != watch.Broken || !strings.Contains(view.Run.Problem, "another version") || len(view.Sections) > 0 {
		t.Errorf("a newer run: %+v", view.Run)
	}
}

// The server compares runs of one game.
func TestCompareRuns(t *testing.T) {
	dir := t.TempDir()
	trainRun(t, filepath.Join(dir, "deep", "run"))
	config, err := os.ReadFile(filepath.Join(dir, "deep", "run", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(config), `"quad-5x5"`, `"tic-tac-toe"`, 1)
	for name, text := range map[string]string{"fresh": string(config), "broken": `{"version":99}`, "other-game": other} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "config.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: 1})
	page := getJSON[report.Page](c, "/api/compare?name=deep%2Frun&name=fresh")
	if page.Title != "quad-5x5" || page.Subtitle != "Runs deep/run, fresh" || !page.Axes || len(page.Facts) != 2 || len(page.Sections) == 0 {
		t.Errorf("%+v", page)
	}
	seven := "?name=deep%2Frun" + strings.Repeat("&name=fresh", 6)
	for query, want := range map[string]string{
		"": "2 to 6 runs", "?name=fresh": "2 to 6 runs, not of 1", seven: "2 to 6 runs, not of 7",
		"?name=fresh&name=other-game": "is a run of quad-5x5 and other-game one of tic-tac-toe; compare runs of one game",
	} {
		c.refuses(c.request("GET", "/api/compare"+query, ""), http.StatusBadRequest, want)
	}
	for query, want := range map[string]string{"?name=fresh&name=other": "no such run", "?name=fresh&name=broken": "another version"} {
		c.refuses(c.request("GET", "/api/compare"+query, ""), http.StatusNotFound, want)
	}
}

// Every listed game can be stepped through to its end.
func TestRunGames(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	trainRun(t, run)
	before := contents(t, run)
	c := start(t, Options{Runs: dir, Threads: 1})
	shown := 0
	for _, g := range getJSON[struct{ Generations []int }](c, "/api/run/games?name=run").Generations {
		path := fmt.Sprintf("/api/run/games?name=run&generation=%d", g)
		for _, listed := range getJSON[gameList](c, path).Games {
			game := getJSON[board.Replay](c, fmt.Sprintf("%s&game=%d", path, listed.Number))
			shown++
			last := game.Positions[len(game.Positions)-1]
			if len(game.Positions) != listed.Plies+1 || game.Goals != listed.Goals || last.Move != "" || last.Player != -1 || last.Value == nil {
				t.Fatalf("game %d: %+v", listed.Number, game)
			}
			checkReplay(t, run, g, listed.Number, &game)
		}
	}
	if shown == 0 {
		t.Error("no game is listed")
	}
	getJSON[watch.View](c, "/api/run?name=run")
	if d := getJSON[doctor.Diagnosis](c, "/api/run/doctor?name=run"); d.Generation != 4 || d.Findings == nil || len(d.Curves) == 0 {
		t.Errorf("diagnosis %+v", d)
	}
	if after := contents(t, run); after != before {
		t.Errorf("looking at the run has changed it: %s, before %s", after, before)
	}
}

// checkReplay compares the replay of a self-play game of quad-5x5 with the run's file: openings were not searched, and
// policy targets are those of legal moves, in descending order.
func checkReplay(t *testing.T, run string, generation, number int, shown *board.Replay) {
	t.Helper()
	game := games.Must("quad-5x5")
	played, first, err := record.Read(game, run, generation)
	if err != nil {
		t.Fatal(err)
	}
	p := played[number-first]
	moves, state := p.Moves(), game.NewState()
	for i, s := range shown.Positions[:len(shown.Positions)-1] {
		legal, shares := state.Legal(nil), map[string]float64{}
		for j, m := range s.Moves {
			shares[m.Move] = m.Policy
			if j > 0 && m.Policy > s.Moves[j-1].Policy {
				t.Errorf("game %d, ply %d: shares do not fall", number, i)
			}
		}
		if s.Move != game.ActionNames[moves[i]] || s.Random != (i < len(p.Opening)) {
			t.Fatalf("game %d, ply %d: %+v", number, i, s)
		}
		mover := state.Player()
		state.Apply(moves[i])
		if s.Random {
			if s.Value != nil || s.Moves != nil {
				t.Errorf("game %d, ply %d: %+v, of the opening", number, i, s)
			}
			continue
		}
		found, policy := &p.Plies[i-len(p.Opening)], make([]float32, len(legal))
		if s.Value == nil || *s.Value != mover.Sign()*found.Value(game) || s.Proven != (found.Proven >= 0) {
			t.Errorf("game %d, ply %d: %+v, found was %+v", number, i, s, found)
		}
		found.Policy.Normalise(policy)
		for k, share := range policy {
			if share < 0.005 { // such small shares are left out
				share = 0
			}
			if got := shares[game.ActionNames[legal[k]]]; got != float64(share) {
				t.Errorf("game %d, ply %d: move %d has a share of %v, want %v", number, i, k, got, share)
			}
		}
	}
}

// contents lists the names, sizes and times of all files.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
