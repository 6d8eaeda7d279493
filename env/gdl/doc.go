// Package gdl makes games of rule sheets in the Game Description Language (GDL).
//
// [New] reads a sheet and finds out what a [env.Game] must say. It accepts a game only if it can prove that two players
// take turns ([turns]); a move of the player who is not to move, such as noop, is not a ply. If it cannot, it looks in
// random games for a position in which both have a choice, and says which. Everything else has a cautious default:
//
//   - Longest game: proven by a chain of fluents that every move follows, such as a step counter, by fluents that every
//     move uses up, or by groups of fluents that every move changes and that never come back to a state. Otherwise a cap on plies, from random games, at which the game is a draw; the cap is part of
//     positions and keys.
//   - Board: two arguments of fluents whose constants are ordered, by a relation of the sheet or as numbers, and are neither
//     roles nor proven to be values that the other arguments decide. Without one, the tensor is [C,1,1].
//   - Legal moves until the end and one goal each at the end: proven, or the game's Rules say that they are not.
//   - Symmetries and the frame of Second: automorphisms of the gates, see gates.Matcher. What is not proven is left out.
//     The frame need not keep goals; then the tensor shows who is to move.
//   - Figures: cells of facts that the end or a goal needs together.
//   - Classes: the goals of a player, if both players' goals are proven to add up to 100, otherwise differences of goals.
//
// Positions are sets of fluents. Gates of env/gdl/gates compute legal moves, ends and next positions: a state updates
// those that a move changes; [env.State.TerminalActions] and the random games of New compute 64 positions at once.
package gdl
