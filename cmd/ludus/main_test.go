package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"ludus/checkpoints"
	"ludus/cmd/ludus/internal/program"
	"ludus/cmd/ludus/internal/program/fake"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/model/infer"
	"ludus/model/infer/kernel"
	"ludus/train/agent"
	"ludus/train/match"
	"ludus/train/rundir"
)

// asLudus is the environment variable that makes the test binary run as ludus.
const asLudus = "LUDUS_TEST_CHILD"

func TestMain(m *testing.M) {
	program.Main()
	fake.Main()
	if os.Getenv(asLudus) != "" {
		main()
	}
	dir, err := os.MkdirTemp("", "ludus-runs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	trained.dir = dir
	code := m.Run()
	_ = os.RemoveAll(dir) // a folder of temporary files
	os.Exit(code)
}

func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), asLudus+"=1")
	return cmd
}

// ludus runs the program in dir and returns its output and exit code.
func ludus(t testing.TB, dir, input string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := command(dir, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// progressLine matches the lines that long commands write every ten seconds. On a busy machine any test may take that
// long.
var progressLine = regexp.MustCompile(`(?m)^\d[\d.]*( million)? (games|positions|nodes)\b.*\n`)

// run is ludus for a command that must succeed without warnings. It returns the output.
func run(t testing.TB, dir, input string, args ...string) string {
	t.Helper()
	out, errs, code := ludus(t, dir, input, args...)
	if code != 0 || progressLine.ReplaceAllString(errs, "") != "" {
		t.Fatalf("ludus %s: exit %d, %s", strings.Join(args, " "), code, errs)
	}
	return out
}

// runFolder creates a run's folder with two checkpoints of new networks for quad-5x5.
func runFolder(t testing.TB) string {
	t.Helper()
	game := games.Must("quad-5x5")
	dir := filepath.Join(t.TempDir(), "quad")
	store := checkpoints.NewStore(filepath.Join(dir, "checkpoints"))
	if err := os.MkdirAll(filepath.Join(dir, "checkpoints"), 0o777); err != nil {
		t.Fatal(err)
	}
	for g := range 2 {
		weights := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(uint64(g), 0)))
		if err := store.Save(g, nil, []checkpoints.Part{{Name: "weights.safetensors", Data: weights.Marshal()}}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestGamesCommand(t *testing.T) {
	out := run(t, "", "", "games")
	for _, name := range append(games.Names(), "breakthrough(columns=2..8,rows=4..8,captures=true|false)") {
		if !strings.Contains(out, name) {
			t.Errorf("%s is missing in\n%s", name, out)
		}
	}
	if !regexp.MustCompile(`golden-rectangle +7x8 `).MatchString(out) { // columns x rows
		t.Errorf("golden-rectangle's board of 7 columns and 8 rows is missing in\n%s", out)
	}
	out = run(t, "", "", "games", "free-for-all-2p")
	for _, want := range []string{"red against blue", "4  R   .", "objective", "win|score", "knight", "class 1", "the points that the players make", "symmetries", "30"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	lines := strings.Split(strings.TrimSpace(run(t, "", "", "games", "--json")), "\n")
	if len(lines) != len(games.Names()) {
		t.Errorf("%d lines of JSON", len(lines))
	}
	var quad struct {
		Name    string
		Tensor  []int
		Actions int
		Params  map[string]string
		Classes []struct{ Goals []int }
	}
	if err := json.Unmarshal([]byte(run(t, "", "", "games", "quad-5x5", "--json")), &quad); err != nil {
		t.Fatal(err)
	}
	if quad.Name != "quad-5x5" || len(quad.Tensor) != 3 || quad.Actions != 25 || quad.Params["size"] != "5" || quad.Classes[1].Goals[0] != 95 {
		t.Errorf("%+v", quad)
	}
}

func TestPerftCommand(t *testing.T) {
	if out := run(t, "", "", "perft", "quad-5x5", "--depth", "3"); out != "1 21\n2 420\n3 7980\n" {
		t.Errorf("perft prints %q", out)
	}
}

func TestVerifyCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	game := "quad(size=4,quads=1,whites=0)"
	good := write("good.txt", "game 1\n"+
		"x 12 (mark r1 c2) | (mark r1 c2);(mark r1 c3);(mark r2 c1);(mark r2 c2);(mark r2 c3);(mark r2 c4);(mark r3 c1);(mark r3 c2);(mark r3 c3);(mark r3 c4);(mark r4 c2);(mark r4 c3);\n"+
		"o 11 (mark r1 c3) | (mark r1 c3);(mark r2 c1);(mark r2 c2);(mark r2 c3);(mark r2 c4);(mark r3 c1);(mark r3 c2);(mark r3 c3);(mark r3 c4);(mark r4 c2);(mark r4 c3);\n"+
		"goals x=[50] o=[50]\n")
	bad := write("bad.txt", "game 1\nx 3 (mark r1 c2) | (mark r1 c2);\n")
	if out := run(t, "", "", "verify", game, good); out != "ok: 1 games, 2 positions\n" {
		t.Errorf("verify prints %q", out)
	}
	if out := run(t, "", "", "verify", game, good, good); out != strings.Repeat(good+": ok: 1 games, 2 positions\n", 2) {
		t.Errorf("verify prints %q", out)
	}
	_, example, _ := strings.Cut(document(t, "docs/FILES.md"), "\n## Transcript\n")
	example = example[strings.Index(example, "    game 1\n"):]
	example, _, _ = strings.Cut(example, "\n\n")
	if out := run(t, "", "", "verify", "hex(size=2,swap=0)", write("example.txt", example)); out != "ok: 1 games, 3 positions\n" {
		t.Errorf("the documented transcript: %q", out)
	}
	if !strings.Contains(run(t, "", "", "verify", "--help"), example+"\n") {
		t.Error("help shows another transcript than docs/FILES.md")
	}
	fails(t, "", 1, "bad.txt: line 2, game 1: the transcript counts 3 legal moves", "verify", game, good, bad)
	fails(t, "", 1, "nowhere: no such file", "verify", game, filepath.Join(dir, "nowhere"))
}

// fails runs ludus and checks the exit code and the one line of its error.
func fails(t *testing.T, dir string, code int, want string, args ...string) {
	t.Helper()
	out, errs, got := ludus(t, dir, "", args...)
	if got != code || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, "ludus: ") {
		t.Errorf("ludus %s: exit %d, error %q; want exit %d and one line that says %q", strings.Join(args, " "), got, errs, code, want)
	}
	if strings.Contains(out, "Usage") {
		t.Errorf("ludus %s prints its usage", strings.Join(args, " "))
	}
}

func TestErrors(t *testing.T) {
	dir, runs := t.TempDir(), runFolder(t)
	if err := os.WriteFile(filepath.Join(dir, "quad-5x5.safetensors"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{2, `unknown command "tarin"; did you mean "train"?`, "tarin"},
		{2, `unknown command "x"`, "x"},
		{2, `unknown command "nonsense"; see`, "nonsense --help"},
		{2, "unknown flag: --nonsense", "--nonsense"},
		{2, "unknown flag: --dept; did you mean --depth?", "perft quad-5x5 --dept 3"},
		{2, "arguments are missing: ludus perft GAME", "perft"},
		{2, `one argument too many, "b"`, "games a b"},
		{2, "--depth 0: in quad-5x5 it must be from 1 to 16", "perft quad-5x5 --depth 0"},
		{2, "from 1 to 16", "perft quad-5x5 --depth 17"},
		{2, "--depth x: it must be a whole number", "perft quad-5x5 --depth x"},
		{2, "--games 99999999999999999999: it must be a whole number of at most 18 digits", "arena quad-5x5 random random --games 99999999999999999999"},
		{2, "--seed -1: it must be a whole number from 0", "arena quad-5x5 random random --seed -1"},
		{2, "--time 10: it must be a duration, such as 10m", "train quad-5x5 --time 10"},
		{2, "--json maybe: it must be true or false", "games --json=maybe"},
		{1, "is a folder; name a file", "verify quad-5x5 ."},
		{2, "it must be from 1 to 1000000", "arena quad-5x5 random random --games 1000000000000000"},
		{2, "did you mean quad-5x5?", "games qaud-5x5"},
		{2, "size=3 is not allowed; it takes 4..13", "games quad(size=3)"},
		{2, "did you mean random?", "arena quad-5x5 random rndom"},
		{2, `see "ludus suite --help"`, "suite --check shipped qaud-5x5"},
		{2, "no such game", "train chess"},
		{2, "no such game", "export zoo --game chess"},
		{2, "nowhere.kif", "perft nowhere.kif"},
		{2, "nowhere.kif", "play s/nowhere.kif"},
		{1, "quad-5x5.safetensors", "perft gdl(quad-5x5.safetensors)"},
		{2, `unknown option "foo=1" (net takes only`, "play quad-5x5 net:" + runs + ",foo=1"},
		{2, `unknown option "foo=1" (net takes only`, "play quad-5x5 zoo,foo=1"},
		{2, `unknown option "foo" (policy takes only`, "play quad-5x5 policy:zoo,foo"},
		{2, "an agent is one of", "play quad-5x5 perfect:5"},
		{2, "did you mean net:" + runs, "arena quad-5x5 random " + runs},
		{1, "it plays quad-5x5", "arena quad-7x7 random net:" + runs},
		{1, "no such file or directory", "analyze quad-5x5 net:nowhere"},
		{1, `train one: ludus train quad-5x5, or use zoo`, "analyze quad-5x5 net:nowhere/quad-5x5"},
		{1, "only of 0, 1", "analyze quad-5x5 net:" + runs + "@5"},
		{2, "games is 0", "arena quad-5x5 random random --games 0"},
		{2, "--threads 0: it must be from 1 to 1024", "arena quad-5x5 random random --threads 0"},
		{2, "it must be from 0 to 15", "arena quad-5x5 random random --opening-plies 16"},
		{2, "--threads 0: it must be from 1 to 1024", "analyze quad-5x5 random --threads 0"},
		{2, "it must be first (x) or second (o)", "play quad-5x5 random --side red"},
		{2, "the formats are: html, weights, onnx", "export " + runs + " --format onyx"},
		{1, "a run is named by its folder alone: " + runs, "doctor net:" + runs},
		{2, "name a game, such as quad-5x5, or a run to continue, with --run", "train"},
		{2, "nowhere is no run yet: name the game, too", "train --run nowhere"},
		{1, "quad-5x5.safetensors exists; --force replaces it", "export " + runs + " --format weights"},
		{2, "--open needs --format html", "export " + runs + " --format onnx --open"},
		{2, "-: the output cannot be written to a stream", "export nowhere --format weights -o - --force"},
		{2, "files of --format weights end in .safetensors", "export " + runs + " --format weights -o a.onnx"},
		{1, "is a folder; name a file", "export " + runs + " --format weights -o ."},
		{1, "no such file", "export " + runs + " --format weights -o nowhere/x"},
		{1, "neither a run nor a checkpoint", "export . --format weights"},
		{1, "bad tensors file", "export quad-5x5.safetensors --format weights"},
		{2, "one argument too many", "version now"},
	} {
		fails(t, dir, c.code, c.want, strings.Fields(c.args)...)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "quad-5x5.safetensors")); err != nil || string(data) != "mine" {
		t.Errorf("the file that was there is now %q, %v", data, err)
	}
}

func TestExportCommand(t *testing.T) {
	dir, runs := t.TempDir(), runFolder(t)
	out := run(t, dir, "", "export", runs, "--format", "weights")
	if want := "quad-5x5.safetensors: the network of quad-5x5 from " + runs + ", generation 1\nplay it: "; !strings.HasPrefix(out, want) ||
		!strings.HasSuffix(out, " play quad-5x5 net:quad-5x5.safetensors\n") {
		t.Errorf("export prints %q; want %q and a command", out, want)
	}
	part, err := os.ReadFile(filepath.Join(runs, "checkpoints", "000001", "weights.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "quad-5x5.safetensors")); err != nil || !bytes.Equal(data, part) {
		t.Errorf("the file differs from the checkpoint's weights; %v", err)
	}
	run(t, dir, "", "export", runs+"@0", "--format", "weights", "-o", "quad-5x5.safetensors", "--force")
	if data, err := os.ReadFile(filepath.Join(dir, "quad-5x5.safetensors")); err != nil || bytes.Equal(data, part) {
		t.Errorf("--force does not replace the file; %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%v is left behind, %v", entries, err)
	}
	run(t, dir, "", "arena", "quad-5x5", "net:quad-5x5.safetensors,sims=8", "random", "--games", "2")
}

// A run and the weights file exported from it give the same ONNX model.
func TestExportONNX(t *testing.T) {
	dir, runs := t.TempDir(), runFolder(t)
	run(t, dir, "", "export", runs, "--format", "weights")
	out := run(t, dir, "", "export", "quad-5x5.safetensors", "--format", "onnx")
	if want := "quad-5x5.onnx: the network of quad-5x5 from quad-5x5.safetensors\n"; !strings.HasPrefix(out, want) || !strings.Contains(out, "its metadata explain") {
		t.Errorf("export prints %q; want %q and more", out, want)
	}
	run(t, dir, "", "export", runs, "-o", "run.onnx") // the extension chooses the format
	first, err := os.ReadFile(filepath.Join(dir, "quad-5x5.onnx"))
	second, err2 := os.ReadFile(filepath.Join(dir, "run.onnx"))
	if err := errors.Join(err, err2); err != nil || len(first) == 0 || !bytes.Equal(first, second) {
		t.Errorf("models of %d and %d bytes differ, %v", len(first), len(second), err)
	}
	fails(t, dir, 1, "quad-5x5.onnx exists; --force replaces it", "export", runs, "--format", "onnx")
}

// export prints the address of a page and opens it with --open. The page has the name of the run, not its path.
func TestExportHTML(t *testing.T) {
	dir, runs := t.TempDir(), runFolder(t)
	if runtime.GOOS == "linux" {
		opener := "#!/bin/sh\necho \"$1\" >opened\n"
		if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(opener), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
	}
	path := filepath.Join(dir, "a page.html")
	out := run(t, dir, "", "export", runs+"@1", "-o", path, "--open") // html is the default
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	address := "file://" + filepath.ToSlash(dir) + "/a%20page.html"
	want := fmt.Sprintf("%s: the network of quad-5x5 from %s, generation 1\n%.2f MB, self-contained; open it in any browser: %s\n",
		path, runs, float64(len(data))/1e6, address)
	if out != want {
		t.Errorf("export prints %q; want %q", out, want)
	}
	if name := filepath.Base(runs) + ", generation 1"; !strings.Contains(string(data), name) || strings.Contains(string(data), runs) {
		t.Errorf("the page should name %s, and not %s", name, runs)
	}
	if runtime.GOOS != "linux" {
		return
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if opened, _ := os.ReadFile(filepath.Join(dir, "opened")); string(opened) == address+"\n" {
			return
		} else if time.Now().After(end) {
			t.Fatalf("%q is opened; want %q", opened, address)
		}
	}
}

// No format accepts weights that do not fit their game. Nothing is written.
func TestExportRefusesWeights(t *testing.T) {
	dir := t.TempDir()
	game := games.Must("quad-5x5")
	weights := infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 4}, rand.New(rand.NewPCG(1, 1)))
	for name, want := range map[string]string{"quad-7x7": "a network of quad-7x7 with 4 channels and 0 blocks", "</script>": "no such game"} {
		weights.Config.Game = name
		path := filepath.Join(t.TempDir(), "weights")
		if err := os.WriteFile(path, weights.Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, f := range formats {
			fails(t, dir, 1, want, "export", path, "--format", f.name)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("%v is written, %v", entries, err)
	}
}

// A file with a pooled network plays, and is exported for, every size of its game, and no other game.
func TestPooledSizes(t *testing.T) {
	dir := t.TempDir()
	game := games.Must("hex(size=9)")
	path := filepath.Join(dir, "network")
	write := func(pooled bool) {
		config := infer.Config{Game: game.Name, Channels: 4, Pooled: pooled}
		weights := infer.NewWeights(game, config, rand.New(rand.NewPCG(1, 1)))
		if err := os.WriteFile(path, weights.Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(true)
	for _, name := range []string{game.Name, "hex-5x5", "hex-13x13"} {
		g := games.Must(name)
		run(t, dir, "", "arena", name, "net:"+path+",sims=2", "policy:"+path, "--games", "2", "--opening-plies", "1")
		for _, f := range formats {
			out := run(t, dir, "", "export", path, "--game", name, "--format", f.name)
			if !strings.Contains(out, "the network of "+g.Name+" from") {
				t.Errorf("export prints %s", out)
			}
		}
		file := filepath.Join(dir, naming.FileName(g.Name)+".safetensors")
		weights, _, err := rundir.LoadWeights(agent.Reference{Path: file})
		if err != nil || weights.Validate(g) != nil {
			t.Errorf("the file for %s has weights %+v, error %v", name, weights.Config, err)
		}
	}
	for _, name := range []string{"hex(size=7,swap=0)", "othello"} { // other rules
		fails(t, dir, 1, "it plays hex(size=9", "export", path, "--game", name)
		fails(t, dir, 1, "it plays hex(size=9", "arena", name, "net:"+path, "random")
	}
	write(false)
	fails(t, dir, 1, "it plays hex(size=9", "export", path, "--game", "hex-5x5")
}

// writeNew replaces only regular files, and keeps symbolic links.
func TestExportReplacesOnlyFiles(t *testing.T) {
	dir := t.TempDir()
	file, link, astray, loose := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "astray"), filepath.Join(dir, "loose")
	err := errors.Join(os.WriteFile(file, []byte("old"), 0o666), os.Symlink("file", link), os.Symlink("folder", astray),
		os.Symlink("nowhere", loose), os.Mkdir(filepath.Join(dir, "folder"), 0o777))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeNew(link, []byte("new"), true); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "new" {
		t.Errorf("the link's file holds %q, %v", data, err)
	}
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for path, want := range map[string]string{
		filepath.Join(dir, "socket"): "is not a regular file; name another",
		astray:                       "is a folder",
		loose:                        "is a link to a missing file",
	} {
		if err := writeNew(path, nil, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v; want one that says %q", path, err, want)
		}
	}
}

func TestDamagedCheckpointIsNamed(t *testing.T) {
	runs := runFolder(t)
	part := filepath.Join(runs, "checkpoints", "000001", "weights.safetensors")
	if err := os.Truncate(part, 1000); err != nil {
		t.Fatal(err)
	}
	out, errs, code := ludus(t, t.TempDir(), "", "export", runs, "--format", "weights")
	if code != 0 || !strings.Contains(out, "generation 0") || !strings.Contains(errs, part) || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q, %q; want generation 0 and a warning that names %s", code, out, errs, part)
	}
}

func TestArenaCommand(t *testing.T) {
	var first string
	for _, threads := range []string{"1", "3"} {
		out := run(t, "", "", "arena", "quad-5x5", "greedy", "random", "--games", "20", "--seed", "4", "--threads", threads, "--json")
		if !strings.Contains(out, "quad-5x5: greedy against random") {
			t.Errorf("no table for people in\n%s", out)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var result map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &result); err != nil {
			t.Fatal(err)
		}
		delete(result, "seconds")
		if result["games"] != 20.0 || result["score"].(float64) < 0.7 || result["low"].(float64) > result["score"].(float64) {
			t.Errorf("result %v", result)
		}
		if text := fmt.Sprint(result); first == "" {
			first = text
		} else if text != first {
			t.Errorf("on %s threads %s; on one %s", threads, text, first)
		}
	}
}

func TestAnalyzeCommand(t *testing.T) {
	var in strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&in, `{"id":"%d","moves":["(mark r3 c3)"],"simulations":%d}`+"\n", i, 1+i%8)
		if i%100 == 50 {
			fmt.Fprintln(&in, `{"id":"bad","moves":["(mark r9 c9)"]}`)
		}
	}
	net := "net:" + runFolder(t)
	out, errs, code := ludus(t, "", in.String(), "analyze", "quad-5x5", net+",sims=64,solve=0")
	if code != exitFailure || !strings.HasSuffix(errs, "ludus: input lines rejected: 10; their replies say why\n") {
		t.Errorf("exit %d, %s", code, errs)
	}
	seen, bad := map[string]bool{}, 0
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		var reply struct {
			ID    string
			Error string
			Value *float64
			Goals map[string]float64
			Moves []any
		}
		if err := json.Unmarshal([]byte(line), &reply); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch {
		case reply.Error != "":
			bad++
		case reply.Value == nil || len(reply.Goals) != 2 || len(reply.Moves) != 20:
			t.Fatalf("reply %s", line)
		default:
			seen[reply.ID] = true
		}
	}
	if len(seen) != 1000 || bad != 10 {
		t.Errorf("%d replies and %d errors; want 1000 and 10", len(seen), bad)
	}
	// By default the solver helps.
	request := `{"id":1,"moves":["c3","b1","c2","d1"],"simulations":1}`
	if out := run(t, "", request, "analyze", "quad-5x5", net); !strings.Contains(out, `"value":1,`) || !strings.Contains(out, `"proven":true`) {
		t.Errorf("with the solver the reply is %s", out)
	}
	if out := run(t, "", request, "analyze", "quad-5x5", net+",sims=64,solve=0"); strings.Contains(out, "proven") {
		t.Errorf("without it the reply is %s", out)
	}
}

