// Package suite measures how far an agent is from perfect play: it makes suites of positions whose moves all have their
// exact value, worked out by the solver, and counts how often an agent's move in them throws value away.
//
// # Positions
//
// A [Position] comes from a game of random play, of agents with random moves mixed in, or of agents alone (after a few
// random plies, or all their games would be one). Each game is walked backwards from its end, every move of every
// position being solved within a limit of nodes, until the solver gives up; so positions lie as far from the end as it
// reaches. Of each game a few are kept at most, two unless told otherwise, of those in which the choice matters, that is
// some legal move loses value: the earliest one and others drawn, rather early than late ones. Only one game in eight offers
// positions of its last few plies, and one in eight is of random play, from which at most a quarter of the positions are:
// both are easy. No two positions of a suite are alike up to the symmetries of the board and to exchanging the players
// where the rules do not tell them apart.
//
// A suite depends on the game, the seed, the agents and these two limits alone, not on the clock or on threads.
//
// # Errors
//
// [Suite.Check] lets an agent move in each position. Its error is the share of its moves that lose value; its loss is the
// mean utility lost, best move's less its own, for the player to move: 0 to 2, which is 50 goals for each 1. Both come with
// intervals of 95 % that allow for positions of one game being alike (see [stats.Mean]), and again by the number of plies to
// the end of the game that a position was taken from, by the share of moves that keep the value, by whether UCT with 1,000
// playouts loses value, and by who played the game. Beside them stands what a player who draws a move at random would lose.
//
// # The shipped suites
//
// [Shipped] returns them; their headers hold the seed (1), the limits and the agents:
//
//	ludus suite GAME --positions P --nodes N --per-game K --agent net:runs/GAME,sims=S \
//	    --agent net:runs/GAME,sims=S,temp=1 --agent mcts:200 --out GAME.suite
//
//	                  P       N        K  S   runs/GAME: default settings and seed, trained for
//	quad-5x5          10,000  500,000  2  16  150 generations of 16 plies (614,400 positions)
//	breakthrough-6x6   2,000  300,000  2  32   40 generations of 16 plies (163,840 positions)
//	golden-rectangle   2,000  150,000  2  16   60 generations of 16 plies (245,760 positions)
//	quad-7x7           2,000  200,000  4  16  10 minutes (525 generations, 1,075,200 positions)
//	free-for-all-2p    2,000   60,000  2  16  10 minutes (126 generations, 258,048 positions)
//
// Agents alone played the games of 38 to 59 % of each suite's positions, agents with random moves mixed in those of 20 to
// 37 %. The solver has come to need fewer nodes since the suites of breakthrough-6x6 and golden-rectangle were made, so that
// the same commands may reach farther today. A test solves a sample of each suite again.
//
// What is left out: values of positions that the solver cannot work out, so that in the larger games a suite tells of
// endings alone.
package suite
