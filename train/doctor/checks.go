package doctor

import (
	"fmt"
	"math"
	"slices"

	"ludus/train/rundir"
)

// checks lists the checks of Diagnose, in the order of its findings: the surest explanations for a run that does not learn
// come first.
var checks = []func(r *Run) *Finding{
	noGames, noSteps, maskIgnored, signFlipped, wrongFrame, sameGames,
	fewSamples, rateTooHigh, rateTooLow, blind, smallWindow, overfitted, weakSearch, smallNetwork,
}

const (
	// fewSteps is the number of training steps below which it is too early to say what a network has learned: the learning
	// rate takes 200 to reach its peak, and the averaged weights lag behind.
	fewSteps = 500
	// Positions of one game are alike, so noise depends on the number of games, not of positions.
	minGames     = 30
	minPositions = 100
	// A policy gain below poorGain (see [Policy.Gain]) means that the network has learned next to nothing. The biases of
	// the last layer alone, which see no position, reach 0.1.
	poorGain = 0.2
	// A policy gain above allLearned leaves hardly anything to learn.
	allLearned = 0.98
	// A setting is far from its default if it differs by this factor or more.
	farFactor = 10
)

func (r *Run) steps() int {
	if len(r.Metrics) == 0 {
		return 0
	}
	return r.Metrics[len(r.Metrics)-1].Steps
}

// gain is the share of the policy targets that the newest network has learned; see [Policy.Gain].
func (r *Run) gain() float64 { return r.Newest.Policy.Gain(r.Newest.Policy.Loss) }

// examined reports whether the newest network was examined in enough games to assess its policy.
func (r *Run) examined() bool {
	return r.Games.Count >= minGames && r.Newest.Policy.Count >= minPositions
}

// trained reports whether there is enough data about what the network has learned.
func (r *Run) trained() bool { return r.steps() >= fewSteps && r.examined() }

// learnedNothing reports that, by enough data, the network plays hardly better than uniformly.
func (r *Run) learnedNothing() bool { return r.examined() && r.gain() < poorGain }

// unrelated reports that, by enough data, the network's values hardly correlate with the exact ones.
func (v *Value) unrelated() bool {
	const (
		varied = 0.3 // least spread of the exact values; below it a correlation cannot be measured
		poor   = 0.3 // correlation that a random function of the position may reach; healthy runs have 0.6 after fewSteps
	)
	return v.Games >= minGames && v.Spread >= varied && math.Abs(v.Correlation) <= poor
}

// gainText says in words how much the newest network has learned.
func (r *Run) gainText() string {
	p := &r.Newest.Policy
	return fmt.Sprintf("the network's policy loss on its newest games is %.2f; uniform play has %.2f, and the least possible is %.2f", p.Loss, p.Uniform, p.Target)
}

// noGames finds that no game has ended, so there is nothing to learn from.
func noGames(r *Run) *Finding {
	const enough = 3 // generations that should be enough to finish a game
	n := len(r.Metrics)
	if n < enough || r.Metrics[n-1].TotalGames > 0 {
		return nil
	}
	return &Finding{"no game has ended",
		fmt.Sprintf("No game has ended in %d generations of %d plies.", n, r.Config.Plan.PliesPerGeneration),
		fmt.Sprintf("Train longer, or with more plies: a game lasts up to %d; --set plies_per_generation=%d.", r.Game.MaxPlies, r.Game.MaxPlies)}
}

// noSteps finds that games have ended but no training step was taken, because the window holds less than a batch.
func noSteps(r *Run) *Finding {
	n := len(r.Metrics)
	if n == 0 || r.steps() > 0 || r.Metrics[n-1].TotalGames == 0 {
		return nil
	}
	positions, batch := r.Metrics[n-1].ReplayPositions, r.Config.Settings.BatchSize
	if positions >= batch {
		return nil // the next generation will train
	}
	return &Finding{"no training step",
		fmt.Sprintf("The run has not done a training step: its replay window holds %d positions, and a batch needs %d.", positions, batch),
		fmt.Sprintf("Train longer, or with smaller batches: --set batch_size=%d.", max(8, min(rundir.DefaultSettings(r.Game).BatchSize, positions/8)))}
}

