//go:build js && wasm

// Engine is what plays in an exported page: the games and the agents, for a browser's worker. It expects the bytes of a
// weights file as the global Uint8Array weights, and sets the global function answer(op, request), both texts, whose result
// is {"reply":…} or {"error":…}, also a text; package board says which requests there are. In agents' texts the weights are
// called agent, as in net:agent,sims=64.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"syscall/js"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
)

func main() {
	e := newEngine()
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return e.answer(args[0].String(), args[1].String())
	}))
	select {}
}

// engine plays the game of one network. A worker asks one question after the other.
type engine struct {
	host    board.Host
	weights func() (*infer.Weights, error) // reads them when they are first needed: a board is there without
	agents  map[string]agent.Agent
}

// mostAgents is how many agents are kept for another question: a few, since each may have a large tree.
const mostAgents = 4

func newEngine() *engine {
	e := &engine{agents: make(map[string]agent.Agent)}
	e.host = board.Host{Game: games.New, Agent: e.agent}
	e.weights = sync.OnceValues(func() (*infer.Weights, error) {
		source := js.Global().Get("weights")
		data := make([]byte, source.Length())
		js.CopyBytesToGo(data, source)
		return infer.Unmarshal(data)
	})
	return e
}

// agent lends the agent of a text, which is kept.
func (e *engine) agent(_ context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
	key := game.Name + " " + text
	player, ok := e.agents[key]
	if !ok {
		spec, err := agent.ParseFactory(game, text, e.read)
		if err != nil {
			return nil, nil, err
		}
		if player, err = spec.New(0); err != nil {
			return nil, nil, err
		}
		if len(e.agents) == mostAgents {
			clear(e.agents)
		}
		e.agents[key] = player
	}
	return player, func() {}, nil
}

// read is the agent.Loader of the page's weights.
func (e *engine) read(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
	origin := agent.Origin{Path: reference.Path, Generation: -1, Digest: reference.Path}
	if reference.String() != "agent" {
		return nil, origin, fmt.Errorf("%w named %q; this page has one, agent, as in net:agent,sims=64", agent.ErrWeights, reference)
	}
	weights, err := e.weights()
	return weights, origin, err
}

// answer answers one request. A bug's panic is an answer too: the next request may fare better.
func (e *engine) answer(op, request string) (text string) {
	defer func() {
		if p := recover(); p != nil {
			clear(e.agents)
			text = marshal(answer{Error: fmt.Sprintf("the engine failed: %v", p)})
		}
	}()
	reply, err := e.host.Answer(context.Background(), op, []byte(request))
	if err != nil {
		return marshal(answer{Error: err.Error()})
	}
	return marshal(answer{Reply: reply})
}

type answer struct {
	Reply any    `json:"reply,omitempty"`
	Error string `json:"error,omitempty"`
}

func marshal(a answer) string {
	data, err := json.Marshal(a)
	if err != nil {
		panic(errors.Join(errors.New("engine: a reply that JSON cannot hold"), err))
	}
	return string(data)
}
