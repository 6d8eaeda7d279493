package bench

// Report holds all measurements: the output of `ludus bench --json`. Speeds are per second. CPU is the CPU time that a row
// got divided by what it could have used.
type Report struct {
	Kernels  string     `json:"kernels"` // instruction set of the network's kernels
	Cores    int        `json:"cores"`
	Search   []Search   `json:"search"`
	Infer    []Network  `json:"infer"`
	Train    []Network  `json:"train"`
	SelfPlay []SelfPlay `json:"selfplay"`
	Seconds  float64    `json:"seconds"` // duration of all measurements
}

// BusyShare is the CPU share below which a row counts as disturbed: other programs took CPU time, so its speed is low.
const BusyShare = 0.8

// Search is the speed of random games and of searches on one core. Searches have 1000 simulations, from an empty tree
// at the start of the game.
type Search struct {
	Game  string  `json:"game"`
	Moves float64 `json:"random_moves_per_s"`
	PUCT  float64 `json:"puct_simulations_per_s"` // with free evaluations: uniform priors, value 0
	UCT   float64 `json:"uct_simulations_per_s"`  // agent mcts:N, with random playouts
	CPU   float64 `json:"cpu_share"`
}

// Network holds the speeds of a network's inference or training.
type Network struct {
	Net     string  `json:"net"`   // channels x blocks
	Board   string  `json:"board"` // columns x rows
	Game    string  `json:"game"`
	Batch   int     `json:"batch"`
	Threads int     `json:"threads"`
	Speed   float64 `json:"positions_per_s"`
	CPU     float64 `json:"cpu_share"`
}

// SelfPlay is the speed of self-play as in a training, with its cache of evaluations, by an untrained network.
type SelfPlay struct {
	Game        string  `json:"game"`
	Net         string  `json:"net"`
	Simulations int     `json:"simulations"` // simulations per move
	Threads     int     `json:"threads"`
	Positions   float64 `json:"positions_per_s"`
	Simulated   float64 `json:"simulations_per_s"`
	Evaluations float64 `json:"evaluations_per_s"` // evaluations by the network
	Batch       float64 `json:"batch"`             // mean size of a network batch
	CPU         float64 `json:"cpu_share"`
}
