package program

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

const canLimitMemory = true

// limitMemory limits the private memory of a process, and of children that it starts later, to some megabytes each.
func limitMemory(pid, megabytes int) error {
	limit := unix.Rlimit{Cur: uint64(megabytes) << 20, Max: uint64(megabytes) << 20}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// awaitEnd waits until a command has ended. Until it is waited for again, its id and its group's name no other process.
func awaitEnd(cmd *exec.Cmd) {
	for errors.Is(unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}
