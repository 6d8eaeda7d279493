// Gamepages writes docs/games: a page for each game of package games with rules, pictures, the shipped agent's card and a
// sample game. README.md gets a table of the games, a picture of an analysis and one of ratings.
//
//	go generate ./cmd/gamepages
//
// Run it after a change of rules, diagrams or shipped agents; the package's test fails if the pages are not current. The
// section "What is known" of a page is written by hand, and kept. The folder data has what other machines would compute a
// little differently: the sample games, which are played again when their agent changes; a request to "ludus analyze
// breakthrough-6x6 zoo,search=puct" and its reply; and the chart of a run's report.
package main
