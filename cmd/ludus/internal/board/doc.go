// Package board defines the JSON that pages exchange with an engine during play, and answers their requests:
// how to draw a game's board, the position after some moves, the move an agent chooses and its analysis of a position.
// A [Host] answers the same requests over HTTP (package web) and in an exported page (package engine). It also defines
// the [Replay] that game viewers show.
//
// Moves are names (see [env.Game]); requests may also hold official texts, or any other form that package notation reads.
// A value is an expected utility in [-1, 1], for the player to move unless stated otherwise.
//
// Access control and limits on bodies, agents and time are the caller's task.
package board
