package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

func TestNumbers(t *testing.T) {
	all := numbers{}
	for i, c := range []struct {
		first, n int
		isNew    bool
	}{
		{0, 3, true}, {0, 3, false}, {2, 2, false}, {3, 1, true}, {10, 5, true}, {3, 1, false}, {6, 2, true}, {5, 2, false},
		{4, 2, true}, {8, 3, false}, {8, 2, true}, {12, 9, false},
	} {
		before := all.clone()
		if isNew := all.add("w", c.first, c.n); isNew != c.isNew {
			t.Errorf("%d: games %d to %d: new is %v", i, c.first, c.first+c.n-1, isNew)
		}
		if !c.isNew && !reflect.DeepEqual(all, before) {
			t.Errorf("%d: repeated games changed the numbers", i)
		}
	}
	if all["w"].Next != 15 || len(all["w"].Missing) > 0 {
		t.Errorf("%v", all)
	}
	for i := range 10 * maxMissing {
		all.add("ascending", 2*i, 1)
		all.add("descending", 100_000-2*i, 1)
		all.add("one gap", 100_000, 1)
		all.add("one gap", 1+2*i, 1)
	}
	for _, name := range []string{"ascending", "descending", "one gap"} {
		if n := len(all[name].Missing); n > maxMissing || n == 0 {
			t.Errorf("%s: %d gaps are remembered", name, n)
		}
	}
}

// fakeWorkers delivers messages that a test puts into it.
type fakeWorkers struct {
	deliveries chan *record.Delivery
	failed     chan error
	newest     *selfplay.Assignment
	finished   bool
	receiving  atomic.Bool
	late       bool // Receive was running when the run finished
	status     *rundir.WorkersStatus
}

func (w *fakeWorkers) PublishNetwork(_ context.Context, n *selfplay.Assignment) error {
	w.newest = n
	return nil
}

func (w *fakeWorkers) Receive(ctx context.Context) (*record.Delivery, error) {
	w.receiving.Store(true)
	defer w.receiving.Store(false)
	select {
	case d := <-w.deliveries:
		return d, nil
	case err := <-w.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (w *fakeWorkers) Report(_ context.Context, s *rundir.WorkersStatus) { w.status = s }

func (w *fakeWorkers) Limit(context.Context, int64) {}

func (w *fakeWorkers) Close() {}

// Finish fails: the run is finished all the same.
func (w *fakeWorkers) Finish(context.Context) error {
	w.finished, w.late = true, w.receiving.Load()
	return errors.New("the server is away")
}

// sendTo lets workers send a run messages of two random games each. The first three are enough for a generation of a
// tiny run.
func sendTo(o *Options, messages int) *fakeWorkers {
	w := &fakeWorkers{deliveries: make(chan *record.Delivery, messages), failed: make(chan error, 1)}
	o.Workers = func(_ context.Context, id string) (Workers, error) {
		for i := range messages {
			b := recordtest.Message(o.Game, rand.New(rand.NewPCG(1, uint64(i))), 2)
			b.Run, b.First = id, 2*i
			w.deliveries <- &record.Delivery{Sender: "a", Data: b.Marshal(), Acknowledge: func() {}}
		}
		return w, nil
	}
	return w
}

// testInbox returns an inbox of a new run with the id "run", whose generations need 10 positions.
func testInbox(t *testing.T, workers Workers, game *env.Game) *inbox {
	s := &state{Options: Options{Dir: t.TempDir(), Game: game}, games: []*env.Game{game}, config: rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))}
	s.config.ID, s.config.Plan.ParallelGames, s.config.Plan.PliesPerGeneration = "run", 5, 2
	return newInbox(s, workers)
}

