// Package onnx writes networks as ONNX models (https://onnx.ai), IR version 8 and opset 17, for other engines and
// languages. Shapes for B rows, A actions and K outcome classes, all float32 and in the frame of the player to move
// (the mover):
//
//	tensor   [B, C, H, W]   in: a position as [env.State] encodes it
//	policy   [B, A]         logits, unmasked, in the order of [infer.Evaluator]
//	outcome  [B, K]         class probabilities
//	value    [B]            the mover's expected utility: the sum of utilities times probabilities
//	goals    [B, 2]         goals / 100, the mover's first, of games with a goal head
//
// B is dynamic. Scales are folded into the convolutions. A figure layer is two 1x1 convolutions and two products with
// constant matrices, [cells, figures] and [figures, cells]; the figures' channels pass on to the next figure layer. In
// games with many figures these products cost more than the convolutions.
//
// # Metadata
//
// The model's metadata_props contain everything else that a player program needs. Every value is JSON, so text has
// quotes ("quad-5x5"). Actions and cells are absolute (the same for both players) unless stated otherwise: cell i is
// row i / W, column i % W of the board. The members of an object have no order.
//
//	metadata_version   1; a reader should reject a greater one
//	game               canonical name; "ludus games GAME" describes the game
//	family             name of the family of games that differ in parameters only
//	sheet              the rule sheet (Game Description Language) of a game of one; otherwise left out
//	parameters         {name: value}, values are strings
//	players            names; the first one moves first
//	rules              the rules in short
//	board              {"rows": labels, "columns": labels, "cells": for each cell 1 if it exists, else 0}; action texts use
//	                   the labels for a row (y if they have x and y) and a column (x)
//	actions            GDL text of each action, "" if no position allows it; in policy plane p, action p H W + i marks cell
//	                   i or moves from it
//	frames             {player: {"cells": [H W], "policy": [A]}}: the frame when that player is to move. Cell i is entry
//	                   cells[i] of each tensor plane, action a is entry policy[a] of the policy
//	planes             meaning of each of the tensor's C planes: name, colon, values; "own" is the mover's
//	policy_planes      meaning of the policy planes of H W entries, in the mover's frame
//	policy_extras      meaning of the single policy entries after the planes
//	outcomes           [{"name", "goals": [own, other] or null if they depend on play, "utility": in [-1, 1]}] for the
//	                   mover, best first; the opponent's utility is the negative
//	value_scale        c in the sigma(q) of the Gumbel searches that the network was trained with
//	inputs, outputs    {name: shape and meaning}
//
// A program fills a tensor according to planes and frames, runs the model, and plays the legal action a with the
// greatest policy[frames[mover].policy[a]]. It must know the rules to find the legal actions. The directory examples
// contains two such programs, in Python and JavaScript.
//
// Not here: reading ONNX models.
package onnx
