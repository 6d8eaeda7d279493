//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package checkpoints

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in place of a file does not block a reader.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "000001", manifestName)
	if err := mkdirAll(disk{}, filepath.Dir(pipe)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip("no pipes here: ", err)
	}
	store := NewStore(dir)
	if _, err := store.Load(1); err == nil {
		t.Error("a checkpoint of pipes was read")
	}
	if Locked(pipe) {
		t.Error("a pipe is locked")
	}
	if _, err := ReadLines(pipe); err == nil {
		t.Error("lines of a pipe were read")
	}
	if err := AppendLine(pipe, nil); err == nil {
		t.Error("a line was appended to a pipe")
	}
}
