// Package stats estimates means of scores in [0, 1], with 95 % intervals. Scores may depend on each other within clusters,
// such as the games of an opening.
//
// Not here: ratings (package ratings), tests of significance.
package stats
