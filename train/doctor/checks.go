package doctor

import (
	"fmt"
	"strconv"

	"ludus/train/rundir"
)

// Finding is a likely cause of poor learning.
type Finding struct {
	Cause    string `json:"cause"`    // a few words, such as "learning rate too high"
	Evidence string `json:"evidence"` // a sentence with numbers
	Fix      string `json:"fix"`      // a sentence that names settings or commands
}

const (
	// fewSteps is the number of training steps below which it is too early to say what a network has learned: the learning
	// rate takes 200 to reach its peak, and the averaged weights lag behind.
	fewSteps = 500
	// fewGames is the number of games below which their targets are not known well enough. Positions of one game are alike,
	// so noise depends on the number of games.
	fewGames = 30
	// half is the share of the policy targets that a run should learn on the training set, and the largest part of what it
	// has learned there that may be missing on the validation set.
	half = 0.5
)

// findings returns what the checks find, the surest explanations for a run that does not learn first.
func (r *run) findings() []Finding {
	found := []Finding{}
	if r.diverged() {
		return append(found, *divergence(r))
	}
	for _, check := range []func(r *run) *Finding{noGames, noSteps, sameGames} {
		if f := check(r); f != nil {
			found = append(found, *f)
		}
	}
	if r.targets.games < fewGames {
		return found
	}
	defaults := rundir.DefaultSettings(r.game)
	for _, s := range suspects {
		own, usual := r.config.Settings.Value(s.key), defaults.Value(s.key)
		far := s.factor > 1 && own >= s.factor*usual || s.factor < 1 && own <= s.factor*usual
		if symptom := s.symptom(r); far && r.newest().Steps >= s.steps && symptom != "" {
			found = append(found, Finding{s.cause, fmt.Sprintf("%s%s, and %s is %g (default %g).", symptom, r.onSide(), s.key, own, usual),
				fmt.Sprintf("Train a new run with --set %s=%g.", s.key, usual)})
		}
	}
	const most = 0.9 // share of what the network has learned
	if len(found) == 0 && r.newest().Steps >= fewSteps && r.lost() >= most {
		found = append(found, Finding{"overfitting", overfits(r) + r.onSide() + ".", "Play more games (train longer), or train a new run with a lower samples_per_position."})
	}
	return found
}

// diverged reports that the losses left all bounds in the generation after the newest.
func (r *run) diverged() bool { return r.config.Plan.Diverged > r.newest().Generation }

// divergence explains why a run diverged.
func divergence(r *run) *Finding {
	own, usual := r.config.Settings.LearningRate, rundir.DefaultSettings(r.game).LearningRate
	return &Finding{"training diverged",
		fmt.Sprintf("In generation %d the losses left all bounds; the generations before it are kept.", r.config.Plan.Diverged),
		fmt.Sprintf("The learning rate is probably too high: learning_rate is %g (default %g). Train a new run with %g.", own, usual, r.lowerRate())}
}

// lowerRate is a learning rate for a run like this one that diverged: the default, or a third of its own if that is no
// higher.
func (r *run) lowerRate() float64 {
	own, usual := r.config.Settings.LearningRate, rundir.DefaultSettings(r.game).LearningRate
	if own > usual {
		return usual
	}
	const digits = 2                                                               // significant ones
	rate, _ := strconv.ParseFloat(strconv.FormatFloat(own/3, 'g', digits, 64), 64) // what was formatted parses
	return rate
}

// suspects are settings that explain a symptom if they are far from their default.
var suspects = []struct {
	cause   string
	symptom func(r *run) string // describes the symptom; "" if the run does not show it
	steps   int                 // least number of training steps
	key     string              // the setting
	factor  float64             // the value is far off if it is at most (below 1) or at least (above 1) this factor times the default
}{
	{"too little training", learnsNothing, 1, "samples_per_position", 1. / 8},
	{"learning rate too high", learnsNothing, fewSteps, "learning_rate", 10},
	{"learning rate too low", learnsNothing, fewSteps, "learning_rate", 1. / 10},
	{"replay window too small", overfits, fewSteps, "replay_window", 1. / 10},
	{"overtraining", overfits, fewSteps, "samples_per_position", 3},
	{"too few simulations", weakTargets, fewSteps, "simulations", 1. / 5},
	{"search ignores values", weakTargets, fewSteps, "value_scale", 1. / 5},
	{"network too small", learnsLittle, 2 * fewSteps, "channels", 1. / 3},
}

// learnsNothing finds that the policy or the values are hardly better than without any training.
func learnsNothing(r *run) string {
	const (
		little = 0.2 // of the policy targets: the biases of the last layer alone, which see no position, learn 0.1
		near   = 0.9 // of the outcome loss of a constant guess
		least  = 0.3 // outcome loss; where one player nearly always wins, a constant guess has less, and so may good values
	)
	share, text := r.learned()
	outcome, guess := r.recent(outcomeLoss), r.targets.outcomes
	switch {
	case share < little:
		return text
	case outcome >= max(least, near*guess):
		return fmt.Sprintf("The outcome loss is %.3g, and guessing outcomes by their frequency has %.3g", outcome, guess)
	}
	return ""
}

