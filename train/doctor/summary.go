package doctor

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

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
	Longer string   `json:"longer"`         // a sentence; "": a finding says why the run cannot train on
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
	if card := zoo.CardOf(rundir.TestedGame(r.suite, r.game)); card != nil {
		if e := card.Find("shipped", agent.Zoo); e != nil {
			s.Shipped = &e.Error
		}
	}
	s.Good = r.good(&s)
	longer, more := r.longer(training)
	switch {
	case r.diverged():
		s.Next = r.again()
	case len(findings) == 0 || r.newest().Steps > 0:
		s.Longer = longer
	}
	if len(findings) == 0 && !training {
		s.Next = r.next(more)
	}
	return s
}

// good describes the newest measurements.
func (r *run) good(s *Summary) (sentences []string) {
	if e := s.Error; e != nil {
		text := fmt.Sprintf("Generation %d loses value in %s of %d solved positions%s (95 %% intervals)", e.Generation,
			errorOf(e).Percent(), e.Positions, e.Of())
		if s.Shipped != nil {
			text += fmt.Sprintf("; the shipped agent in %s", stats.Estimate(*s.Shipped).Percent())
		}
		sentences = append(sentences, text+".")
	}
	if c := s.Score; c != nil {
		sentences = append(sentences, fmt.Sprintf("Generation %d scores %s in %d games against %s; 50 %% would be as strong.",
			c.Generation, c.Percent(), c.Games, shipped.OpponentName(r.game)))
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

// longer says whether longer training would help, and whether it may. Measured strength decides, by its intervals.
// Without it losses do; they may rise while play gets better, because the targets get harder. training: a process
// trains the run.
func (r *run) longer(training bool) (text string, more bool) {
	const (
		nearly   = 0.98 // share of the policy targets that leaves hardly anything to learn
		tooEarly = "Too early to tell whether longer training helps"
	)
	doubt := "Longer training may not help"
	if training {
		doubt = tooEarly
	}
	steps, validation := r.newest().Steps, r.recent(validationPolicyLoss)
	before, change := r.stronger()
	rated, rise := r.risen()
	switch {
	case steps == 0:
		return "The run has not trained yet.", true
	case steps < fewSteps:
		return fmt.Sprintf("%s: the run has done %d training steps; look again after %d.", tooEarly, steps, fewSteps), true
	case change != "":
		return fmt.Sprintf("Longer training should help: since generation %d %s.", before, change), true
	case rise != "":
		return fmt.Sprintf("Longer training should help: since generation %d %s.", rated, rise), true
	case r.targets.games >= fewGames && validation > 0 && r.targets.learned(validation) > nearly:
		return "Longer training will hardly help: the network has learned nearly all that its search finds.", false
	case rated > 0:
		return fmt.Sprintf("%s: since generation %d the rating has not risen beyond chance.", doubt, rated), false
	case r.falling() && r.newest().LearningRate < r.peak():
		return "Longer training probably helps: the losses still fell when the learning rate began to decay.", true
	case r.falling():
		return "Longer training probably helps: the losses still fall.", true
	case before > 0:
		return fmt.Sprintf("%s: since generation %d neither strength nor losses at an equal learning rate have improved beyond chance.",
			doubt, before), false
	}
	return tooEarly + ": the losses have not fallen beyond chance, and strength was not measured often enough.", false
}

// stronger returns how the newest measurement is better beyond chance than that of generation before, the last one in
// the first half of the run: their intervals do not overlap. change is "" if it is not better; before is 0 if there is
// no such generation.
func (r *run) stronger() (before int, change string) {
	tested := r.tested()
	if i := firstHalf(len(tested), func(i int) int { return tested[i].Generation }); i >= 0 {
		old, newest := errorOf(tested[i]), errorOf(tested[len(tested)-1])
		before = tested[i].Generation
		if newest.High < old.Low {
			return before, fmt.Sprintf("errors in solved positions have fallen from %s to %s", old.Percent(), newest.Percent())
		}
	}
	if i := firstHalf(len(r.scores), func(i int) int { return r.scores[i].Generation }); i >= 0 {
		old, newest := &r.scores[i], &r.scores[len(r.scores)-1]
		before = old.Generation
		if newest.Low > old.High {
			return before, fmt.Sprintf("the score against %s has risen from %s to %s", shipped.OpponentName(r.game),
				old.Percent(), newest.Percent())
		}
	}
	return before, ""
}

// risen returns how the rating of the newest rated checkpoint is better beyond chance than that of generation before,
// the last rated one in the first half of the run: their intervals do not overlap. rise is "" if it is not better;
// before is 0 if checkpoints of either half are not rated.
func (r *run) risen() (before int, rise string) {
	if r.ratings == nil {
		return 0, ""
	}
	var rated []*rundir.Rating // by generation
	for i := range r.ratings.Agents {
		if a := &r.ratings.Agents[i]; a.Generation != nil && *a.Generation > 0 {
			rated = append(rated, a)
		}
	}
	slices.SortFunc(rated, func(a, b *rundir.Rating) int { return cmp.Compare(*a.Generation, *b.Generation) })
	i := firstHalf(len(rated), func(i int) int { return *rated[i].Generation })
	if i < 0 {
		return 0, ""
	}
	old, newest := rated[i], rated[len(rated)-1]
	if 2**newest.Generation <= r.newest().Generation {
		return 0, ""
	}
	if newest.Low > old.High {
		rise = fmt.Sprintf("the rating has risen from %s to %s Elo", stats.Decimal(old.Rating, 0), stats.Decimal(newest.Rating, 0))
	}
	return *old.Generation, rise
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

// next returns the arguments of the next command for a run without findings that is not in training. more: longer
// training may help.
func (r *run) next(more bool) string {
	p, words := &r.config.Plan, []string{"rate", agent.Operand(r.dir)}
	if r.ratings != nil && r.ratings.Find(r.newest().Generation) != nil {
		words[0] = "export"
	}
	switch {
	case r.newest().Generation < p.Last(): // continue it
		words = []string{"train", "--run", r.dir}
	case more:
		twice := rundir.Plan{Seconds: 2 * p.Seconds, CPU: p.CPU, Generations: 2 * p.Last()}
		option, value := twice.LengthOption()
		words = []string{"train", "--run", r.dir, option, value}
	}
	return shellWords(words)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// shellWords returns words as a line for a shell.
func shellWords(words []string) string {
	for i := range words {
		words[i] = naming.ShellWord(words[i])
	}
	return strings.Join(words, " ")
}

// again returns the arguments of the command that trains a new run like one that diverged, with a lower learning rate.
// It is "" for games of rule sheets.
func (r *run) again() string {
	if r.game.Sheet != "" {
		return ""
	}
	other := r.dir + "-2"
	for n := 3; exists(other); n++ {
		other = fmt.Sprintf("%s-%d", r.dir, n)
	}
	option, value := r.config.Plan.LengthOption()
	words := []string{"train", r.game.Name, "--run", other, option, value}
	settings, usual := r.config.Settings, rundir.DefaultSettings(r.game)
	settings.LearningRate = r.lowerRate()
	for _, changed := range settings.Changed(usual) {
		words = append(words, "--set", changed)
	}
	return shellWords(words)
}
