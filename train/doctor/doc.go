// Package doctor answers the question why a run does not learn. [Read] collects what a run directory shows, [Diagnose]
// names the most likely cause and a fix.
//
// A check looks at what the run did: its losses, how varied its games are, and how its newest network evaluates positions
// of its newest games, compared with uniform play, with the results of the games and with exact values of the solver.
// Settings only help to name the cause: a run with unusual settings that learns well has no finding.
//
// Losses and entropies are means in nats. Values are utilities in [-1, 1] for the player to move.
//
// The package does not measure strength (see train/ratings and train/suite) and cannot find faults in the rules of a game
// (see env/envtest).
package doctor