func TestPlayCommand(t *testing.T) {
	out := run(t, "", "hint\nr3 c3\nquit\n", "play", "quad-5x5", "net:"+runFolder(t)+",sims=8", "--side", "X")
	for _, want := range []string{"you are x", "would play ", "x plays c3", "o plays "} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	weak := run(t, "", "?\nc3\nquit\n", "play", "quad-5x5", "zoo,elo=200")
	for _, want := range []string{"zoo,elo=200 is o", "analysis by zoo)", "\nzoo would play ", "after 64 simulations"} {
		if !strings.Contains(weak, want) {
			t.Errorf("against a weakened agent %q is missing in\n%s", want, weak)
		}
	}
	if out := run(t, "", "", "play", "golden-rectangle", "greedy", "mcts:5"); !strings.Contains(out, "greedy is red") || !strings.Contains(out, " wins: red ") {
		t.Errorf("two agents play\n%s", out)
	}
	out, errs, code := ludus(t, "", "c3\nc3\nquit\n", "play", "quad-5x5", "greedy")
	if code != exitFailure || !strings.Contains(out, "x plays c3") || !strings.Contains(errs, "input lines rejected: 1") {
		t.Errorf("a line is rejected: exit %d, %s\n%s", code, errs, out)
	}
	for want, args := range map[string][]string{
		"it must be first (x) or second (o)":      {"mcts:5", "--side", "white"},
		"--side is your side":                     {"mcts:5", "random", "--side", "second"},
		"--delay is for games between two agents": {"mcts:5", "--delay", "1s"},
		"it must be 0 or more":                    {"mcts:5", "random", "--delay", "-1s"},
		"one argument too many":                   {"mcts:5", "random", "random"},
		"did you mean mcts:N?":                    {"random", "mtcs:5"},
	} {
		if _, errs, code := ludus(t, "", "", append([]string{"play", "quad-5x5"}, args...)...); code == 0 || !strings.Contains(errs, want) {
			t.Errorf("%v: exit %d, %s; want %q", args, code, errs, want)
		}
	}
}

