//go:build !unix

package program

import (
	"os"
	"os/exec"
)

func inOwnGroup(*exec.Cmd) {}

// killGroup kills a process. On this system its children stay.
func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}
