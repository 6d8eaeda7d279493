package static

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// modules lists all modules.
func modules(t *testing.T) []string {
	t.Helper()
	names, err := fs.Glob(Files, "*.js")
	if err != nil || len(names) == 0 {
		t.Fatalf("modules %q, error %v", names, err)
	}
	return names
}

var (
	anyImport = regexp.MustCompile(`(?m)^[ \t]*import\b.*$`)
	anyExport = regexp.MustCompile(`(?m)^[ \t]*export\b.*$`)
	okExport  = regexp.MustCompile(`^export (?:async )?(?:function|const|class) (\w+)`)
	outermost = regexp.MustCompile(`(?m)^(?:export )?(?:async )?(?:function|const|let|class) (\w+)`)
	braces    = regexp.MustCompile(`\{(.*)\}`)
)

// Modules follow the rules for joining, and import only existing names.
func TestRules(t *testing.T) {
	for _, name := range modules(t) {
		text := read(name)
		for _, line := range anyExport.FindAllString(text, -1) {
			if !okExport.MatchString(line) {
				t.Errorf("%s: %q", name, line)
			}
		}
		for _, line := range anyImport.FindAllString(text, -1) {
			found := imports.FindStringSubmatch(line + "\n")
			if found == nil {
				t.Errorf("%s: %q", name, line)
				continue
			}
			exported := map[string]bool{}
			for _, line := range anyExport.FindAllString(read(found[1]), -1) {
				exported[okExport.FindStringSubmatch(line)[1]] = true
			}
			for _, want := range strings.Split(braces.FindStringSubmatch(line)[1], ",") {
				if !exported[strings.TrimSpace(want)] {
					t.Errorf("%s imports %s, which %s does not export", name, want, found[1])
				}
			}
		}
	}
}

// In every joined script, no name is declared twice, and nothing ends the script element.
func TestInline(t *testing.T) {
	for _, name := range modules(t) {
		script := Inline(name)
		seen := map[string]bool{}
		for _, found := range outermost.FindAllStringSubmatch(script, -1) {
			if seen[found[1]] {
				t.Errorf("%s: %s is declared twice", name, found[1])
			}
			seen[found[1]] = true
		}
		if left := anyImport.FindString(script) + anyExport.FindString(script); left != "" {
			t.Errorf("%s: %q is left", name, left)
		}
		if strings.Contains(strings.ToLower(script+UPlot()+Fzstd()), "</script") || strings.Contains(script, "<!--") {
			t.Errorf("%s would end its element", name)
		}
	}
}

// node runs Node if it is installed.
func node(t *testing.T, arguments ...string) string {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	command := exec.CommandContext(t.Context(), program, arguments...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("node %q: %v\n%s", arguments, err, out)
	}
	return string(out)
}

// Node can parse every joined script.
func TestScriptsCanBeRead(t *testing.T) {
	dir := t.TempDir()
	arguments := []string{"-e", `for (const path of process.argv.slice(1))
		new (require("vm").Script)(require("fs").readFileSync(path, "utf8"), { filename: path })`}
	for _, name := range modules(t) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(Inline(name)), 0o666); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, path)
	}
	node(t, arguments...)
}

