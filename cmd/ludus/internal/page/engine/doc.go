//go:build js && wasm

// Engine is the program in the worker of an exported page: games, search and network. It reads two globals: weights, a
// Uint8Array with a weights file, and dial, the JSON text of the network's strength dial if there is one. It defines the
// global function answer(op, request). Both arguments are strings; package board defines the requests. The result is the
// JSON text {"reply":…} or {"error":…}. In agent specs the path of the weights is agent, as in net:agent,sims=64.
package main
