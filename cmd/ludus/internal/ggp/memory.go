package ggp

import (
	"context"
	"fmt"
	"runtime/metrics"
	"time"

	"ludus/env"
	"ludus/env/gdl/interpreter"
)

// Each match may use so much of its part of the memory for a tree, and as much for the terms of the interpreter.
const treeShare = 4

// Limits of searches by an agent, and estimates of the bytes that a simulation adds to its tree.
const (
	maxPlayouts        = 100_000
	maxSimulations     = 200_000
	bytesPerSimulation = 1 << 10 // with a network
	bytesPerChild      = 64      // of a search with random playouts
	maxChildren        = 100     // of a position, on average
)

// room returns the bytes that the tree of a match, and the terms of a game, may have.
func (s *Server) room() int { return s.memory / s.most / treeShare }

// terms returns how many terms the interpreter may number in a game; a search may have a second game.
func (s *Server) terms() int { return min(interpreter.MaxTerms, s.room()/interpreter.BytesPerTerm) }

// playouts returns how many playouts per move a search for two players who take turns may have.
func (s *Server) playouts(game *env.Game) int {
	return max(1000, min(maxPlayouts, s.room()/(bytesPerChild*min(game.NumActions(), maxChildren))))
}

// simulations returns how many simulations per move a search with a network may have.
func (s *Server) simulations() int { return min(maxSimulations, s.room()/bytesPerSimulation) }

// guard returns a context that ends when live objects take two thirds of the memory: with more of them the garbage
// collector would take most of the time. The caller then calls stop.
func (s *Server) guard(ctx context.Context) (limited context.Context, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-limited.Done():
				return
			}
			if live() > s.memory/3*2 {
				cancel(fmt.Errorf("it takes too much of the %d MB of --memory", s.memory>>20))
			}
		}
	}()
	return limited, func() {
		cancel(nil)
		<-ended
	}
}

// live returns the bytes of the objects that the last garbage collection found in use.
func live() int {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	return int(samples[0].Value.Uint64())
}
