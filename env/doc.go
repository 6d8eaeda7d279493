// Package env says what a game is to the rest of ludus: a two-player, perfect-information, turn-based game without
// chance, seen as a tensor by a network and as a tree by a search.
//
// # Conventions
//
// A [Player] is a seat: [First] moves first, [Second] is the other. Players do not always alternate (a Quad player who
// blocks moves again), so a value is always for a named player and nothing may flip a sign by depth.
//
// An [Action] is absolute: the same number means the same official text for both players. The network sees and says
// everything in the mover's frame, in which both sides look alike (boards are turned where the rules are the same after
// turning): [State.Encode] writes the mover's tensor, [Game.Frame] maps actions to the mover's policy, and outcome
// classes count from the mover's best to its worst. That mapping exists here and nowhere else.
//
// Tensors are float32, row-major [C, H, W]. A cell is numbered row*W + column. A policy has [Game.NumActions] entries:
// PolicyPlanes planes of H*W cells, then PolicyExtras single entries, so that a convolutional head fits.
//
// What is left out: hidden information, chance and simultaneous moves.
package env
