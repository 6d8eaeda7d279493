package doctor

import (
	"fmt"
	"strings"
	"time"

	"ludus/checkpoints/zoo"
	"ludus/env/naming"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/stats"
)

// Summary answers how good a run's agent is and whether longer training would help. Terminal, pages and report show the
// same sentences.
type Summary struct {
	Good   []string `json:"good"`           // sentences about the newest measurements
	Longer string   `json:"longer"`         // a sentence
	Next   string   `json:"next,omitempty"` // arguments of the program's next command, quoted for a shell; "": none

	Error   *rundir.SuiteResult `json:"error,omitempty"`         // newest test in solved positions, with search; nil: none
	Shipped *zoo.Estimate       `json:"shipped_error,omitempty"` // error of the shipped agent on its card
	Score   *rundir.Score       `json:"score,omitempty"`         // newest score against the run's opponent; nil: none
}

// summarise returns the summary of a run that has the given findings. training: a process trains it.
func (r *run) summarise(findings []Finding, training bool) Summary {
	s := Summary{}
	if tested := r.tested(); len(tested) > 0 {
		s.Error = tested[len(tested)-1]
	}
	if n := len(r.scores); n > 0 {
		s.Score = &r.scores[n-1]
	}
	if card := zoo.CardOf(r.game.Name); card != nil {
		if e := card.Find("shipped", agent.Zoo); e != nil {
			s.Shipped = &e.Error
		}
	}
	s.Good = r.good(&s)
	var more bool
	s.Longer, more = r.longer()
	if len(findings) == 0 && !training {
		s.Next = r.next(more)
	}
	return s
}

// good describes the newest measurements.
func (r *run) good(s *Summary) (sentences []string) {
	if e := s.Error; e != nil {
		text := fmt.Sprintf("Generation %d loses value in %s of %d solved positions (95 %% intervals)", e.Generation,
			percent(errorOf(e)), e.Positions)
		if s.Shipped != nil {
			text += fmt.Sprintf("; the shipped agent in %s", percent(stats.Estimate(*s.Shipped)))
		}
		sentences = append(sentences, text+".")
	}
	if c := s.Score; c != nil {
		sentences = append(sentences, fmt.Sprintf("Generation %d scores %s in %d games against %s; 50 %% would be as strong.",
			c.Generation, percent(c.Estimate), c.Games, shipped.OpponentName(r.game)))
	}
	switch {
	case len(sentences) > 0:
	case r.config.Settings.RatingShare == 0:
		sentences = []string{"Its strength is not measured (rating_share=0)."}
	default:
		sentences = []string{"Its strength is not measured yet."}
	}
	return sentences
}

// percent formats a share with its interval, such as "7.3 % (5.2 to 10.1)".
func percent(e stats.Estimate) string {
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*e.Value, 100*e.Low, 100*e.High)
}

// errorOf is the error of a suite result with its interval.
func errorOf(r *rundir.SuiteResult) stats.Estimate {
	return stats.Estimate{Value: r.Error, Low: r.Low, High: r.High}
}

// tested returns the suite results with search, by generation.
func (r *run) tested() (all []*rundir.SuiteResult) {
	for i := range r.suite {
		if s := &r.suite[i]; s.Agent == "net" {
			all = append(all, s)
		}
	}
	return all
}

// longer says whether longer training would help, and whether it may. Measured strength decides, by its intervals. Without
// it losses do; they may rise while play gets better, because the targets get harder.
func (r *run) longer() (text string, more bool) {
	const nearly = 0.98 // share of the policy targets that leaves hardly anything to learn
	steps, validation := r.newest().Steps, r.recent(validationPolicyLoss)
	before, change := r.stronger()
	switch {
	case steps == 0:
		return "The run has not trained yet.", true
	case steps < fewSteps:
		return fmt.Sprintf("Too early to tell whether longer training helps: the run has done %d training steps; look again after %d.",
			steps, fewSteps), true
	case change != "":
		return fmt.Sprintf("Longer training should help: since generation %d %s.", before, change), true
	case r.targets.games >= fewGames && validation > 0 && r.targets.learned(validation) > nearly:
		return "Longer training will hardly help: the network has learned nearly all that its search finds.", false
	case r.falling():
		return "Longer training probably helps: the losses still fall.", true
	case before > 0:
		return fmt.Sprintf("Longer training may not help: since generation %d neither strength nor losses have improved beyond chance.",
			before), false
	}
	return "Longer training may not help: the losses have not fallen beyond chance, and strength was not measured often enough to tell.", false
}

// stronger returns how the newest measurement is better beyond chance than that of generation before, the last one in
// the first half of the run: their intervals do not overlap. change is "" if it is not better; before is 0 if there is no
// such generation.
func (r *run) stronger() (before int, change string) {
	tested := r.tested()
	if i := firstHalf(len(tested), func(i int) int { return tested[i].Generation }); i >= 0 {
		old, newest := errorOf(tested[i]), errorOf(tested[len(tested)-1])
		if before = tested[i].Generation; newest.High < old.Low {
			return before, fmt.Sprintf("errors in solved positions have fallen from %s to %s", percent(old), percent(newest))
		}
	}
	if i := firstHalf(len(r.scores), func(i int) int { return r.scores[i].Generation }); i >= 0 {
		old, newest := &r.scores[i], &r.scores[len(r.scores)-1]
		if before = old.Generation; newest.Low > old.High {
			return before, fmt.Sprintf("the score against %s has risen from %s to %s", shipped.OpponentName(r.game),
				percent(old.Estimate), percent(newest.Estimate))
		}
	}
	return before, ""
}

// firstHalf returns the index of the last of n measurements in the first half of the generations up to the newest
// measurement; -1 if there is none.
func firstHalf(n int, generation func(i int) int) int {
	for i := n - 2; i >= 0; i-- {
		if 2*generation(i) <= generation(n-1) {
			return i
		}
	}
	return -1
}

// next returns the arguments of the next command for a run without findings that is not in training. more: longer training
// may help.
func (r *run) next(more bool) string {
	p, words := &r.config.Plan, []string{"rate", agent.Operand(r.dir)}
	if r.ratings != nil && r.ratings.Find(r.newest().Generation) != nil {
		words[0] = "export"
	}
	switch {
	case r.newest().Generation < p.Last(): // continue it
		words = []string{"train", "--run", r.dir}
	case more && p.Seconds > 0:
		flag := "--time"
		if p.CPU {
			flag = "--cpu"
		}
		words = []string{"train", "--run", r.dir, flag, shortDuration(2 * p.Seconds)}
	case more:
		words = []string{"train", "--run", r.dir, "--generations", fmt.Sprint(2 * p.Last())}
	}
	for i := range words {
		words[i] = naming.ShellWord(words[i])
	}
	return strings.Join(words, " ")
}

// shortDuration formats seconds like 16m or 1h30m.
func shortDuration(seconds float64) string {
	text := (time.Duration(seconds * float64(time.Second))).Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = strings.TrimSuffix(text, zero[1:])
		}
	}
	return text
}
