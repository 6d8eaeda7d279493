package zoo

import "regexp"

// CommitPattern matches a git commit id, whole or abbreviated, as a card holds it.
var CommitPattern = regexp.MustCompile("^[0-9a-f]{7,40}$")

// Card describes a shipped agent: how it was trained and how strong it is. Every number has the command that measures
// it again.
type Card struct {
	Game     string   `json:"game"`
	Training Training `json:"training"`
	Network  Network  `json:"network"`
	// Errors are shares of moves that lose value in solved positions. Games without shipped suites have none.
	Errors  []SuiteError  `json:"errors,omitempty"`
	Matches []MatchResult `json:"matches"`
	Rating  *Rating       `json:"rating,omitempty"`
	// Dial is the strength dial; nil if it was not measured.
	Dial *Dial `json:"dial,omitempty"`
	// Certificate proves that an agent with the network gives no value away; nil if there is no proof.
	Certificate *Certificate `json:"certificate,omitempty"`
	Weaknesses  []string     `json:"weaknesses"` // known ones, for people
	Floors      Floors       `json:"floors"`
	// Curve holds the results of trainings with default settings, of different lengths and seeds. Games without shipped
	// suites have none. "ludus train --dry-run" shows them.
	Curve []Trained `json:"curve,omitempty"`
	// Losses are loss curves of trainings with default settings, ascending by samples. "ludus doctor" compares a run with
	// them.
	Losses []Losses `json:"losses,omitempty"`
}

// Losses are the losses of one training with default settings at about 20 numbers of samples, ascending. Each is a mean
// over neighbouring generations; 0 is not measured. All slices have the same length.
type Losses struct {
	Command            string    `json:"command"`
	Commit             string    `json:"commit"`               // of the program
	SamplesPerPosition float64   `json:"samples_per_position"` // the run's setting samples_per_position
	Samples            []int     `json:"samples"`              // samples learned from in all training steps so far
	Policy             []float64 `json:"policy_loss"`
	ValidationPolicy   []float64 `json:"validation_policy_loss"`
	Outcome            []float64 `json:"outcome_loss"`
	ValidationOutcome  []float64 `json:"validation_outcome_loss"`
	Entropy            []float64 `json:"policy_entropy"`
}

// Trained is the result of one training from random weights, with the default settings of its program (except
// rating_share). It is another training than the shipped agent's.
type Trained struct {
	Command            string   `json:"command"`
	Commit             string   `json:"commit,omitempty"` // git commit of the program; empty on cards older than this field
	Cores              int      `json:"cores"`
	Seconds            float64  `json:"seconds"` // duration until the last generation ended; see Training
	Channels           int      `json:"channels"`
	Blocks             int      `json:"blocks"`
	Games              int      `json:"games"`
	Positions          int      `json:"positions"`            // positions of self-play
	Samples            int      `json:"samples"`              // samples learned from in all training steps
	SamplesPerPosition float64  `json:"samples_per_position"` // the run's setting samples_per_position
	Alone              Estimate `json:"alone"`                // share of moves that lose value, network alone
	Search             Estimate `json:"search"`               // share of moves that lose value with a search of 64 simulations
	// Rating is the network's rating with 64 simulations, in Elo above random moves; nil if it was not measured.
	Rating *Estimate `json:"rating,omitempty"`
}

// Training says how the network was trained.
type Training struct {
	Command     string  `json:"command"`
	Seed        uint64  `json:"seed"`
	Commit      string  `json:"commit"` // git commit of the program
	Date        string  `json:"date"`   // when the run ended, YYYY-MM-DD
	Cores       int     `json:"cores"`
	Seconds     float64 `json:"seconds"`     // until the shipped generation ended; with --cpu, CPUSeconds / Cores
	CPUSeconds  float64 `json:"cpu_seconds"` // CPU time of all cores until the shipped generation ended
	Generation  int     `json:"generation"`  // the shipped generation
	Generations int     `json:"generations"` // planned number of generations of the run
	Games       int     `json:"games"`       // games of self-play until the shipped generation
}

