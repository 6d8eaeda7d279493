package train

import "testing"

// TestBudget: workers that could play n times what the learner uses search n times as much after some generations, and
// then hardly wait; slower ones search as the setting says.
func TestBudget(t *testing.T) {
	for _, speed := range []float64{0.3, 0.9, 1.5, 4, 10, 100} {
		factor, ready, mean := 1.0, 0.0, 0.0
		const generations = 400
		for g := range generations {
			factor = nextBudget(factor, min(ready, heldGenerations))
			if g >= generations/2 {
				mean += factor / (generations / 2)
			}
			ready += speed / factor // generations of positions played while the learner learns
			ready = min(ready, 10)  // then the stream is full
			ready = max(0, ready-1)
		}
		want := min(max(speed, 1), maxMoreSimulations)
		if mean < 0.75*want || mean > 1.25*want {
			t.Errorf("workers %.1f times as fast as the learner search %.2f times as much", speed, mean)
		}
	}
}
