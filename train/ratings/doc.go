// Package ratings rates agents that have played each other on one Elo scale, with intervals, and chooses the matches
// that reduce the intervals fastest.
//
// # The scale
//
// An agent of rating R is expected to score 1 / (1 + 10^((S-R)/400)) against one of rating S; a draw is half a point
// (Bradley and Terry 1952; Elo's scale). Ratings are the maximum likelihood; one agent, the anchor, has rating 0. In
// the pool of a run the agent shipped for the game and three weakened ones keep the ratings of its card, if it has any,
// so the ratings of all runs of a game are on one scale. Anchors of known rating ([Pool.AddAnchor]) define the scale in
// place of all these.
//
// An outside program is rated like a baseline. Games that it forfeits are lost and void games do not count. A match in
// half of which it fails does not count, and it plays no more. Only [Pool.AddAnchor] lets a program play; those that
// earlier matches name keep their ratings.
//
// # The prior
//
// For each rating that is not known, one virtual draw is added to the games played. These draws are divided among the
// pairings in proportion to the information of each about the ratings (Firth 1993; for two agents, Jeffreys' prior). So
// 100 : 0 between two agents counts as 100.5 : 0.5, a difference of 921 and not infinity. Among hundreds of games the
// prior removes the likelihood's bias towards large differences and changes little else.
//
// # The interval
//
// Where known ratings fix the scale, an agent's interval is the 95 % interval of its rating. Elsewhere it is that of
// its difference from the pool's centre, shifted onto the rating scale. The centre is the mean rating of the middle
// half of the agents. An interval of the difference from the anchor would say less about the other agents: if random
// loses every game, nobody knows how far below the others it is.
//
// Intervals come from the profile likelihood, because a rating based on 99 : 1 has a narrower bound on one side than on
// the other. Games are not independent: those of a pair share an opening, and draws reduce the scatter. So the
// likelihood is weighted by the observed scatter of pairs.
//
// Ratings cannot express that A beats B, B beats C and C beats A. Intervals do not include this: they hold for this
// pool and the chosen opponents.
//
// # A run's ratings
//
// [Open] reads the matches of a run directory, and [Pool.Rate] plays more. Each finished match is a line of
// arena.jsonl; ratings.json follows from these lines. Later matches of two agents continue with openings that the two
// have not played. Checkpoints are deterministic, so two of them play each opening once and then no more.
package ratings
