package match

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// fakes makes outside programs that play at random and do what a script says. It counts them.
type fakes struct {
	t      testing.TB
	script func(command string, seed uint64, ply int) error // called before a move, or with ply -1 at the start of a game

	mutex                      sync.Mutex
	starts, ends, closes, most int
	running                    map[string]int // by command
	clocks                     []fakeClock
}

// fakeClock is the clock of a fake's move.
type fakeClock struct {
	agent.Clock
	command string
	player  env.Player
	ply     int
}

// fake is an outside program of fakes.
type fake struct {
	agent.Agent
	all      *fakes
	command  string
	running  bool
	seed     uint64
	ply      int
	restarts int
	starting time.Duration
}

func (f *fake) Reset(seed uint64) {
	f.Agent.Reset(seed)
	f.seed, f.ply, f.restarts, f.starting = seed, 0, 0, 0
}

func (f *fake) Observe(env.Action)      { f.ply++ }
func (f *fake) Restarts() int           { return f.restarts }
func (f *fake) Starting() time.Duration { return f.starting }

func (f *fake) Start(context.Context) error {
	if err := f.all.script(f.command, f.seed, -1); err != nil {
		f.set(false)
		return err
	}
	f.set(true)
	return nil
}

func (f *fake) set(running bool) {
	if f.running == running {
		return
	}
	f.running = running
	all := f.all
	all.mutex.Lock()
	defer all.mutex.Unlock()
	if running {
		all.starts++
		all.running[f.command]++
		all.most = max(all.most, all.running[f.command])
	} else {
		all.ends++
		all.running[f.command]--
	}
}

func (f *fake) Choose(ctx context.Context, state env.State) (env.Action, error) {
	if !f.running {
		f.all.t.Error("asked for a move before its start")
	}
	start := time.Now()
	err := f.all.script(f.command, f.seed, f.ply)
	var fault *agent.Fault
	if errors.As(err, &fault) {
		f.set(false)
	}
	if errors.Is(err, errRestart) {
		f.restarts++
		f.starting += time.Since(start)
		err = nil
	}
	if err != nil {
		return 0, err
	}
	return f.Agent.Choose(ctx, state)
}

// errRestart makes a fake count a restart.
var errRestart = errors.New("restart")

func (f *fake) ChooseOnClock(ctx context.Context, state env.State, clock agent.Clock) (env.Action, error) {
	f.all.mutex.Lock()
	f.all.clocks = append(f.all.clocks, fakeClock{clock, f.command, state.Player(), f.ply})
	f.all.mutex.Unlock()
	return f.Choose(ctx, state)
}

func (f *fake) Close() error {
	f.set(false)
	f.all.mutex.Lock()
	defer f.all.mutex.Unlock()
	f.all.closes++
	return nil
}

// factory returns the factory of a spec whose program is a fake.
func (f *fakes) factory(game *env.Game, text string) *agent.Factory {
	f.t.Helper()
	return parse(f.t, game, text).WithPrograms(func(game *env.Game, spec agent.Spec) (agent.Outside, error) {
		return &fake{Agent: newAgent(f.t, game, "random"), all: f, command: spec.Program.Command}, nil
	})
}

// check checks that no program runs, and that there were never more of one than most.
func (f *fakes) check(most int) {
	f.t.Helper()
	if f.starts != f.ends || f.most > most {
		f.t.Errorf("%d starts, %d ends, %d at a time; want at most %d", f.starts, f.ends, f.most, most)
	}
}

// newFakes returns programs with a script.
func newFakes(t testing.TB, script func(command string, seed uint64, ply int) error) *fakes {
	if script == nil {
		script = func(string, uint64, int) error { return nil }
	}
	return &fakes{t: t, script: script, running: make(map[string]int)}
}

// untimed returns a result without its times.
func untimed(r Result) Result {
	r.Seconds, r.Sides[0].SecondsPerMove, r.Sides[1].SecondsPerMove = 0, 0, 0
	return r
}

