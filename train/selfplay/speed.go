package selfplay

// Games in progress, and plies of each per generation, of a long run.
const (
	UsualGames = 256
	UsualPlies = 8
)

// Throughput counts what self-play did in a time of Seconds.
type Throughput struct {
	Seconds     float64
	Positions   int // number of moves chosen by search
	Simulations int // simulations of the finished searches
	Evaluations int
	Batches     int     // number of batches evaluated
	CacheHits   int     // number of evaluations found in the caches
	Idle        float64 // seconds that threads waited for others to end a round, summed over threads
}

// Add adds the counts of o to t.
func (t *Throughput) Add(o Throughput) {
	t.Seconds += o.Seconds
	t.Positions += o.Positions
	t.Simulations += o.Simulations
	t.Evaluations += o.Evaluations
	t.Batches += o.Batches
	t.CacheHits += o.CacheHits
	t.Idle += o.Idle
}
