package web

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// maxWeights is the largest weights file that is read, in bytes; networks of these games take a few million.
const maxWeights = 256 << 20

// lender lends agents. It keeps a few descriptions with their networks, and a few agents that nobody is using, in memory.
type lender struct {
	inside   func(path string) (string, error)
	mostIdle int
	mu       sync.Mutex
	kept     []*description // at most maxKept, the one that was asked for last at the end
	idle     int            // agents in all of them
}

// description is an agent's description, whose files looked like version when they were read.
type description struct {
	game    *env.Game
	text    string
	version string
	factory *agent.Factory
	idle    []agent.Agent
}

// maxKept bounds the networks in memory, each of which takes some megabytes.
const maxKept = 16

func newLender(s *Server, threads int) *lender {
	return &lender{inside: s.inside, mostIdle: threads + 2}
}

// lend returns an agent of a text, and what gives it back. Errors wrap [agent.ErrSpec] or [agent.ErrWeights].
func (l *lender) lend(game *env.Game, text string) (agent agent.Agent, back func(), err error) {
	d, err := l.describe(game, text)
	if err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	if last := len(d.idle) - 1; last >= 0 {
		agent = d.idle[last]
		d.idle = slices.Delete(d.idle, last, last+1)
		l.idle--
	}
	l.mu.Unlock()
	if agent == nil {
		if agent, err = d.factory.New(0); err != nil {
			l.forget(d)
			return nil, nil, err
		}
	}
	return agent, func() { l.keep(d, agent) }, nil
}

// describe finds or makes a description.
func (l *lender) describe(game *env.Game, text string) (*description, error) {
	spec, err := agent.Parse(text)
	if err != nil {
		return nil, err
	}
	if err := spec.CheckLimits(bounds); err != nil {
		return nil, err
	}
	version, err := l.version(spec)
	if err != nil {
		return nil, err
	}
	fresh := &description{game: game, text: text, version: version, factory: agent.NewFactory(game, spec, l.read)}
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kept, func(d *description) bool { return d.game == game && d.text == text })
	switch {
	case i >= 0 && l.kept[i].version == version:
		d := l.kept[i]
		l.kept = append(slices.Delete(l.kept, i, i+1), d)
		return d, nil
	case i >= 0:
		l.remove(i)
	case len(l.kept) == maxKept:
		l.remove(0)
	}
	l.kept = append(l.kept, fresh)
	return fresh, nil
}

// remove forgets a description and its idle agents.
func (l *lender) remove(i int) {
	l.idle -= len(l.kept[i].idle)
	l.kept = slices.Delete(l.kept, i, i+1)
}

// forget is for a description that turned out to be no use.
func (l *lender) forget(d *description) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.kept, d); i >= 0 {
		l.remove(i)
	}
}

// clear forgets everything.
func (l *lender) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept, l.idle = nil, 0
}

// keep takes an agent back, for the next who asks for such a one, unless its description has been forgotten. Where too
// many are idle, one goes whose description was asked for least recently.
func (l *lender) keep(d *description, agent agent.Agent) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.kept, d) {
		return
	}
	d.idle = append(d.idle, agent)
	l.idle++
	for _, other := range l.kept {
		if l.idle <= l.mostIdle {
			return
		}
		if last := len(other.idle) - 1; last >= 0 {
			other.idle = slices.Delete(other.idle, last, last+1)
			l.idle--
		}
	}
}

// read reads the weights of a reference, whose path is one for inside.
func (l *lender) read(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
	real, err := l.find(reference.Path)
	if err != nil {
		return nil, agent.Origin{}, err
	}
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: real, At: reference.At})
	if err != nil { // shows the path as requested
		text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), real, reference.Path), agent.ErrWeights.Error())
		err = fmt.Errorf("%w%s", agent.ErrWeights, text)
	}
	return weights, origin, err
}

// find returns the real path of a requested one, which must be a folder or a file of a sensible size.
func (l *lender) find(path string) (real string, err error) {
	if real, err = l.inside(path); err != nil {
		return "", fmt.Errorf("%w: %w", agent.ErrWeights, err)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %q cannot be read", agent.ErrWeights, path)
	case !info.IsDir() && (!info.Mode().IsRegular() || info.Size() > maxWeights):
		return "", fmt.Errorf("%w: %q is no file of weights", agent.ErrWeights, path)
	}
	return real, nil
}

// version changes when the agent's network may have changed; "" is for agents that have none.
func (l *lender) version(spec agent.Spec) (string, error) {
	if !spec.HasNetwork() {
		return "", nil
	}
	real, err := l.find(spec.Network.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range []string{"", "manifest.json", "checkpoints", "ratings.json", "arena.jsonl"} { // a run's and a checkpoint's
		if info, err := os.Stat(filepath.Join(real, name)); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), nil
}
