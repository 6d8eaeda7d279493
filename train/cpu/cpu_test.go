package cpu

import (
	"testing"
	"time"
)

// TestTime: work uses CPU time, waiting does not.
func TestTime(t *testing.T) {
	start := Time()
	time.Sleep(50 * time.Millisecond)
	if waited := Time() - start; waited < 0 || waited > 40*time.Millisecond {
		t.Errorf("50 ms of waiting used %v", waited)
	}
	start = Time()
	for begun := time.Now(); Time()-start < 20*time.Millisecond; {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("10 s of work used less than 20 ms")
		}
	}
}