// learnsLittle finds that the network has learned little even of the games that it is trained on.
func learnsLittle(r *run) string {
	if share, text := r.learned(); share < half {
		return text
	}
	return ""
}

// weakTargets finds that the network has learned much of its policy targets, and that no measurement shows play to become
// stronger.
func weakTargets(r *run) string {
	share, text := r.learned()
	if _, change := r.stronger(); change != "" || share < half {
		return ""
	}
	return text + "; to play better it needs better targets"
}

// learned returns the share of the policy targets that the network has learned on the training set, 1 or more if that
// was not measured, and the same in words.
func (r *run) learned() (share float64, text string) {
	loss, t := r.recent(policyLoss), &r.targets
	share = t.learned(loss)
	return share, fmt.Sprintf("The network has learned %.0f %% of the policy targets "+
		"(policy loss %.3g, uniform play %.3g, least possible %.3g)", 100*max(0, share), loss, t.uniform, t.least)
}

// overfits finds that the network has learned much less on the validation set than on the training set.
func overfits(r *run) string {
	if r.lost() < half { // healthy runs lose a tenth, short ones up to half
		return ""
	}
	return fmt.Sprintf("The policy loss is %.3g on the training set, but %.3g on the validation set (uniform play: %.3g)",
		r.recent(policyLoss), r.recent(validationPolicyLoss), r.targets.uniform)
}

// lost returns the share of what the policy has learned on the training set that it has not learned on the validation set;
// 0 if that is little or was not measured.
func (r *run) lost() float64 {
	const little = 0.1 // of the loss of uniform play
	training, validation, uniform := r.recent(policyLoss), r.recent(validationPolicyLoss), r.targets.uniform
	if training == 0 || validation == 0 || uniform-training < little*uniform {
		return 0
	}
	return (validation - training) / (uniform - training)
}

// noGames finds that no game has ended, so there is nothing to learn from.
func noGames(r *run) *Finding {
	const enough = 3 // generations that should be enough to finish a game
	if len(r.metrics) < enough || r.newest().TotalGames > 0 {
		return nil
	}
	return &Finding{"no game has ended",
		fmt.Sprintf("No game has ended in %d generations of %d plies.", len(r.metrics), r.config.Plan.PliesPerGeneration),
		fmt.Sprintf("Train longer, or train a new run with --set plies_per_generation=%d: a game lasts up to that many.",
			r.game.MaxPlies)}
}

// noSteps finds that games have ended but no training step was taken, because the window holds less than a batch.
func noSteps(r *run) *Finding {
	m, batch := r.newest(), r.config.Settings.BatchSize
	if m.Steps > 0 || m.TotalGames == 0 || m.ReplayPositions >= batch {
		return nil
	}
	return &Finding{"no training step",
		fmt.Sprintf("The run has not done a training step: its replay window holds %d positions, and a batch needs %d.", m.ReplayPositions, batch),
		fmt.Sprintf("Train longer, or train a new run with --set batch_size=%d, smaller batches.",
			max(8, min(rundir.DefaultSettings(r.game).BatchSize, m.ReplayPositions/8)))}
}

// sameGames finds that most of the newest games repeat another one of their generation move for move.
func sameGames(r *run) *Finding {
	const (
		enough = 50  // least number of games
		most   = 0.8 // largest normal share of repeats; strong runs of games as small as tic-tac-toe stay below a third
	)
	games, repeats := 0, 0.0
	for i := len(r.metrics) - 1; i >= 0 && games < enough; i-- {
		m := &r.metrics[i]
		games, repeats = games+m.Games, repeats+m.Duplicates*float64(m.Games)
	}
	if games < enough || repeats < most*float64(games) {
		return nil
	}
	s, usual := &r.config.Settings, rundir.DefaultSettings(r.game)
	f := &Finding{"identical games",
		fmt.Sprintf("%.0f %% of the newest %d games repeat another one move for move; exploration_plies is %d.", 100*repeats/float64(games), games, s.ExplorationPlies),
		"Draw more moves at random: train a new run with a higher exploration_plies or exploration_fraction."}
	switch {
	case s.ExplorationPlies == 0:
		f.Cause, f.Fix = "no exploration", fmt.Sprintf("Let games vary: train a new run with --set exploration_plies=%d.", usual.ExplorationPlies)
	case r.game.Sheet != "":
		f.Fix = "Look at the rule sheet first: a rule may be missing or wrong, so that games are over after few moves. ludus games SHEET " +
			"says how long random games are, who wins them, and what may be a mistake (docs/RULES.md)."
	}
	return f
}
