package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ludus/model/infer"
)

// ErrState is wrapped by errors about bytes that are no state of this trainer.
var ErrState = errors.New("bad training state")

const (
	stateFormat  = "ludus-training"
	stateVersion = 1
)

// group is one slice a parameter, under a prefix in the file.
type group struct {
	prefix string
	values [][]float32
}

// groups are all that a step changes.
func (t *Trainer) groups() []group {
	return []group{{"live.", t.live.values}, {"average.", t.average}, {"first.", t.solver.first}, {"second.", t.solver.second}}
}

// MarshalState writes all that training changes as a safetensors file: live and averaged weights, Adam's moments, the
// number of steps.
func (t *Trainer) MarshalState() []byte {
	var tensors []infer.Tensor
	for _, group := range t.groups() {
		for i, values := range group.values {
			name := group.prefix + t.live.names[i]
			tensors = append(tensors, infer.Tensor{Name: name, Shape: t.live.shapes[i], Data: values})
		}
	}
	return infer.MarshalTensors(map[string]string{
		"format":  stateFormat,
		"version": strconv.Itoa(stateVersion),
		"game":    t.game.Name,
		"steps":   strconv.Itoa(t.solver.steps),
	}, tensors)
}

// UnmarshalState puts the trainer where [Trainer.MarshalState] was called: what follows is the same bit for bit. Errors
// wrap [ErrState] and leave the trainer as it was.
func (t *Trainer) UnmarshalState(data []byte) error {
	metadata, tensors, err := infer.UnmarshalTensors(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	steps, err := t.checkState(metadata, tensors)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	for _, group := range t.groups() {
		for i := range group.values {
			copy(group.values[i], tensors[i].Data)
		}
		tensors = tensors[len(group.values):]
	}
	t.solver.steps = steps
	return nil
}

// checkState compares a file with what MarshalState writes and returns the number of steps.
func (t *Trainer) checkState(metadata map[string]string, tensors []infer.Tensor) (steps int, err error) {
	if got := metadata["format"]; got != stateFormat {
		return 0, fmt.Errorf("format is %q; a training state has %q", got, stateFormat)
	}
	version, err := strconv.Atoi(metadata["version"])
	if err != nil || version < 1 {
		return 0, fmt.Errorf("version is %q; it must be a number from 1", metadata["version"])
	}
	if version > stateVersion {
		return 0, fmt.Errorf("version %d is newer than this program, which reads up to %d", version, stateVersion)
	}
	if got := metadata["game"]; got != t.game.Name {
		return 0, fmt.Errorf("of game %q; the trainer's is %q", got, t.game.Name)
	}
	steps, err = strconv.Atoi(metadata["steps"])
	if err != nil || steps < 0 {
		return 0, fmt.Errorf("steps is %q; it must be a number from 0", metadata["steps"])
	}
	groups := t.groups()
	if want := len(groups) * len(t.live.names); len(tensors) != want {
		return 0, fmt.Errorf("%d tensors; this network's state has %d", len(tensors), want)
	}
	for i, got := range tensors {
		group, j := groups[i/len(t.live.names)], i%len(t.live.names)
		name, shape := group.prefix+t.live.names[j], t.live.shapes[j]
		if got.Name != name || !slices.Equal(got.Shape, shape) {
			return 0, fmt.Errorf("tensor %q %v; this network's state has %q %v there", got.Name, got.Shape, name, shape)
		}
	}
	return steps, nil
}
