package suite

import (
	"context"
	"reflect"
	"testing"

	"ludus/train/agent/agenttest"
)

func check(t *testing.T, s *Suite, agent string, o TestOptions) Result {
	t.Helper()
	r, err := s.Test(context.Background(), agenttest.Factory(t, s.Game.Name, agent), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Seconds = 0
	return r
}

// A perfect agent loses no value; a random one loses what RandomError and RandomLoss say.
func TestCheck(t *testing.T) {
	s := mustMake(t, options(t, small[0], 200))
	perfect := check(t, s, "alphabeta:50", TestOptions{Threads: 2})
	if perfect.Error.Value != 0 || perfect.Loss.Value != 0 || perfect.Error.High > 0.05 {
		t.Errorf("a perfect agent: %+v", perfect)
	}
	random := check(t, s, "random", TestOptions{Threads: 2})
	if e := random.Error; e.Low > random.RandomError || e.High < random.RandomError || e.Low < e.Value/2 {
		t.Errorf("a random agent errs %+v, foretold %v", e, random.RandomError)
	}
	if l := random.Loss; l.Low > random.RandomLoss || l.High < random.RandomLoss {
		t.Errorf("a random agent loses %+v, foretold %v", l, random.RandomLoss)
	}
}

func TestCheckIsDeterministic(t *testing.T) {
	s := mustMake(t, options(t, small[3], 80))
	want := check(t, s, "mcts:20", TestOptions{Threads: 1, Positions: 70})
	last := 0
	got := check(t, s, "mcts:20", TestOptions{Threads: 4, Positions: 70, Progress: func(done, all int) {
		if done <= last || all != 70 {
			t.Errorf("progress %d of %d after %d", done, all, last)
		}
		last = done
	}})
	if last != 70 || got.Positions != 70 {
		t.Errorf("%d of %d positions", last, got.Positions)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("four threads: %+v, one: %+v", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Test(ctx, agenttest.Factory(t, s.Game.Name, "mcts:20"), TestOptions{Threads: 2}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
