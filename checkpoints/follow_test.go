package checkpoints

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFollowLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	l := FollowLines(path)
	expect := func(wantAfresh bool, want ...string) {
		t.Helper()
		lines, reset, err := l.Poll()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(lines, want, func(a []byte, b string) bool { return string(a) == b }) || reset != wantAfresh {
			t.Errorf("%q, reset %v; want %q, %v", lines, reset, want, wantAfresh)
		}
	}
	write := func(text string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	expect(false)
	write("")
	expect(false)
	if err := AppendLine(path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	expect(false, "one")
	expect(false)
	write("two\nthr") // half of it
	expect(false, "two")
	expect(false)
	write("ee\n\nfour\n")
	expect(false, "three", "", "four")

	write("torn")
	expect(false)
	if err := AppendLine(path, []byte("five")); err != nil { // cuts the torn one off
		t.Fatal(err)
	}
	expect(false, "five")

	if err := WriteLines(path, [][]byte{[]byte("one"), []byte("two")}); err != nil {
		t.Fatal(err)
	}
	expect(true, "one", "two")
	if err := os.WriteFile(path, []byte("uno\nduo\ntre\n"), 0o666); err != nil { // in its place, and longer
		t.Fatal(err)
	}
	expect(true, "uno", "duo", "tre")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	expect(true)
	expect(false)
	write("again\n")
	expect(false, "again")
}

// TestLongLines: a poll reads a limited number of bytes, and so does each try to read a line that is too long.
func TestLongLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	long := bytes.Repeat([]byte{'x'}, maxRead*2/3)
	if err := WriteLines(path, [][]byte{long, long}); err != nil {
		t.Fatal(err)
	}
	l := FollowLines(path)
	for i := range 3 {
		if lines, _, err := l.Poll(); err != nil || len(lines) != []int{1, 1, 0}[i] {
			t.Errorf("%d lines, error %v", len(lines), err)
		}
	}
	if err := os.Truncate(path, 3*maxRead); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := l.Poll(); !errors.Is(err, ErrDamaged) {
			t.Errorf("error %v", err)
		}
	}
}

func TestFileChanged(t *testing.T) {
	f := FileWatcher{Path: filepath.Join(t.TempDir(), "file")}
	expect := func(want bool) {
		t.Helper()
		if changed, err := f.Changed(); changed != want || err != nil {
			t.Errorf("changed %v, %v; want %v", changed, err, want)
		}
	}
	if _, err := f.Changed(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	for range 2 { // the second has the same bytes
		if err := WriteFile(f.Path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		expect(true)
		expect(false)
	}
	f.Path = filepath.Dir(f.Path)
	if _, err := f.Changed(); err == nil {
		t.Error("a folder is taken for a file")
	}
}
