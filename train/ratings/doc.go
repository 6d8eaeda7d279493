// Package ratings puts agents that have played each other on one scale and says how sure their places are.
//
// # The scale
//
// An agent of rating R scores, against one of rating S, 1 / (1 + 10^((S-R)/400)) of the points on average, a draw being half
// a point (Bradley and Terry 1952; Elo's scale). Ratings are fitted by maximum likelihood ([New]); one agent, the anchor, is 0.
//
// # The prior
//
// For each rating to be found, one drawn game is added to those that were played, shared out among the pairings by how much
// each tells of the ratings (Firth 1993; for two agents it is Jeffreys' prior). So 100 : 0 between two agents reads as
// 100.5 : 0.5, a difference of 921, instead of an infinite one, while among hundreds of games it takes away the
// likelihood's bias towards too large differences and is hardly felt.
//
// # Intervals
//
// They hold 95 % of the time, and are found from the profile of the likelihood, since a rating that rests on 99 : 1 is
// known far better on one side than on the other. Games are not independent: those of a pair share an opening, and draws
// scatter less than wins and losses. So the likelihood is weighed by how much pairs really scatter ([Fit.Interval]).
//
// A rating's own interval is that of its place in the pool: its difference to the pool's middle, which is the mean rating
// of the middle half of the agents, a median that does not hang on one agent's luck. The interval of the difference to
// the median agent itself ([Fit.MedianInterval]) is wider by a fifth in usual pools, since that agent's own rating is not
// known better than others'. That of the difference to the anchor is often much wider: where random loses every game,
// nobody can say how far below the others it is.
//
// What ratings leave out: that A beats B, B beats C and C beats A. [Fit.Misfit] says how far pairings depart from the
// ratings so. Intervals know nothing of it: they speak of this pool and the games that were chosen, and where the misfit is
// 60, only seven of ten intervals of +-40 hold what an agent would be rated after meeting everybody. [Fit.Leeway] says how
// much that leaves open beside the interval.
//
// # A run's ratings
//
// [Open] reads the matches of a run directory, [Pool.Rate] plays those that tell most a second, and each finished one is a
// line of arena.jsonl; ratings.json holds what they come to. Further matches of two agents go on with the openings that they
// have not played. Checkpoints don't draw their moves: two of them play each opening once, and then no more.
package ratings
