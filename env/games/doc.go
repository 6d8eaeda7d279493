// Package games holds the games that ludus plays, one source file for each family, and the registry of their names.
//
// A game is named by its family and parameters, quad(size=5,quads=8,whites=0,corners=cut), or by a short name,
// quad-5x5; [New] reads both. A family joins the registry from its own file, so that adding a game is adding a file
// that calls register; the suite in env/envtest then says whether it keeps the contract of package env.
//
// States are small values on bitboards, one or two words for each set of cells. Cell i of a board is row i/W, column
// i%W of the tensor; each family says what its rows and columns are.
package games
