package checkpoints

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFileChanged(t *testing.T) {
	f := FileWatcher{Path: filepath.Join(t.TempDir(), "file")}
	expect := func(want bool) {
		t.Helper()
		if changed, err := f.Changed(); changed != want || err != nil {
			t.Errorf("changed %v, %v; want %v", changed, err, want)
		}
	}
	expect(true) // a missing file, the first time
	expect(false)
	for range 2 { // the second has the same bytes
		if err := WriteFile(f.Path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		expect(true)
		expect(false)
	}
	for range 2 {
		if err := AppendLine(f.Path, []byte("line")); err != nil {
			t.Fatal(err)
		}
		expect(true)
		expect(false)
	}
	if err := os.Remove(f.Path); err != nil {
		t.Fatal(err)
	}
	expect(true)
	expect(false)
	f.Path = filepath.Dir(f.Path)
	if _, err := f.Changed(); err == nil {
		t.Error("a folder is taken for a file")
	}
}
