package peers

import (
	"context"
	_ "embed"
	"errors"

	"ludus/env"
	"ludus/model/infer"
)

//go:embed training.py
var torchScript string

// pythons are tried in turn: the first one in PATH need not be the one with the system's packages.
var pythons = []string{"python3", "/usr/bin/python3"}

// Torch starts PyTorch on the training step of package model. Its rows are samples. Its threads busy-wait for each other, so
// it needs as many idle cores or slows down many times.
func Torch(ctx context.Context, game *env.Game, config infer.Config, batch, threads int) (*Peer, error) {
	type network struct {
		Planes       int  `json:"planes"`
		Height       int  `json:"height"`
		Width        int  `json:"width"`
		Channels     int  `json:"channels"`
		Blocks       int  `json:"blocks"`
		PolicyPlanes int  `json:"policy_planes"`
		PolicyExtras int  `json:"policy_extras"`
		Classes      int  `json:"classes"`
		Goals        bool `json:"goals"`
	}
	shape := game.Tensor
	request := struct {
		Network network `json:"network"`
		Batch   int     `json:"batch"`
		Threads int     `json:"threads"`
	}{
		network{
			shape.C, shape.H, shape.W, config.Channels, config.Blocks,
			game.PolicyPlanes, game.PolicyExtras, len(game.Classes), game.GoalHead,
		},
		batch, threads,
	}
	var errs []error
	for _, python := range pythons {
		p, err := start(ctx, "PyTorch", []string{python, "-c", torchScript}, request)
		if !errors.Is(err, ErrMissing) {
			return p, err
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
