package agent

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Strength is one way to weaken a network, and how strong it then plays.
type Strength struct {
	Simulations int     `json:"simulations"` // per move; 0 is the network's policy without search
	Temperature float64 `json:"temperature"` // sampling temperature, see [Spec]
	Rating      float64 `json:"rating"`      // Elo above random moves
	Low         float64 `json:"low"`         // 95 % interval of Rating, as on the ladder
	High        float64 `json:"high"`
	// Blunders is the share of moves that lose value in solved positions; nil if it was not measured.
	Blunders *float64 `json:"blunders,omitempty"`
}

// Dial is the strength dial of one network: its rated strengths, weakest first, with ascending ratings. It is empty if
// the network has none.
//
// An agent with elo=N lies between two neighbours of the dial, at the share s = (N - weaker rating) / (difference of the
// ratings) of the way to the stronger one. If both sample the policy, at temperatures T and U, it samples it at T^(1-s) U^s.
// Otherwise it plays each move with the settings of one of them, drawn at random, the stronger one with probability s.
//
// Source: Stockfish's UCI_Elo (official-stockfish/Stockfish #2225), which rates its skill levels in a tournament and
// interpolates between them.
type Dial []Strength

// Temperatures and simulations of [Strengths].
var (
	dialTemperatures = []float64{64, 32, 16, 8, 5.6, 4, 2.8, 2, 1.4, 1, 0.7, 0.5}
	dialSimulations  = []int{4, 8, 16, 32}
)

// Strengths returns the strengths to rate for a dial, weakest first. The policy is sampled at a temperature that falls
// from almost random moves to 0.5; then a search grows at this temperature. Searches with fewer than 4 simulations are left
// out: they are weaker than the policy. The last one is the agent with default options.
func Strengths() (list []Strength) {
	for _, t := range dialTemperatures {
		list = append(list, Strength{Temperature: t})
	}
	coldest := dialTemperatures[len(dialTemperatures)-1]
	for _, n := range dialSimulations {
		list = append(list, Strength{Simulations: n, Temperature: coldest})
	}
	return append(list, FullStrength)
}

// FullStrength is the agent with default options.
var FullStrength = Strength{Simulations: DefaultSimulations}

// Spec returns the agent that plays with this strength of a network.
func (s Strength) Spec(network Reference) Spec {
	spec := Spec{Kind: Net, Network: network, Simulations: s.Simulations, Temperature: s.Temperature}
	if s.Simulations == 0 {
		spec.Kind = Policy
	}
	return spec
}

// minDialStep is the least rating difference, in Elo, between neighbouring strengths of a dial.
const minDialStep = 5

// NewDial returns the dial of rated strengths, which are in the order of [Strengths]. It keeps the last one, and of the
// others those whose rating is above all weaker ones and below the last.
func NewDial(rated []Strength) (d Dial) {
	for i, s := range rated {
		higher := len(d) == 0 || s.Rating >= d[len(d)-1].Rating+minDialStep
		last := i == len(rated)-1
		if last || higher && s.Rating+minDialStep <= rated[len(rated)-1].Rating {
			d = append(d, s)
		}
	}
	return d
}

// Validate returns an error unless agents can play with the dial: ratings ascend, and all numbers are in their ranges.
func (d Dial) Validate() error {
	for i, s := range d {
		switch {
		case s.Simulations < 0 || s.Simulations > DefaultSimulations:
			return fmt.Errorf("strength %d of the dial has %d simulations; they are 0 to %d", i+1, s.Simulations, DefaultSimulations)
		case !(s.Temperature >= 0 && s.Temperature <= maxTemperature):
			return fmt.Errorf("strength %d of the dial has temperature %v; it is 0 to %d", i+1, s.Temperature, maxTemperature)
		case !(math.Abs(s.Rating) <= maxElo):
			return fmt.Errorf("strength %d of the dial is rated %v; a rating is %d to %d", i+1, s.Rating, -maxElo, maxElo)
		case s.Blunders != nil && !(*s.Blunders >= 0 && *s.Blunders <= 1):
			return fmt.Errorf("strength %d of the dial has a share of blunders of %v; it is 0 to 1", i+1, *s.Blunders)
		case !(s.Low <= s.Rating && s.Rating <= s.High):
			return fmt.Errorf("strength %d of the dial is rated %v, outside its interval %v to %v", i+1, s.Rating, s.Low, s.High)
		case i > 0 && s.Rating <= d[i-1].Rating:
			return fmt.Errorf("strength %d of the dial is rated %v, the one before it %v; ratings ascend", i+1, s.Rating, d[i-1].Rating)
		}
	}
	return nil
}