// A program's fault loses its game, or makes the game void; on either side, with each kind of fault.
func TestFaults(t *testing.T) {
	game := quad()
	for _, kind := range endings {
		for side := range 2 {
			programs := newFakes(t, func(_ string, seed uint64, ply int) error {
				switch {
				case seed%4 != 0 || kind == agent.NoStart != (ply == -1) || ply >= 0 && ply < 4:
					return nil
				case kind == agent.Resigned:
					return agent.ErrResigned
				}
				return fmt.Errorf("talking to it: %w", &agent.Fault{Kind: kind, Detail: "what\x1b it said"})
			})
			factories := [2]*agent.Factory{programs.factory(game, `gtp:"x"`), parse(t, game, "random")}
			m := Config{Game: game, A: factories[side], B: factories[1-side], Games: 40, Seed: 3, OpeningPlies: 1, Threads: 2, Balance: checkerOf(game)}
			var shown Result
			m.Progress = func(r Result) { shown = r }
			r := mustRun(t, m)
			own, other := r.Sides[side], r.Sides[1-side]
			void, forfeits, resignations := own.Void.Total(), own.Forfeits.Total(), own.Resigned
			want := [3]int{0, 1, 0}
			switch {
			case kind == agent.Resigned:
				want = [3]int{0, 0, 1}
			case (&agent.Fault{Kind: kind}).Void():
				want = [3]int{1, 0, 0}
			}
			n := void + forfeits + resignations
			if n < 3 || n > 30 || [3]int{void, forfeits, resignations} != [3]int{want[0] * n, want[1] * n, want[2] * n} {
				t.Errorf("%s, side %d: %+v", kind, side, own)
			}
			if r.Games != 40-void || r.Wins+r.Draws+r.Losses != r.Games || shown.Games != r.Games {
				t.Errorf("%s, side %d: %+v, %d games shown", kind, side, r, shown.Games)
			}
			if other.Text() != "" || kind != agent.Resigned && own.LastFault != "what  it said" {
				t.Errorf("%s, side %d: %+v", kind, side, r.Sides)
			}
			if lost := [2]int{r.Losses, r.Wins}[side]; lost < forfeits+resignations {
				t.Errorf("%s, side %d: lost %d", kind, side, lost)
			}
			programs.check(2)
			if programs.closes != 2 {
				t.Errorf("%s: %d programs closed", kind, programs.closes)
			}
		}
	}
}

// Every fault at random, on both sides: the same result with one thread, with two, and continued from any line of the
// file. A continued match plays void games again.
func TestFaultsOnBothSides(t *testing.T) {
	game := quad()
	programs := newFakes(t, func(command string, seed uint64, ply int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(ply+1)))
		if n := rng.IntN(60); n < len(endings) {
			kind := endings[n]
			switch {
			case kind == agent.Resigned && ply >= 0:
				return agent.ErrResigned
			case kind != agent.Resigned && (kind == agent.NoStart) == (ply < 0):
				return &agent.Fault{Kind: kind, Detail: fmt.Sprintf("%s at ply %d", command, ply)}
			}
		}
		if ply >= 0 && rng.IntN(40) == 0 {
			return errRestart
		}
		return nil
	})
	m := Config{
		Game: game, A: programs.factory(game, `gtp:"x",deterministic=yes`), B: programs.factory(game, `nboard:"y",deterministic=yes`), Games: 300,
		Seed: 3, OpeningPlies: 2, Threads: 1, Balance: checkerOf(game), File: filepath.Join(t.TempDir(), "match.jsonl"),
	}
	want := untimed(mustRun(t, m))
	programs.check(1)
	void := 0
	for _, s := range want.Sides {
		void += s.Void.Total()
		if len(s.Forfeits) < 5 || s.Void.Total() == 0 || s.Resigned == 0 || s.Restarts == 0 {
			t.Errorf("%+v", s)
		}
	}
	if want.Games != 300-void || want.Pairs > 150 || pairsIn(&want)+want.Repeats > want.Pairs || want.Low > want.Score || want.High < want.Score {
		t.Errorf("%+v", want)
	}
	lines, err := checkpoints.ReadLines(m.File)
	if err != nil || len(lines) != 1+want.Games {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	for _, keep := range []int{1, 30, 131, len(lines)} {
		var data []byte
		for _, line := range lines[:keep] {
			data = append(append(data, line...), '\n')
		}
		writeFile(t, m.File, data)
		m.Threads = 2
		if got := untimed(mustRun(t, m)); !reflect.DeepEqual(got, want) {
			t.Errorf("from line %d: %+v; want %+v", keep, got, want)
		}
		programs.check(2)
	}
	m.File = ""
	for _, threads := range []int{2, 5} {
		m.Threads = threads
		if got := untimed(mustRun(t, m)); !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: %+v; want %+v", threads, got, want)
		}
		programs.check(threads)
	}
	data, err := json.Marshal(want)
	var again Result
	if err == nil {
		err = json.Unmarshal(data, &again)
	}
	if err != nil || !reflect.DeepEqual(again, want) {
		t.Errorf("%+v after %s, %v", again, data, err)
	}
}

