package memory

import (
	"io/fs"
	"math"
	"runtime/debug"
	"testing"
	"testing/fstest"
)

// system returns the root of a file system with these files.
func system(files map[string]string) fs.FS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestAvailable(t *testing.T) {
	const mem, self = "proc/meminfo", "proc/self/cgroup"
	machine := "MemTotal:       8000 kB\nMemFree:   100 kB\nMemAvailable:    1000 kB\n"
	for name, c := range map[string]struct {
		want  int
		files map[string]string
	}{
		"no files":     {math.MaxInt, nil},
		"machine":      {1000 << 10, map[string]string{mem: machine}},
		"not limited":  {1000 << 10, map[string]string{mem: machine, self: "0::/\n", "sys/fs/cgroup/memory.max": "max\n", "sys/fs/cgroup/memory.current": "5\n"}},
		"strange text": {1000 << 10, map[string]string{mem: machine, self: "what\n1:\n0::\n", "sys/fs/cgroup/memory.max": "\n"}},
		"version 2": {350, map[string]string{mem: machine, self: "0::/\n", "sys/fs/cgroup/memory.max": "1000\n",
			"sys/fs/cgroup/memory.current": "700\n", "sys/fs/cgroup/memory.stat": "anon 600\ninactive_file 50\n"}},
		"above": {100, map[string]string{mem: machine, self: "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "900\n",
			"sys/fs/cgroup/a/b/memory.max": "800", "sys/fs/cgroup/a/b/memory.current": "20"}},
		"used up": {0, map[string]string{mem: machine, self: "0::/a\n", "sys/fs/cgroup/a/memory.max": "1000\n", "sys/fs/cgroup/a/memory.current": "1001\n"}},
		"version 1": {600, map[string]string{mem: machine, self: "9:name=systemd:/\n4:cpu,memory:/a\n0::/\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "500\n", "sys/fs/cgroup/memory/a/memory.stat": "inactive_file 3\ntotal_inactive_file 100\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/memory.usage_in_bytes": "7\n"}},
		"path of the host": {990, map[string]string{mem: machine, self: "4:memory:/docker/123\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "1000\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "10\n"}},
	} {
		if got := available(system(c.files)); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}

func TestLimitHeap(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	t.Setenv("GOMEMLIMIT", "")
	LimitHeap()
	if got, most := debug.SetMemoryLimit(12345), Available(); got < 1 || int64(most) <= got {
		t.Errorf("the limit is %d of %d bytes", got, most)
	}
	t.Setenv("GOMEMLIMIT", "12345")
	LimitHeap()
	if got := debug.SetMemoryLimit(-1); got != 12345 {
		t.Errorf("the limit is %d instead of the one of the environment", got)
	}
}

func TestShare(t *testing.T) {
	if Share(1) != 1 || Share(math.MaxInt) > math.MaxInt/2 || Available() < 1 {
		t.Errorf("%d of %d bytes", Share(math.MaxInt), Available())
	}
	if Threads(4, 0) != 4 || Threads(4, 1) != 4 || Threads(4, math.MaxInt) != 1 {
		t.Errorf("%d, %d, %d threads", Threads(4, 0), Threads(4, 1), Threads(4, math.MaxInt))
	}
}
