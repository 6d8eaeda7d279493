// Package interpreter plays games by their rule sheets as they are written, with their variables: slowly, for all sheets
// and any number of roles. The player of matches uses it for sheets that are too large to ground; tests compare the
// compiled rules with it, and their match server uses it.
//
// It works backwards from what is asked: from a legal move, say, to the conditions of its rules. A table keeps the answers
// of each question in a position, and questions that need themselves are asked again until nothing is new (tabling; Chen
// and Warren 1996). It shares only package kif, [ground.Terms] and [ground.Components] with the code that it checks.
package interpreter