// A cancelled match, and one with an error, ends its programs. An error after the cancellation is no fault.
func TestCancelledPrograms(t *testing.T) {
	game := quad()
	ctx, cancel := context.WithCancel(context.Background())
	moves := 0
	programs := newFakes(t, func(_ string, _ uint64, ply int) error {
		if moves++; moves > 100 {
			cancel()
			return &agent.Fault{Kind: agent.Died}
		}
		return nil
	})
	m := Config{Game: game, A: programs.factory(game, `gtp:"x"`), B: parse(t, game, "random"), Games: 100, Threads: 1}
	r, err := Run(ctx, m)
	if !errors.Is(err, context.Canceled) || r.Sides[0].Forfeits.Total() > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	programs.check(1)

	broken := errors.New("a bug")
	programs = newFakes(t, func(_ string, _ uint64, ply int) error {
		if ply > 5 {
			return broken
		}
		return nil
	})
	m.A, m.B = programs.factory(game, `gtp:"x"`), programs.factory(game, `gtp:"y"`)
	if _, err := Run(context.Background(), m); !errors.Is(err, broken) {
		t.Errorf("error %v; want %v", err, broken)
	}
	programs.check(1)
}

// Programs of a factory without a starter are refused, and a match that reads its whole file starts none.
func TestFileStartsNoProgram(t *testing.T) {
	game := quad()
	programs := newFakes(t, nil)
	m := Config{
		Game: game, A: programs.factory(game, `gtp:"x"`), B: parse(t, game, "random"), Games: 4, Threads: 2, File: filepath.Join(t.TempDir(), "match.jsonl"),
	}
	want := mustRun(t, m)
	programs.starts, programs.ends = 0, 0
	if got := mustRun(t, m); !reflect.DeepEqual(got, want) || programs.starts > 0 {
		t.Errorf("%+v with %d starts; want %+v", got, programs.starts, want)
	}
	m.A = parse(t, game, `gtp:"x"`)
	if _, err := Run(context.Background(), m); !errors.Is(err, agent.ErrProgram) {
		t.Errorf("error %v; want %v", err, agent.ErrProgram)
	}
}

// A text names what happened to a side.
func TestSideText(t *testing.T) {
	for _, c := range []struct {
		want string
		s    Side
	}{
		{"", Side{SecondsPerMove: 1}},
		{"1 game forfeited (died), 1 restart", Side{Forfeits: FaultCount{agent.Died: 1}, Restarts: 1}},
		{
			"3 games forfeited (2 died, 1 answered with no legal move), 1 void (did not start), 5 restarts, 12 resigned; last fault: exit status 1",
			Side{Forfeits: FaultCount{agent.Died: 2, agent.Illegal: 1}, Void: FaultCount{agent.NoStart: 1}, Restarts: 5, Resigned: 12, LastFault: "exit status 1"},
		},
	} {
		if got := c.s.Text(); got != c.want {
			t.Errorf("%q; want %q", got, c.want)
		}
	}
}

