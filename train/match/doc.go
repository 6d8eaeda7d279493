// Package match lets two agents play against each other and says how sure the result is. It plays pairs of games, draws and
// balances openings, keeps records of games, runs sequential tests and estimates differences in Elo.
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
package match
