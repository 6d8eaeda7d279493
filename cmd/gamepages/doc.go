// Gamepages writes docs/games: a page for each game of package games with rules, pictures, the shipped agent's card and a
// sample game with comments, and an index. README.md gets the same table of games, a picture of an analysis and one of ratings.
//
//	go generate ./cmd/gamepages
//
// Run it after a change of rules, diagrams or shipped agents; the package's test fails if the pages are not current. The
// section "What is known" of a page is written by hand, and kept. Sample games take minutes, so they are kept in the folder
// data. They are played if they are missing or if their agent has changed, and for the pages named by -study:
//
//	go run ./cmd/gamepages -root . -study quad-5x5,hex
package main