// Both sides keep to the clock: programs get it, agents that can choose within a time do, and others are stopped.
func TestClocks(t *testing.T) {
	game := quad()
	const slow = 3 * agent.Margin
	programs := newFakes(t, func(command string, _ uint64, ply int) error {
		if command == "slow" && ply > 3 {
			time.Sleep(slow)
		}
		return nil
	})
	for _, c := range []struct {
		name       string
		a, b       string
		move, game time.Duration
		overstep   [2]bool
	}{
		{"programs in time", `gtp:"x"`, "random", time.Minute, time.Hour, [2]bool{}},
		{"a slow program", "random", `gtp:"slow"`, time.Millisecond, 0, [2]bool{false, true}},
		{"a slow program with time for a game", `gtp:"slow"`, "random", 0, time.Millisecond, [2]bool{true, false}},
		{"two slow programs", `gtp:"slow"`, `nboard:"slow"`, time.Millisecond, 0, [2]bool{true, true}},
		{"agents that can choose within a time", "mcts:1000000", "net:1,sims=1000000", 60 * time.Millisecond, 0, [2]bool{}},
		{"agents with time for a game", "mcts:1000000", "net:1,sims=1000000,search=puct", 0, 400 * time.Millisecond, [2]bool{}},
		{"an agent that cannot", "random", "solver:1000000000", 10 * time.Millisecond, 0, [2]bool{false, true}},
	} {
		game := game
		if strings.HasPrefix(c.b, "solver") { // which may solve the smaller board in time
			game = games.Must("quad-7x7")
		}
		m := Config{
			Game: game, A: programs.factory(game, c.a), B: programs.factory(game, c.b), Games: 2, Seed: 1, Threads: 1, MoveTime: c.move, GameTime: c.game,
			File: filepath.Join(t.TempDir(), "match.jsonl"),
		}
		r := mustRun(t, m)
		for side, s := range r.Sides {
			if (s.Forfeits.Total() > 0) != c.overstep[side] || c.overstep[side] && s.Forfeits[agent.Overstepped] != s.Forfeits.Total() || s.SecondsPerMove == 0 && !strings.Contains([2]string{c.a, c.b}[side], "random") && c.name != "programs in time" {
				t.Errorf("%s: side %d: %+v", c.name, side, s)
			}
		}
		if r.Games != 2 {
			t.Errorf("%s: %+v", c.name, r)
		}
		if got := mustRun(t, m); !reflect.DeepEqual(got, r) {
			t.Errorf("%s: read again %+v; want %+v", c.name, got, r)
		}
	}
}

// Clocks of programs tell the rest of both players' time. The time of a start and of a restart is not counted.
func TestClocksOfPrograms(t *testing.T) {
	game := quad()
	programs := newFakes(t, func(_ string, _ uint64, ply int) error {
		if ply == -1 || ply == 2 {
			time.Sleep(2 * agent.Margin)
		}
		if ply == 2 {
			return errRestart
		}
		return nil
	})
	m := Config{
		Game: game, A: programs.factory(game, `gtp:"x"`), B: programs.factory(game, `gtp:"y"`), Games: 2, Threads: 1, OpeningPlies: 1,
		MoveTime: 10 * time.Millisecond, GameTime: time.Hour, Balance: checkerOf(game),
	}
	r := mustRun(t, m)
	if r.Sides[0].Restarts+r.Sides[1].Restarts != 2 || r.Sides[0].Forfeits.Total()+r.Sides[1].Forfeits.Total() > 0 || r.Games != 2 {
		t.Errorf("%+v", r)
	}
	for _, clock := range programs.clocks {
		if clock.Move != m.MoveTime || min(clock.Left[0], clock.Left[1]) < time.Hour-time.Second || max(clock.Left[0], clock.Left[1]) > time.Hour {
			t.Errorf("clock %+v", clock)
		}
	}
	if len(programs.clocks) < 10 {
		t.Errorf("%d clocks", len(programs.clocks))
	}
}