// maskIgnored finds that illegal moves take part in the policy loss. Fresh weights play uniformly, so their policy loss
// should be the mean of ln(legal moves); without the mask it is ln(all actions).
func maskIgnored(r *Run) *Finding {
	const (
		distinct = 0.5    // least difference between the two expected losses, in nats
		enough   = 30     // least number of positions; ln(legal moves) varies by about 0.5, so its mean is known to 0.1
		third    = 1. / 3 // the loss must lie this far from one to the other, since it falls in the first generation
	)
	loss, all := r.firstLoss(), r.First.Share*math.Log(float64(r.Game.NumActions()))
	if r.Config.From != "" || r.First.Count < enough || all-r.First.Uniform < distinct || loss < r.First.Uniform+third*(all-r.First.Uniform) {
		return nil
	}
	return &Finding{"illegal moves in the policy loss",
		fmt.Sprintf("The policy loss at the first training step is %.2f: fresh weights have about %.2f over the legal moves, and %.2f over all %d actions.",
			loss, r.First.Uniform, all, r.Game.NumActions()),
		"Mask illegal moves before the softmax of the policy loss: see crossEntropyRow in model/losses.go, and the legal mask in train/learn/sampler.go."}
}

// firstLoss returns the policy loss of fresh weights: that on the validation set before the first training step, or if that
// set had few games, the mean of the first generation's training steps. It is 0 if these had a learning rate that was too
// high to tell.
func (r *Run) firstLoss() float64 {
	const enough = 10 // expected number of games in the validation set
	i := slices.IndexFunc(r.Metrics, func(m rundir.Metrics) bool { return m.Steps > 0 })
	if i < 0 {
		return 0
	}
	switch m := &r.Metrics[i]; {
	case float64(m.TotalGames)*r.Config.Settings.ValidationShare >= enough:
		return m.ValidationPolicyLoss
	case m.LearningRate <= rundir.DefaultSettings(r.Game).LearningRate:
		return m.PolicyLoss
	}
	return 0
}

// signFlipped finds that the network's values correlate negatively with the exact ones, and not by chance.
func signFlipped(r *Run) *Finding {
	v := &r.Newest.Value
	chance := 3 / math.Sqrt(float64(max(1, v.Games))) // three standard errors, if all positions of a game count as one
	if r.steps() < fewSteps || v.Games < minGames || v.Correlation > -chance {
		return nil
	}
	return &Finding{"outcomes have the wrong sign",
		fmt.Sprintf("The network takes wins for losses: in %d solved positions its values have a correlation of %.2f with the exact ones.",
			v.Count, v.Correlation),
		"Check for which player outcome targets count: Outcome of the game is First's class, and targets are the mover's (train/learn/sampler.go, env/perspective.go)."}
}

// wrongFrame finds that the policy fits the targets better when it is read in the opponent's frame, so training and play
// order the actions of the policy differently.
func wrongFrame(r *Run) *Finding {
	const more = 0.1 // least advantage, as a policy gain; a healthy network has none
	swapped := r.Newest.Policy.Gain(r.Newest.Policy.Swapped)
	if !r.trained() || swapped-r.gain() < more {
		return nil
	}
	return &Finding{"training and play use different frames",
		fmt.Sprintf("The network has learned %.0f %% of the policy targets of its newest games; if its policy is read in the opponent's frame, it has learned %.0f %%.",
			100*max(0, r.gain()), 100*swapped),
		"Check that policy targets are in the mover's frame, as in play: Frame and Encode of the game, and sampler.write in train/learn/sampler.go; go test ./env/... checks a game's frames."}
}

// sameGames finds that most of the newest games repeat another one move for move.
func sameGames(r *Run) *Finding {
	const (
		enough = 50  // least number of games
		most   = 0.8 // largest normal share of repeats; strong runs of games as small as tic-tac-toe stay below a third
	)
	s := &r.Config.Settings
	if r.Games.Count < enough || r.Games.Duplicates < most {
		return nil
	}
	evidence := fmt.Sprintf("%.0f %% of the newest %d games repeat another one move for move", 100*r.Games.Duplicates, r.Games.Count)
	if s.ExplorationPlies == 0 {
		return &Finding{"no exploration", evidence + ", and exploration_plies is 0.",
			fmt.Sprintf("Let games vary: --set exploration_plies=%d.", rundir.DefaultSettings(r.Game).ExplorationPlies)}
	}
	evidence += fmt.Sprintf(", though the moves of %d plies are drawn.", s.ExplorationPlies)
	if r.Game.Sheet != "" {
		return &Finding{"identical games", evidence, "Look at the rule sheet first: a rule may be missing or wrong, so that games are over after few " +
			"moves. ludus games SHEET says how long random games are, who wins them, and what may be a mistake (docs/RULES.md)."}
	}
	return &Finding{"identical games", evidence,
		"Check that each game in progress has its own random generator, and that games begin at varied positions (train/selfplay/game.go)."}
}

