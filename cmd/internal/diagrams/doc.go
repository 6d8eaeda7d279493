// Package diagrams finds positions of a game that explain its rules in pictures: one for each kind of move, and the ends of
// won games. Web pages draw them in board.js, docs/games as SVG files.
//
// Not here: drawing them.
package diagrams
