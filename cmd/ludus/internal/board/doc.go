// Package board answers what a page asks while somebody plays: how a game's board is drawn, where moves lead, what an agent
// would play and what it thinks. Requests and replies are JSON, the same whether they travel over HTTP or to a page's own
// engine; [Host.Answer] lists them. Moves are official texts, values the expected utility, in [-1, 1], for the player to
// move.
//
// Left out: who may ask and for how much. The host bounds bodies, agents and time.
package board
