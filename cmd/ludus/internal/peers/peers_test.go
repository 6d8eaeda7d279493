package peers

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// asPeer is the environment variable that makes the test binary a peer. Its value is the reply to the first request.
const asPeer = "LUDUS_TEST_CHILD"

func TestMain(m *testing.M) {
	if first := os.Getenv(asPeer); first != "" {
		answer(first)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// answer replies to the first request, or dies.
func answer(reply string) {
	bufio.NewScanner(os.Stdin).Scan()
	if reply == "die" {
		fmt.Fprintln(os.Stderr, "first line\nlast words")
		return
	}
	fmt.Println(reply)
}

// startFake starts a peer that gives this reply to the first request, and returns the error.
func startFake(t *testing.T, reply string) error {
	t.Helper()
	t.Setenv(asPeer, reply)
	_, err := start(t.Context(), []string{os.Args[0]}, struct{}{})
	return err
}

func TestStart(t *testing.T) {
	if err := startFake(t, `{"missing":"package x"}`); !errors.Is(err, errMissing) || !strings.Contains(err.Error(), "package x") {
		t.Errorf("a missing package gives %v", err)
	}
	for _, program := range []string{"no-such-program", filepath.Join(t.TempDir(), "program")} {
		if _, err := start(t.Context(), []string{program}, nil); !errors.Is(err, errMissing) {
			t.Errorf("the missing program %s gives %v", program, err)
		}
	}
	if err := startFake(t, "die"); err == nil || errors.Is(err, errMissing) || !strings.Contains(err.Error(), "last words") {
		t.Errorf("a program that ends gives %v", err)
	}
	if err := startFake(t, "no JSON"); err == nil || errors.Is(err, errMissing) {
		t.Errorf("a strange answer gives %v", err)
	}
}
