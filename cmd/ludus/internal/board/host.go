package board

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/book"
)

// Host answers the requests of a page's board. It may be used by several goroutines if the functions in its fields may.
type Host struct {
	// Game finds a game by name. Its errors become a [RequestError].
	Game func(name string) (*env.Game, error)
	// Agent returns the agent of a spec for one request; the caller calls release when it is done with the agent.
	// Errors that wrap [agent.ErrSpec], [agent.ErrWeights] or [agent.ErrBook] become a [RequestError].
	Agent func(ctx context.Context, game *env.Game, spec string) (player agent.Agent, release func(), err error)
	// Book reads the book at a path for a game, as [agent.Factory.WithBooks] takes it.
	Book func(game *env.Game, path string) (agent.Book, error)
	// MaxSimulations limits the simulations field of analyze; 0 means [agent.MaxSimulations].
	MaxSimulations int
}

// RequestError is the error of an invalid request.
type RequestError struct{ err error }

func (e *RequestError) Error() string { return e.err.Error() }
func (e *RequestError) Unwrap() error { return e.err }

func badRequest(err error) error { return &RequestError{err} }

// operation is a kind of request, such as choose. [Host.Answer] documents each.
type operation struct {
	fields []string // fields that its request may have
	answer func(h *Host, ctx context.Context, r *request) (any, error)
}

var operations = map[string]operation{
	"describe": {[]string{"game"}, (*Host).describe},
	"position": {[]string{"game", "moves"}, (*Host).position},
	"choose":   {[]string{"game", "moves", "agent", "seed"}, (*Host).choose},
	"analyze":  {[]string{"game", "moves", "agent", "simulations"}, (*Host).analyze},
	"dial":     {[]string{"game", "agent"}, (*Host).dial},
	"book":     {[]string{"game", "moves", "agent"}, (*Host).book},
	"load":     {[]string{"game", "file"}, (*Host).load},
	"save":     {[]string{"game", "moves", "players"}, (*Host).save},
}

// Operations lists the names of all operations.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }

// Answer performs an operation. body is its request, a JSON object; the result is its reply, to be written as JSON:
//
//	describe  {"game":"quad-5x5"}                                       a [Description]
//	position  {"game":…,"moves":["c3"]}                                 a [Position]
//	choose    {"game":…,"moves":…,"agent":"mcts:200","seed":1}          {"move":"b2"}
//	analyze   {"game":…,"moves":…,"agent":"mcts:200","simulations":64}  an [analysis.Result] or [analysis.GameResult]
//	dial      {"game":…,"agent":"zoo"}                                  {"levels":[…],"blunders":0.01}, see [dialLevels]
//	book      {"game":…,"moves":…,"agent":"zoo,book=a.book"}            {"moves":[…],"games":400}, [BookMove]s, the best first
//	load      {"game":…,"file":"(;GM[2];B[f5])"}                        {"moves":["f5"],"players":["",""]} of its first game
//	save      {"game":…,"moves":…,"players":["you","zoo"]}              {"file":"(;FF[4]…)"}, the game in SGF
//
// The fields moves, seed, simulations and players are optional. By default there are no moves, the seed is 0, and the
// agent makes as many simulations as its spec says. Equal requests get equal replies unless the agent has a time limit.
//
// An invalid request gives a *[RequestError]. Other errors are ctx's, Host.Agent's and the agent's.
func (h *Host) Answer(ctx context.Context, op string, body []byte) (any, error) {
	o, known := operations[op]
	if !known {
		return nil, badRequest(fmt.Errorf("unknown operation %s; known: %s", env.Quote(op), strings.Join(Operations(), ", ")))
	}
	request, err := h.parse(body, o.fields)
	if err != nil {
		return nil, badRequest(err)
	}
	return o.answer(h, ctx, request)
}

// request is a parsed request.
type request struct {
	game        *env.Game
	state       env.State // after moves
	moves       []env.Action
	agent       string
	seed        uint64
	simulations int // 0: the agent's default
	file        string
	players     [2]string
}

