package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ludus/env"
	"ludus/model/infer"
)

// ErrState means that bytes are not a training state of this trainer's game and network. Errors wrap it.
var ErrState = errors.New("bad training state")

const (
	stateFormat  = "ludus-training"
	stateVersion = 3
)

// group is a set of values, one slice per parameter, with the prefix of their names in the file.
type group struct {
	prefix string
	values [][]float32
}

// groups are all values that a step changes.
func (t *Trainer) groups() []group {
	o := t.optimizer
	return []group{{"weights.", t.params.values}, {"average.", o.average}, {"moment1.", o.moment1}, {"moment2.", o.moment2}}
}

// MarshalState returns everything that training changes as a safetensors file: weights, averaged weights, Muon's
// momentum, Adam's moments and the number of steps.
func (t *Trainer) MarshalState() []byte {
	var tensors []infer.Tensor
	for _, group := range t.groups() {
		for i, values := range group.values {
			w := t.params.tensors[i]
			tensors = append(tensors, infer.Tensor{Name: group.prefix + w.Name, Shape: w.Shape, Data: values})
		}
	}
	return infer.MarshalTensors(map[string]string{
		"format":  stateFormat,
		"version": strconv.Itoa(stateVersion),
		"game":    t.game.Name,
		"steps":   strconv.Itoa(t.optimizer.steps),
	}, tensors)
}

// UnmarshalState restores a state of [Trainer.MarshalState]; training then continues bit for bit. Errors wrap
// [ErrState] and leave the trainer unchanged.
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
	t.optimizer.steps = steps
	return nil
}

// checkState checks a file against this trainer and returns the number of steps.
func (t *Trainer) checkState(metadata map[string]string, tensors []infer.Tensor) (steps int, err error) {
	if got := metadata["format"]; got != stateFormat {
		return 0, fmt.Errorf("format is %q; want %q", got, stateFormat)
	}
	if got := metadata["version"]; got != strconv.Itoa(stateVersion) {
		return 0, fmt.Errorf("version is %q; this program reads %d", got, stateVersion)
	}
	if got := metadata["game"]; !t.game.Is(env.Renamed(got)) {
		return 0, fmt.Errorf("game is %q; want %q", got, t.game.Name)
	}
	steps, err = strconv.Atoi(metadata["steps"])
	if err != nil || steps < 0 {
		return 0, fmt.Errorf("steps is %q; want a number of at least 0", metadata["steps"])
	}
	groups, n := t.groups(), len(t.params.values)
	if want := len(groups) * n; len(tensors) != want {
		return 0, fmt.Errorf("%d tensors; want %d", len(tensors), want)
	}
	for i, got := range tensors {
		w := t.params.tensors[i%n] // the groups follow one another, each with all parameters
		name, shape := groups[i/n].prefix+w.Name, w.Shape
		if got.Name != name || !slices.Equal(got.Shape, shape) {
			return 0, fmt.Errorf("tensor %q %v; want %q %v", got.Name, got.Shape, name, shape)
		}
	}
	return steps, nil
}
