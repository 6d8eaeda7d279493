// Package page makes an agent a file that anybody can open: one HTML page that holds the game, the network and the search, asks
// the network for nothing, and plays.
//
// The search is the same Go as everywhere, compiled to WebAssembly ahead of time: package engine, which runs in a worker of
// the page. What is embedded here was built from it by
//
//	go generate ./cmd/ludus/internal/page
//
// with a fixed toolchain, so that the same sources give the same bytes; engine.sum names the sources, and a test compares
// it with those at hand. The page around it is made of package static's modules, main page.js.
package page
