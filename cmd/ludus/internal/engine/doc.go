// Package engine lets other programs use ludus's agents, by the text protocols of game engines:
//
//   - [GTP], the Go Text Protocol version 2, for every game, with the conventions of Hex (HTP) and Othello, GoGui's
//     commands for the rules of other games, and Leela Zero's and KataGo's analysis commands;
//   - [Gomocup], the protocol of Piskvork and Gomocup, for five in a row;
//   - [NBoard], for Othello 8x8.
//
// A [Convention] translates moves and colours between ludus and a protocol, in both directions.
//
// Each protocol's function reads commands until the input ends, and writes nothing but replies. It starts a goroutine
// that reads, and one that thinks while commands may interrupt; both are joined before it returns.
//
// Not here: pondering, other starting positions, and running other programs.
package engine
