package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// evilSpecs are agents that would leave the file marker in the working folder.
var evilSpecs = []string{`gtp:"touch marker"`, `gomocup:"touch marker"`, `nboard:"touch marker"`, `gtp:touch marker`}

// evilMarkup is an agent that would be markup in a page.
const evilMarkup = `gtp:"<script>alert(1)</script>"`

// unstarted fails if a program of evilSpecs was started in dir.
func unstarted(t *testing.T, dir, door string) {
	t.Helper()
	marker := filepath.Join(dir, "marker")
	if _, err := os.Stat(marker); err == nil {
		t.Errorf("%s started a program", door)
		os.Remove(marker)
	}
}

// needTouch skips a test where the command of evilSpecs would do nothing.
func needTouch(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no touch")
	}
}

// edit replaces texts in a file.
func edit(t *testing.T, path string, replacements ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(replacements...).Replace(string(data))
	if text == string(data) {
		t.Fatalf("%s has none of %q", path, replacements)
	}
	write(t, path, text)
}

// write writes a file of a test.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// quoted is a text as a JSON string.
func quoted(text string) string {
	data, _ := json.Marshal(text) // cannot fail
	return string(data)
}

// The command line starts programs: so the other tests would notice one that is started.
func TestCommandLineStartsPrograms(t *testing.T) {
	needTouch(t)
	for command, args := range map[string][]string{
		"arena": {"tic-tac-toe", "SPEC", "random"}, "play": {"tic-tac-toe", "SPEC"}, "exploit": {"tic-tac-toe", `SPEC,deterministic=yes`},
		"suite": {"--check", "shipped", "quad-5x5", "SPEC"}, "analyze": {"tic-tac-toe", "SPEC"},
	} {
		dir := t.TempDir()
		for i, arg := range args {
			args[i] = strings.Replace(arg, "SPEC", `gtp:"touch marker"`, 1)
		}
		_, errs, code := ludus(t, dir, "", append([]string{command}, args...)...)
		if _, err := os.Stat(filepath.Join(dir, "marker")); err != nil || code == 0 || !strings.Contains(errs, "did not start") {
			t.Errorf("%s: %v, exit %d, %s", command, err, code, errs)
		}
	}
}

// hostileRun changes a trained run so that each of its files names programs where it can name an agent.
func hostileRun(t *testing.T, dir string) {
	t.Helper()
	for _, spec := range append(evilSpecs, evilMarkup) {
		for _, opponent := range []string{"random", "net@4", "zoo"} {
			m := rundir.MatchResult{Agent: spec, Opponent: opponent, Number: 1, Simulations: agent.DefaultSimulations}
			m.Games, m.Pairs, m.Wins, m.Pentanomial = 64, 32, 32, [5]int{0, 0, 32}
			m.Losses = 32
			if err := rundir.MatchesFile.Append(dir, &m); err != nil {
				t.Fatal(err)
			}
			m.Agent, m.Opponent = opponent, spec
			if err := rundir.MatchesFile.Append(dir, &m); err != nil {
				t.Fatal(err)
			}
		}
		s := rundir.SuiteResult{Generation: 4}
		s.Agent, s.Positions = spec, 500
		if err := rundir.SuiteFile.Append(dir, &s); err != nil {
			t.Fatal(err)
		}
	}
	table := &rundir.Ratings{Game: "quad(size=4,quads=4,whites=1)", Anchor: evilSpecs[0]}
	for i, spec := range append(evilSpecs, evilMarkup) {
		table.Agents = append(table.Agents, rundir.Rating{Agent: spec, Rating: float64(1000 - i), Low: 900, High: 1100, Games: 64})
	}
	if err := table.Write(dir); err != nil {
		t.Fatal(err)
	}
}

