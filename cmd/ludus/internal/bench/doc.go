// Package bench measures how fast this machine plays and learns: the environment, the search, the network, training and
// self-play, each beside what the machine could do at best.
//
// # How it measures
//
// A machine's speed wanders, by its load and its heat. So what is to be compared runs in turn, in short rounds: a speed
// is the median over the rounds, and a ratio is the median of the ratios within a round. A ratio of two reported speeds
// may therefore differ a little from the reported ratio, which is the truer one. Work is done once before it is measured.
//
// # Units
//
// Speeds are per second. A network's operations are multiplications and additions of its 3x3 convolutions, counted as
// 2 * 9 * Cin * Cout * H * W whatever the method, and of the matrix products of its heads, 2 each; nothing else counts.
// A step of training counts three times the operations of a forward pass. GFLOP/s are 1e9 of them a second; a peak is
// the multiply-adds, 2 operations each, that registers allow without any memory.
//
// The package prints nothing: it returns a [Report] and tells how far it is.
package bench
