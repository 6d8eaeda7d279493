package program

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// guardWord is the only argument of a ludus that is a guard.
const guardWord = "guard"

// guards starts this program again as a guard, tells it which process groups begin and end, and is safe for concurrent
// use. When this program ends, in whatever way, the guard's input ends; it then kills the groups that are left.
var guards guardian

type guardian struct {
	allowed bool // see Main
	mutex   sync.Mutex
	input   io.Writer // nil before the first program starts
}

// Main must be called first by the main function of a program whose outside programs shall not outlive it, even if it
// is killed. It does not return in the copy of the program that [Start]'s agents run as a guard.
func Main() {
	if len(os.Args) == 2 && os.Args[1] == guardWord {
		runGuard(os.Stdin)
		os.Exit(0)
	}
	guards.allowed = true
}

// add tells the guard that a process group has begun.
func (g *guardian) add(pid int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.input == nil {
		g.input = io.Discard
		if g.allowed {
			g.start()
		}
	}
	fmt.Fprintf(g.input, "+%d\n", pid) // without a guard, programs still end with their agents
}

// remove tells the guard that a process group has ended.
func (g *guardian) remove(pid int) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	fmt.Fprintf(g.input, "-%d\n", pid)
}

// start starts the guard. It has a process group of its own, so that what ends ludus does not end it.
func (g *guardian) start() {
	path, err := os.Executable()
	if err != nil {
		return
	}
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	cmd := exec.Command(path, guardWord)
	cmd.Stdin = r
	inOwnGroup(cmd)
	err = cmd.Start()
	r.Close()
	if err != nil {
		w.Close()
		return
	}
	g.input = w
}

// runGuard reads process groups that begin (+) and end (-), and kills those left at the end of the input.
func runGuard(r io.Reader) {
	groups := make(map[int]bool)
	for scanner := bufio.NewScanner(r); scanner.Scan(); {
		var sign rune
		var pid int
		_, err := fmt.Fscanf(strings.NewReader(scanner.Text()), "%c%d", &sign, &pid)
		switch {
		case err != nil || pid <= 1:
		case sign == '+':
			groups[pid] = true
		default:
			delete(groups, pid)
		}
	}
	for pid := range groups {
		killGroup(pid)
	}
}
