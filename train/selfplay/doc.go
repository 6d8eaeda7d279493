// Package selfplay plays games against themselves with a network and records what the search finds.
//
// A [Player] keeps games in progress. Each thread takes one game at a time, advances its search to a leaf, and evaluates
// the leaves of up to 32 games in one batch. A finished search gives a ply of the game's record: the policy target, the
// class distribution that the search expects, and the move. Finished games go through a [Rescorer], which replaces the
// results of the search near their ends by exact ones, and leave the package as package record's records.
//
// An [Assignment] says what to play: the network and how to search with it. The training's own process calls
// [Player.Round]; a worker in another process calls [Play], which gets assignments from a [Learner] and sends it games.
//
// # Conventions
//
// A game in progress has one owner at a time, and its random generator is derived from (seed, "slot", index). So games
// depend neither on the number of threads nor on other games. See package record for the perspective of what is recorded.
//
// # What is left out
//
// Learning (package learn), and deciding how much to play (package plan).
package selfplay
