// Package mcts is AlphaZero's Monte Carlo tree search, guided by a network: with Gumbel's sequential halving or PUCT at
// the root, and with exact values for positions that the rules decide.
//
// # Steps
//
// A simulation follows the tree to a leaf, expands the leaf, has it evaluated and backs the value up. [Search.Step]
// does one simulation. A leaf that needs the network becomes a pending leaf of a [Batcher]; [Batcher.Flush] evaluates
// all pending leaves in one batch and backs them up. So one goroutine can interleave the searches of many games and
// share batches between them. [Search.Run] searches one position alone. The package starts no goroutine, reads no clock
// and keeps no generator. For the same noise and evaluations a search is the same bit for bit; ties go to the lowest
// action.
//
// # Conventions
//
// Inside the tree every value is the first player's utility, in [-1, 1], and every class is as seen by the first player
// ([env.First]). The sign changes only where the moves of one node are compared, by its player to move, and never by
// depth, since a player may move several times in a row. Results are for the player to move at the root. Evaluations
// are in the frame of the player to move at the leaf; they are masked and converted when the leaf receives them.
//
// # Values
//
// A node's value is the mean of the evaluations backed up through it. The completed value of a move is that of its
// node; an unvisited move has the mixed value of its parent (Danihelka et al. 2022, appendix D),
//
//	v_mix = (v + N sum_visited(p q) / sum_visited(p)) / (1 + N),
//
// with the network's value v of the parent, the visits N of all its moves, their priors p and their values q. Both are
// clamped to the move's bounds, so a proven move has its exact value even if unvisited. Priors are the softmax of the
// legal moves' logits; a logit more than 80 below the largest is raised to 80 below it.
//
// Expanding a node looks at every legal move once. A move that ends the game is proven at once. Every move has bounds:
// the best and the worst class still possible, backed up by the player who moves at each node. A move is pruned, and
// treated as illegal, if its best class does not beat what a sibling guarantees. A position is proven if its bounds are
// equal. It then also has the number of plies to the end as found so far: the fewest that its winner needs, or the most
// that its loser can hold out. A simulation that reaches a proven position backs its value up without an evaluation.
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
// Transpositions share evaluations through the cache, not nodes: at most 7 % more positions in the same time.
//
// There is no noise for PUCT, no chance node, no learned model and no search of one tree by several goroutines.
package mcts
