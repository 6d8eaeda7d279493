// Package book has opening books: the positions near the start of a game, each searched deeply once, with values that
// follow from each other.
//
// [Make] searches positions best first, from the first position on. The next ones are those that a player who follows
// the book, in either seat, reaches with the highest probability: this player makes the book's best moves, or moves
// about as good; the opponent makes the best reply in one of two cases, and otherwise draws one from the search's
// priors at temperature 2, as weaker players do. The best-first order follows T. R. Lincke, Strategies for the
// Automatic Construction of Opening Books, Computers and Games 2000. There a position's priority is the number of moves
// that lead to it and, weighted, the sum of what they lose; here a probability takes its place.
//
// # Values
//
// Values are utilities, from -1 (lost) to 1 (won), for the player to move; those of moves for the player who makes
// them. A position without successors in the book has the value of its search. Otherwise its value is the largest of
// its moves: a move to a position of the book has that position's value, which deeper searches have improved; another
// has the search's estimate, but at most the search's value of the position. A value is exact if the search proved it,
// the game is over, or it follows from exact values of the moves.
//
// # Symmetry
//
// Symmetric positions are one position of the book. Its line is one of those that lead there, and its moves are those
// of the position after this line; of moves to symmetric positions it has one. [Book.Analysis] has all of them.
//
// # File
//
// docs/FILES.md describes the file. It holds the searches alone, in the order in which Make chose the positions; all
// other values follow from them. So Make can append a search as soon as it is finished, continue a file after a crash
// and extend it.
//
// # Games
//
// A book can also say in how many games of other players each of its positions came up: [Book.Count]. Its values do not
// depend on them.
//
// Not here: moves that only these games have, and learning from results.
package book
