package sweep

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the child process end when this process ends in any way. It also shields the child from the
// terminal's Ctrl-C, because the sweep stops it.
func dieWithParent(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
