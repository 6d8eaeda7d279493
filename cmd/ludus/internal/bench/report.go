package bench

// Report holds all measurements: the output of `ludus bench --json`. Speeds are per second. CPU is the CPU time that a row
// got divided by what it could have used.
type Report struct {
	Peak     float64    `json:"peak_gflops_core"` // peak of one core
	Kernels  string     `json:"kernels"`          // instruction set of the network's kernels
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
	Game   string  `json:"game"`
	Moves  float64 `json:"random_moves_per_s"`
	PUCT   float64 `json:"puct_simulations_per_s"` // with free evaluations: uniform priors, value 0
	Allocs int     `json:"puct_allocs_per_search"` // allocations per warm search
	UCT    float64 `json:"uct_simulations_per_s"`  // agent mcts:N, with random playouts
	CPU    float64 `json:"cpu_share"`
}

// Network holds the speeds of a network's inference or training.
type Network struct {
	Net     string  `json:"net"`   // channels x blocks
	Board   string  `json:"board"` // columns x rows
	Game    string  `json:"game"`
	Batch   int     `json:"batch"`
	Threads int     `json:"threads"`
	Speed   float64 `json:"positions_per_s"`
	GFlops  float64 `json:"gflops"`
	Share   float64 `json:"share_of_peak"`    // share of the peak of the cores used
	Allocs  int     `json:"allocs_per_batch"` // allocations per batch of a warm evaluator or trainer
	CPU     float64 `json:"cpu_share"`
}

// SelfPlay holds the speeds of self-play as in a training run, with an untrained network.
type SelfPlay struct {
	Game         string  `json:"game"`
	Net          string  `json:"net"`
	Simulations  int     `json:"simulations"` // simulations per move
	Threads      int     `json:"threads"`
	Cache        bool    `json:"cache"` // whether evaluations are cached
	Positions    float64 `json:"positions_per_s"`
	Simulated    float64 `json:"simulations_per_s"`
	Evaluations  float64 `json:"evaluations_per_s"` // evaluations by the network
	CacheHits    float64 `json:"cache_hits_per_s"`
	NetworkAlone float64 `json:"network_alone_per_s"`       // evaluations with the same mean batch and threads, without search
	Share        float64 `json:"share_of_network_alone"`    // Evaluations / NetworkAlone
	Scaling      float64 `json:"over_one_thread,omitempty"` // Evaluations / Evaluations on one thread; 0 if not measured
	Batch        float64 `json:"batch"`                     // mean size of a network batch
	Idle         float64 `json:"idle_share"`                // share of the time that threads wait for others
	CPU          float64 `json:"cpu_share"`                 // CPU share of the time in which threads do not wait
}
