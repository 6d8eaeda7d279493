package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// sections returns a run's sections as JSON.
func sections(t *testing.T, r *Run) string {
	t.Helper()
	data, err := json.Marshal(Sections(r))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Reading a growing run step by step gives the same as reading it once.
func TestRefresh(t *testing.T) {
	source := trained(t, "quad-5x5")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{}
	for _, name := range []string{"metrics.jsonl", "arena.jsonl", "suite.jsonl", "ratings.json"} {
		whole[name] = read(t, source, name)
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := r.Refresh(); changed || err != nil {
		t.Errorf("nothing new, but changed is %v, %v", changed, err)
	}
	for _, name := range []string{"metrics.jsonl", "arena.jsonl", "suite.jsonl"} {
		text := whole[name]
		for cut := 0; cut < len(text); cut += 777 {
			write(t, dir, name, text[:cut])
			if _, err := r.Refresh(); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, name, text)
		if changed, err := r.Refresh(); !changed || err != nil {
			t.Errorf("%s: changed is %v, %v", name, changed, err)
		}
	}
	write(t, dir, "ratings.json", whole["ratings.json"])
	if changed, err := r.Refresh(); !changed || err != nil {
		t.Errorf("ratings: changed is %v, %v", changed, err)
	}
	again, err := ReadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sections(t, r), sections(t, again); got != want {
		t.Errorf("bit by bit: %s\nat once: %s", got, want)
	}
	if len(r.Warnings) > 0 {
		t.Errorf("warnings %q", r.Warnings)
	}

	write(t, dir, "metrics.jsonl", whole["metrics.jsonl"]+"{]\n")
	if _, err := r.Refresh(); err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "1 of ") {
		t.Errorf("a damaged line: %v, warnings %q", err, r.Warnings)
	}
	write(t, dir, "metrics.jsonl", whole["metrics.jsonl"]) // as a resumed run would
	if _, err := r.Refresh(); err != nil || len(r.Warnings) != 0 || sections(t, r) != sections(t, again) {
		t.Errorf("written anew: %v, warnings %q", err, r.Warnings)
	}
	for _, name := range []string{"metrics.jsonl", "arena.jsonl", "suite.jsonl", "ratings.json"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if changed, err := r.Refresh(); !changed || err != nil {
			t.Errorf("%s is gone: changed is %v, %v", name, changed, err)
		}
	}
	if len(r.Generations)+len(r.Matches)+len(r.Suite) > 0 || r.Ratings != nil || len(r.Warnings) > 0 {
		t.Errorf("without files: %+v", r)
	}
	write(t, dir, "config.json", strings.Replace(read(t, dir, "config.json"), "quad-5x5", "quad-7x7", 1))
	if _, err := r.Refresh(); err == nil || !strings.Contains(err.Error(), "is of quad-7x7 now") {
		t.Errorf("another game: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Refresh(); !errors.Is(err, rundir.ErrNoRun) {
		t.Errorf("a run that is gone: %v", err)
	}
}

// A file is read when it changes, appears or disappears, and a folder in its place is none.
func TestWatchedFile(t *testing.T) {
	dir := t.TempDir()
	f := watchedFile{path: filepath.Join(dir, "file")}
	expect := func(want bool) {
		t.Helper()
		if got := f.refresh(func() error { return nil }); got != want || f.warning != nil {
			t.Errorf("changed %v, %v; want %v", got, f.warning, want)
		}
	}
	expect(true) // a missing file, the first time
	expect(false)
	for range 2 { // the second has the same bytes
		if err := checkpoints.WriteFile(f.path, []byte("text\n")); err != nil {
			t.Fatal(err)
		}
		expect(true)
		expect(false)
	}
	for range 2 {
		if err := checkpoints.AppendLine(f.path, []byte("line")); err != nil {
			t.Fatal(err)
		}
		expect(true)
		expect(false)
	}
	if err := os.Remove(f.path); err != nil {
		t.Fatal(err)
	}
	expect(true)
	expect(false)
	failing := func() error { return &fs.PathError{Op: "open", Path: f.path, Err: syscall.EMFILE} }
	if err := checkpoints.WriteFile(f.path, []byte("text\n")); err != nil {
		t.Fatal(err)
	}
	if f.refresh(failing); f.warning == nil {
		t.Error("a file that cannot be read gives no warning")
	}
	expect(true) // tries again
	expect(false)
	set := func([]rundir.SuiteResult) { t.Error("lines of a file that cannot be read replace those before") }
	if err := readLines(dir, rundir.SuiteFile, set); err == nil {
		t.Error("a folder has lines")
	}
	f.path = dir
	if f.refresh(func() error { return nil }); f.warning == nil {
		t.Error("a folder is taken for a file")
	}
}