// TestRunsStartNoProgram: no command that opens a run starts a program that the run's files name. Rating shows it as an
// agent that plays no more.
func TestRunsStartNoProgram(t *testing.T) {
	needTouch(t)
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	hostileRun(t, filepath.Join(dir, "a"))
	hostileRun(t, filepath.Join(dir, "b"))
	const game = "quad(size=4,quads=4,whites=1)"
	for _, c := range []struct {
		want string // in the output
		args []string
	}{
		{"", []string{"doctor", "a"}},
		{"", []string{"check", "a"}},
		{"", []string{"report", "a"}},
		{"", []string{"compare", "a", "b", "--games", "2", "-o", "ab.html"}},
		{"", []string{"export", "a", "-o", "page.html"}},
		{"", []string{"export", "a@best", "-o", "a.safetensors"}},
		{"", []string{"arena", game, "net:a@best", "random", "--games", "2"}},
		{`gtp:"touch marker"*`, []string{"rate", "a", "--games", "8", "--to", "1000"}},
		{`gtp:"touch marker"`, []string{"report", "a"}},
		{"", []string{"train", game, "--run", "a", "--generations", "6"}},
		{"", []string{"compare", "a", "b", "--games", "2", "-o", "ab2.html"}},
	} {
		out, errs, code := ludus(t, dir, "", c.args...)
		if code != 0 && c.args[0] != "check" && c.args[0] != "doctor" {
			t.Errorf("%q exits %d: %s", c.args, code, errs)
		}
		page := filepath.Join("a", "report.html")
		if i := slices.Index(c.args, "-o"); i >= 0 {
			page = c.args[i+1]
		}
		if slices.Contains([]string{"report", "compare", "export"}, c.args[0]) {
			data, err := os.ReadFile(filepath.Join(dir, page))
			if err != nil {
				t.Fatal(err)
			}
			if out = strings.ReplaceAll(string(data), `\"`, `"`); strings.Contains(out, "<script>alert") {
				t.Errorf("the page of %q has an agent's name as markup", c.args)
			}
		}
		if !strings.Contains(out, c.want) {
			t.Errorf("%q: %q is missing in\n%.3000s", c.args, c.want, out)
		}
		unstarted(t, dir, strings.Join(c.args, " "))
	}
	// A config that names programs does not parse, or names no game and no weights.
	config := filepath.Join(dir, "b", "config.json")
	kept, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"game", "from", "sheet", "id", "agent", "opponent"} {
		var fields map[string]any
		if err := json.Unmarshal(kept, &fields); err != nil {
			t.Fatal(err)
		}
		fields[field] = evilSpecs[0]
		write(t, config, quoteAll(t, fields))
		for _, command := range [][]string{
			{"doctor", "b"}, {"check", "b"}, {"report", "b"}, {"rate", "b", "--games", "2"},
			{"train", game, "--run", "b", "--generations", "5"},
		} {
			ludus(t, dir, "", command...)
			unstarted(t, dir, field+" of config.json in "+command[0])
		}
	}
}

