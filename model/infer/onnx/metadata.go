package onnx

import (
	"encoding/json"
	"fmt"
	"strings"

	"ludus/env"
	"ludus/model/infer"
	pb "ludus/model/protobuf"
)

// metadata returns the metadata_props of the model. docs/ONNX.md explains the keys.
func metadata(game *env.Game, w *infer.Weights) ([]byte, error) {
	parameters := map[string]string{}
	for _, p := range game.Params {
		parameters[p.Name] = p.Value
	}
	frames := map[string]any{}
	for p, name := range game.Players {
		frames[name] = frameOf(game, env.Player(p))
	}
	var sizeDependent []string // keys of the entries that differ in other sizes; left out if the model has one size
	inputs := map[string]string{
		Input: "float32 [batch, planes, rows, columns]: unfinished positions, each as the player to move (the mover) sees it. " +
			"Cell i of the board is in row i / columns and column i % columns; " +
			"entry frames[mover].cells[i] of a plane is about it.",
	}
	version := 1          // increases with every incompatible change
	var figures [][]int32 // left out if they are no input
	if anySize(game, w) {
		sizeDependent = []string{"game", "parameters", "rules", "board", "moves", "actions", "frames"}
		if w.HasFigureLayers() {
			version, figures, sizeDependent = 2, game.Figures, append(sizeDependent, "figures")
			inputs[Figures] = "float32 [cells, figures]: 1 where a cell is in a figure, otherwise 0"
		}
	}
	var entries []byte
	for _, e := range []struct {
		key   string
		value any
	}{
		{"metadata_version", version},
		{"game", game.Name},
		{"family", game.Family},
		{"sheet", game.Sheet}, // left out if there is none
		{"parameters", parameters},
		{"players", game.Players},
		{"rules", strings.TrimSpace(game.Rules)},
		{"board", boardOf(game)},
		{"moves", game.ActionNames},
		{"actions", game.ActionTexts},
		{"frames", frames},
		{"planes", game.Planes},
		{"policy_planes", game.PolicyNames[:game.PolicyPlanes]},
		{"policy_extras", game.PolicyNames[game.PolicyPlanes:]},
		{"outcomes", outcomesOf(game)},
		{"value_scale", w.ValueScale},
		{"size_dependent", sizeDependent},
		{"figures", figures},
		{"inputs", inputs},
		{"outputs", outputTexts(game)},
	} {
		value, err := json.Marshal(e.value)
		if err != nil {
			return nil, fmt.Errorf("onnx: metadata %s of %s: %w", e.key, game.Name, err)
		}
		if text := string(value); text == `""` || text == "null" {
			continue
		}
		entries = append(entries, pb.Message(modelMetadata, pb.Bytes(entryKey, e.key), pb.Bytes(entryValue, value))...)
	}
	return entries, nil
}

// boardOf returns the metadata entry "board".
func boardOf(game *env.Game) any {
	cells := make([]int, len(game.Drawing.Cells))
	for i, exists := range game.Drawing.Cells {
		if exists {
			cells[i] = 1
		}
	}
	return map[string]any{"rows": game.Drawing.Rows, "columns": game.Drawing.Columns, "cells": cells}
}

// frameOf returns the frame in which player p moves.
func frameOf(game *env.Game, p env.Player) any {
	cells := make([]int, game.Tensor.Cells())
	for i := range cells {
		cells[i] = game.FrameCell(p, i)
	}
	return map[string]any{"cells": cells, "policy": game.Frame(p)}
}

// outcomesOf returns the metadata entry "outcomes".
func outcomesOf(game *env.Game) any {
	list := make([]map[string]any, len(game.Classes))
	for i, c := range game.Classes {
		list[i] = map[string]any{"name": c.Name, "utility": c.Utility, "goals": c.Goals}
		if game.GoalHead {
			list[i]["goals"] = nil // they depend on play
		}
	}
	return list
}

// outputTexts describes the outputs.
func outputTexts(game *env.Game) map[string]string {
	texts := map[string]string{
		Policy: "float32 [batch, actions]: logits, illegal actions included; frames[mover].policy[a] is the entry of action a. " +
			"The softmax over the entries of the legal actions is the policy, its greatest the move to play.",
		Outcome: "float32 [batch, outcomes]: the probability of each outcome, the mover's",
		Value: "float32 [batch]: the mover's expected utility, in [-1, 1]: the sum of utility times probability over the " +
			"outcomes",
	}
	if game.GoalHead {
		texts[Goals] = "float32 [batch, 2]: the expected goals / 100, the mover's first; not limited to [0, 1]"
	}
	return texts
}
