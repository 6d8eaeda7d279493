package checkpoints

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const storeDir = "/runs/a/checkpoints"

func storeOn(m *memory) *Store { return &Store{dir: storeDir, fsys: m} }

// contents returns every checkpoint as text: "whole META PARTS", or the error of loading it.
func contents(t *testing.T, m *memory) map[int]string {
	t.Helper()
	s := storeOn(m)
	ids, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, id := range ids {
		c, err := s.Load(id)
		if err != nil {
			found[id] = err.Error()
			continue
		}
		found[id] = fmt.Sprintf("whole %s %s", c.Meta, c.Parts)
	}
	return found
}

func wholeOnly(t *testing.T, found map[int]string) {
	t.Helper()
	for id, text := range found {
		if !strings.HasPrefix(text, "whole ") {
			t.Errorf("checkpoint %d: %s", id, text)
		}
	}
}

// strays lists the names in the directory that are not those of checkpoints.
func strays(t *testing.T, m *memory, dir string) []string {
	t.Helper()
	names, err := m.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(name string) bool { _, ok := parseID(name); return ok })
}

func partsFor(id int) []Part {
	return []Part{
		{"weights", []byte(fmt.Sprintf("weights of %d", id))},
		{"optimizer", []byte(fmt.Sprintf("moments of %d", id))},
		{"empty", nil},
	}
}

func saveOne(m *memory, id int) error {
	return storeOn(m).Save(id, map[string]int{"generation": id}, partsFor(id))
}

func save(t *testing.T, m *memory, ids ...int) {
	t.Helper()
	for _, id := range ids {
		if err := saveOne(m, id); err != nil {
			t.Fatal(err)
		}
	}
}

// everyFault runs act on copies of start: first without a fault, then with a failure, a kill and a power loss at each
// single call. It passes check the restarted file system, act's error and the fault.
func everyFault(t *testing.T, start *memory, act func(*memory) error, check func(t *testing.T, m *memory, err, fault error)) {
	t.Helper()
	calm := start.clone()
	if err := act(calm); err != nil {
		t.Fatal(err)
	}
	calls := calm.calls
	check(t, calm, nil, nil)
	if calls < 4 {
		t.Fatalf("only %d calls", calls)
	}
	try := func(name string, failAt int, fault error, losses int) {
		t.Run(fmt.Sprintf("%s at call %d", name, failAt), func(t *testing.T) {
			for seed := range max(1, losses) {
				m := start.clone()
				m.failAt, m.fault = failAt, fault
				err := act(m)
				if err == nil && m.calls >= failAt && fault == errCrash {
					t.Error("no error, though the process died")
				}
				if losses > 0 {
					m.losePower(rand.New(rand.NewPCG(uint64(seed), uint64(failAt))))
				}
				m.restart()
				check(t, m, err, fault)
			}
		})
	}
	for failAt := 1; failAt <= calls; failAt++ {
		try("full disk", failAt, syscall.ENOSPC, 0)
		try("kill", failAt, errCrash, 0)
		try("power", failAt, errCrash, 40)
	}
	t.Run("power at the end", func(t *testing.T) {
		for seed := range 40 {
			m := start.clone()
			if err := act(m); err != nil {
				t.Fatal(err)
			}
			m.losePower(rand.New(rand.NewPCG(uint64(seed), 0)))
			m.restart()
			check(t, m, nil, nil)
		}
	})
}

