package peers

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"ludus/env"
	"ludus/model/infer"
	"ludus/model/infer/onnx"
)

// errMissing is wrapped by the error of starting an engine that is not installed.
var errMissing = errors.New("not installed")

// peer is a process of ONNX Runtime. It has one user at a time, who must close it.
type peer struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

//go:embed inference.js
var script string

// startRuntime starts ONNX Runtime on one thread with the model of a network, to measure it in batches of the given
// size.
func startRuntime(ctx context.Context, game *env.Game, w *infer.Weights, batch int) (*peer, error) {
	model, err := onnx.Marshal(game, w, "")
	if err != nil {
		return nil, err
	}
	request := struct {
		Model []byte `json:"model"`
		Input string `json:"input"`
		Shape []int  `json:"shape"`
		Batch int    `json:"batch"`
	}{model, onnx.Input, []int{game.Tensor.C, game.Tensor.H, game.Tensor.W}, batch}
	return start(ctx, []string{"node", "--eval", script}, request)
}

// start runs a command until ctx ends and sends it the first request.
func start(ctx context.Context, command []string, first any) (*peer, error) {
	p := &peer{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, time.Second
	stdin, err := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	p.stdin, p.stdout = stdin, bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is %w", command[0], errMissing)
		}
		return nil, err
	}
	var reply struct{ Missing string }
	if err := p.call(first, &reply); err != nil {
		p.close()
		return nil, err
	}
	if reply.Missing != "" {
		p.close()
		return nil, fmt.Errorf("%s is %w", reply.Missing, errMissing)
	}
	return p, nil
}

// call sends a request and reads its reply. If the process has ended, the error has the last line of its stderr.
func (p *peer) call(request, reply any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err = p.stdin.Write(append(line, '\n')); err == nil {
		line, err = p.stdout.ReadBytes('\n')
	}
	if err != nil {
		p.close()
		words := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		return fmt.Errorf("ONNX Runtime has stopped: %s", words[len(words)-1])
	}
	if err := json.Unmarshal(line, reply); err != nil {
		return fmt.Errorf("ONNX Runtime answers %.100q: %w", line, err)
	}
	return nil
}

// evaluate runs the model on tensors [B, C, H, W] of a game and returns its outputs by name.
func (p *peer) evaluate(game *env.Game, tensors []float32) (outputs map[string][]float32, err error) {
	board := game.Tensor
	err = p.call(map[string]any{"tensors": tensors, "shape": []int{board.C, board.H, board.W}, "figures": game.Figures}, &outputs)
	return outputs, err
}

// measure runs the model for about d and returns its positions per second.
func (p *peer) measure(d time.Duration) (positionsPerSecond float64, err error) {
	var reply struct{ Rows, Seconds float64 }
	err = p.call(map[string]any{"seconds": d.Seconds()}, &reply)
	return reply.Rows / reply.Seconds, err
}

// close ends the process. It may be called twice.
func (p *peer) close() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}
