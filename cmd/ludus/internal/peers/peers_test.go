package peers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/model/infer"
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

// answer replies with first, then with 100 rows per second until the input ends.
func answer(first string) {
	for in := bufio.NewScanner(os.Stdin); in.Scan(); first = `{"rows":50,"seconds":0.5}` {
		if first == "die" {
			fmt.Fprintln(os.Stderr, "first line\nlast words")
			return
		}
		fmt.Println(first)
	}
}

func fake(t *testing.T, ctx context.Context, first string) (*Peer, error) {
	t.Helper()
	t.Setenv(asPeer, first)
	p, err := start(ctx, "fake", []string{os.Args[0]}, struct{}{})
	if err == nil {
		t.Cleanup(p.Close)
	}
	return p, err
}

func TestStart(t *testing.T) {
	if _, err := fake(t, t.Context(), `{"missing":"package x"}`); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "package x") {
		t.Errorf("a missing package gives %v", err)
	}
	for _, program := range []string{"no-such-program", filepath.Join(t.TempDir(), "program")} {
		if _, err := start(t.Context(), "fake", []string{program}, nil); !errors.Is(err, ErrMissing) {
			t.Errorf("the missing program %s gives %v", program, err)
		}
	}
	if _, err := fake(t, t.Context(), "die"); err == nil || errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "last words") {
		t.Errorf("a program that ends gives %v", err)
	}
	if _, err := fake(t, t.Context(), "no JSON"); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("a strange answer gives %v", err)
	}
}

func TestCompare(t *testing.T) {
	p, err := fake(t, t.Context(), "{}")
	if err != nil {
		t.Fatal(err)
	}
	speeds := []float64{1, 300, 100, 200} // the first is for getting warm
	c, err := Compare(t.Context(), time.Nanosecond, func(time.Duration) float64 {
		speed := speeds[0]
		speeds = speeds[1:]
		return speed
	}, p)
	if want := (Comparison{200, 100, 2}); err != nil || c != want {
		t.Errorf("%v, %v; want %v", c, err, want)
	}
}

func TestCompareEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := fake(t, ctx, "{}")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compare(ctx, time.Hour, func(time.Duration) float64 { cancel(); return 1 }, p)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want %v", err, context.Canceled)
	}
}

// TestMeasure runs the real engines for a moment.
func TestMeasure(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (*Peer, error){
		"onnxruntime-node": func(t *testing.T) (*Peer, error) {
			game, err := games.New("quad-5x5")
			if err != nil {
				return nil, err
			}
			return ONNXRuntime(t.Context(), game, randomWeights(game, infer.DefaultConfig(game)), 4)
		},
		"torch": func(t *testing.T) (*Peer, error) {
			game, err := games.New("free-for-all-2p")
			if err != nil {
				return nil, err
			}
			return Torch(t.Context(), game, infer.Config{Game: game.Name, Channels: 8, Blocks: 1}, 4, 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := open(t)
			installed(t, name, p, err)
			speed, err := p.Measure(10 * time.Millisecond)
			if err != nil || !(speed > 0) || math.IsInf(speed, 0) {
				t.Errorf("%v rows a second, %v", speed, err)
			}
		})
	}
}
