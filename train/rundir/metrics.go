package rundir

import "ludus/env"

// Metrics is a line of metrics.jsonl: the numbers of one generation.
type Metrics struct {
	Generation      int     `json:"generation"`
	Generations     int     `json:"generations"`      // planned number at that time, which the schedules use
	Size            int     `json:"size,omitempty"`   // side of the board that the generation played; 0 if the run has one size
	Games           int     `json:"games"`            // finished in this generation
	TotalGames      int     `json:"total_games"`      // finished in the run
	Positions       int     `json:"positions"`        // searched in this generation
	Steps           int     `json:"steps"`            // training steps of the run so far
	LearningRate    float64 `json:"learning_rate"`    // at the last training step
	ReplayPositions int     `json:"replay_positions"` // positions in the replay windows of all sizes

	// Mean losses over the generation's training steps on boards of its size.
	PolicyLoss  float64 `json:"policy_loss"`          // cross-entropy, nats
	ReplyLoss   float64 `json:"reply_loss"`           // cross-entropy with the policy target of the next ply, nats
	OutcomeLoss float64 `json:"outcome_loss"`         // cross-entropy, nats
	GoalsLoss   float64 `json:"goals_loss,omitempty"` // squared error

	// Losses on a batch of the validation set of the generation's size, before the generation's training steps.
	ValidationPolicyLoss  float64 `json:"validation_policy_loss"`
	ValidationOutcomeLoss float64 `json:"validation_outcome_loss"`

	// Measured for the network that played this generation, on positions of the validation set; absent if the set is
	// empty.
	PolicyEntropy float64 `json:"policy_entropy,omitempty"` // mean over positions, nats

	Simulations  int     `json:"simulations"`
	Evaluations  int     `json:"evaluations"` // number of evaluations by the network
	PlaySeconds  float64 `json:"play_seconds"`
	SolveSeconds float64 `json:"solve_seconds"` // time spent on rescoring finished games with the exact solver
	LearnSeconds float64 `json:"learn_seconds"`
	RunSeconds   float64 `json:"run_seconds,omitempty"` // time spent on the run so far, ratings included
	CPUSeconds   float64 `json:"cpu_seconds,omitempty"` // CPU time spent on the run so far, ratings included
	IdleShare    float64 `json:"idle_share"`            // share of the cores' time that was idle while playing

	ImportedGames     int     `json:"imported_games,omitempty"`     // number of imported games, out of Games: all or none
	ReceivedGames     int     `json:"received_games,omitempty"`     // number of games received from workers, out of Games
	Staleness         float64 `json:"staleness,omitempty"`          // mean age, in generations, of the networks that finished the received games
	WorkerSimulations int     `json:"worker_simulations,omitempty"` // simulations per move that workers are asked for from now on

	SolvedShare float64 `json:"solved_share"` // share of searched positions whose exact value is known, in the finished games after rescoring

	Diversity // diversity of the games of its size that ended in this generation, before rescoring
}

// Diversity measures how varied self-play games are.
type Diversity struct {
	MeanPlies  float64 `json:"mean_plies"`      // mean game length, opening included
	FirstScore float64 `json:"first_score"`     // mean score of the first player; a draw is 1/2
	Duplicates float64 `json:"duplicate_games"` // share of games with the same moves as an earlier one
	Proven     float64 `json:"proven_share"`    // share of searched positions of known exact value
}

// SuiteResult is a line of suite.jsonl: how an agent chose moves in positions whose exact values are known.
type SuiteResult struct {
	Generation int     `json:"generation"`
	Game       string  `json:"game,omitempty"` // of the suite, if it is not the run's: one of its smaller boards
	Agent      string  `json:"agent"`          // "policy" is the network without search, "net" with the default search
	Positions  int     `json:"positions"`      // number of positions tested, spread over the suite
	Error      float64 `json:"error"`          // share of moves that lose value, with its 95 % interval
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Loss       float64 `json:"loss"` // mean utility lost per move, with its 95 % interval
	LossLow    float64 `json:"loss_low"`
	LossHigh   float64 `json:"loss_high"`
}

// TestedGame returns the name of the game of the suite that results of a run of game are about.
func TestedGame(results []SuiteResult, game *env.Game) string {
	if n := len(results); n > 0 && results[n-1].Game != "" {
		return results[n-1].Game
	}
	return game.Name
}

// Of names the game of the suite for a sentence, such as " of hex-7x7"; "" if it is the run's.
func (r *SuiteResult) Of() string {
	if r.Game == "" {
		return ""
	}
	return " of " + r.Game
}
