package train

import (
	"ludus/train/rundir"
	"ludus/train/tensorboard"
)

// metricScalars returns the TensorBoard scalars of a generation's metrics, without those that were not measured.
func metricScalars(m *rundir.Metrics) []tensorboard.Scalar {
	points := []tensorboard.Scalar{
		{Tag: "self-play/games", Value: float64(m.TotalGames)},
		{Tag: "self-play/positions_per_second", Value: float64(m.Positions) / m.PlaySeconds},
		{Tag: "self-play/simulations_per_second", Value: float64(m.Simulations) / m.PlaySeconds},
		{Tag: "self-play/evaluations_per_second", Value: float64(m.Evaluations) / m.PlaySeconds},
		{Tag: "self-play/idle_share", Value: m.IdleShare},
		{Tag: "self-play/solve_seconds", Value: m.SolveSeconds},
		{Tag: "learner/replay_positions", Value: float64(m.ReplayPositions)},
		{Tag: "learner/steps", Value: float64(m.Steps)},
		{Tag: "learner/seconds", Value: m.LearnSeconds},
	}
	add := func(measured bool, tag string, value float64) {
		if measured {
			points = append(points, tensorboard.Scalar{Tag: tag, Value: value})
		}
	}
	ended, trained := m.Games > 0, m.LearningRate > 0
	add(ended, "self-play/mean_plies", m.MeanPlies)
	add(ended, "self-play/first_score", m.FirstScore)
	add(ended, "self-play/duplicate_games", m.Duplicates)
	add(ended, "self-play/proven_share", m.Proven)
	add(ended, "self-play/solved_share", m.SolvedShare)
	add(trained, "learner/learning_rate", m.LearningRate)
	add(trained, "loss/policy", m.PolicyLoss)
	add(trained, "loss/reply", m.ReplyLoss)
	add(trained, "loss/outcome", m.OutcomeLoss)
	add(m.GoalsLoss > 0, "loss/goals", m.GoalsLoss)
	add(m.ValidationPolicyLoss > 0, "loss/validation_policy", m.ValidationPolicyLoss)
	add(m.ValidationOutcomeLoss > 0, "loss/validation_outcome", m.ValidationOutcomeLoss)
	add(m.PolicyEntropy > 0, "network/policy_entropy", m.PolicyEntropy)
	add(len(m.Calibration) > 0, "network/calibration_error", m.CalibrationError)
	return points
}

// matchScalars returns the TensorBoard scalars of a final match.
func matchScalars(m *rundir.MatchResult) []tensorboard.Scalar {
	return []tensorboard.Scalar{{Tag: "score/" + m.Opponent, Value: m.Score}}
}

// ratingScalars returns the TensorBoard scalars of a checkpoint's rating.
func ratingScalars(r *rundir.Rating) []tensorboard.Scalar {
	return []tensorboard.Scalar{
		{Tag: "rating/elo", Value: r.Rating}, {Tag: "rating/low", Value: r.Low}, {Tag: "rating/high", Value: r.High},
	}
}

// suiteScalars returns the TensorBoard scalars of a suite result.
func suiteScalars(r *rundir.SuiteResult) []tensorboard.Scalar {
	return []tensorboard.Scalar{
		{Tag: "suite/error_" + r.Agent, Value: r.Error}, {Tag: "suite/loss_" + r.Agent, Value: r.Loss},
	}
}
