//go:build js && wasm

// Engine is the program in the worker of an exported page: games, search and network. It reads a weights file from the
// global Uint8Array weights, and the strength dial of its network, if there is one, from the global JSON text dial. It
// defines the global function answer(op, request). Both arguments are strings; package board defines the requests. The
// result is the JSON text {"reply":…} or {"error":…}. In agent specs the path of the weights is agent, as in
// net:agent,sims=64.
package main