// nodeModules runs main.js beside the named modules in Node.
func nodeModules(t *testing.T, main string, names []string, arguments ...string) string {
	t.Helper()
	dir := t.TempDir()
	texts := map[string]string{"package.json": `{"type":"module"}`, "main.js": main}
	for _, name := range names {
		texts[name] = read(name)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return node(t, append([]string{filepath.Join(dir, "main.js")}, arguments...)...)
}

func TestFormat(t *testing.T) {
	got := nodeModules(t, `
		import { barScale, duration, grouped, number, percent, quantity, score } from "./format.js";
		console.log([0, 0.01234, 1.5, 94, -120.4, 9999, 12345, -1234567, null].map(number).join(" "));
		console.log(grouped("12345.5"), score(-0.0001), score(0.5), score(-0.996, 0), score(0.9999), score(-1, 0), score(null), percent(0.1234));
		console.log([quantity(31.25, "%", 3.125, 7.9), quantity(0.125, "%"), quantity(1182.5, "Elo", 1159, 1200), quantity(0.5)].join(", "));
		console.log(duration(0), duration(89), duration(600), duration(7200));
		const at = barScale({ unit: "Elo", bars: [{ value: -50, low: -100, high: 0 }, { value: 50, low: 0, high: 100 }] });
		console.log(at(-200), at(-50), at(0), at(50), barScale({ unit: "%", bars: [] })(25));
	`, []string{"format.js"})
	want := "0 0.0123 1.50 94.0 -120 9999 12,345 -1,234,567 –\n" +
		"12,345.5 50.0 % 75.0 % 1 % 99.9 % 0 % – 12.3 %\n" +
		"31.3 % (3.1 to 7.9), 0.1 %, 1183 Elo (1159 to 1200), 0.5\n" +
		"1 s 89 s 10 min 2.0 h\n" +
		"0 25 50 75 25\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Shades on the board follow what moves are worth, however often the search visited them; the prior alone has its own.
// Numbers are the first player's expected score, whoever is to move.
func TestBoardMarks(t *testing.T) {
	got := nodeModules(t, `
		globalThis.document = {};
		globalThis.matchMedia = () => ({});
		const { boardMarks } = await import("./analysis.js");
		const players = ["red", "yellow"], actions = Object.fromEntries(["g1", "e1", "f1"].map((name, to) => [name, { from: -1, to }]));
		const moves = [{ move: "g1", visits: 84, value: -0.01, prior: 0.2 }, { move: "e1", visits: 84, value: -0.9, prior: 0.7 }, { move: "f1", visits: 3, value: -0.05, prior: 0.1 }];
		const show = (player, wants) => {
			const { shades, numbers, chosen } = boardMarks({ player, simulations: 200, moves }, actions, wants, players);
			console.log(shades.map(({ move, weight }) => move + " " + weight.toFixed(2)).join(", "), "|", [...numbers].map(([cell, text]) => cell + ":" + text).join(" "), "|", chosen?.move);
		};
		show("red", { visits: true, value: true });
		show("yellow", { visits: true, value: true });
		show("red", { visits: true });
		show("red", { prior: true });
		show("red", {});
	`, []string{"analysis.js", "board.js", "dom.js", "format.js"})
	want := "g1 1.00, f1 0.82 | 0:50 1:5 2:48 | g1\n" +
		"g1 1.00, f1 0.82 | 0:51 1:95 2:53 | g1\n" +
		"g1 1.00, f1 0.82 | 0:84 1:84 2:3 | g1\n" +
		"e1 0.70, g1 0.20, f1 0.10 |  | g1\n" +
		" |  | undefined\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// stateless is an agent that remembers nothing between analyses, as in an exported page.
type stateless struct {
	agent.Agent
	factory *agent.Factory
}

func (s stateless) Analyze(ctx context.Context, state env.State, simulations int) (*agent.Analysis, error) {
	fresh, err := s.factory.New(1)
	if err != nil {
		return nil, err
	}
	return fresh.Analyze(ctx, state, simulations)
}

// The page's review is that of package analysis, in games of proven and estimated positions, also where one player
// moves twice in a row.
func TestReviewLikeAnalysis(t *testing.T) {
	grades := map[analysis.Grade]int{}
	const solves = "net:random,sims=20,solve=300"
	for _, c := range [][2]string{
		{"tic-tac-toe", solves}, {"quad-5x5", solves}, {"quad-7x7", solves}, {"connect-four", solves}, {"free-for-all-2p", solves},
		{"../../../../env/gdl/sheets/two-marks.kif", solves}, {"gomoku-9x9", "mcts:30"}, // the last one compares an estimate with an exact value
	} {
		name, spec := c[0], c[1]
		game := games.Must(name)
		network := func(agent.Reference) (*infer.Weights, agent.Origin, error) {
			return infertest.RandomWeights(game, 4, 1, 1), agent.Origin{Generation: -1}, nil
		}
		factory, err := agent.ParseFactory(game, spec, network)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := factory.New(1)
		if err != nil {
			t.Fatal(err)
		}
		reviewer := stateless{fresh, factory}
		var moves []env.Action
		rng, state := rand.New(rand.NewPCG(1, 2)), game.NewState()
		for !state.Done() {
			moves = append(moves, state.RandomAction(rng.Uint64()))
			state.Apply(moves[len(moves)-1])
		}
		want, err := analysis.ReviewGame(t.Context(), game, reviewer, moves, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range want.Moves {
			grades[m.Grade]++
		}
		data, err := json.Marshal(map[string]any{
			"description": map[string]any{"game": game.Name, "players": game.Players, "utilities": analysis.Utilities(game)},
			"moves":       game.Names(moves), "analyses": analyses(t, game, reviewer, moves),
		})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "game.json")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got := nodeModules(t, `
			import { readFileSync } from "node:fs";
			globalThis.document = {};
			globalThis.matchMedia = () => ({});
			const { Reviewer } = await import("./review.js");
			const { description, moves, analyses } = JSON.parse(readFileSync(process.argv[2]));
			const reviewer = new Reviewer({ run: async ({ moves }) => analyses[moves.join()] }, description, "agent");
			console.log(JSON.stringify({ game: description.game, ...await reviewer.review(moves, () => {}) }));
		`, []string{"review.js", "analysis.js", "board.js", "dom.js", "format.js"}, file)
		var page analysis.Review
		err = json.Unmarshal([]byte(got), &page)
		if err != nil || !reflect.DeepEqual(&page, want) {
			t.Errorf("%s %q: the page's review is\n%+v, error %v, want\n%+v", name, game.Names(moves), page, err, *want)
		}
	}
	for _, grade := range []analysis.Grade{analysis.Best, analysis.Good, analysis.Mistake, analysis.Blunder} {
		if grades[grade] == 0 {
			t.Errorf("no move is graded %s: %v", grade, grades)
		}
	}
}

// The page finds a game lost where the analysis does in its test of the same name.
func TestTurningPointAtMistake(t *testing.T) {
	got := nodeModules(t, `
		globalThis.document = {};
		globalThis.matchMedia = () => ({});
		const { turningPoint } = await import("./review.js");
		const positions = [0, 0, 0, -0.6, -0.7, -0.8, -1, -1].map((value) => ({ value, proven: value === -1 }));
		const lost = (...grades) => {
			const moves = grades.map((grade, i) => ({ player: "xo"[i % 2], ply: i + 1, move: "abcdefg"[i], grade }));
			const { ply, move, value, proven_from: proven } = turningPoint(positions, moves, ["x", "o"]);
			return [ply, move, value, proven].join(" ");
		};
		console.log([
			lost("best", "best", "good", "mistake", "mistake", "best", "mistake"),
			lost("best", "best", "good", "mistake", "good", "best", "mistake"),
			lost("best", "best", "mistake", "mistake", "mistake", "best", "mistake"),
		].join());
	`, []string{"review.js", "analysis.js", "board.js", "dom.js", "format.js"})
	if want := "5 e -0.8 6,3 c -0.6 6,3 c -0.6 6"; strings.TrimSpace(got) != want {
		t.Errorf("lost at %s, want %s", got, want)
	}
}

// Without an agent a quiz grades moves by the values in a review, and leaves those without one open.
func TestKnownAnswers(t *testing.T) {
	got := nodeModules(t, `
		globalThis.document = {};
		globalThis.matchMedia = () => ({});
		const { knownAnswer } = await import("./review.js");
		const mistake = { move: "a", best: "b", exact: true, before: 1, after: -1, grade: "blunder", values: { a: -1, b: 0.9, c: 0.8, d: 0.6, e: -0.5, f: null } };
		console.log([..."abcdef"].map((move) => knownAnswer(mistake, move)).map((answer) => answer ? answer.grade + " " + answer.exact : "unknown").join());
	`, []string{"review.js", "analysis.js", "board.js", "dom.js", "format.js"})
	if want := "blunder true,best true,good false,mistake false,blunder false,unknown"; strings.TrimSpace(got) != want {
		t.Errorf("the answers are %s, want %s", got, want)
	}
}

// analyses analyses the positions of a game, and those after the agent's moves in them; the keys are the moves, joined
// by commas.
func analyses(t *testing.T, game *env.Game, a agent.Agent, moves []env.Action) map[string]any {
	t.Helper()
	all := map[string]any{}
	analyse := func(moves []env.Action) (best env.Action, ok bool) {
		state := game.NewState()
		for _, move := range moves {
			state.Apply(move)
		}
		key := strings.Join(game.Names(moves), ",")
		if state.Done() {
			all[key] = analysis.NewGameResult(game, state)
			return 0, false
		}
		result, err := analysis.Analyze(t.Context(), game, a, state, moves, 0)
		if err != nil {
			t.Fatal(err)
		}
		all[key] = result
		return env.Action(slices.Index(game.ActionNames, result.Best)), true
	}
	for ply := range len(moves) + 1 {
		if best, ok := analyse(moves[:ply]); ok {
			analyse(append(moves[:ply:ply], best))
		}
	}
	return all
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 9999: "9999", -9999: "-9999", 12345: "12,345", -1234567: "-1,234,567", -123456: "-123,456"} {
		if got := Grouped(n); got != want {
			t.Errorf("Grouped(%v) = %q, want %q", n, got, want)
		}
	}
}

// The engine over HTTP retries if the server is busy, can be aborted, and reports the server's errors.
func TestEngineOverHTTP(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %q, error %v", r.Method, r.Header, err)
		}
		switch {
		case r.URL.Path == "/api/choose" && calls < 3 || r.URL.Path == "/api/analyze":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":"busy"}`)
		case r.URL.Path == "/api/choose":
			fmt.Fprintf(w, `{"received":%s}`, body)
		case r.URL.Path == "/api/position":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"move 1 is wrong"}`)
		default:
			w.WriteHeader(http.StatusTeapot)
			fmt.Fprint(w, "<p>tea")
		}
	}))
	defer server.Close()
	got := nodeModules(t, `
		import { engineOverHTTP } from "./http.js";
		const told = [], engine = engineOverHTTP(process.argv[2] + "/api", (text) => told.push(text));
		console.log(JSON.stringify(await engine.choose({ game: "quad-5x5" })), told.length, told.at(-1) === "");
		for (const op of ["position", "describe"]) await engine[op]({}).catch((error) => console.log(error.message));
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 100);
		await engine.analyze({}, stop.signal).catch((error) => console.log(error.name));
		await engineOverHTTP("http://127.0.0.1:1/api").choose({}).catch((error) => console.log(error.message));
	`, []string{"http.js"}, server.URL)
	want := `{"received":{"game":"quad-5x5"}} 3 true
move 1 is wrong
The server answered 418 I'm a teapot
AbortError
The server does not answer. Is ludus serve still running?
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestInlineOrder(t *testing.T) {
	script := Inline("report.js")
	at := -1
	for _, mark := range []string{"use strict", "const byId =", "class Board", "class GameViewer", "function showGames("} {
		next := strings.Index(script, mark)
		if next <= at {
			t.Errorf("%q stands at %d, what it needs at %d", mark, next, at)
		}
		at = next
	}
}

func TestHash(t *testing.T) {
	// printf hello | openssl dgst -sha256 -binary | base64
	if got := Hash("hello"); got != "'sha256-LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ='" {
		t.Error(got)
	}
}

func TestUnknownPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Inline("nothing.js")
}
