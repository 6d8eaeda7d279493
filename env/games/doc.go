// Package games holds the games that ludus plays, one source file for each family, and the registry of their names.
//
// A family and its parameters name a game, such as quad(size=5,quads=8,whites=0,corners=cut); an alias, such as
// quad-5x5, is shorter. [New] reads both. To add a game, add a file that calls [Register]: no other file changes, and
// the tests run the conformance suite of env/envtest on its aliases. tictactoe_test.go is an example of a whole game.
//
// States of the shipped games are small values on bitboards. Cell i of a board is row i/W, column i%W of the tensor;
// each family says what its rows and columns are.
package games
