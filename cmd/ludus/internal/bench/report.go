package bench

// Report is what was measured; its JSON form is what `ludus bench --json` prints. Speeds are per second.
type Report struct {
	Peak     float64      `json:"peak_gflops_core"` // of one core
	Kernels  string       `json:"kernels"`          // instructions that the network uses
	Cores    int          `json:"cores"`
	Env      []Playouts   `json:"env"`
	Search   []Search     `json:"search"`
	Playouts []PlayoutUCT `json:"playout_mcts"`
	Infer    []Inference  `json:"infer"`
	Train    []Training   `json:"train"`
	SelfPlay []SelfPlay   `json:"selfplay"`
	Ratios   Ratios       `json:"ratios"`
	Seconds  float64      `json:"seconds"` // that all this took
	Warnings []error      `json:"-"`       // of peers that are there but fail
}

// Playouts is the speed of games of random moves on one core.
type Playouts struct {
	Game  string  `json:"game"`
	Moves float64 `json:"moves_per_s"`
}

// Search is the speed of PUCT on one core with an evaluator that costs nothing: uniform priors, value 0, no cache, from
// an empty tree at the start. Allocs are the allocations of a warm search.
type Search struct {
	Game   string  `json:"game"`
	Budget int     `json:"simulations"` // of a search
	Speed  float64 `json:"simulations_per_s"`
	Allocs int     `json:"allocs_per_run"`
}

// PlayoutUCT is the speed on one core of the agent that searches by random playouts, from the start.
type PlayoutUCT struct {
	Game   string  `json:"game"`
	Budget int     `json:"simulations"` // of a search
	Speed  float64 `json:"simulations_per_s"`
}

// Inference is the speed of a network on one core, its input being tensors.
type Inference struct {
	Net    string  `json:"net"`   // channels x blocks
	Board  string  `json:"board"` // height x width
	Game   string  `json:"game"`
	Batch  int     `json:"batch"`
	Speed  float64 `json:"positions_per_s"`
	GFlops float64 `json:"gflops"`
	Share  float64 `json:"share_of_peak"`
}

// Training is the speed of steps of the learner. Allocs are those of a warm step.
type Training struct {
	Net     string  `json:"net"`
	Board   string  `json:"board"`
	Game    string  `json:"game"`
	Batch   int     `json:"batch"`
	Threads int     `json:"threads"`
	Speed   float64 `json:"samples_per_s"`
	GFlops  float64 `json:"gflops"`
	Share   float64 `json:"share_of_peak"` // of the threads' peaks together
	Allocs  int     `json:"allocs_per_step"`
}

// SelfPlay is the speed of a run's self-play with a fresh network.
type SelfPlay struct {
	Game         string  `json:"game"`
	Net          string  `json:"net"`
	Simulations  int     `json:"simulations"` // a move
	Threads      int     `json:"threads"`
	Cache        bool    `json:"cache"` // evaluations are remembered
	Positions    float64 `json:"positions_per_s"`
	Simulated    float64 `json:"simulations_per_s"`
	Evaluations  float64 `json:"evaluations_per_s"` // by the network
	CacheHits    float64 `json:"cache_hits_per_s"`
	NetworkAlone float64 `json:"network_alone_per_s"`       // positions, at the same mean batch and threads
	Share        float64 `json:"share_of_network_alone"`    // evaluations over the network alone
	Scaling      float64 `json:"over_one_thread,omitempty"` // evaluations over those on one thread; 0 where not measured
	Batch        float64 `json:"batch"`                     // positions that the network judges at once, on average
	Idle         float64 `json:"idle_share"`                // share of time in which a core waits for the others
}

// Ratios are our speed over that of others, nil where they are not installed or were not asked for.
type Ratios struct {
	ONNXRuntime *float64 `json:"onnxruntime"` // inference of 64x5 on 7x7, batch 32, one thread
	Torch       *float64 `json:"torch"`       // training of the same, batch 128, on the threads asked for
}