// fewSamples finds that there was hardly any training for the number of positions played.
func fewSamples(r *Run) *Finding {
	const least = 0.5 // least normal number of samples per position; the default is 4 to 8
	positions := 0
	for i := range r.Metrics {
		positions += r.Metrics[i].Positions
	}
	s := &r.Config.Settings
	samples := float64(r.steps()*s.BatchSize) / float64(max(1, positions))
	if r.steps() == 0 || samples >= least || s.SamplesPerPosition >= 2*least || !r.learnedNothing() {
		return nil
	}
	return &Finding{"too little training",
		fmt.Sprintf("The run has done %d training steps for %d positions, %.2f samples per position; %s.", r.steps(), positions, samples, r.gainText()),
		fmt.Sprintf("Train more on each position: --set samples_per_position=%.0f.", rundir.DefaultSettings(r.Game).SamplesPerPosition)}
}

// rateTooHigh finds a learning rate far above the default when the policy or the values have learned nothing.
func rateTooHigh(r *Run) *Finding {
	rate, usual := r.Config.Settings.LearningRate, rundir.DefaultSettings(r.Game).LearningRate
	if rate < farFactor*usual || !r.trained() || !r.learnedNothing() && !r.Newest.Value.unrelated() {
		return nil
	}
	evidence := fmt.Sprintf("The policy loss does not fall (%s)", r.gainText())
	if !r.learnedNothing() {
		evidence = fmt.Sprintf("The network's values have a correlation of %.2f with the exact ones", r.Newest.Value.Correlation)
	}
	return &Finding{"learning rate too high",
		fmt.Sprintf("%s, and the learning rate is %g, %.0f times the default.", evidence, rate, rate/usual),
		fmt.Sprintf("Lower it: --set learning_rate=%g.", usual)}
}

// rateTooLow finds a learning rate far below the default when the policy is still close to uniform after many steps.
func rateTooLow(r *Run) *Finding {
	const near = 0.95 // entropy of the policy as a share of that of uniform play
	rate, usual := r.Config.Settings.LearningRate, rundir.DefaultSettings(r.Game).LearningRate
	p := &r.Newest.Policy
	if rate*farFactor > usual || !r.trained() || !r.learnedNothing() || p.Entropy < near*p.Uniform {
		return nil
	}
	return &Finding{"learning rate too low",
		fmt.Sprintf("After %d training steps the network still plays almost uniformly (%s), and the learning rate is %g, 1/%.0f of the default.",
			r.steps(), r.gainText(), rate, usual/rate),
		fmt.Sprintf("Raise it: --set learning_rate=%g.", usual)}
}

// blind finds that the network's evaluations, or its values only, do not depend on what is on the board.
func blind(r *Run) *Finding {
	v, s := &r.Newest.Value, &r.Config.Settings
	usual := rundir.DefaultSettings(r.Game).LearningRate
	if !r.trained() || s.LearningRate >= farFactor*usual || s.LearningRate*farFactor <= usual || !v.unrelated() || wrongFrame(r) != nil {
		return nil
	}
	if !r.learnedNothing() {
		return &Finding{"values learn nothing",
			fmt.Sprintf("After %d training steps with a usual learning rate, the network's values have a correlation of %.2f with the exact ones of %d solved positions.",
				r.steps(), v.Correlation, v.Count),
			"Check that each position has its own game's outcome as a target (sampler.write in train/learn/sampler.go), and that Encode of the game writes the position it is called on (go test ./env/...)."}
	}
	return &Finding{"the network does not see the position",
		fmt.Sprintf("After %d training steps with a usual learning rate, %s, and its values have a correlation of %.2f with the exact ones.",
			r.steps(), r.gainText(), v.Correlation),
		"Check what the network is trained on: Encode of the game must write the position it is called on (go test ./env/...), and the tensors of a batch must differ (sampler.write in train/learn/sampler.go)."}
}

// smallWindow finds that the network forgets games soon after they left a small replay window.
func smallWindow(r *Run) *Finding {
	p, s := &r.Newest.Policy, &r.Config.Settings
	training, usual := r.recent(policyLoss), rundir.DefaultSettings(r.Game).ReplayWindow
	const quarter = 0.25 // largest normal loss of gain in games that the network was trained on; healthy runs lose an eighth
	if !r.trained() || s.ReplayWindow*farFactor > usual || lostShare(training, p.Loss, p.Uniform) < quarter {
		return nil
	}
	return &Finding{"replay window too small",
		fmt.Sprintf("The policy loss is %.2f in the replay window, which holds %d positions, but %.2f on the newest %d games (uniform play: %.2f).",
			training, r.Metrics[len(r.Metrics)-1].ReplayPositions, p.Loss, r.Games.Count, p.Uniform),
		fmt.Sprintf("Keep more games: --set replay_window=%d.", usual)}
}