// help returns a help text after checking that it fits helpWidth.
func help(t *testing.T, args ...string) string {
	t.Helper()
	out := run(t, "", "", args...)
	for line := range strings.Lines(out) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
			t.Errorf("%s: a line of %d columns: %s", args, n, line)
		}
	}
	return out
}

// Help is broken between words, inside its columns; a broken command has backslashes.
func TestFolded(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	for text, want := range map[string]string{
		"one\ntwo\n\n" + long: "one two\n\n" + strings.Repeat("word ", 15) + "word\n" + strings.Repeat("word ", 4) + "end\n",
		"A:\n  -a  " + long + "\n      more\n  -b  x": "A:\n  -a  " + strings.Repeat("word ", 14) + "word\n      " +
			strings.Repeat("word ", 5) + "end more\n  -b  x\n",
		"  ludus " + long:       "  ludus " + strings.Repeat("word ", 13) + "word \\\n    " + strings.Repeat("word ", 6) + "end\n",
		"  {\n   }":             "  {\n   }\n",
		strings.Repeat("é", 90): strings.Repeat("é", 90) + "\n",
	} {
		if got := folded(text); got != want {
			t.Errorf("%q becomes\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestHelpAndVersion(t *testing.T) {
	if out := run(t, "", ""); !strings.Contains(out, "ludus train quad-5x5") {
		t.Errorf("no first command in\n%s", out)
	}
	for _, c := range rootCommand().Commands() {
		if c.Name() != "help" && c.Name() != "completion" && !strings.Contains(help(t, c.Name(), "--help"), "\nExamples:\n") {
			t.Errorf("%s has no example", c.Name())
		}
	}
	help(t)
	help(t, "help", "train")
	if out := run(t, "", "", "version"); !strings.Contains(out, runtime.Version()) || !strings.Contains(out, "kernels  "+kernel.InstructionSet()+"\n") {
		t.Errorf("version prints %s", out)
	}
}

// Ctrl-C, SIGTERM and SIGHUP end a command with exit code 130 and one line; a match prints its result so far.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	hangUp := syscall.SIGHUP
	if signal.Ignored(hangUp) { // programs inherit that, as under nohup: see TestNohup
		hangUp = syscall.SIGTERM
	}
	for args, sent := range map[string]syscall.Signal{
		"arena quad-7x7 mcts:3000 mcts:3000 --games 100000 --json": hangUp,
		"perft quad-7x7 --depth 9":                                 syscall.SIGINT,
		"play quad-5x5 random":                                     hangUp,
		"analyze quad-5x5 random":                                  syscall.SIGTERM,
	} {
		name, _, _ := strings.Cut(args, " ")
		out, errs, code := interrupt(t, sent, strings.Fields(args)...)
		if code != exitStopped || errs != "ludus: stopped\n" {
			t.Errorf("%s: exit %d, %q", name, code, errs)
		}
		if name == "arena" && out != "" && !strings.Contains(out, `{"score":`) {
			t.Errorf("the interrupted match prints %s", out)
		}
	}
}

// interrupt runs a command, sends it a signal (SIGHUP twice, as a closing terminal does), and returns its output and
// exit code. It tries again if the signal came before the command listened for signals.
func interrupt(t *testing.T, signal syscall.Signal, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	code = -1 // a signal ended it
	for wait := 500 * time.Millisecond; code < 0 && wait <= 16*time.Second; wait *= 2 {
		var out, errs strings.Builder
		cmd := command("", args...)
		cmd.Stdout, cmd.Stderr = &out, &errs
		stdin, err := cmd.StdinPipe() // stays open
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if signal == syscall.SIGHUP {
			time.Sleep(time.Millisecond)
			_ = cmd.Process.Signal(signal) // fails if the program has ended
		}
		late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		late.Stop()
		stdin.Close()
		stdout, stderr, code = out.String(), errs.String(), cmd.ProcessState.ExitCode()
	}
	return stdout, stderr, code
}

// SIGHUP does not end a command that nohup started.
func TestNohup(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("nohup"); err != nil {
		t.Skip("this system has no nohup")
	}
	cmd := exec.Command("nohup", os.Args[0], "analyze", "quad-5x5", "random")
	cmd.Env = append(os.Environ(), asLudus+"=1")
	stdin, err := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	replies := bufio.NewScanner(stdout)
	for range 2 {
		fmt.Fprintln(stdin, `{"id":"a"}`)
		if !replies.Scan() {
			t.Fatal("no reply")
		}
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Error(err)
		}
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestOddRuns runs the commands that train, export and rate print, in a shell, for runs whose names are words of
// the command line or of a shell.
func TestOddRuns(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("this system has no sh")
	}
	dir := t.TempDir()
	for _, name := range []string{"zoo", "-dash", "it's 5 $HOME", "x@2", "=a,b~ä"} {
		out, errs, code := ludus(t, dir, "", append([]string{"train", "tic-tac-toe", "--run=" + name}, append(smallRun, "--generations", "1")...)...)
		if code != 0 {
			t.Fatalf("exit %d, %s", code, errs)
		}
		out += run(t, dir, "", "export", agent.Operand(name), "--format", "weights", "--force")
		out += run(t, dir, "", "rate", "--time", "1s", "--threads", "1", "--", name)
		printed := 0
		for line := range strings.Lines(out) {
			_, arguments, ok := strings.Cut(line, "go run ./cmd/ludus ")
			if !ok || strings.HasPrefix(arguments, "serve ") { // which would run on
				continue
			}
			printed++
			arguments = strings.TrimSpace(arguments)
			if strings.HasPrefix(arguments, "arena ") {
				arguments += " --games 2"
			}
			cmd := exec.Command(shell, "-c", os.Args[0]+" "+arguments)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), asLudus+"=1")
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("--run=%s: %s: %v\n%s", name, arguments, err, text)
			}
		}
		if printed < 6 {
			t.Errorf("--run=%s: %d commands in\n%s", name, printed, out)
		}
		if err := os.Remove(filepath.Join(dir, "tic-tac-toe.html")); err != nil {
			t.Error(err)
		}
	}
	fails(t, dir, exitUsage, "--run a,sims=3: its end reads like an option", "train", "tic-tac-toe", "--run", "a,sims=3")

	// The settings of a run serve for another one.
	config := filepath.Join("zoo", "config.json")
	if _, errs, code := ludus(t, dir, "", "train", "tic-tac-toe", "--run", "new", "--generations", "1", "--config", config); code != 0 {
		t.Errorf("exit %d, %s", code, errs)
	}
	first, err := rundir.ReadConfig(filepath.Join(dir, "zoo"))
	second, err2 := rundir.ReadConfig(filepath.Join(dir, "new"))
	if err := errors.Join(err, err2); err != nil || first.Settings != second.Settings {
		t.Errorf("settings %+v instead of %+v, %v", second, first, err)
	}
}

