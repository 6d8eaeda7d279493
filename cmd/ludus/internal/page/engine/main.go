//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"syscall/js"

	"ludus/cmd/ludus/internal/board"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/book"
)

func main() {
	e := newEngine()
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return e.answer(args[0].String(), args[1].String())
	}))
	select {} // the end of main would end the program, and answer with it
}

// engine answers the requests of a page, one at a time.
type engine struct {
	host    board.Host
	weights func() (*infer.Weights, error) // parses the weights at the first use, so the board appears earlier
	book    func() (*book.Book, error)     // parses the book at the first use
	agents  map[string]agent.Agent
}

// maxAgents is the number of agents kept between requests; each may have a large tree.
const maxAgents = 4

// newEngine returns an engine that reads the page's weights from the global weights.
func newEngine() *engine {
	e := &engine{agents: make(map[string]agent.Agent)}
	e.host = board.Host{Game: e.game, Agent: e.agent, Book: e.readBook}
	e.weights = sync.OnceValues(func() (*infer.Weights, error) { return infer.Unmarshal(bytesOf("weights")) })
	e.book = sync.OnceValues(func() (*book.Book, error) { return book.Parse(bytesOf("book")) })
	return e
}

// bytesOf returns the bytes of a global Uint8Array; none if it is not defined.
func bytesOf(global string) []byte {
	source := js.Global().Get(global)
	if !source.Truthy() {
		return nil
	}
	data := make([]byte, source.Length())
	js.CopyBytesToGo(data, source)
	return data
}

// readBook returns the page's book, whose path is book.
func (e *engine) readBook(game *env.Game, path string) (agent.Book, error) {
	if path != "book" {
		return nil, fmt.Errorf("there is no book named %q; this page may have one, book, as in net:agent,book=book", path)
	}
	b, err := e.book()
	if err != nil {
		return nil, err
	}
	return b, b.CheckGame(game)
}

// game returns a game by name. A game of a rule sheet comes with the weights.
func (e *engine) game(name string) (*env.Game, error) {
	if strings.HasPrefix(name, "gdl(") {
		w, err := e.weights()
		if err != nil {
			return nil, err
		}
		return games.Restore(w.Config.Game, w.Config.Sheet)
	}
	return games.New(name)
}

// agent returns the agent of a spec, and keeps it for later requests.
func (e *engine) agent(_ context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
	key := game.Name + " " + text
	player, ok := e.agents[key]
	if !ok {
		factory, err := agent.ParseFactory(game, text, e.load)
		if err != nil {
			return nil, nil, err
		}
		if player, err = factory.WithBooks(e.readBook).ForPeople().New(0); err != nil {
			return nil, nil, err
		}
		if len(e.agents) == maxAgents {
			clear(e.agents)
		}
		e.agents[key] = player
	}
	return player, func() {}, nil
}

// load returns the page's weights for a reference.
func (e *engine) load(reference agent.Reference) (*infer.Weights, agent.Origin, error) {
	origin := agent.Origin{Path: reference.Path, Generation: -1, Digest: reference.Path}
	if reference.String() != "agent" {
		return nil, origin, fmt.Errorf("%w named %q; this page has one, agent, as in net:agent,sims=64", agent.ErrWeights,
			reference)
	}
	if text := js.Global().Get("dial"); text.Type() == js.TypeString {
		if err := json.Unmarshal([]byte(text.String()), &origin.Dial); err != nil {
			return nil, origin, fmt.Errorf("%w: the strength dial cannot be read: %w", agent.ErrWeights, err)
		}
		if err := origin.Dial.Validate(); err != nil {
			return nil, origin, fmt.Errorf("%w: the strength dial is damaged: %w", agent.ErrWeights, err)
		}
	}
	weights, err := e.weights()
	return weights, origin, err
}

// answer answers one request. A panic becomes an error reply, and later requests start with new agents.
func (e *engine) answer(op, request string) (text string) {
	defer func() {
		if p := recover(); p != nil {
			clear(e.agents)
			text = marshal(answer{Error: fmt.Sprintf("internal error in the engine: %v", p)})
		}
	}()
	reply, err := e.host.Answer(context.Background(), op, []byte(request))
	if err != nil {
		return marshal(answer{Error: err.Error()})
	}
	return marshal(answer{Reply: reply})
}

// answer is the JSON text that the global function answer returns: a reply or an error.
type answer struct {
	Reply any    `json:"reply,omitempty"`
	Error string `json:"error,omitempty"`
}

func marshal(a answer) string {
	data, err := json.Marshal(a)
	if err != nil {
		panic(errors.Join(errors.New("engine: cannot encode a reply as JSON"), err))
	}
	return string(data)
}