// overfitted finds that the network has learned much less on the validation set than on the training set.
func overfitted(r *Run) *Finding {
	const (
		often = 3   // many samples per position: this many times the default
		half  = 0.5 // largest normal loss of gain; healthy runs lose a tenth, short ones up to half
		most  = 0.9
	)
	training, validation := r.recent(policyLoss), r.recent(validationPolicyLoss)
	uniform, samples := r.Newest.Policy.Uniform, r.Config.Settings.SamplesPerPosition
	usual := rundir.DefaultSettings(r.Game).SamplesPerPosition
	lost := lostShare(training, validation, uniform)
	if !r.trained() || validation == 0 || lost < half {
		return nil
	}
	evidence := fmt.Sprintf("The policy loss is %.2f on the training set, but %.2f on the validation set (uniform play: %.2f)", training, validation, uniform)
	switch {
	case samples >= often*usual:
		return &Finding{"overtraining", fmt.Sprintf("%s, and each position is trained on %.0f times.", evidence, samples),
			fmt.Sprintf("Train less on each position: --set samples_per_position=%g.", usual)}
	case lost >= most:
		return &Finding{"overfitting", evidence + ".", "Play more games (train longer), or lower samples_per_position."}
	}
	return nil
}

// lostShare returns the share of the training loss's gain over uniform play that is lost in other games, whose loss is
// other. It is 0 if the gain is small.
func lostShare(training, other, uniform float64) float64 {
	const little = 0.1 // a gain is small if it is below this share of the uniform loss
	if training == 0 || uniform-training < little*uniform {
		return 0
	}
	return (other - training) / (uniform - training)
}

// weakSearch finds that policy targets are hardly better than the network's own policy, so there is nothing to learn from
// search.
func weakSearch(r *Run) *Finding {
	const (
		enough    = 50  // least number of positions
		least     = 0.1 // least share of bad moves by the network; below it there is little to improve
		improving = 0.4 // least normal share of bad moves that search avoids; about half or more with 12 simulations
		few       = 4   // few simulations per move
		small     = 0.1 // a small value_scale
		good      = 0.5 // a good correlation of values; with worse values no search can help, and the cause is another
	)
	w, s, usual := &r.Newest.Search, &r.Config.Settings, rundir.DefaultSettings(r.Game)
	if !r.examined() || w.Count < enough || w.Network < least || w.Targets < w.Network*(1-improving) ||
		r.Newest.Value.Correlation < good {
		return nil
	}
	evidence := fmt.Sprintf("Search hardly improves on the network: moves that lose value have a probability of %.0f %% in the policy targets and %.0f %% in the network's policy, in %d solved positions",
		100*w.Targets, 100*w.Network, w.Count)
	switch {
	case s.Simulations <= few:
		return &Finding{"too few simulations", fmt.Sprintf("%s; a move has %d simulations.", evidence, s.Simulations),
			fmt.Sprintf("Search more: --set simulations=%d.", usual.Simulations)}
	case s.ValueScale <= small:
		return &Finding{"search ignores values", fmt.Sprintf("%s; value_scale is %g.", evidence, s.ValueScale),
			fmt.Sprintf("Let values count: --set value_scale=%g.", usual.ValueScale)}
	}
	return nil
}

// smallNetwork finds a small network that has learned little even of the games that it was trained on.
func smallNetwork(r *Run) *Finding {
	const (
		small = 1. / 3 // a small network has less than this share of the default's channels
		half  = 0.5    // least normal gain on the network's own games
	)
	s, usual := &r.Config.Settings, rundir.DefaultSettings(r.Game)
	if r.steps() < 2*fewSteps || !r.examined() || r.gain() >= half || float64(s.Channels) > small*float64(usual.Channels) {
		return nil
	}
	return &Finding{"network too small",
		fmt.Sprintf("The network has learned %.0f %% of the policy targets of its newest games (%s), and has only %d parameters.",
			100*max(0, r.gain()), r.gainText(), r.Parameters),
		fmt.Sprintf("Train a larger one: --set channels=%d --set blocks=%d.", usual.Channels, usual.Blocks)}
}