// minDialRange is the least rating difference, in Elo, between the weakest and the strongest strength of a useful dial.
const minDialRange = 100

// Range returns the least and the largest N that elo=N may have; both are above 0. ok is false if the dial has no effect:
// it is empty, or its ends are about equal.
func (d Dial) Range() (low, high int, ok bool) {
	if len(d) == 0 {
		return 0, 0, false
	}
	low, high = max(int(math.Ceil(d[0].Rating)), 1), int(math.Floor(d[len(d)-1].Rating))
	return low, high, high-low >= minDialRange
}

// Interval returns the 95 % rating interval of an agent with the given elo=N, which is in the dial's range.
func (d Dial) Interval(elo int) (low, high float64) {
	i, share := d.find(elo)
	a, b := &d[i], &d[min(i+1, len(d)-1)]
	// mix adds to elo the neighbours' distances from their ratings to an end of their intervals, by their shares.
	mix := func(x, y float64) float64 { return float64(elo) + (1-share)*(x-a.Rating) + share*(y-b.Rating) }
	return mix(a.Low, b.Low), mix(a.High, b.High)
}

// find locates a rating in the dial's range: the weaker neighbour's index, and the share of the way to the stronger.
func (d Dial) find(elo int) (i int, share float64) {
	for i+2 < len(d) && float64(elo) >= d[i+1].Rating {
		i++
	}
	return i, min(max((float64(elo)-d[i].Rating)/(d[i+1].Rating-d[i].Rating), 0), 1)
}

// Blunders returns the share of moves that lose value, for an agent with the given elo=N in the dial's range, between the
// shares measured for its neighbours; nil if they were not measured.
func (d Dial) Blunders(elo int) *float64 {
	i, share := d.find(elo)
	a, b := d[i].Blunders, d[min(i+1, len(d)-1)].Blunders
	if a == nil || b == nil {
		return nil
	}
	return new((1-share)**a + share**b)
}

// Words for weakened strengths, each with its least share of blunders. Pages call an agent that is not weakened strongest.
var words = []struct {
	word     string
	blunders float64
}{{"beginner", 0.3}, {"casual", 0.12}, {"club", 0.04}, {"strong", 0}}

// leastBlunders is the upper end of the 95 % interval of no blunder in 2,000 positions, as many as are measured.
const leastBlunders = 0.0019

