package memory

import (
	"io/fs"
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// Available returns the number of bytes that the process can still get: what the machine has left, or what its control group
// (cgroup, version 1 or 2) or one above it has left of its limit, whichever is less. It returns math.MaxInt where the system
// does not tell, as outside Linux.
func Available() int { return available(os.DirFS("/")) }

// available is Available in the given root file system.
func available(root fs.FS) int {
	least := math.MaxInt
	if kilobytes, ok := field(root, "proc/meminfo", "MemAvailable:"); ok {
		least = kilobytes << 10
	}
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // a system without groups sets no limits
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // ID:CONTROLLERS:PATH
		if len(parts) < 3 {
			continue
		}
		switch {
		case parts[1] == "":
			least = min(least, left(root, "sys/fs/cgroup", parts[2], "memory.max", "memory.current", "inactive_file"))
		case strings.Contains(","+parts[1]+",", ",memory,"):
			least = min(least, left(root, "sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return least
}

// left returns what the control group at dir below mount, and those above it, have left of their limits. limit and usage name
// the files, cache the entry of memory.stat that counts unused pages of files, which the system gives up first.
func left(root fs.FS, mount, dir, limit, usage, cache string) int {
	least := math.MaxInt
	for ; ; dir = path.Dir(dir) { // in a container the path may be the host's: then only mount is there
		at := path.Join(mount, dir)
		most, limited := number(root, path.Join(at, limit))
		used, ok := number(root, path.Join(at, usage))
		if limited && ok {
			unused, _ := field(root, path.Join(at, "memory.stat"), cache)
			least = min(least, max(0, most-used+unused))
		}
		if dir == "/" || dir == "." {
			return least
		}
	}
}

// number reads a file with one number; ok is false without a number, such as for "max".
func number(root fs.FS, name string) (n int, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err == nil {
		n, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	return n, err == nil
}

// field reads the number after a key in a file of lines.
func field(root fs.FS, name, key string) (n int, ok bool) {
	text, _ := fs.ReadFile(root, name) // no line without a file
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == key {
			n, err := strconv.Atoi(words[1])
			return n, err == nil
		}
	}
	return 0, false
}

// Share returns a size for a table: want bytes, or half of what is available if that is less. The other half is for the rest
// of the program and the garbage collector.
func Share(want int) int { return min(want, Available()/2) }

// Threads returns how many of the given number of threads, 1 or more, may run if each needs this many bytes.
func Threads(threads, each int) int { return max(1, min(threads, Available()/2/max(each, 1))) }

// LimitHeap keeps the memory of the Go runtime below four fifths of what is available: near the limit the garbage collector
// works harder. The rest is for the program's code and the system's cache of files. LimitHeap changes nothing if the
// environment sets GOMEMLIMIT.
func LimitHeap() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(Available() / 5 * 4))
	}
}
