// Package mcts searches a game tree under the guidance of a network: Monte Carlo tree search as in AlphaZero, with
// Gumbel's sequential halving or PUCT at the root, and with exact values where the rules of the game settle them.
//
// # A search is a step machine
//
// [Search.Select] walks to a position that the network must judge, [Search.Backup] takes the judgement, and so on until
// [Search.Done]. One goroutine can thus interleave the searches of many games and evaluate their leaves in one batch.
// [Search.Run] does the same for one position by itself. The package starts no goroutine, reads no clock and keeps no
// generator: given the noise and the evaluations, a search is reproducible bit for bit, and ties go to the lowest
// action.
//
// # Conventions
//
// Inside the tree every value is the utility of [env.First], in [-1, 1], and every class is First's, whoever moves; the
// sign turns only where moves of one node are compared, by the player to move there. Nothing flips by depth, so that
// players may move several times in a row. Outside, every result is for the player to move at the root. Evaluations are
// in the mover's frame; they are masked, mapped and turned into First's utility in one place, at the leaf.
//
// # Values
//
// A node's value is the mean of the evaluations backed up through it. A move's completed value is that of its node; an
// unvisited move has the mixed value of its parent,
//
//	v_mix = (v + N sum_visited(p q) / sum_visited(p)) / (1 + N),
//
// v being the network's value of the parent, N the visits of all its moves, p their priors and q their values. Either
// is clamped to the move's bounds, so that a proven move has its exact value whether visited or not. Priors are the
// softmax of the legal moves' logits, none of which counts as more than 80 below the largest.
//
// Expanding a node looks at every legal move once: one that ends the game is proven there and then. Every move carries
// the best and the worst class still possible, backed up by who moves where. A move whose best does not beat what a
// sibling has for certain is dead and treated as if it were illegal, below and at the root; a position whose best is
// its worst is proven, with the number of plies that the winner needs, or that the loser can hold out, as far as was
// found. A simulation that arrives at a proven position backs its value up without an evaluation.
//
// # Sources
//
// Danihelka, Guez, Schrittwieser and Silver, Policy improvement by planning with Gumbel, ICLR 2022, and its
// implementation mctx (sequential halving, completed values, the deterministic rule below the root). Silver et al., A
// general reinforcement learning algorithm that masters chess, shogi and Go through self-play, Science 2018 (PUCT).
// KataGo (exploration that grows with the logarithm of the visits, first-play value, virtual losses). Cazenave and
// Saffidine, Score bounded Monte-Carlo tree search, 2010 (bounds).
//
// # Left out
//
// Transpositions share evaluations through [Cache], not nodes. In PUCT's trees up to a quarter of the evaluated nodes
// repeat a position of the tree at 64 simulations, and up to half at 10,000 (78 % at the start of Free-For-All). The
// cache finds most of them, and the rest of a simulation takes a sixteenth to a seventh of an evaluation: by these
// counts, shared nodes would reach at most 7 % more positions in the same time (25 % at that start). What it is worth
// that values would be shared too was not measured.
//
// There is no noise for PUCT, no chance node, no learned model and no search by several goroutines in one tree.
package mcts
