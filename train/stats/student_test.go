package stats

import (
	"math"
	"testing"
)

func TestStudentMean(t *testing.T) {
	// 3, 5, 10: mean 6, sum of squares 9 + 1 + 16 = 26, standard error sqrt(26 / 6); t(2) = 4.302653 from a table.
	e, ok := StudentMean([]float64{3, 5, 10})
	half := 4.302653 * math.Sqrt(26.0/6)
	if !ok || math.Abs(e.Value-6) > 1e-12 || math.Abs(e.Low-(6-half)) > 1e-5 || math.Abs(e.High-(6+half)) > 1e-5 {
		t.Errorf("%+v, want 6 ± %v", e, half)
	}
	// 1, 2: standard error sqrt(0.5 / 2) = 0.5; t(1) = 12.706205.
	if e, ok := StudentMean([]float64{1, 2}); !ok || math.Abs(e.High-e.Value-6.3531025) > 1e-5 {
		t.Errorf("%+v", e)
	}
	if e, ok := StudentMean([]float64{7}); ok || e.Value != 7 {
		t.Errorf("one number: %+v, %v", e, ok)
	}
	if _, ok := StudentMean(nil); ok {
		t.Error("no numbers have an interval")
	}
}
