// Buildengine builds the engine of exported pages and writes it into the named folder (default: the current one). It uses
// a fixed toolchain, which go downloads when another one is installed. The same sources give the same bytes on every
// machine.
//
//	engine.wasm.zst the engine
//	engine.games    the families of games that it knows
//	wasm_exec.js    the support code that Go programs need in a browser, from the same toolchain
//	go.LICENSE      Go's licence, which must accompany both
package main
