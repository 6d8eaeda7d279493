// Package agent has the agents that play games: networks with and without search, and baselines without training.
//
// An [Agent] chooses moves and, where it can, evaluates positions. [Parse] reads an agent's spec:
//
//	random          a random legal move
//	greedy          an immediate win; no move that lets the opponent win at once; else the best immediate change
//	mcts:N          UCT with N random playouts per move
//	alphabeta:D     alpha-beta to a depth of D plies
//	solver:NODES    perfect play where it solves the position within so many nodes; elsewhere like mcts:1000
//	net:PATH        a trained network with search; [Parse] says which options may follow the path
//	policy:PATH     the network's policy without search
//	zoo             net:zoo, the network shipped with the program for the game, which package shipped loads
//
// With elo=N a network is weakened to a rating: see [Dial].
//
// With solve=NODES an agent with a network has a solver, too: it corrects the network's choice where it can prove that
// another move is better. With book=FILE agents that search play the moves of a [Book] first; package book has books.
//
// # From a spec to a match
//
// [Parse] alone reads a spec's text, and gives a [Spec]. [NewFactory] joins that with a [Loader] of weights:
// shipped.Loader loads zoo and passes other references on to rundir.LoadWeights. The [Factory] then is the one way to
// agents: New for one, NewBatched (package match) and NewChooser (packages suite and exploit) for many at once.
//
// # Conventions
//
// Every value is for a named player: in an [Analysis] it is the expected utility, in [-1, 1], of the player to move at
// the root; a tree's own values say whose they are. Nothing flips a sign by depth, since players do not always
// alternate. Every agent has its own random number generator, which [Agent.Reset] seeds for each game: its moves depend
// on that seed and the game's moves alone (agents with a time limit excepted).
//
// # Batching
//
// A goroutine that plays many games at once shares one [Batchers] among its agents: pending leaves of all its games
// that need the same network are evaluated in one batch and kept in one cache. Batching does not change any move.
//
// With threads=N one search uses several cores. Its tree belongs to one goroutine, as always: that selects 16 leaves
// for each thread, and the batch is evaluated in N parts at the same time. So N decides which moves are played, and not
// which thread is fast: they are the same each time and on machines with fewer cores.
package agent
