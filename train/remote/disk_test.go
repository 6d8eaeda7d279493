package remote

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ludus/train"
)

// receiveError returns the error of Receive.
func receiveError(t *testing.T, w train.Workers) error {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		for {
			if _, err := w.Receive(t.Context()); err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("Receive waits")
		return nil
	}
}

// TestStorageError: an error of the server's files ends Receive, with what to do; other errors do not.
func TestStorageError(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	l := server.nats.Logger()
	l.Errorf("something else")
	if err := server.broken.get(); err != nil {
		t.Error(err)
	}
	l.Errorf("JetStream stream '%s > %s' critical write error: %v", "LUDUS", gamesStream, errors.New("write 1.blk: no space left on device"))
	l.Errorf("JetStream failed to store a msg")
	if err := receiveError(t, h); !strings.Contains(err.Error(), "free some space") || !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
}

// smallDisk returns the folder of a file system of the given size, or skips the test where none can be mounted.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("mounting a small file system needs Linux and root")
	}
	dir = t.TempDir()
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).Run(); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := exec.Command("umount", "-l", dir).Run(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestNearlyFullDisk: a run whose disk has too little space for games of workers does not start, and says where and
// what to do.
func TestNearlyFullDisk(t *testing.T) {
	t.Parallel()
	run := filepath.Join(smallDisk(t, "2m"), "run")
	_, err := NewHub(t.Context(), startServer(t, run), "run", func(string) {})
	want := "there is too little space for games of workers in " + filepath.Join(run, "nats") + "; free some space on its disk and run the same command"
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("error %v; want %q", err, want)
	}
}

// TestFullDisk: when the disk is full, Receive fails. With space again and a new start it gets all acknowledged messages.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "32m")
	run := filepath.Join(dir, "run")
	server := startServer(t, run)
	h := startHub(t, server, "run")
	send := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := h.js.Publish(ctx, gamesOf("run", "a"), make([]byte, 10_000))
		return err
	}
	const before = 3
	for range before {
		if err := send(); err != nil {
			t.Fatal(err)
		}
	}
	filler := filepath.Join(dir, "filler")
	_ = os.WriteFile(filler, make([]byte, 64<<20), 0o666) // as much as fits
	acknowledged := before
	for send() == nil {
		acknowledged++
	}
	if err := receiveError(t, h); !strings.Contains(err.Error(), "no space left") {
		t.Error(err)
	}
	h.Close()
	server.Close()
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	h = startHub(t, startServer(t, run), "run")
	for range acknowledged {
		if d, err := h.Receive(t.Context()); err != nil || len(d.Data) != 10_000 {
			t.Fatalf("error %v", err)
		}
	}
}