// blunderShare writes a share of blunders: "26 %", "4.2 %", or "at most 0.2 %" for less than was measured. strength.js
// does so, too.
func blunderShare(share float64) string {
	switch {
	case share < leastBlunders:
		return fmt.Sprintf("at most %.1f %%", 100*leastBlunders)
	case share < 0.1:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// Words describes an agent with the dial's network by its share of blunders: "casual (26 % blunders)". It is "" if that was
// not measured, and for agents without elo=N that are weaker than the network with default options.
func (d Dial) Words(spec Spec) string {
	if len(d) == 0 {
		return ""
	}
	if spec.Elo != 0 {
		if blunders := d.Blunders(spec.Elo); blunders != nil {
			return fmt.Sprintf("%s (%s blunders)", WordFor(blunders), blunderShare(*blunders))
		}
		return ""
	}
	full := d[len(d)-1].Blunders
	if full == nil || spec.Kind != Net || spec.Temperature != 0 || spec.Time != 0 || spec.maxMoveSimulations() < DefaultSimulations {
		return ""
	}
	return fmt.Sprintf("strongest (at most %s blunders)", blunderShare(max(*full, leastBlunders))) // a solver may help
}

// WordFor returns the word for a share of blunders of a weakened agent; "" if it was not measured.
func WordFor(blunders *float64) string {
	for _, w := range words {
		if blunders != nil && *blunders >= w.blunders {
			return w.word
		}
	}
	return ""
}

// Level is a rating N of elo=N that is offered to people, with its 95 % interval.
type Level struct {
	Elo  int `json:"elo"`
	Low  int `json:"low"`
	High int `json:"high"`
	// Word names the strength, and Blunders is its share of moves that lose value, from 0 to 1; "" and nil if that was not
	// measured.
	Word     string   `json:"word,omitempty"`
	Blunders *float64 `json:"blunders,omitempty"`
}

// levelStep is the difference of neighbouring levels, in Elo.
const levelStep = 50

// Levels returns the levels of the dial, weakest first: multiples of 50. There are none if the dial has no effect.
func (d Dial) Levels() (levels []Level) {
	low, high, ok := d.Range()
	if !ok {
		return nil
	}
	for elo := (low + levelStep - 1) / levelStep * levelStep; elo <= high; elo += levelStep {
		from, to := d.Interval(elo)
		blunders := d.Blunders(elo)
		levels = append(levels, Level{elo, int(math.Round(from)), int(math.Round(to)), WordFor(blunders), blunders})
	}
	return levels
}

// Grade is a word for a strength with the range of N of elo=N that it names, and the shares of blunders at both ends.
type Grade struct {
	Word        string
	Low, High   int     // of N
	Most, Least float64 // shares of moves that lose value, in solved positions
}

// Grades returns the words of the dial's levels, weakest first. There are none if blunders were not measured.
func (d Dial) Grades() (grades []Grade) {
	for _, l := range d.Levels() {
		switch n := len(grades); {
		case l.Word == "":
		case n == 0 || grades[n-1].Word != l.Word:
			grades = append(grades, Grade{l.Word, l.Elo, l.Elo, *l.Blunders, *l.Blunders})
		default:
			grades[n-1].High, grades[n-1].Least = l.Elo, *l.Blunders
		}
	}
	return grades
}

// String is such as "beginner: elo=100 to 700, 69 to 34 % blunders".
func (g Grade) String() string {
	return fmt.Sprintf("%s: elo=%d to %d, %.0f to %s blunders", g.Word, g.Low, g.High, 100*g.Most, blunderShare(g.Least))
}

// checkElo returns an error, which wraps [ErrSpec], if the elo=N of spec is outside the range of the network's dial.
func (o *Origin) checkElo(spec Spec) error {
	low, high, ok := o.Dial.Range()
	switch {
	case !ok && spec.Network.Shipped():
		return fmt.Errorf("%w %q: the shipped agent has no strength dial here; leave out elo", ErrSpec, spec)
	case !ok:
		return fmt.Errorf("%w %q: this network has no strength dial; \"ludus rate RUN --dial\" measures that of a run's best "+
			"checkpoint and names it", ErrSpec, spec)
	case spec.Elo < low:
		return fmt.Errorf("%w %q: elo is from %d to %d on its strength dial", ErrSpec, spec, low, high)
	case spec.Elo > high:
		return fmt.Errorf("%w %q: elo is from %d to %d on its strength dial; for a stronger agent leave out elo and add sims=NUMBER",
			ErrSpec, spec, low, high)
	}
	return nil
}

// draw returns the spec that plays the next move for a spec with elo=N, which is in the dial's range.
func (d Dial) draw(spec Spec, rng *rand.Rand) Spec {
	i, share := d.find(spec.Elo)
	played, stronger := d[i], d[i+1]
	takeStronger := rng.Float64() < share // drawn for every move, so that games repeat
	switch {
	case played.Simulations == 0 && stronger.Simulations == 0: // both sample the policy
		played.Temperature = math.Pow(played.Temperature, 1-share) * math.Pow(stronger.Temperature, share)
	case takeStronger:
		played = stronger
	}
	return played.Spec(spec.Network)
}
