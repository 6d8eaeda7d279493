// Package onnx writes a network as an ONNX model (https://onnx.ai), IR version 8 and operator set 17, which other engines
// and languages run. Shapes, with B rows, A actions and K classes, all float32 and in the mover's frame:
//
//	tensor   [B, C, H, W]   in: a position as [env.State] encodes it
//	policy   [B, A]         logits, unmasked, in the order of [infer.Evaluator]
//	outcome  [B, K]         class probabilities
//	value    [B]            the mover's expected utility: the sum of utilities times probabilities
//	goals    [B, 2]         goals / 100, the mover's first, of games with a goal head
//
// B is free. Every scale is folded into the convolution before it.
//
// # Metadata
//
// The model's metadata_props say all else that is needed to play with it. Every value is JSON, a text too ("quad-5x5" with
// its quotes). Actions and cells are absolute, those of both players alike, unless said otherwise: cell i is row i / W,
// column i % W of the board. An object's members are in no order, a list's are.
//
//	metadata_version   1; a reader should refuse a greater one
//	game               canonical name; "ludus games GAME" shows the game
//	family             name of the family of games that differ in parameters only
//	parameters         {name: value}, the values being texts
//	players            names; the first one moves first
//	rules              the rules in short
//	board              {"rows": labels, "columns": labels, "cells": by cell 1 if it exists, 0 if it does not}; labels are what
//	                   the actions' texts call a row (y where these have x and y) and a column (x)
//	actions            official text of each action, "" for one that no position allows; for the policy's plane p, action
//	                   p H W + i is about cell i, on which it marks or from which it moves
//	frames             {player: {"cells": [H W], "policy": [A]}}: what a position in which the player is to move looks like
//	                   to the network: cell i is entry cells[i] of each plane of the tensor, action a entry policy[a] of the
//	                   policy
//	planes             what each of the tensor's C planes holds: its name, a colon, its values; "own" is the mover's
//	policy_planes      what the policy's planes of H W entries mean, in the mover's frame
//	policy_extras      what the policy's single entries after them mean
//	outcomes           [{"name", "goals": [own, other] or null where play settles them, "utility": in [-1, 1]}], as the mover
//	                   sees them, best first; the opponent's utility is the opposite
//	inputs, outputs    {name: its shape and meaning}
//
// So a program fills a tensor by planes and frames, runs the model, and plays the legal action a of the greatest
// policy[frames[mover].policy[a]]. Which actions are legal is for the rules to say. Folder examples holds two such programs,
// in Python and in JavaScript.
//
// What is left out: reading models.
package onnx
