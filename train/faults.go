package train

// faults break training on purpose, each like a bug that people have had in a trainer of their own. Only tests set
// them, to show that package doctor names the cause.
var faults struct {
	ignoreMask bool // illegal moves take part in the policy loss
	flipSign   bool // wins count as losses in the outcome targets
	wrongFrame bool // policy targets are in the opponent's frame
	blankInput bool // the network learns from empty boards
	sameSeed   bool // all games in progress draw the same random numbers
	sameStart  bool // all games begin at the starting position, and searches add no noise
}