// parse parses a request. It rejects fields that are not known.
func (h *Host) parse(body []byte, known []string) (*request, error) {
	fields, err := analysis.ParseFields(body, `{"game":"quad-5x5"}`)
	if err != nil {
		return nil, err
	}
	if err := fields.RejectUnknown(known...); err != nil {
		return nil, err
	}
	r := &request{}
	name, err := text(fields, "game", "the game's name", maxText)
	if err != nil {
		return nil, err
	}
	if r.game, err = h.Game(name); err != nil {
		return nil, err
	}
	moves, err := fields.Moves()
	if err != nil {
		return nil, err
	}
	if r.state, r.moves, err = notation.Replay(r.game, moves); err != nil {
		return nil, err
	}
	for _, field := range known {
		switch field {
		case "agent":
			r.agent, err = text(fields, field, "a text such as mcts:200", maxText)
		case "file":
			r.file, err = text(fields, field, "the text of a file of games", maxFile)
		case "players":
			if raw, ok := fields[field]; ok && json.Unmarshal(raw, &r.players) != nil {
				err = errors.New("players must be two names")
			}
		case "seed":
			if raw, ok := fields[field]; ok && (string(raw) == "null" || json.Unmarshal(raw, &r.seed) != nil) {
				err = errors.New("seed must be a whole number from 0 to 18446744073709551615")
			}
		case "simulations":
			r.simulations, err = fields.Simulations(0, cmp.Or(h.MaxSimulations, agent.MaxSimulations))
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Largest lengths in bytes: of a game name or an agent spec, because errors quote them, and of a file.
const (
	maxText = 1000
	maxFile = 1 << 16
)

// text reads a required string field of at most so many bytes. Errors say "FIELD must be DESCRIPTION".
func text(fields analysis.Fields, field, description string, most int) (string, error) {
	raw, ok := fields[field]
	if !ok {
		return "", fmt.Errorf("%s is missing; it is %s", field, description)
	}
	var value *string
	if err := json.Unmarshal(raw, &value); err != nil || value == nil {
		return "", fmt.Errorf("%s must be %s, a string", field, description)
	}
	if len(*value) > most {
		return "", fmt.Errorf("%s is longer than %d bytes; it is %s", field, most, description)
	}
	return *value, nil
}

func (h *Host) describe(_ context.Context, r *request) (any, error) { return Describe(r.game), nil }

func (h *Host) position(_ context.Context, r *request) (any, error) {
	return NewPosition(r.game, r.state, r.moves), nil
}

// chosenMove is the reply to choose.
type chosenMove struct {
	Move string `json:"move"`
}

// choose answers with the move of the agent, reset to the request's seed.
func (h *Host) choose(ctx context.Context, r *request) (any, error) {
	if r.state.Done() {
		return nil, badRequest(errors.New("the game is over: there is no move to choose"))
	}
	agent, release, err := h.agent(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	agent.Reset(r.seed)
	action, err := agent.Choose(ctx, r.state)
	if err != nil {
		return nil, err
	}
	return chosenMove{r.game.ActionNames[action]}, nil
}

// analyze answers with the agent's analysis of the position, or with the result of a finished game.
func (h *Host) analyze(ctx context.Context, r *request) (any, error) {
	if r.state.Done() {
		return analysis.NewGameResult(r.game, r.state), nil
	}
	agent, release, err := h.agent(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	result, err := analysis.Analyze(ctx, r.game, agent, r.state, r.moves, r.simulations)
	if err != nil {
		return nil, err
	}
	return result, nil
}

// dialLevels is the reply to dial.
type dialLevels struct {
	Levels   []agent.Level `json:"levels"`
	Blunders *float64      `json:"blunders,omitempty"` // the agent's share without weakening, and without a solver
}

// dial answers with the levels of the agent's strength dial; none if it has no network or no dial was measured.
func (h *Host) dial(ctx context.Context, r *request) (any, error) {
	player, release, err := h.agent(ctx, r)
	if err != nil {
		return nil, err
	}
	defer release()
	reply := dialLevels{Levels: []agent.Level{}}
	if b, ok := player.(*agent.Batched); ok && len(b.Dial()) > 0 {
		dial := b.Dial()
		reply.Levels, reply.Blunders = append(reply.Levels, dial.Levels()...), dial[len(dial)-1].Blunders
	}
	return reply, nil
}

// BookMove is a move of an opening book.
type BookMove struct {
	Move   string  `json:"move,omitempty"`
	Value  float64 `json:"value"`            // for the player who makes the move
	Exact  bool    `json:"exact,omitempty"`  // whether Value is exact
	Visits int     `json:"visits,omitempty"` // of the search of the position before the move
	Games  int     `json:"games,omitempty"`  // in which the position after the move came up
}

// NewBookMove returns a move of a book of a game.
func NewBookMove(game *env.Game, m *book.Move) BookMove {
	return BookMove{game.ActionNames[m.Action], m.Value, m.Exact, m.Visits, m.Games}
}

// bookMoves is the reply to book. It has no moves if the book does not have the position.
type bookMoves struct {
	Moves []BookMove `json:"moves"`
	Games int        `json:"games,omitempty"` // number of games that the book counts
}

// book answers with the moves of the agent's book. It needs no agent, which may be thinking.
func (h *Host) book(_ context.Context, r *request) (any, error) {
	spec, err := agent.Parse(r.agent)
	if err != nil {
		return nil, badRequest(err)
	}
	if spec.Book == "" {
		return nil, badRequest(fmt.Errorf("%s has no book; give it one with book=FILE", r.agent))
	}
	known, err := h.Book(r.game, spec.Book)
	if err != nil {
		return nil, badRequest(fmt.Errorf("%w: %w", agent.ErrBook, err))
	}
	b := known.(*book.Book)
	reply := bookMoves{Moves: []BookMove{}, Games: b.Games}
	for _, m := range b.Moves(r.state) {
		reply.Moves = append(reply.Moves, NewBookMove(r.game, &m))
	}
	return reply, nil
}

// loadedGame is the reply to load.
type loadedGame struct {
	Moves   []string  `json:"moves"`
	Players [2]string `json:"players"` // "": unknown
}

// load answers with the first game of a file.
func (h *Host) load(_ context.Context, r *request) (any, error) {
	record, err := gamefile.First(r.game, strings.NewReader(r.file), "", "")
	if err != nil {
		return nil, badRequest(err)
	}
	return loadedGame{r.game.Names(record.Actions()), record.Players}, nil
}

// savedGame is the reply to save.
type savedGame struct {
	File string `json:"file"`
}

// save answers with a game in SGF.
func (h *Host) save(_ context.Context, r *request) (any, error) {
	record := gamefile.New(r.game, r.moves)
	record.Players = r.players
	text, err := gamefile.Text(record, gamefile.SGF)
	return savedGame{text}, err
}

// agent returns the agent named by the request, and a function that releases it.
func (h *Host) agent(ctx context.Context, r *request) (agent.Agent, func(), error) {
	player, release, err := h.Agent(ctx, r.game, r.agent)
	if errors.Is(err, agent.ErrSpec) || errors.Is(err, agent.ErrWeights) || errors.Is(err, agent.ErrBook) {
		err = badRequest(err)
	}
	return player, release, err
}