// TestReportIsBounded: whoever sends under many names and ids fills neither memory nor the report.
func TestReportIsBounded(t *testing.T) {
	game := games.Must("tic-tac-toe")
	x := testInbox(t, &fakeWorkers{}, game)
	games := recordtest.Message(game, rand.New(rand.NewPCG(1, 1)), 1)
	games.Run = strings.Repeat("<", 100)
	data := games.Marshal()
	for i := range maxSenders + 100 {
		name := fmt.Sprintf("%040d", i)
		if err := x.accept(t.Context(), &record.Delivery{Sender: name, Data: data, Acknowledge: func() {}}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(x.status(time.Now()))
	if err != nil || len(text) > record.MaxMessage || len(x.senders) != maxSenders {
		t.Errorf("a report of %d bytes about %d names, error %v", len(text), len(x.senders), err)
	}
}

// TestForget: an inbox that has received games of too many processes forgets those that it has not heard of for
// longest, but none whose games it holds, because they may come again.
func TestForget(t *testing.T) {
	game := games.Must("tic-tac-toe")
	x := testInbox(t, &fakeWorkers{}, game)
	x.need = 1 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	sent := map[string]*record.Message{}
	send := func(process string) {
		games := sent[process]
		if games == nil {
			games = recordtest.Message(game, rng, 1)
			games.Process = process
			sent[process] = games
		}
		if err := x.accept(t.Context(), &record.Delivery{Sender: "a", Data: games.Marshal(), Acknowledge: func() {}}); err != nil {
			t.Fatal(err)
		}
	}
	send("quiet")
	x.take(1)
	x.committed()
	send("held")
	for i := range maxProcesses - 1 {
		x.taken.add(fmt.Sprint(i), 0, 1)
		x.received.add(fmt.Sprint(i), 0, 1)
		x.heard[fmt.Sprint(i)] = time.Now()
	}
	x.taken.add("held", 0, 1)
	x.heard["held"] = time.Time{}
	taken := x.numbersTaken()
	if _, ok := taken["quiet"]; ok || len(taken) != maxProcesses {
		t.Errorf("the numbers of %d processes are kept", len(taken))
	}
	if _, ok := x.received["held"]; !ok || taken["held"].Next != 1 {
		t.Error("a process with a game that is held is forgotten")
	}
	send("held")
	if len(x.held) != 1 {
		t.Errorf("a game is held %d times", len(x.held))
	}
}

// TestInbox: games are acknowledged when they are committed, and repeated ones only if they are.
func TestInbox(t *testing.T) {
	game := games.Must("quad-5x5")
	rng := rand.New(rand.NewPCG(1, 1))
	x := testInbox(t, &fakeWorkers{}, game)
	x.assignment = &selfplay.Assignment{Game: game, Generation: 2}
	var acknowledged []string
	send := func(name string, b *record.Message, data []byte) {
		if b != nil {
			data = b.Marshal()
		}
		err := x.accept(t.Context(), &record.Delivery{Sender: "a", Data: data, Acknowledge: func() { acknowledged = append(acknowledged, name) }})
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if !slices.Equal(acknowledged, want) {
			t.Fatalf("%s: acknowledged are %v, want %v", when, acknowledged, want)
		}
	}
	first, second := recordtest.Message(game, rng, 1), recordtest.Message(game, rng, 1)
	second.First = 1
	send("1", first, nil)
	send("bad", nil, []byte("noise"))
	expect("a bad message is acknowledged at once", "bad")
	if batches := x.take(1); len(batches) != 1 {
		t.Fatalf("%d batches", len(batches))
	}
	send("2", second, nil)
	send("1 repeated", first, nil)
	expect("games that are not committed", "bad")
	numbers := x.numbersTaken()
	if numbers["w"].Next != 1 {
		t.Errorf("numbers %v", numbers)
	}
	x.committed()
	expect("after the commit", "bad", "1", "1 repeated")
	send("1 again", first, nil)
	expect("committed games are acknowledged again", "bad", "1", "1 repeated", "1 again")
	s := x.senders["a"]
	if s.Games != 2 || s.Rejected != 1 || s.Duplicates != 1 || s.Behind != 2 || s.Problem == "" {
		t.Errorf("%+v", s.WorkerStatus)
	}
}

// TestSameBytes: a game is identified by its process and number. So two processes may play the same game, and a game
// that is sent again is dropped under any worker's name.
func TestSameBytes(t *testing.T) {
	game := games.Must("tic-tac-toe")
	x := testInbox(t, &fakeWorkers{}, game)
	x.need = 9000
	m := recordtest.Message(game, rand.New(rand.NewPCG(1, 1)), 3)
	acknowledged := 0
	for _, c := range []struct{ sender, process string }{{"a", "p"}, {"b", "q"}, {"c", "p"}} {
		m.Process = c.process
		err := x.accept(t.Context(), &record.Delivery{Sender: c.sender, Data: m.Marshal(), Acknowledge: func() { acknowledged++ }})
		if err != nil {
			t.Fatal(err)
		}
	}
	for sender, games := range map[string]int{"a": 3, "b": 3, "c": 0} {
		if s := x.senders[sender]; s.Games != games || s.Duplicates != 0 {
			t.Errorf("worker %s: %+v, want %d games", sender, s.WorkerStatus, games)
		}
	}
	taken := 0
	for _, part := range x.take(9000) {
		taken += part.Games()
	}
	if taken != 6 || acknowledged > 0 {
		t.Errorf("%d games taken, %d messages acknowledged before the commit", taken, acknowledged)
	}
	x.committed()
	if acknowledged != 3 {
		t.Errorf("%d messages acknowledged after the commit", acknowledged)
	}
}

// TestReceivingFails: an error of the connection ends the run, also if it plays itself; what it has committed stays.
func TestReceivingFails(t *testing.T) {
	for _, learnOnly := range []bool{false, true} {
		o := tiny(t, t.TempDir(), 1000)
		o.LearnOnly = learnOnly
		w := sendTo(&o, 3)
		broken := errors.New("no space left")
		o.Observe = func(e Event) {
			if e.Metrics != nil && e.Metrics.Generation == 1 {
				w.failed <- broken
			}
		}
		if _, err := Train(t.Context(), o); !errors.Is(err, broken) {
			t.Errorf("learn-only %v: error %v", learnOnly, err)
		}
		if countersOf(t, o.Dir).Generation < 1 {
			t.Error("the committed generation is gone")
		}
	}
}

// TestInboxWaits: an inbox holds few games and then waits until the run takes some.
func TestInboxWaits(t *testing.T) {
	game := games.Must("quad-5x5")
	rng := rand.New(rand.NewPCG(1, 1))
	w := &fakeWorkers{deliveries: make(chan *record.Delivery)}
	x := testInbox(t, w, game)
	stop := x.start(t.Context())
	const sent = 40
	go func() {
		for i := range sent {
			b := recordtest.Message(game, rng, 1)
			b.First = i
			w.deliveries <- &record.Delivery{Sender: "a", Data: b.Marshal(), Acknowledge: func() {}}
		}
	}()
	for games := 0; games < sent; {
		if err := x.wait(progressInterval); err != nil {
			t.Fatal(err)
		}
		if n := x.ready(); n > heldGenerations*x.need+game.MaxPlies*game.Tensor.Cells() {
			t.Fatalf("%d positions times cells are held", n)
		}
		for _, b := range x.take(1) {
			games += b.Games()
		}
	}
	stop()
	if err := x.wait(progressInterval); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end waiting returns %v", err)
	}
}

// TestTrainWithWorkers: a run takes the games of workers, each once, also if it is stopped and messages come again.
func TestTrainWithWorkers(t *testing.T) {
	o := tiny(t, t.TempDir(), 4)
	o.LearnOnly = true
	w := &fakeWorkers{}
	rng := rand.New(rand.NewPCG(1, 1))
	var messages [][]byte
	acknowledged, ids := map[int]int{}, map[string]bool{}
	o.Workers = func(_ context.Context, id string) (Workers, error) {
		ids[id] = true
		for number := 0; len(messages) < 100; number += 2 {
			b := recordtest.Message(o.Game, rng, 2)
			b.Run, b.First = id, number
			messages = append(messages, b.Marshal())
		}
		w.deliveries = make(chan *record.Delivery, len(messages))
		for i, data := range messages { // all, also when the run goes on
			w.deliveries <- &record.Delivery{Sender: "a", Data: data, Acknowledge: func() { acknowledged[i]++ }}
		}
		return w, nil
	}
	stopAfter(t, o, 2)
	mustTrain(t, o)
	if len(ids) != 1 {
		t.Errorf("the run has the ids %v", ids)
	}
	if !w.finished || w.late {
		t.Error("workers were not told that the run is finished")
	}
	seen := map[string]bool{}
	total := 0
	for g := 1; g <= 4; g++ {
		games, _, err := record.Read(o.Game, o.Dir, g)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range games {
			seen[string(r.Append(nil))] = true
			total++
		}
	}
	if total != len(seen) || total != countersOf(t, o.Dir).Games {
		t.Errorf("the run has %d games, %d different ones", total, len(seen))
	}
	for i := range messages {
		if whole := 2*(i+1) <= total; whole != (acknowledged[i] > 0) {
			t.Errorf("the run has %d games; message %d of 2 games was acknowledged %d times", total, i, acknowledged[i])
		}
	}
}

// TestWaitingEnds: a run with a time that waits for games in vain ends when the time is over.
func TestWaitingEnds(t *testing.T) {
	o := tiny(t, t.TempDir(), 0)
	o.LearnOnly, o.Time = true, 6*time.Second // several generations, on a slow machine, too
	w := sendTo(&o, 3)
	s := mustTrain(t, o)
	if s.Config.Plan.Stopped == 0 || s.Games == 0 || !w.finished {
		t.Errorf("%+v", s)
	}
}
