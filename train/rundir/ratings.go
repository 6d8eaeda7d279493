package rundir

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"ludus/train/agent"
)

// ratingsVersion is the format version of ratings.json.
const ratingsVersion = 2

// Ratings is ratings.json: the ladder of a run's checkpoints and the baselines. It is computed from the matches alone.
type Ratings struct {
	Version     int      `json:"version"`
	Game        string   `json:"game"`
	Anchor      string   `json:"anchor"`          // the agent whose rating is 0; "" if the ratings of --anchor ELO=SPEC are the scale
	Simulations int      `json:"simulations"`     // simulations per move of a checkpoint
	Games       int      `json:"games"`           // number of games that the ratings are computed from
	Seconds     float64  `json:"seconds"`         // duration of these games
	Agents      []Rating `json:"agents"`          // best first
	Dials       []Dial   `json:"dials,omitempty"` // dials of checkpoints, ascending by generation
}

// Rating is an agent's Elo relative to the anchor agent, with its confidence interval (see package ratings).
type Rating struct {
	Agent      string  `json:"agent"`
	Generation *int    `json:"generation,omitempty"` // checkpoint's generation; nil for a baseline
	Rating     float64 `json:"rating"`
	// Low and High are the 95 % interval: of Rating if the ladder has agents with known ratings, otherwise of the
	// difference from the pool's centre, shifted onto the rating scale.
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Games int     `json:"games"`
	Score float64 `json:"score"`           // mean score over Games
	Gone  bool    `json:"gone,omitempty"`  // the run no longer keeps this checkpoint, it is damaged, or a program plays no more
	Known bool    `json:"known,omitempty"` // the rating does not follow from games: a shipped agent's is that of its card
}

// folders matches the folders of a path in an agent's name.
var folders = regexp.MustCompile(`[^\s"'=,:]*/`)

// Label is the agent's name for charts: if it is long, paths have … instead of their folders.
func (r *Rating) Label() string {
	const most = 40
	if utf8.RuneCountInString(r.Agent) <= most {
		return r.Agent
	}
	return folders.ReplaceAllString(r.Agent, "…/")
}

// Weakened reports whether this is a weakened version of the shipped agent.
func (r *Rating) Weakened() bool { return strings.HasPrefix(r.Agent, agent.Zoo+",") }

// Interval is what people see in place of an interval that says nothing: "known" for an agent of known rating, "–" for
// the agent whose rating is 0 by definition; "" for all others.
func (r *Rating) Interval() string {
	switch {
	case r.Known:
		return "known"
	case r.Low == r.High:
		return "–"
	}
	return ""
}

// ReadRatings reads the ratings.json of a run directory. Without one the error wraps fs.ErrNotExist.
func ReadRatings(dir string) (*Ratings, error) {
	return readFile[Ratings](filepath.Join(dir, RatingsFile))
}

func (r *Ratings) check() error {
	if r.Version != ratingsVersion {
		return versionError(r.Version, ratingsVersion)
	}
	for _, d := range r.Dials {
		if err := d.Strengths.Validate(); err != nil {
			return fmt.Errorf("generation %d: %w", d.Generation, err)
		}
	}
	return nil
}

// Write replaces the ratings.json of a run directory atomically. It sets the version.
func (r *Ratings) Write(dir string) error {
	r.Version = ratingsVersion
	return writeJSON(filepath.Join(dir, RatingsFile), r)
}

// Find returns a checkpoint's rating, nil if it has none.
func (r *Ratings) Find(generation int) *Rating {
	for i := range r.Agents {
		if g := r.Agents[i].Generation; g != nil && *g == generation {
			return &r.Agents[i]
		}
	}
	return nil
}

// Known reports whether the ladder has agents with known ratings. If so, its ratings compare with those of other runs
// of the game that have the same Anchor and known agents, and intervals are those of the ratings.
func (r *Ratings) Known() bool {
	return slices.ContainsFunc(r.Agents, func(a Rating) bool { return a.Known })
}

// DialOf returns the strength dial of a checkpoint, nil if it has none.
func (r *Ratings) DialOf(generation int) agent.Dial {
	for _, d := range r.Dials {
		if d.Generation == generation {
			return d.Strengths
		}
	}
	return nil
}

// Best returns the best of some checkpoints, given by their generations in ascending order: the newest, unless the
// whole interval of another lies above its rating. Training usually improves play, and the highest of many ratings is
// often luck. A newest checkpoint that is not rated is the best; r may be nil, for a run without ratings.
func (r *Ratings) Best(generations []int) int {
	best := generations[len(generations)-1]
	if r == nil {
		return best
	}
	newest := r.Find(best)
	if newest == nil {
		return best
	}
	least := newest.Rating
	for _, g := range generations {
		if a := r.Find(g); a != nil && a.Low > least {
			best, least = g, a.Low
		}
	}
	return best
}