// quoteAll is an object as JSON.
func quoteAll(t *testing.T, fields map[string]any) string {
	t.Helper()
	data, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestFilesStartNoProgram: suites, records of matches, weights and folders that name programs start none.
func TestFilesStartNoProgram(t *testing.T) {
	needTouch(t)
	t.Parallel()
	dir := t.TempDir()
	game := games.Must("quad(size=4,quads=4,whites=1)")
	run(t, dir, "", "suite", game.Name, "--positions", "5", "--out", "s.suite", "--agent", "random")
	data, err := os.ReadFile(filepath.Join(dir, "s.suite"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	s.Origin.Agents = evilSpecs
	write(t, filepath.Join(dir, "evil.suite"), string(s.Pack()))
	run(t, dir, "", "suite", "--check", "evil.suite")
	run(t, dir, "", "suite", "--check", "evil.suite", "random")
	unstarted(t, dir, "a suite")
	write(t, filepath.Join(dir, "evil.jsonl"), strings.ReplaceAll(string(s.Lines()), `"source":"`, `"agent":"gtp:touch marker","source":"gtp:touch marker`))
	ludus(t, dir, "", "suite", "--check", "evil.jsonl", "random")
	unstarted(t, dir, "a suite of lines")
	part, _ := json.Marshal(map[string]any{"game": game.Name, "seed": 1, "nodes": 1_000_000, "per_game": 2, "memory": suite.DefaultMemory, "agents": evilSpecs, "weights": []string{""}})
	write(t, filepath.Join(dir, "t.suite.part"), string(part)+"\n")
	fails(t, dir, 1, "generated with other options", "suite", game.Name, "--positions", "5", "--out", "t.suite", "--agent", "random")
	unstarted(t, dir, "a suite's part file")

	match := []string{"arena", "tic-tac-toe", "random", "greedy", "--games", "4", "--record", "m.jsonl"}
	run(t, dir, "", match...)
	edit(t, filepath.Join(dir, "m.jsonl"), `"goals":[`, `"end":"died","loser":"a","detail":"gtp:touch marker","goals":[`)
	ludus(t, dir, "", match...)
	unstarted(t, dir, "the record of a game")
	for _, spec := range evilSpecs {
		run(t, dir, "", append(match[:len(match)-1:len(match)-1], "n.jsonl")...)
		edit(t, filepath.Join(dir, "n.jsonl"), `"a":"random"`, `"a":`+quoted(spec))
		fails(t, dir, 1, "n.jsonl", append(match[:len(match)-1:len(match)-1], "n.jsonl")...)
		unstarted(t, dir, "the header of a record")
		if err := os.Remove(filepath.Join(dir, "n.jsonl")); err != nil {
			t.Fatal(err)
		}
	}

	weights := infertest.RandomWeights(game, 4, 1, 1)
	weights.Config.Game = evilSpecs[0]
	write(t, filepath.Join(dir, "evil.safetensors"), string(weights.Marshal()))
	good := infertest.RandomWeights(game, 4, 1, 1)
	for _, folder := range evilSpecs {
		write(t, filepath.Join(dir, folder), string(good.Marshal()))
	}
	for _, args := range [][]string{
		{"arena", game.Name, "net:evil.safetensors", "random", "--games", "2"}, {"export", "evil.safetensors", "-o", "e.html"},
		{"train", game.Name, "--from", "evil.safetensors", "--run", "r", "--generations", "1"},
		{"train", game.Name, "--from", evilSpecs[3], "--run", "r2", "--dry-run", "--generations", "1"},
		{"arena", game.Name, "net:" + evilSpecs[0] + ",sims=2", "random", "--games", "2"},
		{"arena", game.Name, "policy:" + evilSpecs[3], "random", "--games", "2"},
		{"export", evilSpecs[0], "-o", "f.safetensors"}, {"status", evilSpecs[0]}, {"rate", evilSpecs[0]}, {"report", evilSpecs[0]},
		{"games", evilSpecs[0]}, {"solve", evilSpecs[0]}, {"verify", "tic-tac-toe", "evil.jsonl"}, {"ggp", evilSpecs[0]}, {"serve", evilSpecs[0], "--addr", "x"},
		{"worker", "--connect", evilSpecs[0]}, {"bench", evilSpecs[0]}, {"train", evilSpecs[0], "--run", "r3"},
	} {
		ludus(t, dir, "", args...)
		unstarted(t, dir, strings.Join(args, " "))
	}
}

// TestSessionsStartNoProgram: no line of a session's input starts a program.
func TestSessionsStartNoProgram(t *testing.T) {
	needTouch(t)
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "game.sgf"), `(;GM[2]SZ[8]PB[gtp:"touch marker"]PW[gtp:"touch marker"]C[gtp:"touch marker"];B[gtp:"touch marker"])`)
	commands := regexp.MustCompile(`(?m)^[a-z_-]+$`)
	var lines []string
	for _, name := range commands.FindAllString(strings.ReplaceAll(run(t, dir, "list_commands\nquit\n", "gtp", "othello", "random"), "= ", ""), -1) {
		if name != "quit" {
			lines = append(lines, name, name+" game.sgf")
			for _, spec := range evilSpecs {
				lines = append(lines, name+" "+spec, name+" b "+spec, spec)
			}
		}
	}
	if len(lines) < 100 {
		t.Errorf("only the lines %q", lines)
	}
	ludus(t, dir, strings.Join(lines, "\n")+"\n", "gtp", "othello", "random")
	unstarted(t, dir, "gtp")
	var gomocup, nboard, play, analyze strings.Builder
	for _, spec := range evilSpecs {
		for _, word := range []string{"START", "RECTSTART", "TURN", "BOARD", "INFO folder", "INFO evaluate", "PLAY", "ABOUT", "YXBOARD", ""} {
			fmt.Fprintf(&gomocup, "%s %s\nDONE\nSTART 5\n", word, spec)
		}
		for _, word := range []string{"set game", "set depth", "set contempt", "set engine", "move", "hint", "go", "ping", "learn", "analyze", ""} {
			fmt.Fprintf(&nboard, "%s %s\n", word, spec)
		}
		fmt.Fprintf(&nboard, "set game (;GM[Othello]PC[NBoard]PB[%s]PW[%[1]s]RE[?]TI[5:00]TY[8]BO[8 --------------------------- O*------*O--------------------------- *];)\n", spec)
		for _, word := range []string{"", "new", "switch", "hint", "?", "load", "/new"} {
			fmt.Fprintf(&play, "%s %s\n", word, spec)
		}
		for _, field := range []string{"id", "moves", "simulations", "agent", "game"} {
			fmt.Fprintf(&analyze, "{%q:%s}\n{\"id\":1,%[1]q:[%[2]s]}\n", field, quoted(spec))
		}
	}
	for _, s := range []struct {
		input string
		args  []string
	}{
		{gomocup.String(), []string{"gomocup", "random"}}, {nboard.String(), []string{"nboard", "random"}},
		{play.String(), []string{"play", "tic-tac-toe", "random"}}, {analyze.String(), []string{"analyze", "tic-tac-toe", "random"}},
	} {
		ludus(t, dir, s.input, s.args...)
		unstarted(t, dir, s.args[0])
	}
	fails(t, dir, exitUsage, "is a program that speaks a protocol itself", "gtp", "tic-tac-toe", `gtp:"`+os.Args[0]+`"`)
}

// TestServeStartsNoProgram tries every endpoint of serve with agents, games, moves, and names of runs that are
// programs, on a folder with a hostile run.
func TestServeStartsNoProgram(t *testing.T) {
	needTouch(t)
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	hostileRun(t, filepath.Join(dir, "a"))
	if err := os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, `gtp:"touch marker"`)); err != nil {
		t.Fatal(err)
	}
	cmd, address, _ := served(t, dir, nil, ".", "--addr", "127.0.0.1:0")
	defer endServed(t, cmd)
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(address, "/")+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(data)
	}
	for _, spec := range evilSpecs {
		for _, op := range []string{"choose", "analyze", "dial"} {
			status, body := ask("POST", "/api/"+op, `{"game":"quad-5x5","agent":`+quoted(spec)+`}`)
			if status != http.StatusBadRequest || !strings.Contains(body, "programs are started from the command line only") {
				t.Errorf("%s with %s: %d %s", op, spec, status, body)
			}
			ask("POST", "/api/"+op, `{"game":"quad-5x5","agent":`+quoted("net:"+spec+",sims=2")+`}`)
			ask("POST", "/api/"+op, `{"game":"quad-5x5","agent":`+quoted("zoo,init="+spec)+`}`)
		}
		for _, op := range []string{"describe", "position", "choose", "analyze", "dial", "book"} {
			ask("POST", "/api/"+op, `{"game":`+quoted(spec)+`,"agent":"random"}`)
			ask("POST", "/api/"+op, `{"game":"quad-5x5","agent":"random","moves":[`+quoted(spec)+`]}`)
			ask("POST", "/api/"+op, `{"game":"quad-5x5","agent":"random","seed":`+quoted(spec)+`,"simulations":`+quoted(spec)+`}`)
		}
		name := url.QueryEscape(spec)
		for _, path := range []string{
			"/", "/play", "/run", "/compare", "/sheet", "/api/about", "/api/runs", "/api/run", "/api/run/games", "/api/run/doctor", "/api/compare", "/api/sheet", "/api/sheet/game",
		} {
			for _, key := range []string{"name", "game", "agent", "run", "generation"} {
				ask("GET", path+"?"+key+"="+name+"&"+key+"=a", "")
				ask("GET", path+"?name=a&"+key+"="+name, "")
			}
		}
		ask("GET", "/"+url.PathEscape(spec), "")
		unstarted(t, dir, "serve")
	}
	if _, body := ask("GET", "/api/run?name=a", ""); !strings.Contains(body, `gtp:\"touch marker\"`) {
		t.Errorf("the run's view does not show the agent as text: %.500s", body)
	}
}

