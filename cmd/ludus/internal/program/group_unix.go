//go:build unix

package program

import (
	"os/exec"
	"syscall"
)

// inOwnGroup makes a command start in a process group of its own: its children can be killed with it, and a Ctrl-C in
// the terminal reaches ludus only.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup kills the members of a process group.
func killGroup(pid int) { syscall.Kill(-pid, syscall.SIGKILL) }
