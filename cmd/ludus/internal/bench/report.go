package bench

// Report holds all measurements. Its JSON form is the output of `ludus bench --json`. Speeds are per second; CPU is the
// CPU time that a row got over that which it could have used.
type Report struct {
	Peak     float64    `json:"peak_gflops_core"` // of one core
	Kernels  string     `json:"kernels"`          // instruction set of the network's kernels
	Cores    int        `json:"cores"`
	Search   []Search   `json:"search"`
	Infer    []Network  `json:"infer"`
	Train    []Network  `json:"train"`
	SelfPlay []SelfPlay `json:"selfplay"`
	Seconds  float64    `json:"seconds"` // that the measurements took
}

// BusyShare is the CPU share below which a row counts as disturbed: other programs took CPU time, so its speed is low.
const BusyShare = 0.8

// Search is the speed of random games and of searches on one core. Searches have 1000 simulations, from an empty tree
// at the start of the game.
type Search struct {
	Game   string  `json:"game"`
	Moves  float64 `json:"random_moves_per_s"`
	PUCT   float64 `json:"puct_simulations_per_s"` // with an evaluator that takes no time: uniform priors, value 0
	Allocs int     `json:"puct_allocs_per_search"` // of a warm search
	UCT    float64 `json:"uct_simulations_per_s"`  // of the agent mcts:N, with random playouts
	CPU    float64 `json:"cpu_share"`
}

// Network is the speed of a network's inference or of its training.
type Network struct {
	Net     string  `json:"net"`   // channels x blocks
	Board   string  `json:"board"` // columns x rows
	Game    string  `json:"game"`
	Batch   int     `json:"batch"`
	Threads int     `json:"threads"`
	Speed   float64 `json:"positions_per_s"`
	GFlops  float64 `json:"gflops"`
	Share   float64 `json:"share_of_peak"`    // of the peaks of as many cores
	Allocs  int     `json:"allocs_per_batch"` // of a warm evaluator or trainer
	CPU     float64 `json:"cpu_share"`
}

// SelfPlay is the speed of self-play as in a training run, with an untrained network.
type SelfPlay struct {
	Game         string  `json:"game"`
	Net          string  `json:"net"`
	Simulations  int     `json:"simulations"` // per move
	Threads      int     `json:"threads"`
	Cache        bool    `json:"cache"` // evaluations are cached
	Positions    float64 `json:"positions_per_s"`
	Simulated    float64 `json:"simulations_per_s"`
	Evaluations  float64 `json:"evaluations_per_s"` // by the network
	CacheHits    float64 `json:"cache_hits_per_s"`
	NetworkAlone float64 `json:"network_alone_per_s"`       // evaluations with the same mean batch and threads, without search
	Share        float64 `json:"share_of_network_alone"`    // Evaluations / NetworkAlone
	Scaling      float64 `json:"over_one_thread,omitempty"` // Evaluations / Evaluations on one thread; 0 if not measured
	Batch        float64 `json:"batch"`                     // mean size of a network batch
	Idle         float64 `json:"idle_share"`                // share of the time that threads wait for others
	CPU          float64 `json:"cpu_share"`                 // of the time in which they do not wait
}
