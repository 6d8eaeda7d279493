package train

import (
	"time"

	"ludus/train/rundir"
	"ludus/train/tensorboard"
)

// chart adds points at a generation to this process's TensorBoard file, which the first of them makes. The file speaks of
// the generations after the one that the process began with, so that what an earlier process wrote of these, before it was
// killed, is forgotten, as dropNewer forgets lines. It is written like every file of the run: a full disk ends the
// process.
func (r *run) chart(generation int, scalars []tensorboard.Scalar) (err error) {
	if r.curves == nil {
		if r.curves, err = tensorboard.Create(r.Dir, time.Now(), r.resumed.Generation+1); err != nil {
			return err
		}
	}
	return r.curves.Write(time.Now(), generation, scalars)
}

// closeCurves ends the process's TensorBoard file, if there is one.
func (r *run) closeCurves() error {
	if r.curves == nil {
		return nil
	}
	return r.curves.Close()
}

// metricScalars are the points of a generation's curves; what was not measured has none.
func metricScalars(m *rundir.Metrics) []tensorboard.Scalar {
	points := []tensorboard.Scalar{
		{Tag: "self-play/games", Value: float64(m.TotalGames)},
		{Tag: "self-play/positions_per_second", Value: float64(m.Positions) / m.PlaySeconds},
		{Tag: "self-play/simulations_per_second", Value: float64(m.Simulations) / m.PlaySeconds},
		{Tag: "self-play/evaluations_per_second", Value: float64(m.Evaluations) / m.PlaySeconds},
		{Tag: "self-play/idle_share", Value: m.IdleShare},
		{Tag: "learner/replay_positions", Value: float64(m.ReplayPositions)},
		{Tag: "learner/steps", Value: float64(m.Steps)},
		{Tag: "learner/seconds", Value: m.LearnSeconds},
	}
	add := func(measured bool, tag string, value float64) {
		if measured {
			points = append(points, tensorboard.Scalar{Tag: tag, Value: value})
		}
	}
	ended, learned, judged := m.Games > 0, m.LearningRate > 0, len(m.Calibration) > 0
	add(ended, "self-play/mean_plies", m.MeanPlies)
	add(ended, "self-play/first_share", m.FirstShare)
	add(ended, "self-play/duplicate_games", m.Duplicates)
	add(ended, "self-play/proven_share", m.Proven)
	add(learned, "learner/learning_rate", m.LearningRate)
	add(learned, "loss/policy", m.PolicyLoss)
	add(learned, "loss/outcome", m.OutcomeLoss)
	add(m.GoalsLoss > 0, "loss/goals", m.GoalsLoss)
	add(m.ValidationPolicyLoss > 0, "loss/validation_policy", m.ValidationPolicyLoss)
	add(m.ValidationOutcomeLoss > 0, "loss/validation_outcome", m.ValidationOutcomeLoss)
	add(m.PolicyEntropy > 0, "network/policy_entropy", m.PolicyEntropy)
	add(judged, "network/calibration_error", m.CalibrationError)
	return points
}

// judgedScalars are the points of a match's curves.
func judgedScalars(j *rundir.MatchResult) []tensorboard.Scalar {
	return []tensorboard.Scalar{{Tag: "score/" + j.Opponent, Value: j.Score}}
}

// ratedScalars are the points of the rating's curves.
func ratedScalars(a *rundir.Rating) []tensorboard.Scalar {
	return []tensorboard.Scalar{
		{Tag: "rating/elo", Value: a.Rating}, {Tag: "rating/low", Value: a.Low}, {Tag: "rating/high", Value: a.High},
	}
}

// suiteScalars are the points of a check's curves.
func suiteScalars(c *rundir.SuiteResult) []tensorboard.Scalar {
	return []tensorboard.Scalar{{Tag: "suite/error_" + c.Agent, Value: c.Error}, {Tag: "suite/loss_" + c.Agent, Value: c.Loss}}
}
