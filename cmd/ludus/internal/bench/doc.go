// Package bench measures the speed of the environment, the search, the network, training and self-play on this machine,
// and the peak of its arithmetic.
//
// # Method
//
// A machine's speed varies with its load and temperature. Measurements that are compared therefore run in turn, in
// short rounds: a speed is the median over the rounds, and a ratio is the median of the ratios within each round. The
// ratio of two reported speeds may differ a little from the reported ratio, which is more accurate. One unmeasured
// round comes first.
//
// Each row has a cpu_share: the CPU time it got over the CPU time it could have used. Below [BusyShare] other programs
// slowed the row down, and its ratios mean little.
//
// # Units
//
// Speeds are per second. A network's operations are the multiplications and additions of its 3x3 convolutions, 2 * 9 *
// Cin * Cout * H * W, and those of its other matrix products; not the sums over figures. A training step counts as
// three forward passes. The peak is the rate of multiply-adds (2 operations each) in registers, without memory access.
//
// The package prints nothing: it returns a [Report] and reports its progress.
package bench
