//go:build unix

package program

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/program/fake"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the transcripts in testdata")

// ownerWord is the first argument of a test binary that starts the program of a spec, its second one, and waits.
const ownerWord = "owner"

func TestMain(m *testing.M) {
	Main()
	fake.Main()
	if len(os.Args) == 3 && os.Args[1] == ownerWord {
		p, err := newAgent("tic-tac-toe", os.Args[2])
		if err == nil {
			err = p.Start(context.Background())
		}
		fmt.Println(err)
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// newAgent returns the agent of a spec.
func newAgent(name, text string) (*program, error) {
	game, err := games.New(name)
	if err != nil {
		return nil, err
	}
	spec, err := agent.Parse(text)
	if err != nil {
		return nil, err
	}
	p, err := Start(game, spec)
	if err != nil {
		return nil, err
	}
	p.Reset(1)
	return p.(*program), nil
}

// testAgent is newAgent for a test, at whose end no process and no goroutine of the agent may be left.
func testAgent(t *testing.T, name, text string) *program {
	t.Helper()
	before := runtime.NumGoroutine()
	p, err := newAgent(name, text)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	p.trace = func(string, string) {
		if pid := p.process.cmd.Process.Pid; !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		for _, pid := range pids {
			gone(t, pid)
		}
		for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
	return p
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); running(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// running reports whether a process exists. Zombies whose parents are gone do not count.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !(strings.HasPrefix(after, "Z") && !strings.HasPrefix(after, fmt.Sprintf("Z %d ", os.Getpid())))
}

// fakeSpec returns the spec of a fake engine.
func fakeSpec(kind agent.Kind, game, options string, args ...string) string {
	text := fmt.Sprintf("%s:%q", kind, fake.Command(kind, game, args...))
	if options != "" {
		text += "," + options
	}
	return text
}

// playGame plays a game in which an agent has one seat, or both if seat is 2, and other moves depend on n. It stops at
// the first error.
func playGame(ctx context.Context, p *program, seat env.Player, n int) (env.State, error) {
	p.Reset(1)
	state := p.game.NewState()
	for i := 0; !state.Done(); i++ {
		legal := state.Legal(nil)
		a := legal[(n*31+i*17)%len(legal)]
		if state.Player() == seat || seat == 2 {
			var err error
			a, err = p.Choose(ctx, state)
			if err != nil {
				return state, err
			}
			if !slices.Contains(legal, a) {
				return state, fmt.Errorf("illegal move %d", a)
			}
		}
		state.Apply(a)
		p.Observe(a)
	}
	return state, nil
}

// protocols are kinds of programs with a game for each.
var protocols = []struct {
	kind agent.Kind
	game string
}{{agent.GTP, "hex-5x5"}, {agent.Gomocup, "gomoku-9x9"}, {agent.NBoard, "othello"}}

// TestGames plays whole games by each protocol, one after another with one process.
func TestGames(t *testing.T) {
	for _, c := range slices.Concat(protocols, []struct {
		kind agent.Kind
		game string
	}{
		{agent.GTP, "othello-6x6"}, {agent.GTP, "connect-four"}, {agent.GTP, "breakthrough-6x6"}, {agent.GTP, "quad-5x5"},
		{agent.GTP, "golden-rectangle"}, {agent.GTP, "tic-tac-toe"},
		{agent.Gomocup, "line-up(width=7,height=9,line=5,gravity=0)"},
	}) {
		t.Run(string(c.kind)+" "+c.game, func(t *testing.T) {
			p := testAgent(t, c.game, fakeSpec(c.kind, c.game, ""))
			first := 0
			for n := range 6 {
				_, err := playGame(context.Background(), p, env.Player(n%3), n)
				if err != nil {
					t.Fatal(err)
				}
				if pid := p.process.cmd.Process.Pid; n == 0 {
					first = pid
				} else if pid != first {
					t.Error("it was started again")
				}
			}
		})
	}
}

// TestGomocupRule expects the rule of the game in what brains of Gomocup are told.
func TestGomocupRule(t *testing.T) {
	for name, want := range map[string]string{"gomoku-15x15": "INFO rule 0", "gomoku-15x15-standard": "INFO rule 1"} {
		p := testAgent(t, name, fakeSpec(agent.Gomocup, name, ""))
		track := p.trace
		var told []string
		p.trace = func(prefix, line string) {
			track(prefix, line)
			if strings.HasPrefix(line, "INFO rule") {
				told = append(told, line)
			}
		}
		_, err := playGame(context.Background(), p, env.First, 1)
		if err != nil || !slices.Equal(told, []string{want}) {
			t.Errorf("%s: the program was told %q, want %q; %v", name, told, want, err)
		}
	}
}

// TestFaults lets engines of each protocol do everything wrong.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		fault, options string
		want           agent.FaultKind // "": none
		restarts       int
		detail         string
	}{
		{fake.Die, "", agent.Died, 1, "exit status 3; its last error output: \"segmentation fault"},
		{fake.Hang, "time=50ms", agent.Overstepped, 0, "no move after 250ms"},
		{fake.Flood, "", agent.Flooded, 0, ""},
		{fake.Illegal, "", agent.Illegal, 0, "legal moves"},
		{fake.Malformed, "", agent.Illegal, 0, "legal moves"},
		{fake.Noise, "", "", 0, ""},
		{fake.Parent, "", "", 0, ""},
		{fake.Slow, "", "", 0, ""},
		{fake.Slow, "start=100ms", agent.NoStart, 0, "no reply after 100ms"},
		{fake.Never, "start=50ms", agent.NoStart, 0, "no reply after 50ms"},
		{fake.Exit, "", agent.NoStart, 0, "exit status 7; its last error output: \"cannot find my book\""},
		{fake.Greed, "memory=700", agent.Died, 1, "exit status"},
	} {
		for _, protocol := range protocols {
			t.Run(fmt.Sprintf("%s %s %s", protocol.kind, c.fault, c.options), func(t *testing.T) {
				t.Parallel()
				if c.fault == fake.Greed && !canLimitMemory {
					t.Skip("this system has no limits of memory")
				}
				p, err := newAgent(protocol.game, fakeSpec(protocol.kind, protocol.game, c.options, c.fault, "at=4"))
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				for range 2 { // the second game begins with a fresh process
					_, err = playGame(context.Background(), p, env.First, 1)
					var fault *agent.Fault
					switch {
					case c.want == "" && err != nil:
						t.Fatal(err)
					case c.want == "":
					case !errors.As(err, &fault) || fault.Kind != c.want || !strings.Contains(fault.Detail, c.detail):
						t.Fatalf("%v; want %q, %q", err, c.want, c.detail)
					case len(p.moves) < 4 && c.want != agent.NoStart:
						t.Errorf("after %d plies", len(p.moves))
					case p.process != nil:
						t.Error("the process was not ended")
					case fault.Void() != (c.want == agent.NoStart):
						t.Error("void", fault.Void())
					}
					if p.Restarts() != c.restarts {
						t.Errorf("%d restarts, want %d", p.Restarts(), c.restarts)
					}
					if c.want == "" {
						continue
					}
					if _, again := p.Choose(context.Background(), p.state); again != err {
						t.Errorf("after the fault: %v", again)
					}
				}
			})
		}
	}
}

// TestChatter has programs that write although they are not asked.
func TestChatter(t *testing.T) {
	for _, protocol := range protocols {
		p := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "", fake.Chatter))
		a, err := p.Choose(context.Background(), p.state)
		if err != nil {
			t.Fatal(err)
		}
		p.Observe(a)
		p.Observe(p.state.Legal(nil)[0])
		time.Sleep(100 * time.Millisecond)
		_, err = p.Choose(context.Background(), p.state)
		if fault := (*agent.Fault)(nil); !errors.As(err, &fault) || fault.Kind != agent.Flooded {
			t.Errorf("%s: %v", protocol.kind, err)
		}
	}
}

// TestSwap plays games of Hex with a swap by either side, with both of its meanings. A misunderstanding would soon lead
// to an illegal move.
func TestSwap(t *testing.T) {
	for _, options := range []string{"", "swap=stone", "swap=colours"} {
		p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", options))
		track := p.trace
		var sent []string
		p.trace = func(prefix, line string) {
			track(prefix, line)
			if strings.HasPrefix(line, "play") || strings.HasPrefix(line, "genmove") {
				sent = append(sent, line)
			}
		}
		for n := range 8 {
			p.Reset(1)
			for !p.state.Done() {
				legal := p.state.Legal(nil)
				a := legal[len(legal)*n/8]
				if last := legal[len(legal)-1]; p.game.ActionNames[last] == "swap" {
					a = last
				} else if p.state.Player() == env.Player(n%2) {
					var err error
					a, err = p.Choose(context.Background(), p.state)
					if err != nil {
						t.Fatalf("%s, game %d: %v", options, n, err)
					}
				}
				p.Observe(a)
			}
		}
		want := "genmove w"
		if options == "swap=stone" {
			want = "genmove b"
		}
		if i := slices.Index(sent, "play w swap-pieces"); i < 0 || sent[i+1] != want {
			t.Errorf("%s: sent %q", options, sent)
		}
	}
}

// TestRefusals has errors in response to a legal move.
func TestRefusals(t *testing.T) {
	for kind, want := range map[agent.Kind]agent.FaultKind{agent.GTP: agent.Refused, agent.Gomocup: agent.Illegal, agent.NBoard: agent.Illegal} {
		i := slices.IndexFunc(protocols, func(p struct {
			kind agent.Kind
			game string
		}) bool {
			return p.kind == kind
		})
		p := testAgent(t, protocols[i].game, fakeSpec(kind, protocols[i].game, "", fake.Refuse, "at=3"))
		_, err := playGame(context.Background(), p, env.Second, 1)
		if fault := (*agent.Fault)(nil); !errors.As(err, &fault) || fault.Kind != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestResign keeps the process of a program that resigns.
func TestResign(t *testing.T) {
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", "", fake.Resign, "at=6"))
	for n := range 3 {
		_, err := playGame(context.Background(), p, env.Player(n%2), n)
		if !errors.Is(err, agent.ErrResigned) || p.process == nil {
			t.Fatal(err)
		}
	}
}

// TestDiesOnce starts a program again and plays the moves anew.
func TestDiesOnce(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(string(protocol.kind), func(t *testing.T) {
			steady := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "", "seed=3"))
			defer steady.Close()
			p := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "", "seed=3", fake.DieOnce, "share=60"))
			once := 0
			for n := range 12 {
				state, err := playGame(context.Background(), steady, env.Second, n)
				if err != nil {
					t.Fatal(err)
				}
				again, err := playGame(context.Background(), p, env.Second, n)
				if err != nil && p.Restarts() != 1 || err == nil && again.Key() != state.Key() {
					t.Errorf("%v, %d restarts, or the game is another one", err, p.Restarts())
				}
				if err == nil {
					once += p.Restarts()
				}
			}
			if once == 0 {
				t.Error("no game goes on after a restart")
			}
		})
	}
}

// TestNoStart gives up after three failures.
func TestNoStart(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	p := testAgent(t, "tic-tac-toe", fakeSpec(agent.GTP, "tic-tac-toe", "", fake.Parent, "log="+log, fake.Exit))
	var err error
	for range 5 {
		p.Reset(1)
		err = p.Start(context.Background())
		if fault := (*agent.Fault)(nil); !errors.As(err, &fault) || fault.Kind != agent.NoStart {
			t.Fatal(err)
		}
	}
	if !strings.Contains(err.Error(), "after 3 failed starts it is not started again; the last one: exit status 7") {
		t.Error(err)
	}
	if pids := readPids(t, log); len(pids) != 3 {
		t.Errorf("it was started %d times", len(pids))
	} else {
		for _, pid := range pids {
			gone(t, pid)
		}
	}
}

// readPids returns the processes that engines with children have logged.
func readPids(t *testing.T, log string) (pids []int) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// TestWrongPrograms expects errors before anything starts.
func TestWrongPrograms(t *testing.T) {
	for _, c := range []struct{ game, spec, want string }{
		{"othello", `gtp:"/no/such/program"`, "no such file"},
		{"othello", `gtp:"no-such-program-here"`, "not found"},
		{"othello", `gtp:"./engine",dir=/no/such/folder`, "dir=/no/such/folder is no folder"},
		{"othello", `gomocup:"true"`, "gomocup: programs play gomoku"},
		{"connect-four", `gomocup:"true"`, "gomocup: programs play gomoku, also on other boards, such as gomoku-9x9,"},
		{"line-up(width=9,height=9,line=5,gravity=0,swap=1)", `gomocup:"true"`, "no word for a swap"},
		{"othello-6x6", `nboard:"true"`, "nboard: programs play othello"},
		{"othello", `nboard:"true",pass=PASS`, "for gtp: only"},
		{"othello", `gtp:"true",swap=stone`, "swap= is for games of Hex"},
		{"breakthrough-6x6", `gtp:"true",rows=top`, "written as in ludus"},
	} {
		_, err := newAgent(c.game, c.spec)
		if !errors.Is(err, agent.ErrProgram) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v; want %q", c.game, c.spec, err, c.want)
		}
	}
}

// TestClose ends programs that do not want to, and their children.
func TestClose(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(string(protocol.kind), func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			p := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "", fake.Stubborn, fake.Parent, "log="+log))
			for range 2 { // it can be used again
				_, err := playGame(context.Background(), p, env.First, 1)
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				p.Close()
				if took := time.Since(start); took > 3*grace {
					t.Errorf("closing took %v", took)
				}
			}
			for _, pid := range readPids(t, log) {
				gone(t, pid)
			}
		})
	}
}

// TestKilledOwner kills a process that has started a program. The program and its children end.
func TestKilledOwner(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	log := filepath.Join(t.TempDir(), "log")
	owner := exec.Command(os.Args[0], ownerWord, fakeSpec(agent.GTP, "tic-tac-toe", "", fake.Stubborn, fake.Parent, "log="+log))
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if line != "<nil>\n" || err != nil {
		t.Errorf("the program: %s, %v", line, err)
	}
	pids := append(readPids(t, log), childrenOf(owner.Process.Pid)...) // the grandchild, the program and the guard
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	owner.Wait()
	if len(pids) != 3 {
		t.Errorf("%d processes, want 3", len(pids))
	}
	for _, pid := range pids {
		gone(t, pid)
	}
}

// childrenOf returns the children of a process.
func childrenOf(parent int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(stat), ") ")
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestCancel interrupts a program that thinks, and plays on.
func TestCancel(t *testing.T) {
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", "", fake.Hang, "share=400"))
	state := p.game.NewState()
	cancelled := 0
	for n := 0; n < 12; n++ {
		if err := p.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		a, err := p.Choose(ctx, state)
		cancel()
		if err != nil {
			cancelled++
			a = state.Legal(nil)[0]
			if !errors.Is(err, context.DeadlineExceeded) || p.process != nil {
				t.Fatal(err)
			}
		}
		state.Apply(a)
		p.Observe(a)
	}
	if cancelled == 0 || cancelled == 12 || p.Restarts() > 0 {
		t.Errorf("%d cancelled, %d restarts", cancelled, p.Restarts())
	}
}

// TestCancelledStart begins a game after the context has ended. No other process is started.
func TestCancelledStart(t *testing.T) {
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", ""))
	if err := p.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p.trace = func(string, string) { t.Error("another process was started") }
	p.Reset(2)
	err := p.Start(ctx)
	if !errors.Is(err, context.Canceled) || p.process != nil {
		t.Error(err)
	}
}

// TestCancelledSend cancels a line to a program that reads nothing.
func TestCancelledSend(t *testing.T) {
	p, err := startProcess([]string{"sleep", "10"}, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close("")
	ctx, cancel := context.WithCancel(context.Background())
	start := time.Now()
	time.AfterFunc(50*time.Millisecond, cancel)
	err = p.send(ctx, strings.Repeat("x", 1<<20))
	if !errors.Is(err, context.Canceled) || time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestLongResponse collects a response of many lines in a buffer that grows by doubling.
func TestLongResponse(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := response{}
	r.add("=")
	for range 20_000 {
		r.add("x")
	}
	runtime.ReadMemStats(&after)
	if !r.add("") || r.text.Len() != 40_000 || after.TotalAlloc-before.TotalAlloc > 4<<20 {
		t.Errorf("%d bytes, %d allocated", r.text.Len(), after.TotalAlloc-before.TotalAlloc)
	}
}

// TestGuard has a guard kill the groups that have not ended. A program's group ends with it.
func TestGuard(t *testing.T) {
	var told bytes.Buffer
	guards.mutex.Lock()
	input := guards.input
	guards.input = &told
	guards.mutex.Unlock()
	defer func() { guards.input = input }()
	var sleepers [2]*exec.Cmd
	for i := range sleepers {
		sleepers[i] = exec.Command("sleep", "60")
		inOwnGroup(sleepers[i])
		if err := sleepers[i].Start(); err != nil {
			t.Fatal(err)
		}
		guards.add(sleepers[i].Process.Pid)
	}
	ended, left := sleepers[0], sleepers[1]
	guards.remove(ended.Process.Pid)
	p, err := startProcess([]string{"true"}, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	<-p.ended
	p.close("")
	want := fmt.Sprintf("+%d\n+%d\n-%[1]d\n+%[3]d\n-%[3]d\n", ended.Process.Pid, left.Process.Pid, p.cmd.Process.Pid)
	if told.String() != want {
		t.Errorf("told %q, want %q", told.String(), want)
	}
	runGuard(&told)
	ended.Process.Signal(syscall.SIGTERM)
	if left.Wait().Error() != "signal: killed" || ended.Wait().Error() != "signal: terminated" {
		t.Errorf("the group that is left: %v; the other one: %v", left.ProcessState, ended.ProcessState)
	}
}

// TestLost asks for moves in positions that the agent has not observed.
func TestLost(t *testing.T) {
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", ""))
	state := p.game.NewState()
	state.Apply(3)
	_, err := p.Choose(context.Background(), state)
	if fault := (*agent.Fault)(nil); !errors.As(err, &fault) || fault.Kind != agent.Lost || !fault.Void() {
		t.Error(err)
	}
	p.Observe(3)
	if _, err = p.Choose(context.Background(), state); err != nil {
		t.Error(err)
	}
}

// TestOtherMoves observes other moves than the program has played, and analyses. The program still knows the position.
func TestOtherMoves(t *testing.T) {
	for _, protocol := range protocols {
		p := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "", "seed=4"))
		state := p.game.NewState()
		for !state.Done() {
			analysis, err := p.Analyze(context.Background(), state, 0)
			if err != nil {
				t.Fatal(err)
			}
			a, err := p.Choose(context.Background(), state)
			if err != nil || a != analysis.Moves[0].Action || analysis.Value != nil {
				t.Fatalf("%s: %v, %v; analysis %+v", protocol.kind, a, err, analysis)
			}
			legal := state.Legal(nil)
			a = legal[len(legal)/2]
			state.Apply(a)
			p.Observe(a)
		}
	}
}

// TestClock tells programs their time.
func TestClock(t *testing.T) {
	for _, c := range []struct {
		options string
		clock   agent.Clock
		want    string // of GTP
	}{
		{"", agent.Clock{}, ""},
		{"time=1500ms", agent.Clock{}, "time_settings 0 1 1"},
		{"time=2s", agent.Clock{Move: 400 * time.Millisecond}, "time_settings 0 0.4 1"},
		{"", agent.Clock{Move: time.Second}, "time_settings 0 1 1"},
		{"", agent.Clock{Left: [2]time.Duration{90 * time.Second, 80 * time.Second}},
			"time_settings 90 0 0|time_left b 90 0|time_left w 80 0"},
		{"time=5s", agent.Clock{Left: [2]time.Duration{1500 * time.Millisecond, 80 * time.Second}}, "time_settings 0 1 1"},
		{"", agent.Clock{Move: 250*time.Millisecond + 1}, "time_settings 0 0.25 1"},
		{"", agent.Clock{Move: time.Second, Left: [2]time.Duration{90 * time.Second, time.Second}}, "time_settings 0 1 1"},
	} {
		p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", c.options))
		track := p.trace
		var sent []string
		p.trace = func(prefix, line string) {
			track(prefix, line)
			if prefix == ">" && strings.HasPrefix(line, "time") {
				sent = append(sent, line)
			}
		}
		if _, err := p.ChooseOnClock(context.Background(), p.state, c.clock); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(sent, "|"); got != c.want {
			t.Errorf("%s, %v: sent %q, want %q", c.options, c.clock, got, c.want)
		}
	}
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", "time=10s", fake.Hang))
	start := time.Now()
	_, err := p.ChooseOnClock(context.Background(), p.state, agent.Clock{Move: 9 * time.Second, Left: [2]time.Duration{time.Millisecond, time.Hour}})
	if fault := (*agent.Fault)(nil); !errors.As(err, &fault) || fault.Kind != agent.Overstepped || time.Since(start) > 5*time.Second ||
		!strings.HasPrefix(fault.Detail, "no move in the 1ms left of its time") {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestRestartOffTheClock expects that only the choice after a restart is on the clock.
func TestRestartOffTheClock(t *testing.T) {
	const wait = 400 * time.Millisecond // before each choice
	var took time.Duration              // by the last one
	p := testAgent(t, "hex-5x5", fakeSpec(agent.GTP, "hex-5x5", "", fake.DieOnce))
	track := p.trace
	p.trace = func(prefix, line string) {
		track(prefix, line)
		if prefix == ">" && strings.HasPrefix(line, "genmove") {
			time.Sleep(wait)
		}
	}
	for p.Restarts() == 0 && len(p.moves) < 10 {
		start, starting := time.Now(), p.Starting()
		a, err := p.Choose(context.Background(), p.state)
		if err != nil {
			t.Fatal(err)
		}
		took = time.Since(start) - (p.Starting() - starting)
		p.Observe(a)
		p.Observe(p.state.Legal(nil)[0])
	}
	if p.Restarts() != 1 || took < wait || took > wait*7/4 {
		t.Errorf("%d restarts, %v on the clock", p.Restarts(), took)
	}
}

// TestTranscripts compares sessions with those in testdata: lines sent begin with >, lines received with <.
func TestTranscripts(t *testing.T) {
	for _, protocol := range protocols {
		init := map[agent.Kind]string{agent.GTP: "komi 0", agent.Gomocup: "INFO game_type 1", agent.NBoard: "set depth 8"}[protocol.kind]
		text := fmt.Sprintf("# %s\n", protocol.game)
		p := testAgent(t, protocol.game, fakeSpec(protocol.kind, protocol.game, "time=2s,init="+init, "seed=1"))
		track := p.trace
		p.trace = func(prefix, line string) {
			track(prefix, line)
			if line == "status" { // comes after the move, sooner or later
				return
			}
			text += strings.TrimRight(prefix+" "+line, " ") + "\n"
		}
		state := p.game.NewState()
		play := func(a env.Action, err error) {
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(a)
			p.Observe(a)
		}
		note := func(what string) { text += "# " + what + "\n" }
		note("the program moves first")
		play(p.Choose(context.Background(), state))
		play(state.Legal(nil)[1], nil)
		play(p.Choose(context.Background(), state))
		play(state.Legal(nil)[2], nil)
		note("an analysis")
		if _, err := p.Analyze(context.Background(), state, 0); err != nil {
			t.Fatal(err)
		}
		note("another move than the program's, and a move of the other side")
		play(state.Legal(nil)[0], nil)
		play(state.Legal(nil)[0], nil)
		play(p.Choose(context.Background(), state))
		note("the next game, on a clock for the whole game; the program moves second")
		p.spec.Time = 0
		state = p.game.NewState()
		p.Reset(2)
		play(state.Legal(nil)[3], nil)
		play(p.ChooseOnClock(context.Background(), state, agent.Clock{Left: [2]time.Duration{time.Minute, 50 * time.Second}}))
		p.Close()
		text = regexp.MustCompile(`(?m)//\d+\.\d\d$`).ReplaceAllString(text, "//0.00") // seconds
		path := filepath.Join("testdata", string(protocol.kind)+".txt")
		if *rewrite {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || text != string(want) {
			t.Errorf("%v; the session of %s is now (-rewrite accepts it):\n%s", err, path, text)
		}
	}
}

// TestRhino plays a match of levels against GRhino, which knows neither passes nor other sizes of the board.
func TestRhino(t *testing.T) {
	path, err := exec.LookPath("gtp-rhino")
	if err != nil {
		path = "/usr/games/gtp-rhino"
		if _, err = os.Stat(path); err != nil {
			t.Skip("gtp-rhino is not installed (Debian's package grhino)")
		}
	}
	p := testAgent(t, "othello", fmt.Sprintf(`gtp:"%s -l 2",deterministic=yes`, path))
	passes := 0
	for n := range 20 {
		state, err := playGame(context.Background(), p, env.Player(n%3), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.moves {
			if p.game.ActionNames[a] == "pass" {
				passes++
			}
		}
		if lead := state.Goals()[n%3%2] - state.Goals()[1-n%3%2]; n%3 < 2 && lead < 0 {
			t.Errorf("game %d: it loses to moves at random", n)
		}
	}
	if passes == 0 {
		t.Error("no game has a pass")
	}
	small := testAgent(t, "othello-6x6", fmt.Sprintf(`gtp:"%s"`, path))
	if fault := (*agent.Fault)(nil); !errors.As(small.Start(context.Background()), &fault) || fault.Kind != agent.NoStart {
		t.Errorf("it plays on 6x6 (%v)", fault)
	}
}
