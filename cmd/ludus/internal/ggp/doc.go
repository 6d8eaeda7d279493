// Package ggp plays matches of General Game Playing: a match server sends a rule sheet and asks for moves, over HTTP.
//
// A [Server] answers the messages INFO, PREVIEW, START, PLAY, STOP and ABORT as the players of ggp-org/ggp-base do. If the
// sheet is that of a trained network, perhaps with other names and in another order, the network plays (package
// env/gdl/canonical). Other games of two players who take turns are played by a search with random playouts, or by a
// network that is trained during the start clock and beats the search in fast games. All other games are played by a search
// in which each role maximises its own goal, over compiled rules or, if there are none, over the interpreter.
//
// The match server has the last word: it replaces a move that came late or was illegal, so positions follow the moves in
// its messages, whatever was answered before.
//
// The protocol has no passwords, and the package does not defend itself against floods of connections.
package ggp
