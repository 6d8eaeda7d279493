// Package openings shows opening books to people: as a tree of moves in text, and as a page with a board. The tree has
// the moves that the book knows, with scores, and how often they came up in games.
//
// The page is one file; openings.js of package static draws it.
package openings
