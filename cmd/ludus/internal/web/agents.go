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

// maxWeights is the largest weights file to read, in bytes; a network of these games takes a few million.
const maxWeights = 256 << 20

// agentPool keeps agents between requests. An agent serves one request at a time.
type agentPool struct {
	inside  func(path string) (string, error) // [Server.inside]
	maxIdle int
	mu      sync.Mutex
	specs   []*pooledSpec // at most maxSpecs, the least recently requested first
	idle    int           // agents in all specs
}

// pooledSpec is a parsed agent spec with its network and idle agents.
type pooledSpec struct {
	game    *env.Game
	text    string
	version string // of the weights, see [agentPool.version]
	factory *agent.Factory
	idle    []agent.Agent
}

// maxSpecs limits the networks in memory, each of which takes some megabytes.
const maxSpecs = 16

func newAgentPool(s *Server, threads int) *agentPool {
	return &agentPool{inside: s.inside, maxIdle: threads + 2}
}

// get returns an agent of a spec; putBack returns it to the pool. Errors wrap [agent.ErrSpec] or [agent.ErrWeights].
func (p *agentPool) get(game *env.Game, text string) (player agent.Agent, putBack func(), err error) {
	d, err := p.spec(game, text)
	if err != nil {
		return nil, nil, err
	}
	p.mu.Lock()
	if last := len(d.idle) - 1; last >= 0 {
		player = d.idle[last]
		d.idle = slices.Delete(d.idle, last, last+1)
		p.idle--
	}
	p.mu.Unlock()
	if player == nil {
		if player, err = d.factory.New(0); err != nil {
			p.drop(d)
			return nil, nil, err
		}
	}
	return player, func() { p.put(d, player) }, nil
}

// spec finds a spec in the pool, or parses it and adds it.
func (p *agentPool) spec(game *env.Game, text string) (*pooledSpec, error) {
	spec, err := agent.Parse(text)
	if err != nil {
		return nil, err
	}
	if err := spec.CheckLimits(agentLimits); err != nil {
		return nil, err
	}
	version, err := p.version(spec)
	if err != nil {
		return nil, err
	}
	fresh := &pooledSpec{game: game, text: text, version: version, factory: agent.NewFactory(game, spec, p.loadWeights)}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.specs, func(d *pooledSpec) bool { return d.game == game && d.text == text })
	switch {
	case i >= 0 && p.specs[i].version == version:
		d := p.specs[i]
		p.specs = append(slices.Delete(p.specs, i, i+1), d)
		return d, nil
	case i >= 0:
		p.remove(i)
	case len(p.specs) == maxSpecs:
		p.remove(0)
	}
	p.specs = append(p.specs, fresh)
	return fresh, nil
}

// remove removes the i-th spec and its idle agents. The caller holds p.mu.
func (p *agentPool) remove(i int) {
	p.idle -= len(p.specs[i].idle)
	p.specs = slices.Delete(p.specs, i, i+1)
}

// drop removes a spec whose agent cannot be made.
func (p *agentPool) drop(d *pooledSpec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.specs, d); i >= 0 {
		p.remove(i)
	}
}

// clear empties the pool.
func (p *agentPool) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.specs, p.idle = nil, 0
}

// put returns an agent to the pool, unless its spec was removed meanwhile. If too many agents are idle, it drops one of
// the least recently requested spec.
func (p *agentPool) put(d *pooledSpec, player agent.Agent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.specs, d) {
		return
	}
	d.idle = append(d.idle, player)
	p.idle++
	for _, other := range p.specs {
		if p.idle <= p.maxIdle {
			return
		}
		if last := len(other.idle) - 1; last >= 0 {
			other.idle = slices.Delete(other.idle, last, last+1)
			p.idle--
		}
	}
}

// loadWeights loads the network of a reference below the folder of runs. Errors show the path as requested.
func (p *agentPool) loadWeights(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
	real, err := p.resolve(reference.Path)
	if err != nil {
		return nil, agent.Origin{}, err
	}
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: real, At: reference.At})
	if err != nil {
		text := strings.TrimPrefix(strings.ReplaceAll(err.Error(), real, reference.Path), agent.ErrWeights.Error())
		err = fmt.Errorf("%w%s", agent.ErrWeights, text)
	}
	return weights, origin, err
}

// resolve returns the real path of a requested run, checkpoint or weights file.
func (p *agentPool) resolve(path string) (string, error) {
	real, err := p.inside(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", agent.ErrWeights, err)
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %q cannot be read", agent.ErrWeights, path)
	case !info.IsDir() && (!info.Mode().IsRegular() || info.Size() > maxWeights):
		return "", fmt.Errorf("%w: %q is not a weights file", agent.ErrWeights, path)
	}
	return real, nil
}

// version returns a text that changes whenever a spec's network may have changed: times and sizes of files. It is ""
// for an agent without a network.
func (p *agentPool) version(spec agent.Spec) (string, error) {
	if !spec.HasNetwork() {
		return "", nil
	}
	real, err := p.resolve(spec.Network.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range []string{"", "manifest.json", rundir.CheckpointsDir, rundir.RatingsFile} {
		if info, err := os.Stat(filepath.Join(real, name)); err == nil {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	return b.String(), nil
}
