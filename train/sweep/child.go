package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// stopTime is how long a training process may take to stop before it is killed.
const stopTime = 20 * time.Second

// trainRun trains a run in a child process, or continues it. If ctx ends, it stops the process and returns ctx's error.
func (s *sweeper) trainRun(ctx context.Context, worker int, j *job) error {
	log, err := os.OpenFile(j.dir+".log", os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	child := s.Command(Training{
		Dir: j.dir, Game: s.Game, Seed: j.seed, Settings: j.arm.Assignments(), Generations: s.Generations, CPU: s.CPU,
	})
	child.Stdout, child.Stderr = log, log
	if child.Env == nil {
		child.Env = os.Environ()
	}
	child.Env = append(child.Env, "GOMAXPROCS=1") // the garbage collector shares the core, too
	dieWithParent(child)
	runtime.LockOSThread() // a child dies with the thread that started it
	defer runtime.UnlockOSThread()
	if err := child.Start(); err != nil {
		return err
	}
	s.cores.enter(worker, child.Process.Pid)
	err = wait(ctx, child)
	s.cores.leave(worker)
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

// wait waits until a started process ends. If ctx ends, it interrupts the process, and kills it after stopTime.
func wait(ctx context.Context, child *exec.Cmd) error {
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if child.Process.Signal(os.Interrupt) != nil { // not possible on this system, or it has ended
		child.Process.Kill()
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopTime):
		child.Process.Kill()
		return <-ended
	}
}