// TestStoppedBeforeTraining: training that is stopped while it measures does not claim to keep generations.
func TestStoppedBeforeTraining(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	root := rootCommand()
	root.SetErr(io.Discard)
	root.SetArgs([]string{"train", "quad-5x5", "--run", filepath.Join(t.TempDir(), "run")})
	err := root.ExecuteContext(ctx)
	if exitCode(err) != exitStopped || !strings.HasPrefix(message(err), "stopped; nothing was trained yet; continue with:\n") {
		t.Errorf("error %v", err)
	}
}

// A match that was killed or stopped continues from its record and ends with the same result.
func TestArenaGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	dir := t.TempDir()
	args := []string{"arena", "quad-7x7", "mcts:60", "greedy", "--games", "150", "--seed", "3", "--json"}
	want := resultLine(t, run(t, dir, "", args...))
	args = append(args, "--record", "match.jsonl")
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		before, _ := os.ReadFile(filepath.Join(dir, "match.jsonl"))
		cmd := command(dir, args...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			if now, _ := os.ReadFile(filepath.Join(dir, "match.jsonl")); bytes.Count(now, []byte("\n")) > bytes.Count(before, []byte("\n"))+5 {
				break
			}
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if signal == syscall.SIGINT && (!strings.Contains(errs.String(), "stopped; finished games are kept; continue with:\n") || !strings.Contains(errs.String(), "--record match.jsonl")) {
			t.Errorf("the interrupted match says %q", errs.String())
		}
	}
	if got := resultLine(t, run(t, dir, "", args...)); !reflect.DeepEqual(got, want) {
		t.Errorf("after two interrupts: %+v; want %+v", got, want)
	}
	fails(t, dir, exitFailure, "it is of another match", append(args, "--seed", "4")...)
}

