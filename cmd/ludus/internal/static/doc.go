// Package static holds the files that browsers load: plain JavaScript modules and style sheets without a build step,
// HTML pages, and the library uPlot with its licence.
//
// A server serves [Files] as they are: each page loads its main module, which imports the others. A page that is one
// file contains the modules joined by [Inline] and the style sheets joined by [Styles], and allows them in its
// Content-Security-Policy by [Hash]. Inline joins modules by removing lines, so they follow rules that a test checks:
//
//   - an import is one line without renaming: import { a, b } from "./x.js";
//   - export precedes a declaration, and there is no default export;
//   - no two modules of one page declare the same top-level name.
//
// The modules, main modules last:
//
//	dom.js         elements; light and dark
//	fragment.js    links to parts of a page that come later
//	format.js      numbers, times and moves as text
//	http.js        requests to a server, and its engine
//	worker.js      the engine in a worker of the page
//	live.js        pages that show what changes
//	board.js       a game's board, drawn, with buttons if it can be played on
//	charts.js      charts, by uPlot
//	movelist.js    the list of a game's moves
//	history.js     the moves and positions of a game; links to a position
//	analysis.js    an agent's analysis of a position
//	review.js      the review of a game: mistakes, a summary, a curve
//	overview.js    the overview of the reviews of many games
//	quiz.js        the quiz of a review: find the better move
//	strength.js    how strong the agents play
//	playlayout.js  the HTML of the play page
//	play.js        the play page: people and agents on a board
//	viewer.js      the game viewer
//	runview.js     facts, charts, ladders and settings of a run
//	rungames.js    a run's games in the viewer
//	runinfo.js     what the list of runs and a run's page share
//	openings.js    main: an opening book
//	report.js      main: a report
//	run.js         main: a run's page
//	runs.js        main: the list of runs
//	compare.js     main: a comparison of runs
//	sheet.js       main: a watched rule sheet
//	reviewpage.js  main: reviews of games
//	errorpage.js   main: an error
//	playpage.js    main: the play page of a server
//	exportpage.js  main: the page of an exported agent
package static
