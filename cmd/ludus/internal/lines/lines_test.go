package lines

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func read(t *testing.T, r *Reader) (all []string) {
	t.Helper()
	for line := range r.C {
		all = append(all, string(line))
	}
	return all
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	r := NewReader(io.NopCloser(strings.NewReader("\ufeffa\r\n\nb\n"+long+"\nend")), 8, 0)
	got := read(t, r)
	if want := []string{"a", "", "b", "xxxxxxxxx", "end"}; !slices.Equal(got, want) || r.Err != nil {
		t.Errorf("lines %q, %v; want %q", got, r.Err, want)
	}
	r.Close()
}

// The last line has no line break and exactly fills the buffer.
func TestFullBuffer(t *testing.T) {
	r := NewReader(io.NopCloser(strings.NewReader(strings.Repeat("x", 4096))), 8, 0)
	if got := read(t, r); !slices.Equal(got, []string{"xxxxxxxxx"}) || r.Err != nil {
		t.Errorf("lines %q, %v", got, r.Err)
	}
	r.Close()
}

func TestError(t *testing.T) {
	fault := errors.New("no such thing")
	r := NewReader(io.NopCloser(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(fault))), 8, 1)
	if got := read(t, r); !slices.Equal(got, []string{"a", "b"}) || !errors.Is(r.Err, fault) {
		t.Errorf("lines %q, %v", got, r.Err)
	}
	r.Close()
}

// Close ends a goroutine that waits for input, and one that waits for its line to be taken.
func TestCloseEndsAPendingRead(t *testing.T) {
	for _, input := range []string{"", "a\nb\n", "unfinished"} {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		if _, err := out.WriteString(input); err != nil {
			t.Fatal(err)
		}
		r, start := NewReader(Interruptible(in), 8, 0), time.Now()
		time.Sleep(10 * time.Millisecond)
		r.Close()
		if spent := time.Since(start); spent > 5*time.Second {
			t.Errorf("%q: closed after %v", input, spent)
		}
	}
}

// A stream takes nothing from its file before the first Read, so a program that reads no input leaves it to others.
func TestInterruptibleWaits(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out.WriteString("for others")
	out.Close()
	Interruptible(in)
	time.Sleep(10 * time.Millisecond)
	if left, err := io.ReadAll(in); string(left) != "for others" || err != nil {
		t.Errorf("left %q, %v", left, err)
	}
}

func TestInterruptibleReadsAFile(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	go func() {
		time.Sleep(10 * time.Millisecond)
		out.WriteString("late\n")
		out.Close()
	}()
	r := NewReader(Interruptible(in), 80, 0)
	if got := read(t, r); !slices.Equal(got, []string{"late"}) || r.Err != nil {
		t.Errorf("lines %q, %v", got, r.Err)
	}
	r.Close()
}
