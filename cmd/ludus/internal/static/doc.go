// Package static holds what the browser gets: plain JavaScript modules and style sheets, with no build step, and the one
// library that they use, uPlot, with its licence.
//
// A server hands out [Files] as they are: each page loads its main module, which imports the others. A page that is one
// file holds them joined by [Inline] and [Styles], and names them in its security policy by [Hash]. So that modules can be
// joined by taking lines out, they keep to a few habits, which a test checks:
//
//   - an import is one line, with names as they are: import { a, b } from "./x.js";
//   - an export stands at the beginning of a declaration, and none is a default;
//   - no two modules of one page declare the same name outermost.
//
// The modules:
//
//	dom.js       elements, numbers for people, light and dark
//	board.js     a game's board, drawn; with buttons over it where one may move
//	charts.js    curves, by uPlot
//	line.js      a game's moves and positions, and links to them
//	layout.js    the elements of the playing app
//	thoughts.js  an agent's view of a position
//	play.js      the playing app: people and agents on a board
//	http.js      what the app asks, answered by a server
//	worker.js    what the app asks, answered by a worker of the page
//	stepper.js   stepping through a game that was played
//	report.js    the page of a report (main)
//	playpage.js  the page of a server on which one plays (main)
//	page.js      the page of an exported agent (main)
//	live.js      a page that the server keeps up to date
//	runwords.js  what the pages of runs say alike
//	rungames.js  a run's games, to step through
//	runs.js      the list of runs (main)
//	run.js       a run: curves, matches, games (main)
package static
