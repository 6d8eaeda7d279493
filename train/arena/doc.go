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
//	solver:NODES    perfect where it solves the position within so many nodes; elsewhere as mcts:1000
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
// # Matches
//
// A match starts the goroutines that it is asked for and joins them. Where a network plays and no clock runs, each of
// them plays many games at once: the leaves of all its games that wait for the same network are evaluated in one batch
// and remembered in one cache. No game depends on the others beside it, so that a match is the same on any number of
// threads.
//
// Openings are random plies. Where the game has draws and is short enough to be solved, one that loses for a side is
// drawn again ([Balance]). Each is played from both sides, and none comes again before all were played: agents that do not
// draw their moves would play it as before, which tells nothing. What is said of the score's error counts pairs, and none
// that repeats another ([Result]).
//
// A match may end early, by a sequential test ([SPRT]), and may keep a record of its finished games, from which it goes on
// after an interruption ([Match.Record]). What is left out: ratings over many agents, which package ratings makes of matches.
package arena
