// Package solver finds what positions are worth under best play by both players: exactly, or not at all.
//
// A [Solver] asks of a position whether First reaches one class or a better one, which is true or false, and narrows the
// class down by such questions. Each is answered by a depth-first search that knows who is to move at every node: a
// player may move several times in a row, and nothing flips by depth. What is found is kept, as bounds, in a table of
// fixed size under the canonical key of the position, so that transpositions and symmetric positions are searched once.
//
// # Conventions
//
// A class is always First's, a number in [0, len(Game.Classes)) with 0 the best for First: First wants small classes and
// Second large ones.
//
// # Never a wrong answer
//
// A search that runs out of nodes, or is told to stop, answers nothing and writes nothing that it has not proved. The
// table knows a position by two 64-bit hashes of its canonical [env.Key], which holds the whole position: one chooses the
// bucket, the other is stored and compared with the four entries there. A wrong entry is taken for the position's own with
// a probability of 4 / 2^64 a look-up at most: 2e-9 in a search of ten thousand million nodes.
//
// What is left out: how long a win takes. All games here end by themselves, so any move that keeps the value gets there.
//
// # How the search goes
//
// The endings of a position ([env.State.TerminalActions]) are looked at before anything else, then the table. Moves are tried in
// this order: the one that the table remembers; what the opponent answered the last move with, which is often worth
// taking away; then by the rate at which they answered the question in other positions. Tried and left out: killer moves
// (1.2 to 1.4 times the nodes on quad-5x5 and Free-For-All endings), a look into the table for every move before the first
// is searched (0.6 to 0.7 times the nodes in more time), and depth-first proof-number search (fewer nodes on Breakthrough
// 4x5 in more time, no answer on 3x7 in four times the time).
//
// # What it has solved
//
// From the start, with every first move, by "ludus solve" with 1 GiB; seconds are those of one core (2.1 GHz,
// shared).
//
//	game                                         value              first moves, goal: how many        nodes  seconds
//	breakthrough(columns=2,rows=4)               white=0 black=100  all 0                                 35    < 0.1
//	breakthrough(columns=2,rows=5)               white=0 black=100  all 0                                356    < 0.1
//	breakthrough(columns=2,rows=6)               white=100 black=0  all 100                            6,645    < 0.1
//	breakthrough(columns=2,rows=7)               white=0 black=100  all 0                             31,413    < 0.1
//	breakthrough(columns=2,rows=8)               white=100 black=0  all 100                          102,176    < 0.1
//	breakthrough(columns=3,rows=4)               white=0 black=100  all 0                                215    < 0.1
//	breakthrough(columns=3,rows=5)               white=0 black=100  all 0                             51,312    < 0.1
//	breakthrough(columns=3,rows=6)               white=100 black=0  all 100                        1,680,132      0.6
//	breakthrough(columns=3,rows=7)               white=0 black=100  all 0                         21,154,621      7.5
//	breakthrough(columns=4,rows=4)               white=0 black=100  all 0                              1,092    < 0.1
//	breakthrough(columns=4,rows=5)               white=0 black=100  all 0                          2,988,204      0.9
//	breakthrough(columns=5,rows=4)               white=0 black=100  all 0                              5,365    < 0.1
//	breakthrough(columns=5,rows=5)               white=0 black=100  all 0                        173,584,506     47.1
//	breakthrough(columns=6,rows=4)               white=0 black=100  all 0                             20,491    < 0.1
//	breakthrough(columns=7,rows=4)               white=0 black=100  all 0                             67,286    < 0.1
//	breakthrough(columns=8,rows=4)               white=0 black=100  all 0                            218,657    < 0.1
//	quad(size=4,quads=3,whites=3)                x=50 o=50          50: 12, 10: 12                   227,303      0.1
//	quad(size=4,quads=4,whites=2)                x=50 o=50          50: 12, 10: 12                   212,021      0.1
//	quad(size=4,quads=5,whites=1)                x=50 o=50          50: 12, 10: 12                    93,508    < 0.1
//	quad(size=4,quads=6,whites=0)                x=50 o=50          all 50                             9,855    < 0.1
//	quad(size=5,quads=4,whites=1)                x=50 o=50          50: 21, 10: 21                 2,421,866      1.5
//	quad(size=5,quads=4,whites=2)                x=50 o=50          50: 21, 10: 21                32,972,037     19.0
//	quad(size=5,quads=6,whites=1)                x=90 o=10          90: 8, 50: 13, 10: 21         70,476,168     28.6
//	quad-5x5                                     x=100 o=0          100: 9, 50: 12                 1,137,873      0.6
//	quad(size=5,quads=10,whites=0)               x=100 o=0          100: 9, 50: 12                 1,144,682      0.4
//	quad(size=6,quads=10,whites=0)               x=100 o=0          100: 24, 0: 8                  9,174,554      2.6
//	quad(size=6,quads=16,whites=0)               x=100 o=0          100: 24, 0: 8                  9,233,082      2.3
//	quad(size=7,quads=12,whites=0)               x=100 o=0          all 100                       37,745,609     11.2
//	quad(size=4,quads=6,whites=2,corners=full)   x=50 o=50          50: 16, 10: 16                29,179,389     12.8
//	quad(size=4,quads=8,whites=0,corners=full)   x=50 o=50          all 50                           172,360    < 0.1
//	quad(size=5,quads=12,whites=0,corners=full)  x=100 o=0          100: 21, 0: 4                  4,622,764      1.2
//	golden-rectangle(columns=4,rows=4,span=1)    red=100 yellow=0   all 100                            2,795    < 0.1
//	golden-rectangle(columns=4,rows=4,span=2)    red=0 yellow=100   all 0                              7,060    < 0.1
//	golden-rectangle(columns=4,rows=4,span=3)    red=0 yellow=100   all 0                              3,439    < 0.1
//	golden-rectangle(columns=4,rows=5,span=3)    red=0 yellow=100   all 0                             16,028    < 0.1
//	golden-rectangle(columns=4,rows=6,span=3)    red=0 yellow=100   all 0                             59,903    < 0.1
//	golden-rectangle(columns=4,rows=7,span=3)    red=0 yellow=100   all 0                            132,609    < 0.1
//	golden-rectangle(columns=4,rows=8,span=3)    red=0 yellow=100   all 0                            603,679      0.3
//	golden-rectangle(columns=5,rows=4,span=3)    red=0 yellow=100   all 0                              5,499    < 0.1
//	golden-rectangle(columns=5,rows=5,span=2)    red=100 yellow=0   all 100                          586,268      0.3
//	golden-rectangle(columns=5,rows=5,span=3)    red=100 yellow=0   100: 4, 0: 1                     736,149      0.3
//	golden-rectangle(columns=5,rows=6,span=3)    red=0 yellow=100   all 0                          1,934,877      0.9
//	golden-rectangle(columns=5,rows=7,span=3)    red=100 yellow=0   100: 4, 0: 1                  61,397,265     18.5
//	golden-rectangle(columns=6,rows=4,span=3)    red=0 yellow=100   all 0                             36,720    < 0.1
//	golden-rectangle(columns=6,rows=5,span=3)    red=0 yellow=100   all 0                         11,202,205      4.1
//	golden-rectangle(columns=7,rows=4,span=3)    red=0 yellow=100   all 0                            301,297      0.2
//	free-for-all(size=5,steps=14)                red=0 blue=100     all 0                              1,810    < 0.1
//	free-for-all(size=7,steps=12)                red=50 blue=50     all 50                            40,860    < 0.1
//
// Breakthrough 5x5 was found to be black's before (littlegolem.net, Breakthrough forum, topic 19, 2006), the nine marks of
// quad-5x5 likewise; small games are compared with minimax in the tests. Not solved so far:
// breakthrough(columns=5,rows=6) within 678 million nodes (8 GiB), golden-rectangle(columns=6,rows=6) and
// golden-rectangle(columns=7,rows=5) within 100 million.
//
// Endings, the values of positions of random games within 5 million nodes each: Free-For-All with 8, 10 and 12 turns left, all
// of 100, 100 and 30 (at most 80,000, 332,000 and 2.1 million nodes), with 14 turns 12 of 15; Breakthrough 6x6 after 30
// plies all of 100, after 20 plies 18 of 30.
package solver
