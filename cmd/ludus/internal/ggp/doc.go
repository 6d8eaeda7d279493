// Package ggp plays matches of General Game Playing: a match server sends a rule sheet and asks for moves, over HTTP.
//
// A [Server] answers the messages INFO, PREVIEW, START, PLAY, STOP and ABORT as the players of ggp-org/ggp-base do. It
// plays one match at a time. If the sheet is that of a trained network, perhaps with other names and in another order,
// the network plays (package env/gdl/canonical). For other sheets of two players who take turns a search with random
// playouts plays, or a network trained during the start clock, if it beats the search in fast games. For all the rest
// random legal moves are played.
//
// The match server has the last word: it replaces a move that came late or was illegal, so positions follow the moves in
// its messages, whatever was answered before.
package ggp