func TestSaveFaults(t *testing.T) {
	damaged := newMemory()
	save(t, damaged, 1, 2)
	weights, err := damaged.find(storeDir + "/000002/weights")
	if err != nil {
		t.Fatal(err)
	}
	weights.data[0] ^= 1
	littered := newMemory()
	save(t, littered, 1, 2)
	if err := littered.Mkdir(storeDir + "/000002.new"); err != nil {
		t.Fatal(err)
	}
	filled := newMemory()
	save(t, filled, 1)

	for _, test := range []struct {
		name  string
		start *memory
		id    int
	}{
		{"first", newMemory(), 0},
		{"next", filled, 2},
		{"instead of a damaged one", damaged, 2},
		{"after a crash", littered, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := contents(t, test.start)
			want := newMemory()
			save(t, want, test.id)
			after := maps.Clone(before)
			after[test.id] = contents(t, want)[test.id]
			act := func(m *memory) error { return saveOne(m, test.id) }
			everyFault(t, test.start, act, func(t *testing.T, m *memory, err, fault error) {
				got := contents(t, m)
				gone := maps.Clone(before) // a damaged checkpoint may be gone before its successor is there
				delete(gone, test.id)
				isOld := maps.Equal(got, before) || maps.Equal(got, gone)
				if !maps.Equal(got, after) && (err == nil || !isOld) {
					t.Fatalf("after %v: got %v, want %v or %v", err, got, before, after)
				}
				if err != nil && fault == syscall.ENOSPC && !strings.Contains(err.Error(), "no space left on device") {
					t.Errorf("error %q does not say that the disk is full", err)
				}
				mine := fmt.Sprintf("%06d.new", test.id)
				if fault == syscall.ENOSPC && slices.Contains(strays(t, m, storeDir), mine) {
					t.Errorf("the full disk is left with %s", mine)
				}
				// The next attempt finds a store that works, and leaves nothing behind.
				if got[test.id] != after[test.id] {
					if err := act(m); err != nil {
						t.Fatal(err)
					}
				}
				save(t, m, 99)
				after := maps.Clone(after)
				after[99] = contents(t, m)[99]
				if got := contents(t, m); !maps.Equal(got, after) {
					t.Errorf("after another attempt: got %v, want %v", got, after)
				}
				wholeOnly(t, contents(t, m))
				if left := strays(t, m, storeDir); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		})
	}
}

func TestPruneFaults(t *testing.T) {
	start := newMemory()
	save(t, start, 8, 9, 10, 11, 12, 13)
	before := contents(t, start)
	act := func(m *memory) error { return storeOn(m).Prune(2, 10) }
	everyFault(t, start, act, func(t *testing.T, m *memory, err, _ error) {
		got := contents(t, m)
		wholeOnly(t, got)
		for id, text := range got {
			if before[id] != text {
				t.Errorf("checkpoint %d has changed", id)
			}
		}
		for _, id := range []int{10, 12, 13} {
			if got[id] == "" {
				t.Errorf("checkpoint %d is gone", id)
			}
		}
		if err := act(m); err != nil {
			t.Fatal(err)
		}
		if ids := slices.Sorted(maps.Keys(contents(t, m))); !slices.Equal(ids, []int{10, 12, 13}) {
			t.Errorf("pruned to %v", ids)
		}
		if left := strays(t, m, storeDir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	})
}

// A writer killed during a removal may leave the new name visible and the old one on disk.
func TestSweepFaults(t *testing.T) {
	start := newMemory()
	save(t, start, 1, 2, 3)
	if err := start.Rename(storeDir+"/000001", storeDir+"/000001.old"); err != nil {
		t.Fatal(err)
	}
	act := func(m *memory) error { return storeOn(m).Prune(5, 1) }
	everyFault(t, start, act, func(t *testing.T, m *memory, _, _ error) {
		got := contents(t, m)
		wholeOnly(t, got)
		if got[2] == "" || got[3] == "" {
			t.Errorf("left are %v", got)
		}
	})
}

func TestWriteFileFaults(t *testing.T) {
	const name = "/runs/config.json"
	fresh := newMemory()
	if err := mkdirAll(fresh, "/runs"); err != nil {
		t.Fatal(err)
	}
	fresh.restart()
	filled := fresh.clone()
	if err := writeFile(filled, name, "", []byte("the old content")); err != nil {
		t.Fatal(err)
	}
	for _, start := range []*memory{fresh, filled} {
		old, _ := start.ReadFile(name)
		act := func(m *memory) error { return writeFile(m, name, "", []byte("the new")) }
		everyFault(t, start, act, func(t *testing.T, m *memory, err, fault error) {
			got, readErr := m.ReadFile(name)
			isOld := string(got) == string(old) && (readErr == nil || start == fresh)
			if string(got) != "the new" && (err == nil || !isOld) {
				t.Fatalf("after %v: %q, %v", err, got, readErr)
			}
			if names, _ := m.ReadDir("/runs"); fault != errCrash && len(names) > 1 {
				t.Errorf("left behind: %v", names)
			}
			if err := act(m); err != nil {
				t.Fatal(err)
			}
			if names, _ := m.ReadDir("/runs"); len(names) != 1 {
				t.Errorf("left behind: %v", names)
			}
		})
	}
}

// Appending to a long file reads only its end, not the lines before.
func TestAppendLineReadsTheEnd(t *testing.T) {
	const name = "/metrics.jsonl"
	for _, torn := range []string{"", "torn"} {
		m := newMemory()
		if err := writeFile(m, name, "", []byte(strings.Repeat("a line\n", 100_000)+torn)); err != nil {
			t.Fatal(err)
		}
		if err := appendLine(m, name, []byte("the last")); err != nil {
			t.Fatal(err)
		}
		if lines, err := readLines(m, name); err != nil || len(lines) != 100_001 || m.read > 5000 {
			t.Errorf("%d lines, %v, after reading %d bytes", len(lines), err, m.read)
		}
	}
}

func TestAppendLineFaults(t *testing.T) {
	const name = "/metrics.jsonl"
	for _, old := range []string{"", "one\n", "one\ntwo\nto", "torn", strings.Repeat("long", 3000) + "\n" + strings.Repeat("torn", 3000)} {
		start := newMemory()
		if old != "" {
			if err := writeFile(start, name, "", []byte(old)); err != nil {
				t.Fatal(err)
			}
			start.restart()
		}
		before, err := readLines(start, name)
		if err != nil {
			t.Fatal(err)
		}
		act := func(m *memory) error { return appendLine(m, name, []byte("a new line")) }
		everyFault(t, start, act, func(t *testing.T, m *memory, err, _ error) {
			lines, readErr := readLines(m, name)
			if readErr != nil {
				t.Fatal(readErr)
			}
			has := len(lines) == len(before)+1 && string(lines[len(before)]) == "a new line"
			if !has && (err == nil || len(lines) != len(before)) {
				t.Fatalf("after %v: %q", err, lines)
			}
			if data, _ := m.ReadFile(name); err == nil && data[len(data)-1] != '\n' {
				t.Error("part of the torn line is left behind the new one")
			}
			if !slices.EqualFunc(lines[:len(before)], before, slices.Equal[[]byte]) {
				t.Fatalf("after %v the old lines are %q", err, lines[:len(before)])
			}
			if err := appendLine(m, name, []byte("next")); err != nil {
				t.Fatal(err)
			}
			if again, err := readLines(m, name); err != nil || len(again) != len(lines)+1 || string(again[len(lines)]) != "next" {
				t.Fatalf("the next line makes %q, %v", again, err)
			}
		})
	}
}

// A store must not treat "cannot read" as "does not exist".
func TestReadFaults(t *testing.T) {
	start := newMemory()
	save(t, start, 1, 2)
	calm := start.clone()
	if _, _, err := storeOn(calm).Newest(); err != nil {
		t.Fatal(err)
	}
	for failAt := 1; failAt <= calm.calls; failAt++ {
		m := start.clone()
		m.failAt, m.fault = failAt, syscall.EIO
		_, _, err := storeOn(m).Newest()
		if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), filepath.Clean("runs/a")) {
			t.Errorf("call %d fails: error %v", failAt, err)
		}
	}
}
