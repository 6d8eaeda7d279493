// Package suite measures how far an agent is from perfect play. It generates suites of positions, with the exact value
// of every move from the solver, and counts how often an agent's move loses value.
//
// # Positions
//
// A [Position] comes from a game of random moves, of agents with random moves mixed in, or of agents only (after a few
// random plies, because all their games would be equal otherwise). The positions of each game are solved from its end
// backwards until a position takes a quarter of the solver's limit of nodes, so they lie far from the end. Only
// positions in which some move loses value are used. A game gives few of them, two by default: the earliest and others
// at random, more often early than late. Easy positions are rare: one game in eight gives positions of its last few
// plies, and one in eight is of random moves; these give at most a quarter of the positions. No two positions of a
// suite are equal up to symmetry and to exchanging players that the rules treat alike.
//
// A suite depends only on [Options], except Threads, not on the clock.
//
// # Results
//
// [Suite.Test] lets an agent choose a move in each position. A [Result] says how often and how much it loses, in
// comparison with random moves. Its 95 % intervals account for the similarity of positions of one game (see
// [stats.Mean]).
//
// # The shipped suites
//
// [Shipped] returns them. Their headers hold the seed (1), the limits and the agents. Those of quad, breakthrough,
// golden-rectangle and free-for-all are of games of trained networks and mcts:200. The others are of searches alone,
// and these commands make them again:
//
//	ludus suite GAME --positions 2000 --nodes N --per-game 4 --seed 1 --agent mcts:1000 --agent mcts:200 --out GAME.suite
//
//	              N
//	connect-four  2,000,000
//	othello-6x6     300,000
//	hex-5x5       1,000,000
//	hex-7x7         200,000
//
// [ShippedHard] returns suites that are solved deeper, with up to 10,000,000 nodes, and in which UCT with 1,000
// playouts lost value in half of the positions or more. They hold 108 to 213 positions of 19 to 32 games, so results on
// them have wide intervals. An earlier version of this package selected them. A test solves a sample of each suite
// again.
//
// Positions that the solver cannot solve are left out, so in the larger games a suite measures endgames only.
package suite
