// Package solver finds what positions are worth under best play by both players: exactly, or not at all.
//
// A [Solver] asks of a position whether First reaches one class or a better one, which is true or false, and narrows the
// class down by such questions. Each is answered by a depth-first search that knows who is to move at every node: a
// player may move several times in a row, and nothing flips by depth. What is found is kept, as bounds, in a table of
// fixed size under the canonical key of the position, so that transpositions and symmetric positions are searched once.
//
// # Conventions
//
// A class is always First's, a number in [0, len(Game.Classes)) with 0 the best for First: First wants small classes and
// Second large ones.
//
// # Never a wrong answer
//
// A search that runs out of nodes, or is told to stop, answers nothing and writes nothing that it has not proved. The
// table knows a position by two 64-bit hashes of its canonical [env.Key], which holds the whole position: one chooses the
// bucket, the other is stored and compared with the four entries there. A wrong entry is taken for the position's own with
// a probability of 4 / 2^64 a look-up: 2e-9 in a search of ten thousand million nodes.
//
// What is left out: how long a win takes. All games here end by themselves, so any move that keeps the value gets there.
package solver
