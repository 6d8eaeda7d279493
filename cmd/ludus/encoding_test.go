package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env/gdl/sheets"
)

// writeFiles writes files, by name, into a new folder.
func writeFiles(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// succeed runs ludus and returns its output; it must exit with 0.
func succeed(t *testing.T, dir, input string, args ...string) string {
	t.Helper()
	out, errs, code := ludus(t, dir, input, args...)
	if code != 0 {
		t.Fatalf("%s exits %d: %s%s", args, code, out, errs)
	}
	return out
}

// TestBytes refuses sheets in Latin-1 before a run exists, and arguments that are not UTF-8.
func TestBytes(t *testing.T) {
	t.Parallel()
	latin := strings.NewReplacer("left", "\xe4", "right", "\xfc").Replace(sheets.Text("nim"))
	dir := writeFiles(t, map[string]string{"comment.kif": sheets.Text("nim") + "\n; N\xe4mlich\n", "names.kif": latin})
	for _, args := range [][]string{
		{"games", "comment.kif"}, {"train", "comment.kif", "--generations", "1"}, {"train", "names.kif", "--generations", "1"}, {"play", "names.kif"},
	} {
		_, errs, code := ludus(t, dir, "", args...)
		if code == 0 || !strings.Contains(errs, ": line ") || !strings.Contains(errs, "is not UTF-8; save the text in UTF-8") {
			t.Errorf("%s exits %d: %s", args, code, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "runs")); !os.IsNotExist(err) {
		t.Errorf("a refused sheet leaves a folder of runs: %v", err)
	}
	if _, errs, code := ludus(t, dir, "", "train", "quad-5x5", "--run", "runs/\xe4", "--generations", "1"); code != exitUsage || !strings.Contains(errs, `"runs/\xe4" is not UTF-8`) {
		t.Errorf("exit %d: %s", code, errs)
	}
}

// TestByteOrderMark reads files and streams that begin with a byte order mark.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	dir := writeFiles(t, map[string]string{
		"NIM.KIF":       mark + sheets.Text("nim"),
		"settings.json": mark + `{"simulations": 8, "parallel_games": 16, "plies_per_generation": 4, "channels": 8, "blocks": 1, "rating_share": 0}`,
		"games.txt":     mark + "game 1\n",
	})
	succeed(t, dir, "", "games", "NIM.KIF")
	succeed(t, dir, "", "train", "NIM.KIF", "--run", "runs/nim", "--config", "settings.json", "--generations", "2")
	if _, errs, _ := ludus(t, dir, "", "export", "NIM.KIF"); !strings.Contains(errs, "train NIM.KIF --run runs/nim,") {
		t.Errorf("export: %s", errs)
	}
	config := filepath.Join(dir, "runs/nim/config.json")
	data, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, append([]byte(mark), data...), 0o600)
	}
	if err == nil {
		err = os.Remove(filepath.Join(dir, "NIM.KIF"))
	}
	if err != nil {
		t.Fatal(err)
	}
	succeed(t, dir, "", "train", "NIM.KIF", "--run", "runs/nim", "--generations", "3")
	if out := succeed(t, dir, mark+`{"id":1,"moves":[]}`+"\n", "analyze", "gdl(runs/nim)", "net:runs/nim,sims=2"); !strings.Contains(out, `"best"`) {
		t.Errorf("analyze answers %s", out)
	}
	if out, errs, code := ludus(t, dir, mark+"c3\n", "play", "quad-5x5", "random"); code != 0 || !strings.Contains(out, "x plays c3") {
		t.Errorf("play exits %d: %s%s", code, out, errs)
	}
	if _, errs, _ := ludus(t, dir, "", "verify", "quad-5x5", "games.txt"); !strings.Contains(errs, "ends before the goals line") {
		t.Errorf("verify: %s", errs)
	}
}

// TestOtherScripts trains, exports and plays a game whose players, moves and pieces have no ASCII letter.
func TestOtherScripts(t *testing.T) {
	t.Parallel()
	const text = `; Игра в слова.
		(role белый) (role 黑) (other белый 黑) (other 黑 белый) (init (step 1)) (succ 1 2) (succ 2 3) (mover 1 белый) (mover 2 黑)
		(<= (legal ?p ?m) (true (step ?n)) (mover ?n ?p) (word ?m))
		(<= (legal ?p noop) (true (step ?n)) (mover ?n ?q) (other ?p ?q))
		(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
		(<= (next (said ?p ?m)) (does ?p ?m) (word ?m)) (<= (next (said ?p ?m)) (true (said ?p ?m)))
		(<= same (true (said белый ?m)) (true (said 黑 ?m)))
		(<= terminal (true (step 3))) (<= (goal белый 100) same) (<= (goal белый 0) (not same)) (<= (goal 黑 0) same) (<= (goal 黑 100) (not same))
		(word да) (word 走) (word +) (word →) (word 👩‍🚀)`
	dir := writeFiles(t, map[string]string{"слова.kif": text})
	succeed(t, dir, "", append([]string{"train", "слова.kif", "--run", "runs/да"}, smallRun...)...)
	for _, format := range []string{"html", "onnx", "weights"} {
		succeed(t, dir, "", "export", "runs/да", "--format", format, "-o", "агент."+format)
	}
	succeed(t, dir, "", "report", "runs/да")
	for move, played := range map[string]string{"→": "→", "走": "走", "Д": "да"} {
		if out := succeed(t, dir, move+"\n", "play", "слова.kif", "net:runs/да,sims=2"); !strings.Contains(out, "белый plays "+played+"\n") {
			t.Errorf("%s is not played:\n%s", move, out)
		}
		if out := succeed(t, dir, "", "solve", "слова.kif", "--moves", move); !strings.Contains(out, "+ 100 best") {
			t.Errorf("after %s: %s", move, out)
		}
		if out := succeed(t, dir, fmt.Sprintf(`{"id":1,"moves":["%s"]}`, move), "analyze", "слова.kif", "mcts:20"); !strings.Contains(out, `"best"`) {
			t.Errorf("after %s: %s", move, out)
		}
	}
	server, address, _ := served(t, dir, nil, ".", "--addr", "127.0.0.1:0")
	r, err := http.Get(address + "api/runs") // makes the games of runs known
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Runs []struct{ Name, Game string } }
	err = json.NewDecoder(r.Body).Decode(&list)
	r.Body.Close()
	if err != nil || len(list.Runs) != 1 || list.Runs[0].Name != "runs/да" {
		t.Fatalf("runs %+v, error %v", list, err)
	}
	r, err = http.Post(address+"api/position", "application/json", strings.NewReader(fmt.Sprintf(`{"game":%q,"moves":["д"]}`, list.Runs[0].Game)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.Contains(string(data), `"moves":["да"]`) {
		t.Errorf("position %s, error %v", data, err)
	}
	endServed(t, server)
}
