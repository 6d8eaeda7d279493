package web

import (
	"bufio"
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
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/doctor"
	"ludus/train/match"
	"ludus/train/record"
	"ludus/train/rundir"
)

// trainRun trains a run of four generations and records a match in its directory.
func trainRun(t *testing.T, dir string) {
	t.Helper()
	game := gameOf(t, "quad-5x5")
	_, err := train.Train(t.Context(), train.Options{
		Dir: dir, Game: game, Generations: 4, Threads: 2,
		Settings: map[string]float64{"parallel_games": 8, "plies_per_generation": 20, "simulations": 4, "channels": 4, "blocks": 1, "batch_size": 16, "rating_share": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := match.Config{Game: game, Games: 4, Seed: 1, Threads: 1, File: filepath.Join(dir, "match.jsonl")}
	if config.A, err = agent.ParseFactory(game, "greedy", rundir.LoadWeights); err == nil {
		config.B, err = agent.ParseFactory(game, "random", rundir.LoadWeights)
	}
	if err == nil {
		_, err = match.Run(t.Context(), config)
	}
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

// listener reads a stream of events.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
}

func (c *client) listen(t *testing.T, path string) *listener {
	t.Helper()
	response, err := c.http.Do(c.request("GET", path, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("%s is a %s", path, kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<22)
	return &listener{t, lines}
}

// next returns the next event; it skips comments.
func (l *listener) next() (name, data string) {
	l.t.Helper()
	for l.lines.Scan() {
		switch line := l.lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			return name, line[len("data: "):]
		}
	}
	l.t.Fatalf("the stream has ended: %v", l.lines.Err())
	return "", ""
}

// A line that is added to metrics.jsonl soon comes as a new view.
func TestRunEvents(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "deep", "run")
	trainRun(t, run)
	c := start(t, Options{Runs: dir, Threads: 1})
	list, page := c.listen(t, "/api/runs/events"), c.listen(t, "/api/run/events?name=deep%2Frun")
	if name, data := list.next(); name != "list" || !strings.Contains(data, `"name":"deep/run","title":"deep/run","game":"quad-5x5","agent":"net:deep/run","state":"finished"`) {
		t.Errorf("first %s %s", name, data)
	}
	name, data := page.next()
	var view watch.View
	if err := json.Unmarshal([]byte(data), &view); err != nil || name != "view" || view.Run.Generation != 4 || len(view.Sections) == 0 || len(view.Checkpoints) == 0 {
		t.Fatalf("first %s %s: %v", name, data, err)
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
	for view.Facts[0].Value != "5 of 4: finished" { // the first new view may have a new entry only
		name, data = page.next()
		if err := json.Unmarshal([]byte(data), &view); err != nil || name != "view" {
			t.Fatalf("then %s %s: %v", name, data, err)
		}
	}
	t.Logf("%d bytes of a view after %v", len(data), time.Since(begun))
	if view.Run.Generation != 5 {
		t.Errorf("the run is at %+v", view.Run)
	}
	for _, section := range view.Sections {
		for _, chart := range section.Charts {
			for _, line := range chart.Lines {
				if last := line.X[len(line.X)-1]; chart.ID == "seconds" && last != 5 {
					t.Errorf("chart %s ends at %v", chart.ID, last)
				}
			}
		}
	}
	if name, data := list.next(); name != "list" || !strings.Contains(data, `"generation":5`) {
		t.Errorf("the list then: %s %s", name, data)
	}
}

// Runs that cannot be read, and invalid requests.
func TestRunRefusals(t *testing.T) {
	dir := t.TempDir()
	trainRun(t, filepath.Join(dir, "run"))
	if err := os.MkdirAll(filepath.Join(dir, "broken"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"broken/config.json": `{"version":99}`, "run/games/000002.games": "torn", "run/torn.jsonl": `{"match":2,"game":"quad-5x5"}` + "\n{}\n", "run/odd.jsonl": `{"match":2,"game":"quad-5x5"}` + "\n" + `{"game":0,"moves":["(mark r9 c9)"]}` + "\n", "secret": "x"} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: 1})
	for path, want := range map[string]string{
		"/api/run":                                          "no such run",
		"/api/run?name=":                                    "no such run",
		"/api/run?name=..%2F..%2Fetc":                       "no such run",
		"/api/run?name=run%2F..%2Frun":                      "no such run",
		"/api/run/events?name=other":                        "no such run",
		"/api/run/games?name=other":                         "no such run",
		"/api/run/doctor?name=other":                        "no such run",
		"/api/run/games?name=broken":                        "another version",
		"/api/run/games?name=run&generation=2":              "damaged",
		"/api/run/games?name=run&generation=77":             "the run keeps no games of generation 77",
		"/api/run/games?name=run&generation=1&game=99999":   "no game 99999 in generation 1",
		"/api/run/matches?name=run&file=other":              "no recorded match",
		"/api/run/matches?name=run&file=..%2Fsecret":        "no recorded match",
		"/api/run/matches?name=run&file=config.json":        "no recorded match",
		"/api/run/matches?name=run&file=torn.jsonl&game=0":  "line 2: it is not a game",
		"/api/run/matches?name=run&file=match.jsonl&game=9": "no game 9 in match.jsonl",
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
	matches := getJSON[map[string][]matchSummary](c, "/api/run/matches?name=run")["matches"]
	if len(matches) != 1 || matches[0] != (matchSummary{"match.jsonl", "greedy", "random", 4}) {
		t.Errorf("matches %+v", matches)
	}
	for i, listed := range getJSON[gameList](c, "/api/run/matches?name=run&file=match.jsonl").Games {
		game := getJSON[board.Replay](c, fmt.Sprintf("/api/run/matches?name=run&file=match.jsonl&game=%d", i))
		want := [2]string{"greedy", "random"}
		if i%2 == 1 {
			want = [2]string{"random", "greedy"}
		}
		if game.Agents != want || listed.First != want[0] || game.Goals != listed.Goals || len(game.Positions) != listed.Plies+1 {
			t.Errorf("game %d: %+v, listed as %+v", i, game, listed)
		}
		if last := game.Positions[len(game.Positions)-1]; (*last.Value > 0) != (game.Goals[0] > game.Goals[1]) {
			t.Errorf("game %d: goals %v, the last position is worth %v for who was first", i, game.Goals, *last.Value)
		}
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
	game := gameOf(t, "quad-5x5")
	played, first, err := record.Read(game, run, generation)
	if err != nil {
		t.Fatal(err)
	}
	p := played[number-first]
	moves, state := p.Moves(), game.NewState()
	for i, s := range shown.Positions[:len(shown.Positions)-1] {
		legal, shares := state.Legal(nil), map[string]float64{}
		for j, m := range s.Moves {
			shares[m.Move] = *m.Policy
			if j > 0 && *m.Policy > *s.Moves[j-1].Policy {
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
