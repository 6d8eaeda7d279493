// Package page exports an agent as one HTML file that anybody can open and play against. The file holds the game, the
// network and the search, and loads nothing from elsewhere. It also writes [Reviews] of games as such a file.
//
// The search is the same Go code as everywhere, compiled to WebAssembly: package engine, which runs in a worker of the
// page. The compiled engine is embedded here. After a change of its sources, rebuild it with
//
//	go generate ./cmd/ludus/internal/page
//
// The toolchain is fixed, so equal sources give equal bytes; .ci/run compares them. The rest of the page consists of
// package static's modules; the main one is exportpage.js.
package page
