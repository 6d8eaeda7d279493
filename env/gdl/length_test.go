package gdl

import "testing"

// TestUsualPlies checks that plans do not rest on a cap that games do not reach.
func TestUsualPlies(t *testing.T) {
	g, info, err := New(t.Context(), "stop", `(role a) (role b) (init (control a))
		(<= (legal ?p go) (true (control ?p))) (<= (legal ?p stop) (true (control ?p)))
		(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
		(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))
		(<= (next (over ?p)) (does ?p stop)) (<= terminal (true (over ?p)))
		(<= (goal a 100) (true (over b))) (<= (goal a 0) (not (true (over b))))
		(<= (goal b 0) (true (over b))) (<= (goal b 100) (not (true (over b))))`)
	if err != nil {
		t.Fatal(err)
	}
	if info.Proven || g.UsualPlies < 5 || 4*g.UsualPlies != g.MaxPlies {
		t.Errorf("usually up to %d plies, at most %d (%s)", g.UsualPlies, g.MaxPlies, info.Longest)
	}
}
