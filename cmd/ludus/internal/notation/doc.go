// Package notation reads moves as people type them: names and official texts (see [env.Game.ParseAction]), and shorter
// forms. All commands and pages that take moves use it.
package notation
