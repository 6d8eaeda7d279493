package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// served starts a server in dir and returns its process, its address and its stderr.
func served(t *testing.T, dir string, environment []string, args ...string) (cmd *exec.Cmd, address string, errs *bytes.Buffer) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	cmd = command(dir, append([]string{"serve"}, args...)...)
	errs = &bytes.Buffer{}
	cmd.Stderr, cmd.Env = errs, append(cmd.Env, environment...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	t.Cleanup(func() { late.Stop() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		cmd.Wait()
		t.Fatalf("prints %q, error %v, %s", line, err, errs)
	}
	return cmd, strings.TrimSpace(line), errs
}

// endServed ends a server with Ctrl-C.
func endServed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitStopped {
		t.Errorf("exit %d", code)
	}
}

// The server prints its address, plays with a run, and ends with Ctrl-C; a second one on its port suggests another port.
func TestServe(t *testing.T) {
	cmd, address, errs := served(t, filepath.Dir(runFolder(t)), nil, ".", "--addr", "127.0.0.1:0")
	response, err := http.Post(address+"api/choose", "application/json", strings.NewReader(`{"game":"quad-5x5","agent":"net:quad,sims=2"}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || !regexp.MustCompile(`^{"move":"[a-e][1-5]"`).Match(data) {
		t.Errorf("plays %s, error %v", data, err)
	}
	port := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	fails(t, "", 1, "cannot serve on "+port+": bind: address already in use; is another ludus running there? --addr 127.0.0.1:0 uses", "serve", "--addr", port)
	endServed(t, cmd)
	if errs.String() != "ludus: stopped\n" {
		t.Errorf("says %q", errs)
	}
}

// A public address needs a token. The default folder of runs may be missing.
func TestServeElsewhere(t *testing.T) {
	cmd, address, errs := served(t, t.TempDir(), nil, "--addr", "0.0.0.0:0")
	endServed(t, cmd)
	if !strings.Contains(address, "/?token=") || !strings.Contains(errs.String(), "Other machines can reach this address") {
		t.Errorf("is at %s and says %q", address, errs)
	}
}

// --open opens the browser, or warns that there is none.
func TestServeOpens(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the opener of other systems cannot be put in the path")
	}
	dir := t.TempDir()
	opened := filepath.Join(dir, "opened")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+opened+".new && mv "+opened+".new "+opened+"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd, address, errs := served(t, dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}, "--addr", "127.0.0.1:0", "--open", "--token", "my-own-token")
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if data, err := os.ReadFile(opened); err == nil {
			if string(data) != address+"\n" || !strings.HasSuffix(address, "/?token=my-own-token") {
				t.Errorf("%s is opened, and it is at %s", data, address)
			}
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the browser is not opened: %s", errs)
		}
	}
	endServed(t, cmd)
	cmd, _, errs = served(t, dir, []string{"PATH="}, "--addr", "127.0.0.1:0", "--open")
	endServed(t, cmd)
	if !strings.Contains(errs.String(), "ludus: warning: cannot open the browser") {
		t.Errorf("without a browser: %s", errs)
	}
}

func TestServeErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{1, "there is no folder nowhere", "serve nowhere"},
		{1, "file is a file; name the folder", "serve file"},
		{2, "one argument too many", "serve a b"},
		{2, "--threads 0: it must be from 1 to 1024", "serve --threads 0"},
		{2, "an address is HOST:PORT, such as 127.0.0.1:5838", "serve --addr 5838"},
		{2, "8 to 128 letters", "serve --token x"},
		{1, "invalid port\n", "serve --addr 127.0.0.1:123456"},
	} {
		fails(t, dir, c.code, c.want, strings.Fields(c.args)...)
	}
}
