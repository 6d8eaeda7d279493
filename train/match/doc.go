// Package match plays matches between two agents and estimates how sure their result is.
//
// A match plays every opening twice, with seats swapped. Openings are random plies. If the game has draws and is short
// enough to solve, openings that are lost for one side are rejected ([BalanceChecker]). No opening comes again before
// all have been played: agents that do not draw their moves would only repeat their games. Intervals are over pairs of
// games, without repeated pairs ([Result]).
//
// A sequential test can end a match early ([SPRT]). A match can keep a record of its finished games and continue from
// it after an interruption ([Record]).
//
// A match starts the goroutines of its threads and joins them. If a network plays, and no agent has a time limit, each
// goroutine plays many games at once and evaluates their leaves in common batches. This does not affect any game, so a
// match is the same for any number of threads.
//
// Ratings of more than two agents are the business of package ratings.
package match