// resultLine parses the JSON in the last line of a match, without its time.
func resultLine(t *testing.T, out string) (r match.Result) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatal(err)
	}
	r.Seconds = 0
	return r
}

// The table of a match has Elo, pairs and openings.
func TestArenaTable(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"quad-5x5 greedy random --games 40 --opening-plies 1", []string{", Elo +", "each game begins with 1 random plies; after them neither side is lost", "seats swapped, by A's points: 0 in ", "the same seat wins both games", "repeat another move for move"}},
		{"breakthrough-6x6 greedy greedy --games 20", []string{"each game begins with 2 random plies; it is not known whether one side is lost after them: that is checked only where a game has draws and at most 20 plies", "20 games of "}},
	} {
		out := run(t, "", "", append([]string{"arena"}, strings.Fields(c.args)...)...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", c.args, want, out)
			}
		}
	}
}

// Repeated pairs are reported, with advice if they are many.
func TestArenaTellsRepeats(t *testing.T) {
	const named, advice = "repeat earlier games; the intervals leave them out", "more opening plies (--opening-plies 4)"
	for _, c := range []struct {
		result      match.Result
		name, avoid bool
	}{
		{match.Result{Games: 100, Pairs: 50}, false, false},
		{match.Result{Games: 100, Pairs: 50, Repeats: 22}, true, false},
		{match.Result{Games: 100, Pairs: 50, Repeats: 28}, true, true},
	} {
		var w bytes.Buffer
		m := match.Config{OpeningPlies: 2}
		writeRepeats(&w, &m, &c.result)
		if got := w.String(); strings.Contains(got, named) != c.name || strings.Contains(got, advice) != c.avoid {
			t.Errorf("%+v: %q", c.result, got)
		}
	}
}