// TestOneDoorToPrograms: few files can start another program, and only the command line's agents lead to them.
func TestOneDoorToPrograms(t *testing.T) {
	starters := []string{"cmd/ludus/internal/program/", "cmd/ludus/open.go", "cmd/buildengine/main.go"} // agents, browser, Go tool
	forbidden := []string{"os.StartProcess", "syscall.StartProcess", "syscall.ForkExec", "syscall.Exec", "golang.org/x/sys/unix.Exec"}
	for _, s := range sources(t) {
		file := strings.TrimPrefix(filepath.ToSlash(s.name), "../../")
		if s.test || slices.Contains(forTests, s.pkg) {
			continue
		}
		imported := s.imports()
		for _, path := range imported {
			starts := slices.ContainsFunc(starters, func(prefix string) bool { return strings.HasPrefix(file, prefix) })
			if path == "os/exec" && !starts || path == "plugin" {
				t.Errorf("%s imports %s", file, path)
			}
			if path == "ludus/cmd/ludus/internal/program" && file != "cmd/ludus/arena.go" && file != "cmd/ludus/main.go" {
				t.Errorf("%s imports the starter of programs", file)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			name := selector.Sel.Name
			if x, ok := selector.X.(*ast.Ident); ok {
				name = imported[x.Name] + "." + name
			}
			switch {
			case slices.Contains(forbidden, name):
				t.Errorf("%s uses %s", file, name)
			case (name == "ludus/cmd/ludus/internal/program.Start" || selector.Sel.Name == "WithPrograms") && file != "cmd/ludus/arena.go":
				t.Errorf("%s lets agents start programs", file)
			}
			return true
		})
	}
}
