package sweep

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes a process end with this one, however this one ends. It keeps the terminal's Ctrl-C from the
// process: the sweep stops it.
func dieWithParent(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