// A match says what happened to each side's program, but nothing if nothing did.
func TestArenaTellsFaults(t *testing.T) {
	game := games.Must("quad-5x5")
	m := match.Config{Game: game}
	for agents, text := range map[**agent.Factory]string{&m.A: "random", &m.B: `gtp:"x"`} {
		factory, err := agent.ParseFactory(game, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		*agents = factory
	}
	var w bytes.Buffer
	writeSides(&w, &m, &match.Result{Games: 2})
	writeSides(&w, &m, &match.Result{Games: 2, Sides: [2]match.Side{
		{SecondsPerMove: 0.0125}, {SecondsPerMove: 1, Forfeits: match.FaultCount{agent.Died: 1, agent.Overstepped: 1}, Resigned: 3, LastFault: "exit status 1"},
	}})
	const want = "mean time per move: 0.013 s of A, 1.000 s of B\n" +
		"B, gtp:\"x\": 2 games forfeited (1 died, 1 overstepped its time), 3 resigned; last fault: exit status 1\n"
	if w.String() != want {
		t.Errorf("%s; want %s", w.String(), want)
	}
	if s := matchStatus(&match.Result{Games: 2, Sides: [2]match.Side{{}, {Void: match.FaultCount{agent.NoStart: 3}}}}, 10, ""); s.share != 0.5 {
		t.Errorf("status %+v after 5 of 10 games", s)
	}
}

// Clocks bind both sides.
func TestArenaClocks(t *testing.T) {
	out := run(t, "", "", "arena", "quad-7x7", "mcts:1000000", "solver:1000000000", "--games", "2", "--opening-plies", "0", "--move-time", "30ms", "--json")
	r := resultLine(t, out)
	if r.Wins != 2 || r.Sides[1].Forfeits.Total() != 2 || r.Sides[0].SecondsPerMove < 0.01 || !strings.Contains(out, "overstepped its time") {
		t.Error(out)
	}
	fails(t, "", exitUsage, "must be 0 (no limit) or more", "arena", "quad-5x5", "random", "random", "--game-time", "-1s")
	fails(t, "", exitUsage, "cannot use the program", "arena", "othello", "random", `gtp:"no-such-program"`)
}

// The error for a folder of runs lists the runs.
func TestFolderOfRuns(t *testing.T) {
	run := runFolder(t)
	folder := filepath.Dir(run)
	for _, args := range [][]string{{"export"}, {"rate"}, {"report"}} {
		fails(t, "", exitFailure, folder+" is a folder of runs; name one of them: "+run, append(args, folder)...)
	}
	fails(t, "", exitFailure, "is a folder of runs", "compare", folder, run)
}

// --cpuprofile and --trace write files.
func TestProfiles(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "solve", "quad(size=4,quads=1,whites=0)", "--cpuprofile", "cpu", "--trace", "trace")
	for _, name := range []string{"cpu", "trace"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	fails(t, dir, exitFailure, "nowhere/cpu", "solve", "quad-5x5", "--cpuprofile", "nowhere/cpu")
	for _, name := range []string{"train", "arena", "rate", "compare", "suite", "solve", "bench"} {
		if cmd, _, err := rootCommand().Find([]string{name}); err != nil || cmd.Flags().Lookup("cpuprofile") == nil {
			t.Errorf("%s has no --cpuprofile; %v", name, err)
		}
	}
}

// A full disk is an error.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	for _, args := range [][]string{
		{"games"}, {"games", "--json"}, {"perft", "quad-5x5"}, {"arena", "quad-5x5", "random", "random", "--games", "2"}, {"version"},
		{"analyze", "quad-5x5", "random"}, {"play", "quad-5x5", "random"},
	} {
		cmd := command("", args...)
		var errs bytes.Buffer
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(`{"id":"a"}`+"\n"), full, &errs
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != exitFailure || strings.Count(errs.String(), "no space left") != 1 || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit %d, %q", args[0], code, errs.String())
		}
	}
}
