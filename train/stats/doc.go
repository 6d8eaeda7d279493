// Package stats estimates means with 95 % intervals: of scores in [0, 1] that may depend on each other within clusters, such
// as the games of an opening, and of a few normally distributed numbers.
//
// Not here: ratings (package ratings), tests of significance.
package stats
