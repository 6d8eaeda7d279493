//go:build unix || windows

package checkpoints

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lockVariable is the environment variable that makes the test binary lock the path in it and wait.
const lockVariable = "LUDUS_TEST_CHILD"

func TestMain(m *testing.M) {
	path := os.Getenv(lockVariable)
	if path == "" {
		os.Exit(m.Run())
	}
	if _, err := Lock(path); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("locked")
	io.Copy(io.Discard, os.Stdin)
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(path); !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint("pid ", os.Getpid())) {
		t.Errorf("second lock: %v", err)
	}
	release()
	release, err = Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := Lock(filepath.Join(path, "nowhere")); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a lock below a file: %v", err)
	}
	if _, err := Lock(filepath.Join(filepath.Dir(path), "nowhere", "lock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock in no directory: %v", err)
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	expect := func(want bool) {
		t.Helper()
		if held := Locked(path); held != want {
			t.Errorf("held %v, want %v", held, want)
		}
	}
	expect(false)
	release, err := Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	expect(true)
	release()
	expect(false)
}

// A process that calls Locked in a loop does not make Lock fail.
func TestLockedDoesNotBlockLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			default:
				Locked(path)
			}
		}
	}()
	for range 200 {
		release, err := Lock(path)
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
	close(done)
	<-ended
}

func TestLockBetweenProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), lockVariable+"="+path)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	_, err = Lock(path)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), fmt.Sprint("pid ", other.Process.Pid)) {
		t.Errorf("while the other process lives: %v", err)
	}
	if err := other.Process.Kill(); err != nil { // SIGKILL: nothing of it can tidy up
		t.Fatal(err)
	}
	other.Wait()
	release, err := Lock(path)
	if err != nil {
		t.Fatalf("after its death: %v", err)
	}
	release()
}
