package fake

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ludus/cmd/ludus/internal/engine"
	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// word is the first argument of a test binary that is the engine.
const word = "fake-engine"

// Faults, in the words of the arguments. What an engine does at its start it does always, the others when it is to
// move.
const (
	Never    = "never"    // at the start: says nothing
	Exit     = "exit"     // at the start: ends with status 7
	Slow     = "slow"     // at the start: says nothing for 300 ms
	Stubborn = "stubborn" // ignores signals, the end of its input and the command to quit
	Parent   = "parent"   // at the start: starts a child that holds its pipes open
	Noise    = "noise"    // writes 200 KB to its error output

	Die       = "die"       // ends with status 3
	DieOnce   = "die-once"  // the same, unless it has just been started again
	Hang      = "hang"      // says nothing
	Flood     = "flood"     // writes without end
	Chatter   = "chatter"   // answers, then writes lines without end
	Illegal   = "illegal"   // names a cell that is none
	Malformed = "malformed" // answers with what is no answer
	Refuse    = "refuse"    // answers with an error; by GTP, to a move that it is told
	Resign    = "resign"    // resigns, by GTP only
	Greed     = "greed"     // takes 1 GB of memory
)

// atStart lists the faults of the start.
var atStart = []string{Never, Exit, Slow, Stubborn, Parent}

// Command returns the command of an engine that plays a game by a protocol, which is an agent.Kind. Its arguments are
// faults, and seed=N: the seed of its choices; at=N: its faults begin at ply N, counted from 0; share=N: of 1,000
// positions in which N have one of the faults, decided by the position and the seed; log=FILE: the file to which it
// adds a line for each fault of its play.
func Command(protocol agent.Kind, game string, args ...string) string {
	words := append([]string{os.Args[0], word, string(protocol), game}, args...)
	return "'" + strings.Join(words, "' '") + "'"
}