// A clock charges the time of a side, in both seats, to that side alone.
func TestClocksCharge(t *testing.T) {
	game := quad()
	const slow = 50 * time.Millisecond
	programs := newFakes(t, func(command string, _ uint64, ply int) error {
		if command == "slow" && ply >= 0 {
			time.Sleep(slow)
		}
		return nil
	})
	m := Config{Game: game, A: programs.factory(game, `gtp:"slow"`), B: programs.factory(game, `gtp:"fast"`), Games: 2, Threads: 1, GameTime: time.Hour}
	mustRun(t, m)
	games, moves := 0, 0 // of the slow program, in this game so far
	for i, clock := range programs.clocks {
		if i == 0 || clock.ply < programs.clocks[i-1].ply {
			games, moves = games+1, 0
		}
		player := clock.player
		if clock.command == "fast" {
			player = player.Opponent()
		}
		used, other := time.Hour-clock.Left[player], time.Hour-clock.Left[player.Opponent()]
		if used < time.Duration(moves)*slow || moves >= 4 && other > used/2 {
			t.Errorf("game %d: after %d moves %v are used, %v by the other side", games, moves, used, other)
		}
		if clock.command == "slow" {
			moves++
		}
	}
	if games != 2 || moves < 4 {
		t.Errorf("%d games, %d moves in the last", games, moves)
	}
}

// The margin is for the whole game, not for each move: a program whose every move is within it loses soon.
func TestMarginOfGame(t *testing.T) {
	game := quad()
	programs := newFakes(t, func(_ string, _ uint64, ply int) error {
		if ply >= 0 {
			time.Sleep(150 * time.Millisecond)
		}
		return nil
	})
	m := Config{Game: game, A: programs.factory(game, `gtp:"x"`), B: parse(t, game, "random"), Games: 2, Threads: 1, GameTime: 100 * time.Millisecond}
	r := mustRun(t, m)
	if lost := r.Sides[0].Forfeits; !maps.Equal(lost, FaultCount{agent.Overstepped: 2}) || len(programs.clocks) > 6 {
		t.Errorf("%d moves in two games, lost %v", len(programs.clocks), lost)
	}
}

// The side that fails loses the game.
func TestForfeitsAreLost(t *testing.T) {
	game := quad()
	programs := newFakes(t, func(_ string, _ uint64, ply int) error {
		if ply >= 4 {
			return &agent.Fault{Kind: agent.Died}
		}
		return nil
	})
	for side := range 2 {
		factories := [2]*agent.Factory{programs.factory(game, `gtp:"x"`), parse(t, game, "random")}
		m := Config{Game: game, A: factories[side], B: factories[1-side], Games: 20, Threads: 1, File: filepath.Join(t.TempDir(), "match.jsonl")}
		r := mustRun(t, m)
		if lost := [2]int{r.Losses, r.Wins}[side]; lost != 20 || r.Sides[side].Forfeits.Total() != 20 || r.GoalMean != []float64{0, 100}[side] {
			t.Errorf("side %d: %+v", side, r)
		}
		data, err := os.ReadFile(m.File)
		want := []string{`"goals":[0,100],"end":"died","loser":"a"`, `"goals":[100,0],"end":"died","loser":"b"`}[side]
		if err != nil || strings.Count(string(data), want) != 20 {
			t.Errorf("side %d: %v, %s", side, err, data)
		}
	}
}

// A record of a match with a clock says so, and belongs to no other clock.
func TestClockInFile(t *testing.T) {
	m := recorded(t, 2)
	m.MoveTime, m.GameTime = 90*time.Second, time.Hour
	mustRun(t, m)
	data, err := os.ReadFile(m.File)
	if err != nil || !strings.Contains(string(data), `"move_time":"1m30s","game_time":"1h0m0s"}`) {
		t.Errorf("%s, %v", data, err)
	}
	m.GameTime = 0
	if _, err := Run(context.Background(), m); !errors.Is(err, errFile) {
		t.Errorf("another clock: error %v", err)
	}
	m.MoveTime = -1
	if m.Validate() == nil {
		t.Error("a negative time is valid")
	}
}
