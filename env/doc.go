// Package env defines what a game is: two players, perfect information, turns, no chance. A network sees a position as
// a tensor, a search sees it as a node of a tree.
//
// # Conventions
//
// The [Player] who moves first is [First], the other is [Second]. Players do not always alternate (a Quad player who
// blocks moves again), so a value is always for a named player; never flip a sign by depth.
//
// A game ends in one of its classes ([Game.Classes]), numbered from a player's best, 0, to its worst. An outcome is
// First's class: the number of the class as First sees it. Goals are the players' final scores, 0 to 100; the word is
// that of the Game Description Language (GDL).
//
// An [Action] is absolute: a number means the same move, with the same text, for both players. The network works in the
// mover's frame, in which both sides look alike (boards are turned if the rules are the same after turning):
// [State.Encode] writes the mover's tensor, [Game.Frame] maps actions to the mover's policy, and the network predicts
// the mover's classes. All conversions between perspectives are in perspective.go.
//
// Tensors are float32, row-major [C, H, W]. A cell has the number row*W + column. A policy has [Game.NumActions]
// entries: PolicyPlanes planes of H*W cells, which fits a convolutional head, then PolicyExtras single entries.
//
// # Adding a game
//
// A game is a [Game] value, which describes it, and a position that implements [Rules]; [Derive] makes a [State] of it.
// The conformance suite of env/envtest checks both. The shipped games implement State themselves, for speed.
//
// Not supported: hidden information, chance, simultaneous moves.
package env
