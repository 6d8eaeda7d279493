// Package web is the server of ludus serve: pages to watch runs and to play against agents. It serves the files of
// package static, the requests of package board as POST /api/OP, and the runs below one folder.
//
// Access: the server listens on loopback by default; on any other address it requires a token. It rejects requests
// whose Host header is not one of its own addresses, which prevents DNS rebinding, and requests from other origins. A
// Content-Security-Policy limits its pages to the server's own scripts and styles.
//
// Limits: request bodies, connections, known games, the simulations and time of a search, running and
// waiting requests are all bounded. A request beyond a limit gets an error status and {"error":"..."}, and Retry-After
// if the server is only busy. Agents read weights below the folder of runs only.
//
// Not included: encryption and accounts. Anyone who can read the network traffic to a non-loopback address can read the
// token.
package web
