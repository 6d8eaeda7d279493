package zoo

import "regexp"

// CommitPattern matches the name of a commit on a card.
var CommitPattern = regexp.MustCompile("^[0-9a-f]{7,40}$")

// Card describes a shipped agent: how it was trained and how strong it is. Every number has the command that measures
// it again.
type Card struct {
	Game     string   `json:"game"`
	Training Training `json:"training"`
	Network  Network  `json:"network"`
	// Errors are shares of moves that lose value in solved positions; none for games without shipped suites.
	Errors  []SuiteError  `json:"errors,omitempty"`
	Matches []MatchResult `json:"matches"`
	Rating  *Rating       `json:"rating,omitempty"`
	// Dial is the strength dial; nil if it was not measured.
	Dial *Dial `json:"dial,omitempty"`
	// Certificate proves that an agent with the network gives no value away; nil if there is no proof.
	Certificate *Certificate `json:"certificate,omitempty"`
	Weaknesses  []string     `json:"weaknesses"` // known ones, for people
	Floors      Floors       `json:"floors"`
	// Curve is what plain trainings of different lengths and seeds reached; none for games without shipped suites.
	// "ludus train --dry-run" shows them.
	Curve []Trained `json:"curve,omitempty"`
	// Losses are loss curves of plain trainings, ascending by samples. "ludus doctor" compares a run with them.
	Losses []Losses `json:"losses,omitempty"`
}

// Losses are the losses of one plain training at about 20 numbers of samples, ascending. Each is a mean over neighbouring
// generations; 0 is not measured. All slices have the same length.
type Losses struct {
	Command            string    `json:"command"`
	Commit             string    `json:"commit"`               // of the program
	SamplesPerPosition float64   `json:"samples_per_position"` // the setting
	Samples            []int     `json:"samples"`              // of all training steps so far
	Policy             []float64 `json:"policy_loss"`
	ValidationPolicy   []float64 `json:"validation_policy_loss"`
	Outcome            []float64 `json:"outcome_loss"`
	ValidationOutcome  []float64 `json:"validation_outcome_loss"`
	Entropy            []float64 `json:"policy_entropy"`
}

// Trained is the result of one training from random weights with the default settings of its program, rating_share aside.
// It is not that of the shipped agent.
type Trained struct {
	Command            string   `json:"command"`
	Commit             string   `json:"commit,omitempty"` // of the program; "": older than this field
	Cores              int      `json:"cores"`
	Seconds            float64  `json:"seconds"` // until the last generation ended; see Training
	Channels           int      `json:"channels"`
	Blocks             int      `json:"blocks"`
	Games              int      `json:"games"`
	Positions          int      `json:"positions"`            // of self-play
	Samples            int      `json:"samples"`              // of all training steps
	SamplesPerPosition float64  `json:"samples_per_position"` // the setting
	Alone              Estimate `json:"alone"`                // share of moves of the network alone that lose value in the shipped suite
	Search             Estimate `json:"search"`               // likewise with 64 simulations
	// Rating is that of the network with 64 simulations, in Elo above random moves; nil if it was not measured.
	Rating *Estimate `json:"rating,omitempty"`
}

// Training says how the network was trained.
type Training struct {
	Command     string  `json:"command"`
	Seed        uint64  `json:"seed"`
	Commit      string  `json:"commit"` // of the program
	Date        string  `json:"date"`   // when the run ended, YYYY-MM-DD
	Cores       int     `json:"cores"`
	Seconds     float64 `json:"seconds"`     // until the shipped generation ended: on the clock, or with --cpu CPUSeconds / Cores
	CPUSeconds  float64 `json:"cpu_seconds"` // likewise, CPU time of all cores
	Generation  int     `json:"generation"`  // shipped
	Generations int     `json:"generations"` // of the run
	Games       int     `json:"games"`       // of self-play until then
}

// Network is the size of the network and of its file.
type Network struct {
	Channels   int    `json:"channels"`
	Blocks     int    `json:"blocks"`
	Parameters int    `json:"parameters"`
	Bytes      int    `json:"bytes"`
	SHA256     string `json:"sha256"` // of the file, in hexadecimal
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
	Suite     string   `json:"suite"` // shipped or hard
	Agent     string   `json:"agent"` // spec
	Positions int      `json:"positions"`
	Error     Estimate `json:"error"`
}

// MatchResult is the result of a match against a baseline, from the agent's view.
type MatchResult struct {
	Command  string   `json:"command"`
	Agent    string   `json:"agent"` // spec
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
	Games     int        `json:"games"`     // that Strengths and Card.Rating follow from
	Strengths []Strength `json:"strengths"` // weakest first, with ascending ratings
	// Checks are agents with elo=N, rated in other games (CheckGames) against other baselines.
	Checks     []DialCheck `json:"checks"`
	CheckGames int         `json:"check_games"`
}

// Strength is one way to weaken the network, and how strong it then plays.
type Strength struct {
	Simulations int     `json:"simulations"` // per move; 0 is the network's policy without search
	Temperature float64 `json:"temperature"` // at which moves are sampled
	Rating      float64 `json:"rating"`      // Elo above random moves
	Low         float64 `json:"low"`         // 95 % interval
	High        float64 `json:"high"`
}

// DialCheck is the measured rating of an agent with elo=N.
type DialCheck struct {
	Elo    int      `json:"elo"` // N
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
	Agent     string `json:"agent"`     // spec
	Positions int    `json:"positions"` // in which the agent chose a move
}

// Floors are the results below which the package's test fails. They leave room for rounding: kernels for other
// instruction sets change a few moves.
type Floors struct {
	Positions   int     `json:"positions"`    // of the shipped suite, evenly spread; 0 if the game has none
	PolicyError float64 `json:"policy_error"` // largest share of them in which the policy's move loses value
	SearchError float64 `json:"search_error"` // likewise with 64 simulations
	Opponent    string  `json:"opponent"`
	Games       int     `json:"games"` // against the opponent, with seed 1 and the other defaults of arena
	Score       float64 `json:"score"` // least score
}

// Find returns the error of an agent on a suite; nil if the card has none.
func (c *Card) Find(suite, agent string) *SuiteError {
	for i := range c.Errors {
		if e := &c.Errors[i]; e.Suite == suite && e.Agent == agent {
			return e
		}
	}
	return nil
}
