// Package notation reads moves as people type them: names and official texts (see [env.Game.ParseAction]), and shorter
// forms. All commands and pages that take moves use it. Its errors name the legal moves that are nearest to the text.
//
// Not here: writing moves. Games name their own (package env).
package notation
