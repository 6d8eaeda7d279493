//go:build !linux

package program

import (
	"errors"
	"os/exec"
)

const canLimitMemory = false

func limitMemory(int, int) error { return errors.ErrUnsupported }

// awaitEnd waits until a command has ended. Its id may then soon be another process's.
func awaitEnd(cmd *exec.Cmd) { cmd.Wait() }
