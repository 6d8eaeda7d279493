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
// UCT with 1,000 playouts finds a move that keeps the value in most positions. A suite can be made with a least share of
// hard positions, where it does not. Then all solved positions of a game are tested with UCT, hard ones are used first,
// and hard positions that differ from the game's by their last move are used too: the solver's table knows much about
// them, so they cost a fraction of a new game. They count as positions of games with random moves.
//
// A suite depends only on [Options], except Threads, not on the clock.
//
// # Results
//
// [Suite.Test] lets an agent choose a move in each position. Its error is the share of moves that lose value. Its loss
// is the mean utility lost, the best move's minus the chosen one's for the player to move: 0 to 2, where 1 is 50 goals.
// Both have 95 % intervals that account for the similarity of positions of one game (see [stats.Mean]). A [Result]
// groups them by the plies to the end of the game, by the share of moves that keep the value, by whether UCT with 1,000
// playouts loses value, and by who played the game, and compares them with random moves. Results on fewer than
// [MinPositions] positions are mostly noise.
//
// # The shipped suites
//
// [Shipped] returns them. Their headers hold the seed (1), the limits and the agents:
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
// Games of agents only gave 38 to 59 % of each suite's positions, games with random moves mixed in 20 to 37 %. The same
// commands generate other suites today: random streams are derived differently, and the solver needs fewer nodes. A
// test solves a sample of each suite again.
//
// The suites of the other games are of games of searches alone. These commands make them again:
//
//	ludus suite GAME --positions 2000 --nodes N --per-game 4 --seed 1 --agent mcts:1000 --agent mcts:200 --out GAME.suite
//
//	              N
//	connect-four  2,000,000
//	othello-6x6     300,000
//	hex-5x5       1,000,000
//	hex-7x7         200,000
//
// [ShippedHard] returns suites that are solved deeper and in which UCT lost value in half of the positions or more. No
// network played, so these commands make them again; with a larger P they begin with the same positions:
//
//	ludus suite GAME --positions P --nodes N --memory M --per-game 8 --hard-share 0.5 --seed 13 \
//	    --agent mcts:1000 --agent alphabeta:4 --out GAME.suite
//
//	                  P    N           M    hard  games
//	quad-5x5          213  10,000,000  256  160   32
//	breakthrough-6x6  116  10,000,000  256   69   19
//	golden-rectangle  116  10,000,000  256   74   20
//	quad-7x7          123   1,000,000   64  102   21
//	free-for-all-2p   108  10,000,000  256   54   26
//
// They are small and of few games, so results on them have wide intervals.
//
// Positions that the solver cannot solve are left out, so in the larger games a suite measures endgames only.
package suite
