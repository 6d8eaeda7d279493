// Package gdl makes games of rule sheets in the Game Description Language (GDL).
//
// [New] reads a sheet and proves what an [env.Game] must say. It accepts a game only with a proof that two players take
// turns; a move of the role that is not to move, such as noop, is not a ply. It refuses a sheet if one of its random games
// breaks a law of games; [FindWitness] shows that game. Everything else has a cautious default:
//
//   - Longest game: proven by a step counter or by fluents that every move uses up. Otherwise a cap of plies, four times
//     the longest random game, at which the game is a draw; the plies are then part of positions and keys.
//   - Board: two arguments of fluents whose constants are ordered, by a relation of the sheet or as numbers, and that are
//     neither roles nor values (determined by the other arguments). Without a board the tensor is [C,1,1].
//   - Legal moves until the end and one goal each at the end: so in random games; otherwise the game is over, and a player
//     without a goal gets 0.
//   - Symmetries and Second's frame: automorphisms of the circuit, see [gates.Matcher]. The frame may exchange goals; then
//     the tensor shows who is to move.
//   - Figures: cells of fluents that terminal or a goal needs together.
//   - Classes: the goals of a player if both players' goals add up to 100, otherwise differences of goals.
//
// A position is a bit set of fluents. [gates.Position] updates legal moves and terminal move by move;
// [env.State.TerminalActions] and random games compute 64 positions at once with [gates.Circuit].
//
// [Warnings] lists likely mistakes in a sheet. Chance (random) and hidden information (sees) are not supported.
package gdl
