package train_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// TestNamespaceFaults runs a learner and three workers in network namespaces of their own, connected by a switch, with TLS
// and a token. It kills workers and the learner, cuts the link of one worker and delays that of another. The third
// worker's disk is full, which makes no difference: it writes no files.
func TestNamespaceFaults(t *testing.T) {
	duration := faultDuration(t)
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("network namespaces need Linux and root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("the program ip is missing: install iproute2")
	}
	s := newSwitch(t)
	dir := t.TempDir()
	c := &chaos{t: t, learner: child{Role: "learner", Dir: filepath.Join(dir, "run"), Host: s.address(0), Port: 4222, namespace: s.connect(0)}}
	for i := range 3 {
		c.workers = append(c.workers, child{Role: "worker", Log: filepath.Join(dir, fmt.Sprint("worker", i)), namespace: s.connect(1 + i)})
	}
	c.workers[2].work = fullDisk(t)
	c.faults = map[string]func(pause func()){"link cut": func(pause func()) {
		s.ip("link", "set", s.port(1), "down")
		pause()
		s.ip("link", "set", s.port(1), "up")
	}}
	delay := func(action string) *exec.Cmd {
		return exec.Command("tc", "-netns", s.name, "qdisc", action, "dev", s.port(2), "root", "netem", "delay", "200ms")
	}
	if out, err := delay("add").CombinedOutput(); err != nil {
		t.Logf("no link is delayed, because tc netem does not work here: %v, %s", err, out)
	} else {
		must(t, delay("del"))
		c.faults["link delayed by 200 ms"] = func(pause func()) {
			must(t, delay("add"))
			pause()
			must(t, delay("del"))
		}
	}
	c.test(duration)
}

// netSwitch is a namespace with a bridge, to which other namespaces are connected.
type netSwitch struct {
	t    *testing.T
	name string // of its namespace
}

// newSwitch makes a switch that the end of the test removes. It skips the test if namespaces are not allowed.
func newSwitch(t *testing.T) *netSwitch {
	s := &netSwitch{t, fmt.Sprint("ludus-test-", os.Getpid())}
	if out, err := exec.Command("ip", "netns", "add", s.name).CombinedOutput(); err != nil {
		t.Skipf("no network namespaces here: %v, %s", err, out)
	}
	t.Cleanup(func() { must(t, exec.Command("ip", "netns", "del", s.name)) })
	if out, err := exec.Command("ip", "-n", s.name, "link", "add", "bridge", "type", "bridge").CombinedOutput(); err != nil {
		t.Skipf("no bridges here: %v, %s", err, out)
	}
	s.ip("link", "set", "bridge", "up")
	return s
}

// ip runs the program ip in the namespace of the switch.
func (s *netSwitch) ip(args ...string) {
	s.t.Helper()
	must(s.t, exec.Command("ip", append([]string{"-n", s.name}, args...)...))
}

// port is the name of the link to namespace i, in the namespace of the switch.
func (s *netSwitch) port(i int) string { return fmt.Sprint("port", i) }

// address is that of namespace i.
func (s *netSwitch) address(i int) string { return fmt.Sprint("10.77.0.", 1+i) }

// connect makes namespace i, connects it and returns its name.
func (s *netSwitch) connect(i int) string {
	s.t.Helper()
	name := fmt.Sprint(s.name, "-", i)
	must(s.t, exec.Command("ip", "netns", "add", name))
	s.t.Cleanup(func() { must(s.t, exec.Command("ip", "netns", "del", name)) })
	s.ip("link", "add", s.port(i), "type", "veth", "peer", "name", "eth0", "netns", name)
	s.ip("link", "set", s.port(i), "master", "bridge", "up")
	for _, args := range [][]string{
		{"addr", "add", s.address(i) + "/24", "dev", "eth0"}, {"link", "set", "eth0", "up"}, {"link", "set", "lo", "up"},
	} {
		must(s.t, exec.Command("ip", append([]string{"-n", name}, args...)...))
	}
	return name
}

// fullDisk returns the folder of a small file system without any space left.
func fullDisk(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v, %s", err, out)
	}
	t.Cleanup(func() { must(t, exec.Command("umount", dir)) })
	if err := os.WriteFile(filepath.Join(dir, "full"), make([]byte, 1<<20), 0o666); err == nil {
		t.Fatal("the disk is not full")
	}
	return dir
}

// must runs a command that has to succeed.
func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v, %s", cmd.Args, err, out)
	}
}
