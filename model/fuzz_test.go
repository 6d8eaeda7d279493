package model

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"ludus/env/envtest"
)

// UnmarshalState must leave the trainer unchanged if it rejects the bytes, and MarshalState must return the same bytes
// if it accepts them.
func FuzzState(f *testing.F) {
	game := envtest.Board(1, 2, 2, 1, 0, 2, false)
	tr := newTrainer(f, game, randomWeights(game, 4, 0, 1), DefaultConfig(), nil)
	state := tr.MarshalState()
	f.Add(state)
	f.Add(state[:len(state)/2])
	f.Add([]byte(strings.Replace(string(state), `"steps":"0"`, `"steps":"7"`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		before := tr.MarshalState()
		if err := tr.UnmarshalState(data); err != nil {
			if !errors.Is(err, ErrState) {
				t.Errorf("error %v", err)
			}
			if !bytes.Equal(tr.MarshalState(), before) {
				t.Error("a bad state changed the trainer")
			}
			return
		}
		written := tr.MarshalState()
		if err := tr.UnmarshalState(written); err != nil || !bytes.Equal(tr.MarshalState(), written) {
			t.Errorf("the state changes on the way through bytes: %v", err)
		}
	})
}
