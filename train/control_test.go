package train

import (
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"math/rand/v2"
	"testing"
)

// TestControl: workers that could play n times what the learner uses search n times as much after some generations; then
// the learner hardly waits for games, and those that it takes are young. Slower workers search as the setting says. Games may
// come in messages that are more than a generation apart.
func TestControl(t *testing.T) {
	testControl(t, 1, 1.25, 0.15, 1.5)
	testControl(t, 220, 1.25, 0.2, 3)
}

// testControl tests it with a message every interval, when learning a generation takes 100, and the largest factor relative to the
// workers' speed, the largest share of the time that the learner waits, and the largest age of games in generations.
func testControl(t *testing.T, interval int, mostFactor, mostWait, mostAge float64) {
	const generations, parts = 400, 100 // per generation
	for _, speed := range []float64{0.3, 0.9, 1.5, 2, 4, 10, 30, 100} {
		factor, made, clock := 1.0, 0.0, 0
		meanFactor, waited, age, waitedLast := 0.0, 0, 0, 0
		var message []int // that the workers have not sent
		var waiting []int // in the stream: the generation of the network that played each part of a generation
		for g := range generations {
			factor = nextFactor(factor, float64(min(len(waiting), heldGenerations*parts))/parts, float64(waitedLast)/parts)
			waitedLast = 0
			play := func(uncommitted int) {
				for made += speed / factor; made >= 1; made-- {
					if uncommitted+len(waiting)+len(message) < streamGenerations*parts {
						message = append(message, g)
					}
				}
				clock++
				if clock%interval == 0 {
					waiting, message = append(waiting, message...), nil
				}
			}
			for taken := 0; taken < parts; {
				if len(waiting) == 0 {
					waited += min(g/(generations/2), 1)
					waitedLast++
					play(taken)
					continue
				}
				if g >= generations/2 {
					age += g - waiting[0]
				}
				waiting, taken = waiting[1:], taken+1
			}
			for range parts { // learning takes as long as playing a generation at speed 1
				play(parts)
			}
			meanFactor += factor * float64(g/(generations/2)) / (generations / 2)
		}
		want := min(max(speed, 1), maxFactor)
		if meanFactor < 0.8*want || meanFactor > mostFactor*want {
			t.Errorf("workers %.1f times as fast as the learner search %.2f times as much", speed, meanFactor)
		}
		waitShare := float64(waited) / float64(waited+generations/2*parts)
		if most := max(mostWait, 1.05*(1-speed)); waitShare > most {
			t.Errorf("workers %.1f times as fast as the learner: it waits %.0f %% of the time", speed, 100*waitShare)
		}
		meanAge, most := float64(age)/(generations/2*parts), mostAge
		if speed > maxFactor {
			most = streamGenerations
		}
		if meanAge > most {
			t.Errorf("workers %.1f times as fast as the learner: games are %.1f generations old", speed, meanAge)
		}
		t.Logf("a message every %d, speed %.1f: factor %.2f, the learner waits %.0f %%, games are %.1f generations old", interval, speed, meanFactor, 100*waitShare, meanAge)
	}
}

// TestStreamBytes: the stream has room for some generations of the messages that come, and never too little for one.
func TestStreamBytes(t *testing.T) {
	game := games.Must("quad-5x5")
	x := testInbox(t, &fakeWorkers{}, game)
	x.need = 50_000 * game.Tensor.Cells()
	if n := x.streamBytes(); n != 0 {
		t.Errorf("%d bytes without messages", n)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for games, first := 100, 0; games > 0; games, first = games/10, first+games { // ever smaller messages
		b := recordtest.Message(game, rng, games)
		b.First = first
		perWork := float64(len(b.Marshal())+messageOverhead) / float64(record.Work(b.Records))
		if err := x.accept(t.Context(), &record.Delivery{Sender: "a", Data: b.Marshal(), Acknowledge: func() {}}); err != nil {
			t.Fatal(err)
		}
		x.take(1 << 30)
		want := streamGenerations * float64(x.need) * perWork
		if n := float64(x.streamBytes()); n < want || n > 1.1*want {
			t.Errorf("messages of %d games: %.0f bytes, want about %.0f", games, n, want)
		}
		x.committed()
	}
}