// Main must be called by TestMain. It does not return if this process is the engine.
func Main() {
	if len(os.Args) < 2 || os.Args[1] != word {
		return
	}
	if len(os.Args) == 2 { // the child of a parent
		time.Sleep(time.Hour)
		os.Exit(0)
	}
	if err := play(agent.Kind(os.Args[2]), os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, "fake engine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// play plays by a protocol on standard input and output.
func play(protocol agent.Kind, name string, args []string) error {
	p := player{protocol: protocol, share: 1000, out: &writer{w: os.Stdout}}
	var starts []string
	for _, arg := range args {
		var err error
		key, value, _ := strings.Cut(arg, "=")
		switch {
		case key == "seed":
			p.seed, err = strconv.ParseUint(value, 10, 64)
		case key == "at":
			p.at, err = strconv.Atoi(value)
		case key == "share":
			p.share, err = strconv.ParseUint(value, 10, 64)
		case key == "log":
			p.log = value
		case slices.Contains(atStart, arg):
			starts = append(starts, arg)
		default:
			p.faults = append(p.faults, arg)
		}
		if err != nil {
			return err
		}
	}
	for _, fault := range starts {
		switch fault {
		case Never:
			time.Sleep(time.Hour)
		case Exit:
			fmt.Fprintln(os.Stderr, "cannot find my book")
			os.Exit(7)
		case Slow:
			time.Sleep(300 * time.Millisecond)
		case Stubborn:
			signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		case Parent:
			child := exec.Command(os.Args[0], word)
			child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
			if err := child.Start(); err != nil {
				return err
			}
			p.write(fmt.Sprint(child.Process.Pid))
		}
	}
	game, err := games.New(name)
	if err != nil {
		return err
	}
	serve := map[agent.Kind]func(context.Context, engine.Config, *env.Game, io.ReadCloser, io.Writer) error{
		agent.GTP: engine.GTP, agent.Gomocup: engine.Gomocup, agent.NBoard: engine.NBoard,
	}[protocol]
	err = serve(context.Background(), engine.Config{Version: "1", Load: p.load}, game, lines.Interruptible(os.Stdin), p.out)
	if slices.Contains(starts, Stubborn) {
		time.Sleep(time.Hour)
	}
	return err
}

// writer writes the engine's replies, or another text instead of the next one.
type writer struct {
	w       io.Writer
	mutex   sync.Mutex
	instead string
}

func (w *writer) Write(p []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.instead == "" {
		return w.w.Write(p)
	}
	_, err := io.WriteString(w.w, w.instead)
	w.instead = ""
	return len(p), err
}

// player is the agent that plays and does wrong.
type player struct {
	protocol agent.Kind
	seed     uint64
	at       int
	share    uint64
	faults   []string
	log      string
	out      *writer

	game   *env.Game
	state  env.State
	plies  int
	chosen int  // moves that it has chosen in this game
	own    bool // its last choice has not been observed yet
}

func (p *player) load(game *env.Game) (engine.Player, error) {
	q := *p
	q.game = game
	q.Reset(0)
	return engine.Player{Agent: &q, Advisor: &q}, nil
}

// write adds a line to the log.
func (p *player) write(line string) {
	if p.log == "" {
		return
	}
	file, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = file.WriteString(line + "\n")
		file.Close()
	}
	if err != nil {
		panic(err)
	}
}

// Reset implements [agent.Agent].
func (p *player) Reset(uint64) { p.state, p.plies, p.chosen, p.own = p.game.NewState(), 0, 0, false }

// Observe implements [agent.Agent].
func (p *player) Observe(a env.Action) {
	p.state.Apply(a)
	p.plies++
	if !p.own && p.protocol == agent.GTP && !p.state.Done() && p.fault() == Refuse {
		p.write(Refuse)
		p.out.instead = "? illegal move\n\n"
	}
	p.own = false
}

// random returns a number that depends on the position, the seed and a stream.
func (p *player) random(stream uint64) uint64 {
	key := p.state.Key()
	x := key.Hash() ^ p.seed*0x9e3779b97f4a7c15 ^ stream*0xd1b54a32d192ed03
	for range 2 {
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x ^= x >> 27
	}
	return x >> 8
}

// fault returns the fault of this position; "" for none.
func (p *player) fault() string {
	if p.plies < p.at || len(p.faults) == 0 || p.random(1)%1000 >= p.share {
		return ""
	}
	return p.faults[p.random(2)%uint64(len(p.faults))]
}

// Choose implements [agent.Agent].
func (p *player) Choose(_ context.Context, state env.State) (env.Action, error) {
	legal := state.Legal(nil)
	fault := p.fault()
	if fault == DieOnce && p.chosen == 0 || fault == Refuse && p.protocol == agent.GTP || fault == Resign && p.protocol != agent.GTP {
		fault = ""
	}
	p.chosen++
	p.own = true
	if fault != "" {
		p.write(fault)
		p.do(fault)
	}
	return legal[p.random(0)%uint64(len(legal))], nil
}

// do does something wrong.
func (p *player) do(fault string) {
	replies := map[agent.Kind]map[string]string{
		agent.GTP:     {Illegal: "= Z99\n\n", Malformed: "= it is hard to say\n\n", Resign: "= resign\n\n"},
		agent.Gomocup: {Illegal: "99,99\n", Malformed: "three,four\n", Refuse: "ERROR what?\n"},
		agent.NBoard:  {Illegal: "=== Z9\n", Malformed: "=== //\n", Refuse: "=== resign\n"},
	}
	switch fault {
	case Die, DieOnce:
		fmt.Fprintln(os.Stderr, "segmentation fault, as it were")
		os.Exit(3)
	case Hang:
		time.Sleep(time.Hour)
	case Flood:
		for {
			os.Stdout.WriteString(strings.Repeat("flood ", 1000))
		}
	case Chatter:
		go func() {
			time.Sleep(20 * time.Millisecond)
			for {
				os.Stdout.WriteString("chatter\n")
			}
		}()
	case Noise:
		for range 200 {
			os.Stderr.WriteString(strings.Repeat("noise ", 170) + "\n")
		}
	case Greed:
		memory := make([]byte, 1<<30)
		for i := 0; i < len(memory); i += 4096 {
			memory[i] = 1
		}
	default:
		p.out.instead = replies[p.protocol][fault]
	}
}

// Analyze implements [agent.Agent].
func (p *player) Analyze(ctx context.Context, state env.State, _ int) (*agent.Analysis, error) {
	return agent.BestOnly(ctx, state, p.Choose)
}
