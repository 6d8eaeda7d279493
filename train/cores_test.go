package train_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ludus/train/rundir"
)

// coresTime is the environment variable with the time of each row of TestWorkerCores; without it the test is skipped.
const coresTime = "LUDUS_TEST_CORES"

// TestWorkerCores measures how games per second follow the cores of workers until the learner is the limit. A learner on
// one core learns breakthrough-6x6 from the games of three workers that get 0.1 to 1 cores together. All have network
// namespaces of their own, connected by a switch, with TLS and a token. As many games arrive as the learner uses; what the
// workers could play beyond that becomes simulations per move. A row takes the time given; the first half is not measured,
// because the number of simulations adapts. It needs Linux, root and two idle cores:
//
//	LUDUS_TEST_CORES=2m go test ./train -run WorkerCores -v -timeout 1h
func TestWorkerCores(t *testing.T) {
	text := os.Getenv(coresTime)
	if text == "" {
		t.Skip(coresTime + " is not set")
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	s := newSwitch(t)
	l := child{
		Role: "learner", Dir: filepath.Join(t.TempDir(), "run"), Host: s.address(0), Port: 4222, Game: "breakthrough-6x6", namespace: s.connect(0),
	}
	const workers = 3
	var namespaces []string
	for i := range workers {
		namespaces = append(namespaces, s.connect(1+i))
	}
	limitCPU(t, 1).add(l.start(t))
	var url []byte
	for end := time.Now().Add(30 * time.Second); len(url) == 0; time.Sleep(100 * time.Millisecond) {
		if url, err = os.ReadFile(l.urlFile()); err != nil && time.Now().After(end) {
			t.Fatal(err)
		}
	}
	t.Log("cores of the workers, games/s, positions/s, simulations per move, simulations/s, learner waiting")
	group := limitCPU(t, 0.1)
	for _, cores := range []float64{0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1} {
		group.set(cores)
		var playing []*exec.Cmd
		for _, namespace := range namespaces {
			w := child{Role: "worker", URL: string(url), namespace: namespace}.start(t)
			group.add(w)
			playing = append(playing, w)
		}
		time.Sleep(duration / 2)
		before := generationsOf(t, l.Dir)
		time.Sleep(duration / 2)
		all := generationsOf(t, l.Dir)
		for _, w := range playing {
			kill(w)
		}
		if len(before) == 0 || len(all)-len(before) < 2 {
			t.Errorf("%.1f cores: too few generations; give more time", cores)
			continue
		}
		var games, positions, simulations, waited float64
		for _, m := range all[len(before):] {
			games += float64(m.ReceivedGames)
			positions += float64(m.Positions)
			simulations += float64(m.Positions * m.WorkerSimulations)
			waited += m.PlaySeconds
		}
		seconds := all[len(all)-1].RunSeconds - before[len(before)-1].RunSeconds
		t.Logf("%.1f  %6.1f  %6.0f  %5.0f  %7.0f  %3.0f %%",
			cores, games/seconds, positions/seconds, simulations/positions, simulations/seconds, 100*waited/seconds)
	}
}

// generationsOf returns the metrics of a run so far.
func generationsOf(t *testing.T, dir string) []rundir.Metrics {
	t.Helper()
	all, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cpuGroup is a control group that limits the CPU time of its processes.
type cpuGroup struct {
	t   *testing.T
	dir string
}

// limitCPU makes a group with a number of cores that the end of the test removes. It skips the test if groups are not
// allowed.
func limitCPU(t *testing.T, cores float64) *cpuGroup {
	t.Helper()
	root := "/sys/fs/cgroup/cpu" // version 1
	if _, err := os.Stat(root); err != nil {
		root = "/sys/fs/cgroup"
		_ = os.WriteFile(filepath.Join(root, "cgroup.subtree_control"), []byte("+cpu"), 0) // may be there already
	}
	dir := filepath.Join(root, fmt.Sprintf("ludus-test-%d-%g", os.Getpid(), cores))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("no control groups here: %v", err)
	}
	g := &cpuGroup{t, dir}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Error(err)
		}
	})
	g.set(cores)
	return g
}

// set changes the number of cores.
func (g *cpuGroup) set(cores float64) {
	g.t.Helper()
	const period = 100_000 // microseconds
	quota := strconv.Itoa(int(cores * period))
	err := os.WriteFile(filepath.Join(g.dir, "cpu.cfs_quota_us"), []byte(quota), 0)
	if err != nil { // version 2
		err = os.WriteFile(filepath.Join(g.dir, "cpu.max"), []byte(quota+" "+strconv.Itoa(period)), 0)
	}
	if err != nil {
		g.t.Skipf("no limits of CPU time here: %v", err)
	}
}

// add moves a process into the group.
func (g *cpuGroup) add(cmd *exec.Cmd) {
	g.t.Helper()
	if err := os.WriteFile(filepath.Join(g.dir, "cgroup.procs"), []byte(strconv.Itoa(cmd.Process.Pid)), 0); err != nil {
		g.t.Fatal(err)
	}
}
