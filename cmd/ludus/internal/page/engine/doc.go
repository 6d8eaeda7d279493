//go:build js && wasm

// Engine is the program in the worker of an exported page: games, search and network. It reads three globals: weights
// and book, Uint8Arrays with a weights file and, if there is one, an opening book, and dial, the JSON text of the
// network's strength dial if there is one. It defines the global function answer(op, request). Both arguments are
// strings; package board defines the requests. The result is the JSON text {"reply":…} or {"error":…}. In agent specs
// the path of the weights is agent and that of the book is book, as in net:agent,sims=64,book=book.
package main
