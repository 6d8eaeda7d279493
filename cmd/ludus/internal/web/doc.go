// Package web serves pages on which runs are watched and agents played against: the files of package static, the questions
// of package board as POST /api/OP, and the runs below one folder.
//
// Who may ask: the server listens on loopback unless it is told otherwise, and then wants a token. Every request has to name
// one of the server's own addresses as its host, or a page elsewhere could reach it under a name of its own (DNS rebinding),
// and must not come from another origin. Pages run no script and load no style but the server's.
//
// What may be asked for is bounded: bodies, connections, streams, games, simulations and the time of a search, searches at
// once and those that wait. What goes beyond gets a status and {"error":"…"}, which says what would be right; who is turned
// away because others are served is told when to come again. Agents read weights below the folder of runs alone.
//
// Left out: encryption and accounts. On another address than loopback, who can read the network's traffic can read the token.
package web
