package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/train/suite"
)

func TestSuiteCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	game := "breakthrough(columns=3,rows=5)"
	for _, file := range []string{"small.jsonl", "small.suite"} {
		out, _, code := ludus(t, dir, "", "suite", game, "--positions", "40", "--agent", "greedy", "--seed", "3", "--out", file)
		if code != 0 || !strings.Contains(out, file+": 40 positions of breakthrough(columns=3,rows=5,captures=true)") {
			t.Fatalf("exit %d, %s", code, out)
		}
		if _, err := os.Stat(filepath.Join(dir, file+".part")); err == nil {
			t.Errorf("%s.part is left", file)
		}
		out = run(t, dir, "", "suite", "--check", file, "alphabeta:3", "--json")
		table, line, _ := strings.Cut(out, "{")
		for _, want := range []string{"40 positions from", "no result on fewer than 100 positions", "random moves: lose value in"} {
			if !strings.Contains(table, want) {
				t.Errorf("%q is missing in\n%s", want, table)
			}
		}
		var report suite.Result
		if err := json.Unmarshal([]byte("{"+line), &report); err != nil {
			t.Fatal(err)
		}
		if report.Positions != 40 || report.Error.Value > report.RandomError || report.Error.High <= report.Error.Value || report.Agent != "alphabeta:3" {
			t.Errorf("%+v", report)
		}
	}
	if out := run(t, dir, "", "suite", "--check", "small.suite", "--json"); strings.Contains(out, `"error"`) || !strings.Contains(out, "seed 3, each solved with up to 1000000 nodes") || !strings.Contains(out, "A move loses value if") || strings.Contains(out, `"agent"`) {
		t.Errorf("without an agent the report has one:\n%s", out)
	}
	if out := run(t, dir, "", "suite", "--check", "hard", "quad-5x5"); !strings.Contains(out, "at least 50 % hard") {
		t.Errorf("the report of the shipped hard suite is\n%s", out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "small.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if first, _, _ := bytes.Cut(data, []byte("\n")); !json.Valid(first) || bytes.Count(data, []byte("\n")) != 40 {
		t.Errorf("%d lines, the first %s", bytes.Count(data, []byte("\n")), first)
	}

	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitFailure, "--force", []string{game, "--out", "small.suite"}},
		{exitFailure, "is a folder", []string{game, "--out", ".", "--force"}},
		{exitUsage, "no such game", []string{"chess", "--out", "x"}},
		{exitUsage, "bad agent", []string{game, "--agent", "none", "--out", "x"}},
		{exitUsage, "--out is missing", []string{game}},
		{exitUsage, "--positions 0: it must be from 1 to 1000000", []string{game, "--positions", "0", "--out", "x"}},
		{exitUsage, "too many", []string{game, "greedy", "--out", "x"}},
		{exitUsage, "arguments are missing", []string{"--out", "x"}},
		{exitUsage, "--agent is for generating", []string{"--check", "small.suite", "--agent", "greedy"}},
		{exitUsage, "arguments are missing", []string{"--check", "shipped"}},
		{exitFailure, "no such suite of", []string{"--check", "shipped", game}},
		{exitUsage, "arguments are missing", []string{"--check", "hard"}},
		{exitFailure, "no such suite of", []string{"--check", "hard", game}},
		{exitUsage, "--memory 0: it must be from 1 to", []string{game, "--memory", "0", "--out", "x"}},
		{exitUsage, "bad agent", []string{"--check", "small.suite", "none"}},
		{exitFailure, "no such file", []string{"--check", "missing.suite", "greedy"}},
		{exitUsage, "--positions 0", []string{"--check", "small.suite", "--positions", "0"}},
	} {
		_, errs, code := ludus(t, dir, "", append([]string{"suite"}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, %s", c.args, code, errs)
		}
	}
}

// A stopped suite prints the command that continues it.
func TestSuiteGoesOn(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	dir := t.TempDir()
	args := []string{"suite", "breakthrough(columns=4,rows=5)", "--agent", "greedy", "--positions", "100000", "--nodes", "20000", "--out", "b.suite"}
	cmd := command(dir, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, "b.suite.part")
	for range 200 {
		time.Sleep(50 * time.Millisecond)
		if data, _ := os.ReadFile(part); bytes.Count(data, []byte("\n")) > 30 {
			break
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	late.Stop()
	if code := cmd.ProcessState.ExitCode(); code != exitStopped || !strings.Contains(errs.String(), "finished games in b.suite.part are kept; continue with:") {
		t.Fatalf("exit %d, %s", code, &errs)
	}
	args[5] = "25"
	out, _, code := ludus(t, dir, "", args...)
	if code != 0 || !strings.Contains(out, "b.suite: 25 positions") {
		t.Errorf("exit %d, %s", code, out)
	}
}
