package report

import "math"

// Chart is a plot of lines over the same kind of x.
type Chart struct {
	ID    string   `json:"id"` // also the SVG's file name
	Title string   `json:"title"`
	Note  string   `json:"note,omitempty"`
	X     string   `json:"x"`              // what x counts
	Unit  string   `json:"unit,omitempty"` // of y
	Low   *float64 `json:"low,omitempty"`  // y begins here
	High  *float64 `json:"high,omitempty"` // y ends here
	Lines []Line   `json:"lines,omitempty"`
	// Missing says why there are no lines.
	Missing string `json:"missing,omitempty"`
}

// Line is a series of points, by ascending X, with a 95 % interval around each where Low and High are set.
type Line struct {
	Name   string    `json:"name"`
	Colour int       `json:"colour"` // a number in the palette
	Dashed bool      `json:"dashed,omitempty"`
	Dots   bool      `json:"dots,omitempty"` // points are shown, since there are few
	X      []float64 `json:"x"`
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
	// Where runs are compared by generation: games finished and seconds of training at each point.
	Games   []float64 `json:"games,omitempty"`
	Seconds []float64 `json:"seconds,omitempty"`
}

// add appends a point.
func (l *Line) add(x, y float64) { l.X, l.Y = append(l.X, x), append(l.Y, y) }

// addBetween appends a point with its interval.
func (l *Line) addBetween(x, y, low, high float64) {
	l.add(x, y)
	l.Low, l.High = append(l.Low, low), append(l.High, high)
}

// last is the newest point's value.
func (l *Line) last() float64 { return l.Y[len(l.Y)-1] }

// maxPoints is the most points of a line; a screen shows no more.
const maxPoints = 500

// fewPoints are so few that each is drawn as a dot.
const fewPoints = 60

// thin makes a line of more than maxPoints points one of the means of equally many neighbours, and rounds every number
// to what can be seen.
func (l *Line) thin() {
	size := (len(l.X) + maxPoints - 1) / maxPoints
	for _, list := range []*[]float64{&l.X, &l.Y, &l.Low, &l.High, &l.Games, &l.Seconds} {
		if size > 1 {
			*list = means(*list, size)
		}
		for i, x := range *list {
			(*list)[i] = rounded(x)
		}
	}
	l.Dots = len(l.X) <= fewPoints
}

// means are the means of size neighbours each, the last of those that are left.
func means(list []float64, size int) []float64 {
	var out []float64
	for i := 0; i < len(list); i += size {
		part, sum := list[i:min(i+size, len(list))], 0.0
		for _, x := range part {
			sum += x
		}
		out = append(out, sum/float64(len(part)))
	}
	return out
}

// rounded keeps five digits. What is too large to have been measured comes from a damaged file, and counts as 0.
func rounded(x float64) float64 {
	if math.Abs(x) < 1e-300 || !(math.Abs(x) < 1e15) {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-4)
	if unit > 1 {
		unit = 1
	}
	// Dividing by 1/unit, a whole number, writes short decimals; multiplying by unit would not.
	return math.Round(x/unit) / math.Round(1/unit)
}

// Ladder is a list of agents by strength: bars with whiskers.
type Ladder struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Note    string `json:"note,omitempty"`
	Unit    string `json:"unit"` // of the values: "Elo" or "%"
	Bars    []Bar  `json:"bars,omitempty"`
	Missing string `json:"missing,omitempty"` // why there are no bars
}

// Bar is one agent's value with its 95 % interval.
type Bar struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Detail   string  `json:"detail"`
	Baseline bool    `json:"baseline,omitempty"` // not a checkpoint of the run
}

// add appends a bar, its numbers rounded.
func (l *Ladder) add(b Bar) {
	b.Value, b.Low, b.High = rounded(b.Value), rounded(b.Low), rounded(b.High)
	l.Bars = append(l.Bars, b)
}
