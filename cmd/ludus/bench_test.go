package main

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/bench"
)

func TestBenchErrors(t *testing.T) {
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{2, "did you mean quad-5x5?", "bench qaud-5x5"},
		{2, `one argument too many, "quad-7x7"`, "bench quad-5x5 quad-7x7"},
		{2, "--threads 0: it must be from 1 to 1024", "bench --threads 0"},
		{2, "unknown flag: --fast", "bench --fast"},
	} {
		fails(t, "", c.code, c.want, strings.Fields(c.args)...)
	}
}

// Ctrl-C ends the benchmark at once.
func TestBenchInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	cmd := command("", "bench", "--json")
	var out bytes.Buffer
	cmd.Stdout = &out
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	errs := bufio.NewReader(pipe)
	first, _ := errs.ReadString('\n') // from then on it measures
	interrupted := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	rest, _ := io.ReadAll(errs)
	cmd.Wait()
	if spent := time.Since(interrupted); spent > 3*time.Second || cmd.ProcessState.ExitCode() != exitStopped {
		t.Errorf("exit %d after %v", cmd.ProcessState.ExitCode(), spent)
	}
	if out.Len() > 0 || first != "measuring search\n" || !strings.HasSuffix("\n"+string(rest), "\nludus: stopped\n") {
		t.Errorf("it prints %q and %q", out.String(), first+string(rest))
	}
}

func TestWriteReport(t *testing.T) {
	var out bytes.Buffer
	writeReport(&out, &bench.Report{
		Kernels: "AVX2", Cores: 2, Seconds: 30,
		Search: []bench.Search{{Game: "quad-5x5", Moves: 1.5e7, PUCT: 2e6, UCT: 4e5, CPU: 0.33}},
		Infer:  []bench.Network{{Net: "64x5", Board: "7x7", Batch: 32, Threads: 1, Speed: 5000, CPU: 0.5}},
		Train:  []bench.Network{{Net: "64x5", Board: "7x7", Batch: 128, Threads: 2, Speed: 1900, CPU: 0.95}},
		SelfPlay: []bench.SelfPlay{{
			Game: "quad-5x5", Net: "32x3", Simulations: 16, Threads: 2, Positions: 1800, Evaluations: 27000, Batch: 30, CPU: 0.9,
		}},
	})
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"2 cores, kernels for AVX2", "*quad-5x5 15000000 2000000 400000", "*64x5 on 7x7 32 1 5000",
		" 64x5 on 7x7 128 2 1900", " quad-5x5 32x3 16 2 1800 0 27000 30", "got 33 % of the machine",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
