// Package match plays matches between two agents and gives their results with intervals.
//
// A match plays every opening twice, with seats swapped. Openings are random plies. If the game has draws and is short
// enough to solve, openings that are lost for one side are rejected ([BalanceChecker]). All openings are played before one
// is repeated, since deterministic agents would only repeat their games. Intervals are over pairs of games, without
// repeated pairs ([Result]).
//
// A match can keep its finished games in a file and continue from it after an interruption ([Config].File).
//
// A match starts the goroutines of its threads and joins them. If a network plays, and no agent has a time limit, each
// goroutine plays many games at once and evaluates their leaves in common batches. This does not affect any game, so a
// match is the same for any number of threads.
//
// Package ratings rates more than two agents.
package match