// Network is the size of the network and of its file.
type Network struct {
	Channels   int    `json:"channels"`
	Blocks     int    `json:"blocks"`
	Parameters int    `json:"parameters"`
	Bytes      int    `json:"bytes"`
	SHA256     string `json:"sha256"` // SHA-256 of the weights file, in hexadecimal
}

// Estimate is a number with its 95 % interval.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// SuiteError is the share of moves that lose value in the positions of a suite.
type SuiteError struct {
	Command   string   `json:"command"`
	Suite     string   `json:"suite"` // name of the suite: shipped or hard
	Agent     string   `json:"agent"` // agent's spec
	Positions int      `json:"positions"`
	Error     Estimate `json:"error"`
}

// MatchResult is the result of a match against a baseline, from the agent's view.
type MatchResult struct {
	Command  string   `json:"command"`
	Agent    string   `json:"agent"` // agent's spec
	Opponent string   `json:"opponent"`
	Games    int      `json:"games"`
	Wins     int      `json:"wins"`
	Draws    int      `json:"draws"`
	Losses   int      `json:"losses"`
	Score    Estimate `json:"score"` // (wins + draws / 2) / games
}

// Dial is the strength dial: ways to weaken the network, with their ratings. Package train/agent says how agents use it.
type Dial struct {
	Command   string     `json:"command"`
	Games     int        `json:"games"`     // number of games from which Strengths and Card.Rating are estimated
	Strengths []Strength `json:"strengths"` // weakest first, with ascending ratings
	// Checks are agents with elo=N, rated by CheckGames further games against other baselines.
	Checks     []DialCheck `json:"checks"`
	CheckGames int         `json:"check_games"`
	// BlunderPositions is the number of solved positions in which Strength.Blunders were measured.
	BlunderPositions int `json:"blunder_positions,omitempty"`
}

// Strength is one way to weaken the network, and how strong it then plays.
type Strength struct {
	Simulations int     `json:"simulations"` // per move; 0 is the network's policy without search
	Temperature float64 `json:"temperature"` // at which moves are sampled
	Rating      float64 `json:"rating"`      // Elo above random moves
	Low         float64 `json:"low"`         // lower end of the 95 % interval
	High        float64 `json:"high"`
	// Blunders is the share of moves that lose value in the shipped suite; nil if it was not measured.
	Blunders *float64 `json:"blunders,omitempty"`
}

// DialCheck is the measured rating of an agent with elo=N.
type DialCheck struct {
	Elo    int      `json:"elo"` // the N of elo=N
	Rating Estimate `json:"rating"`
}

// Rating is the network's rating with search in Elo above random moves, in the pool of its dial.
type Rating struct {
	Estimate
	Simulations int `json:"simulations"` // per move
}

// Certificate is the result of a complete walk of every reply to an agent that found no fault.
type Certificate struct {
	Command   string `json:"command"`
	Agent     string `json:"agent"`     // agent's spec
	Positions int    `json:"positions"` // in which the agent chose a move
}

// Floors are the results below which the package's test fails. They leave room for rounding: kernels for other
// instruction sets change a few moves.
type Floors struct {
	Positions   int     `json:"positions"`    // tested positions of the shipped suite, evenly spread; 0 without one
	PolicyError float64 `json:"policy_error"` // largest allowed share of positions in which the policy's move loses value
	SearchError float64 `json:"search_error"` // the same for a search of 64 simulations
	Opponent    string  `json:"opponent"`
	Games       int     `json:"games"` // games to play against the opponent, with seed 1 and the other defaults of arena
	Score       float64 `json:"score"` // least allowed score
}

// Find returns the share of moves by which an agent loses value on a suite; nil if the card has none.
func (c *Card) Find(suite, agent string) *SuiteError {
	for i := range c.Errors {
		if e := &c.Errors[i]; e.Suite == suite && e.Agent == agent {
			return e
		}
	}
	return nil
}
