// Package gamefile reads and writes files of games: SGF and GGF of other programs, lists of moves, and JSON lines with
// everything that a [Record] holds. It only reads the digit strings of Connect Four, match records and transcripts.
//
// A [Reader] streams: it holds one game at a time. Every move that it returns is legal. An [Error] says where in the
// file a game is wrong, and reading can go on with the next game.
//
// SGF is read as other programs write it: Hex of LittleGolem (white begins, "ab" for b1, "swap"), of HexGui ("a1",
// "swap-pieces", "swap-sides"), Othello with letters or digits of rows, Gomoku with "hh" or "h8". Games without a
// number in SGF's list of games have the private property LUDUS with the name of the game, moves as ludus names them,
// and no GM. In files that ludus wrote, V is the expected utility for black after the move, and SECONDS the time it
// took.
//
// A position that SGF sets up with AB and AW before the first move becomes a series of opening moves, where moves only
// place stones: Hex, Gomoku and other lines without gravity. ludus writes their number as OPENING, and no AB and AW.
//
// A finished game has the result that its moves lead to, whatever the file says.
//
// Not here: positions that no game leads to, chess's PGN and other programs' binary files, and playing moves (package
// env) or reading them as people write them (package notation).
package gamefile
