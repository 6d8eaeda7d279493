// Package record holds games of self-play: what the search found in each position ([Record]), their files in a run
// directory ([Write], [Read]), and the messages in which workers send them to a training ([Message]).
//
// # Conventions
//
// Policies, class distributions and proven classes are for the player to move, over the legal actions in ascending
// absolute order. Distributions are quantised ([Shares]), also in memory, so a resumed run learns from the same
// numbers. [Record.Positions] is the only loop that replays a record.
//
// Everything that is read is checked against the rules of the game: moves are legal, and results are those of the last
// position, but for games of other players ([Imported]) that ended earlier. A record knows its game; files and messages
// say the side of its board, because a run may train several sizes.
//
// # What is left out
//
// Playing games (package selfplay) and learning from them (package learn).
package record
