// Package arena lets agents play each other: it reads what an agent is from a line of text, plays paired matches and
// says how sure their result is.
//
// # Agents
//
// An [Agent] chooses moves and, where it can, judges positions. [Parse] reads an agent's text:
//
//	random          any legal move
//	greedy          an immediate win; no move that lets the opponent win at once; else the best immediate change
//	mcts:N          UCT with N random playouts a move
//	alphabeta:D     the rules D plies deep
//	net:PATH        a trained network with search; see [Options] for what may follow the path
//	policy:PATH     the network alone
//
// # Conventions
//
// Every value is for a named player: in an [Analysis] it is the expected utility, in [-1, 1], of the player to move at
// the root; a tree's own values say whose they are. Nothing flips a sign by depth, since players do not always
// alternate. Every agent draws from its own generator, which [Agent.Reset] seeds for each game: a match depends on its
// seed alone, not on the number of threads (agents with a time limit excepted).
//
// A match starts the goroutines that it is asked for and joins them. What is left out: ratings over many agents.
package arena
