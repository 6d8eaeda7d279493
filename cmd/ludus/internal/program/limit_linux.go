package program

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const canLimitMemory = true

// limitMemory limits the private memory of a process, and of children that it starts later, to some megabytes each.
func limitMemory(pid, megabytes int) error {
	limit := unix.Rlimit{Cur: uint64(megabytes) << 20, Max: uint64(megabytes) << 20}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// dieWithParent lets the system kill a command when the thread that starts it ends. Go's threads live as long as the program,
// unless a goroutine ends that is locked to one, and ludus has none. The guard ends the command's children, too.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL }
