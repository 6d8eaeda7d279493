package train_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/train"
	"ludus/train/record"
	"ludus/train/remote"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// The fault test runs learner and workers as processes and breaks them at random moments. Then every game
// that a worker published and the server acknowledged must be in the run directory exactly once.

// faultTime is the environment variable with the duration of the fault test; 6 seconds without it.
const faultTime = "LUDUS_TEST_FAULTS"

// child says what a process that a fault test starts should be.
type child struct {
	Role  string // "learner" or "worker"
	Dir   string // the run's
	Port  int    // that a learner listens on
	URL   string // of the learner, for a worker
	Log   string // a worker's log of published games
	Alone bool   // a learner that plays, too
}

func init() { train.Child = runChild }

// faultOptions is a run that fault tests never finish.
func faultOptions(dir string) train.Options {
	game, err := games.New("quad(size=4,quads=4,whites=1)")
	if err != nil {
		panic(err)
	}
	return train.Options{
		Dir: dir, Game: game, Generations: 90_000, Threads: 1,
		Settings: map[string]float64{"parallel_games": 16, "plies_per_generation": 20, "simulations": 16, "channels": 4, "blocks": 1,
			"batch_size": 64, "samples_per_position": 1, "replay_window": 2000, "solver_nodes": 300, "rating_share": 0, "keep_every": 0},
	}
}

// runChild is the process that text describes.
func runChild(text string) error {
	var c child
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	notify := func(text string) { fmt.Fprintln(os.Stderr, c.Role+":", text) }
	if c.Role == "learner" {
		o := faultOptions(c.Dir)
		o.LearnOnly = !c.Alone
		o.Workers = func(ctx context.Context, id string) (train.Workers, error) {
			server, err := remote.StartServer(net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)), c.Dir, false, notify)
			if err != nil {
				return nil, err
			}
			return remote.NewHub(ctx, server, id, notify)
		}
		_, err := train.Train(context.Background(), o)
		return err
	}
	w, err := remote.NewWorker(context.Background(), remote.WorkerOptions{URL: c.URL, Name: filepath.Base(c.Log), Notify: notify})
	if err != nil {
		return err
	}
	log, err := os.OpenFile(c.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	return selfplay.Play(context.Background(), &loggingLearner{w, log}, 1, func(selfplay.Played) {})
}

// loggingLearner logs games before they are published and after they were acknowledged.
type loggingLearner struct {
	*remote.Worker
	log io.Writer
}

func (l *loggingLearner) PublishGames(ctx context.Context, b *record.Message) error {
	var sums bytes.Buffer
	for _, sum := range train.GameSums(b) {
		fmt.Fprintln(&sums, "published", sum)
	}
	text := sums.String()
	if _, err := io.WriteString(l.log, text); err != nil {
		return err
	}
	if err := l.Worker.PublishGames(ctx, b); err != nil {
		return err
	}
	if err := l.Flush(ctx); err != nil {
		return err
	}
	_, err := io.WriteString(l.log, strings.ReplaceAll(text, "published", "acknowledged"))
	return err
}

// start starts a process that the end of the test kills.
func (c child) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), train.ChildVariable+"="+string(text))
	if c.Role == "worker" && runtime.GOOS == "linux" { // it needs no files
		cmd.Dir = "/proc" // where nobody can write
		cmd.Env = append(cmd.Env, "TMPDIR="+cmd.Dir, "HOME="+cmd.Dir)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill(cmd)
		if t.Failed() {
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			t.Logf("%s %s: %s", c.Role, c.Log, strings.Join(lines[max(0, len(lines)-5):], "\n"))
		}
	})
	return cmd
}

// kill kills a process as kill -9 does.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// network forwards connections to a server. It can be cut and delayed.
type network struct {
	listener net.Listener
	to       string
	delay    atomic.Int64 // of each piece of data in each direction
	mu       sync.Mutex
	cut      bool
	open     []net.Conn
}

func newNetwork(t *testing.T, port int) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{listener: l, to: "127.0.0.1:" + strconv.Itoa(port)}
	t.Cleanup(func() {
		l.Close()
		n.set(true)
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go n.forward(client)
		}
	}()
	return n
}

func (n *network) address() string { return n.listener.Addr().String() }

// forward forwards one connection until it is closed. While the network is cut, data stays where it is.
func (n *network) forward(client net.Conn) {
	defer client.Close()
	to, err := net.Dial("tcp", n.to)
	if err != nil {
		return
	}
	defer to.Close()
	n.mu.Lock()
	n.open = append(n.open, client, to)
	n.mu.Unlock()
	var joined sync.WaitGroup
	for _, pair := range [][2]net.Conn{{client, to}, {to, client}} {
		joined.Go(func() {
			defer pair[1].Close()
			defer pair[0].Close()
			buffer := make([]byte, 64<<10)
			for {
				size, err := pair[0].Read(buffer)
				if err != nil {
					return
				}
				time.Sleep(time.Duration(n.delay.Load()))
				n.mu.Lock()
				cut := n.cut
				n.mu.Unlock()
				if cut { // what was sent never arrives
					return
				}
				if _, err := pair[1].Write(buffer[:size]); err != nil {
					return
				}
			}
		})
	}
	joined.Wait()
}

// set cuts or heals the network. A cut closes half of the connections; the others go silent.
func (n *network) set(cut bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cut = cut
	for i, c := range n.open {
		if i%4 < 2 {
			c.Close()
		}
	}
	n.open = nil
}

// faults cut and delay the network.
func (n *network) faults() map[string]func(pause func()) {
	return map[string]func(pause func()){
		"network cut": func(pause func()) {
			n.set(true)
			pause()
			n.set(false)
		},
		"network delayed by 200 ms": func(pause func()) {
			n.delay.Store(int64(100 * time.Millisecond)) // each way
			pause()
			n.delay.Store(0)
		},
	}
}

// faultDuration is how long a fault test breaks things.
func faultDuration(t *testing.T) time.Duration {
	if runtime.GOOS == "windows" {
		t.Skip("not tested on Windows")
	}
	text := os.Getenv(faultTime)
	if text == "" {
		if testing.Short() {
			t.Skip("short mode")
		}
		return 6 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestFaults kills workers and the learner with its server, and cuts and delays the network.
func TestFaults(t *testing.T) {
	duration, dir := faultDuration(t), t.TempDir()
	port := freePort(t)
	net := newNetwork(t, port)
	c := &chaos{t: t, learner: child{Role: "learner", Dir: filepath.Join(dir, "run"), Port: port}, faults: net.faults()}
	for i := range 3 {
		c.workers = append(c.workers, child{Role: "worker", URL: "nats://" + net.address(), Log: filepath.Join(dir, fmt.Sprint("worker", i))})
	}
	c.test(duration)
}

// chaos is a fault test.
type chaos struct {
	t       *testing.T
	learner child
	workers []child
	faults  map[string]func(pause func()) // by name: break something, pause, repair it
}

// test breaks things for the given time, lets the learner take what is left, and compares games. In the second half of the
// time it does not kill the learner, whose memory must stay flat.
func (c *chaos) test(duration time.Duration) {
	t := c.t
	learner := c.startLearner()
	var workers []*exec.Cmd
	for i := range c.workers {
		workers = append(workers, c.workers[i].start(t))
	}
	c.await("games arrive", func() bool { return len(c.acknowledged()) > 100 })
	rng := rand.New(rand.NewPCG(1, 1))
	pause := func() { time.Sleep(time.Duration(1+rng.IntN(2000)) * time.Millisecond) }
	names := []string{"worker killed", "learner killed"}
	for name := range c.faults {
		names = append(names, name)
	}
	slices.Sort(names)
	count := map[string]int{}
	inject := func(names []string, duration time.Duration, after func()) {
		for i, end := 0, time.Now().Add(duration); i < len(names) || time.Now().Before(end); i++ {
			pause()
			name := names[i%len(names)] // each in turn, at random moments
			count[name]++
			switch name {
			case "worker killed":
				w := rng.IntN(len(workers))
				kill(workers[w])
				pause()
				workers[w] = c.workers[w].start(t)
			case "learner killed":
				kill(learner)
				pause()
				learner = c.startLearner()
			default:
				c.faults[name](pause)
			}
			after()
		}
	}
	inject(names, duration/2, func() {})
	var memory []float64 // of the learner, in MB
	names = slices.DeleteFunc(names, func(name string) bool { return name == "learner killed" })
	inject(names, duration/2, func() { memory = append(memory, float64(c.resident(learner))/1e6) })
	before := len(c.acknowledged())
	c.await("games arrive after the faults", func() bool { return len(c.acknowledged()) > before+100 })
	t.Logf("faults %v", count)
	c.checkMemory(memory)
	for _, w := range workers {
		kill(w)
	}
	kill(learner)
	c.learner.Alone = true // completes the last generation
	restarted, generations := time.Now().Unix(), train.CommittedGenerations(t, c.learner.Dir)
	learner = c.startLearner()
	c.await("the learner takes all games", func() bool {
		s, err := rundir.ReadWorkers(c.learner.Dir)
		return err == nil && s.Time > restarted && s.Queued == 0
	})
	kill(learner)
	c.compare(generations)
}

// checkMemory checks that memory does not grow: over the second half of the times, by a fifth at most. In the first half the
// process was young. Short tests do not count.
func (c *chaos) checkMemory(memory []float64) {
	const parts = 6
	var means []float64
	for part := range slices.Chunk(memory, max(1, len(memory)/parts)) {
		sum := 0.0
		for _, m := range part {
			sum += m
		}
		means = append(means, sum/float64(len(part)))
	}
	if len(memory) < 10*parts {
		return
	}
	c.t.Logf("memory of the learner in MB while it is not killed, means of %d parts of the time: %.0f", parts, means[:parts])
	if means[parts-1] > 1.2*means[parts/2] {
		c.t.Errorf("the memory of the learner grows: %.0f MB", memory)
	}
}

func (c *chaos) startLearner() *exec.Cmd { return c.learner.start(c.t) }

// await waits until done.
func (c *chaos) await(what string, done func() bool) {
	c.t.Helper()
	for end := time.Now().Add(5 * time.Minute); !done(); time.Sleep(300 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("in vain: %s", what)
		}
	}
}

// acknowledged returns the sums of the games whose acknowledgement a worker has logged.
func (c *chaos) acknowledged() []string { return c.logged("acknowledged ") }

func (c *chaos) logged(prefix string) (sums []string) {
	for _, w := range c.workers {
		file, err := os.Open(w.Log)
		if err != nil {
			continue // not started
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			if sum, ok := strings.CutPrefix(lines.Text(), prefix); ok && len(sum) == train.SumLength {
				sums = append(sums, sum)
			}
		}
	}
	return sums
}

// compare compares the games in the run directory with those that workers published. A worker may have been killed between
// the acknowledgement and its line in the log: so some games are in the run though no line says that they must be. Games
// that nobody published may only be in generations after the given number, when the learner played, too.
func (c *chaos) compare(generations int) {
	t := c.t
	counts := func(sums []string) map[string]int {
		m := map[string]int{}
		for _, s := range sums {
			m[s]++
		}
		return m
	}
	acknowledged, published := counts(c.acknowledged()), counts(c.logged("published "))
	own, all := 0, 0
	inRun := map[string]int{}
	for g, sums := range train.RunSums(t, faultOptions("").Game, c.learner.Dir) {
		for _, sum := range sums {
			inRun[sum]++
			switch {
			case published[sum] > 0:
			case g < generations:
				t.Errorf("generation %d has game %s, which nobody published", 1+g, sum)
			default:
				own++
			}
		}
	}
	for sum, n := range acknowledged {
		all += n
		if inRun[sum] < n {
			t.Errorf("game %s was acknowledged %d times and is %d times in the run", sum, n, inRun[sum])
		}
	}
	for sum, n := range inRun {
		if m := published[sum]; m > 0 && n > m {
			t.Errorf("game %s was published %d times and is %d times in the run", sum, m, n)
		}
	}
	t.Logf("%d games acknowledged, each is in the run once; %d games of the learner", all, own)
}

// resident returns the memory of a process in bytes; 0 if it is not known.
func (c *chaos) resident(cmd *exec.Cmd) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}
