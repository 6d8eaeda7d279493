// Package solver computes the exact value of positions under perfect play by both players. It never estimates.
//
// A [Solver] narrows a position's class down by decisions of the form "can First reach class k or better?". Each is a
// depth-first search (alpha-beta with a null window). It compares the player to move at every node, because a player
// may move several times in a row. A table of fixed size keeps bounds under the canonical keys of positions, so
// transpositions and symmetric positions are searched once.
//
// # Conventions
//
// A class is always First's: a way in which the game can end ([env.Class]) as First sees it, in [0, len(Game.Classes)).
// Class 0 is First's best: First wants small classes, Second large ones. The value of a position is First's class when
// both play perfectly.
//
// # Correctness
//
// A search that reaches its node limit, or is stopped, returns no value. The table holds proved bounds only. The table
// identifies a position by two 64-bit hashes of its canonical [env.Key]: one selects the bucket, the other is compared
// with the four entries there. A lookup finds a wrong entry with probability 4 / 2^64 at most: 2e-9 in a search of ten
// thousand million nodes. Where the key itself holds a hash, of 128 bits or more, its collisions are far rarer.
//
// A value says nothing about how long a win takes; [Solver.Plies] and [Solver.ForcesWithin] do. Every game ends after
// at most MaxPlies, so moves that keep the value reach it in the end.
//
// # Move order
//
// A node looks at its terminal actions ([env.State.TerminalActions]) first, then at the table. It tries moves in this
// order: the table's; the opponent's refutation of the previous move, which is often worth preventing; then by a
// history of how often moves caused a cutoff elsewhere, in Othello and Free-For-All minus an eighth of the largest
// history for each reply that a move leaves ([env.Game.FewReplies]; 0.2 to 0.6 of the time). Tried and rejected: killer
// moves (1.2 to 1.4 times the nodes on quad-5x5 and Free-For-All endings), a table lookup for every move before the
// first is searched (0.6 to 0.7 times the nodes, in more time), and depth-first proof-number search (fewer nodes on
// Breakthrough 4x5 in more time; no result on 3x7 in four times the time).
//
// SOLVED.md lists the games that this package has solved.
package solver
