package web

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ludus/env"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/book"
	"ludus/train/rundir"
	"ludus/train/shipped"
)

// Sizes of the largest weights file and book to read, in bytes: a network of these games takes a few million. A book
// takes some 15 times its size in memory.
const (
	maxWeights = 256 << 20
	maxBook    = 32 << 20
)

// agentPool keeps idle agents for later requests, since loading a network takes time. An agent serves one request at a
// time.
type agentPool struct {
	inside  func(path string) (string, error) // see [Server.inside]
	maxIdle int
	mu      sync.Mutex
	idle    []pooledAgent // at most maxIdle agents, the least recently used first
	shared  sharedBook
}

// pooledAgent is an agent with the spec that it was made for.
type pooledAgent struct {
	agent.Agent
	game    *env.Game
	text    string // text of the spec
	version string // version of the weights and the book, see [agentPool.version]
}

// sharedBook is the book that was read last. Agents and the page share it.
type sharedBook struct {
	mu      sync.Mutex // held while a book is read
	game    *env.Game
	version string // of the file
	book    agent.Book
}

// newAgentPool returns an empty pool for searches on the given number of threads.
func newAgentPool(s *Server, threads int) *agentPool {
	return &agentPool{inside: s.inside, maxIdle: threads + 2}
}

// get returns an idle or new agent of a spec; putBack returns it. Errors wrap [agent.ErrSpec], [agent.ErrWeights] or
// [agent.ErrBook].
func (p *agentPool) get(game *env.Game, text string) (player agent.Agent, putBack func(), err error) {
	spec, err := agent.ParseWithin(text, agentLimits)
	if err != nil {
		return nil, nil, err
	}
	version, err := p.version(spec)
	if err != nil {
		return nil, nil, err
	}
	a := pooledAgent{game: game, text: text, version: version}
	p.mu.Lock()
	i := slices.IndexFunc(p.idle, func(b pooledAgent) bool { b.Agent = nil; return a == b }) // nil as in a
	if i >= 0 {
		a = p.idle[i]
		p.idle = slices.Delete(p.idle, i, i+1)
	}
	p.mu.Unlock()
	if a.Agent == nil {
		a.Agent, err = agent.NewFactory(game, spec, shipped.Loader(game, p.loadWeights)).WithBooks(p.readBook).ForPeople().New(0)
		if err != nil {
			return nil, nil, err
		}
	}
	return a.Agent, func() { p.put(a) }, nil
}

// put returns an agent to the pool. A full pool drops the least recently used agent.
func (p *agentPool) put(a pooledAgent) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == p.maxIdle {
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	p.idle = append(p.idle, a)
}

// clear empties the pool.
func (p *agentPool) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = nil
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

// readBook reads a book below the folder of runs, unless it was the last one read and has not changed. Errors show the
// path as requested.
func (p *agentPool) readBook(game *env.Game, path string) (agent.Book, error) {
	real, err := p.inside(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxBook {
		return nil, fmt.Errorf("%q is not a book of at most %d MB", path, maxBook>>20)
	}
	version, shared := fileVersion(real, info), &p.shared
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.book != nil && shared.game == game && shared.version == version {
		return shared.book, nil
	}
	b, err := book.ReadFor(game, real)
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), real, path))
	}
	shared.game, shared.version, shared.book = game, version, b
	return b, nil
}

// resolve returns the real path of a run, checkpoint or weights file named by a request.
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

// version returns a text that changes when the network or the book of a spec may have changed: times and sizes of their
// files. The shipped network does not change.
func (p *agentPool) version(spec agent.Spec) (string, error) {
	var paths []string
	if spec.HasNetwork() && !spec.Network.Shipped() {
		real, err := p.resolve(spec.Network.Path)
		if err != nil {
			return "", err
		}
		for _, name := range []string{"", "manifest.json", rundir.CheckpointsDir, rundir.RatingsFile} {
			paths = append(paths, filepath.Join(real, name))
		}
	}
	if spec.Book != "" {
		real, err := p.inside(spec.Book)
		if err != nil {
			return "", fmt.Errorf("%w: %w", agent.ErrBook, err)
		}
		paths = append(paths, real)
	}
	var b strings.Builder
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			b.WriteString(fileVersion(path, info))
		}
	}
	return b.String(), nil
}

// fileVersion returns a text that changes when a file has changed.
func fileVersion(path string, info fs.FileInfo) string {
	return fmt.Sprintf("%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
}
