package cpu

import (
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPin(t *testing.T) {
	cores := Cores()
	if len(cores) == 0 || !slices.IsSorted(cores) {
		t.Fatalf("cores %v", cores)
	}
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		child.Process.Kill()
		child.Wait()
	}()
	for _, core := range cores {
		if err := Pin(child.Process.Pid, core); err != nil {
			t.Fatal(err)
		}
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(child.Process.Pid, &set); err != nil {
			t.Fatal(err)
		}
		if set.Count() != 1 || !set.IsSet(core) {
			t.Errorf("pinned to core %d, it may run on %v", core, set)
		}
	}
	if err := Pin(1<<30, cores[0]); err == nil {
		t.Error("a process that does not exist was pinned")
	}
}
