// Gamepages writes docs/games: a page for each game of package games with rules, pictures, the shipped agent's card and a
// sample game. README.md gets a table of the games.
//
//	go generate ./cmd/gamepages
//
// Run it after a change of rules, diagrams or shipped agents; the package's test fails if the pages are not current. The
// section "What is known" of a page is written by hand, and kept. The folder data has the sample games, which are played
// again when their agent changes: other machines would play them a little differently.
//
// Pictures are SVG files with a background of their own; they follow the reader's preference of light or dark.
package main
