package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"time"
)

// stopTime is the time limit for an interrupted training process to stop.
const stopTime = 20 * time.Second

// trainRun trains a run in a child process, or continues it. If ctx ends, it interrupts the process, kills it after
// stopTime, and returns ctx's error.
func (s *sweeper) trainRun(ctx context.Context, thread int, j *job) error {
	log, err := os.OpenFile(j.dir+".log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	child := s.Command(ctx, Training{
		Dir: j.dir, Game: s.Game, Seed: j.seed, Settings: j.arm.Assignments(), Generations: s.Generations, CPU: s.CPU,
	})
	child.Stdout, child.Stderr = log, log
	if child.Env == nil {
		child.Env = os.Environ()
	}
	child.Env = append(child.Env, "GOMAXPROCS=1") // the garbage collector shares the core, too
	child.Cancel = func() error {
		if child.Process.Signal(os.Interrupt) == nil {
			return nil
		}
		return child.Process.Kill() // this system has no interrupts, or the process has ended
	}
	child.WaitDelay = stopTime
	dieWithParent(child)
	runtime.LockOSThread() // the child dies with the thread that starts it
	defer runtime.UnlockOSThread()
	if err := child.Start(); err != nil {
		return err
	}
	s.cores.enter(thread, child.Process.Pid)
	err = child.Wait()
	s.cores.leave(thread)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("training failed (%w): %s", err, lastLine(log.Name()))
	}
	return nil
}

// lastLine returns the last line of a log.
func lastLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
