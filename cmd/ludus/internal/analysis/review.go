package analysis

import (
	"context"
	"errors"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/agent"
)

// BestPlay says who wins with best play from the start, such as "x wins", or "it is a draw"; "" if that is not known.
func BestPlay(game *env.Game) string {
	result, ok := solver.BestPlay(game)
	switch {
	case !ok:
		return ""
	case result > 0:
		return game.Players[env.First] + " wins"
	case result < 0:
		return game.Players[env.Second] + " wins"
	}
	return "it is a draw"
}

// Review is an agent's review of a game. Values are expected utilities in [-1, 1]; a loss is a difference of two.
// Proven and exact values hold for best play by both players; the others are the agent's estimates.
type Review struct {
	Game      string          `json:"game"`
	Players   [2]string       `json:"players,omitzero"` // their names, the first player's first; "": unknown
	Result    string          `json:"result,omitempty"` // 1-0, 0-1 or 1/2-1/2, the first player's score first
	Agent     string          `json:"agent,omitempty"`
	Positions []PositionValue `json:"positions"` // at the start and after each move
	Moves     []ReviewedMove  `json:"moves"`
	Sides     [2]Side         `json:"sides"` // the first player's first
	Lost      *TurningPoint   `json:"lost,omitempty"`
}

// PositionValue is the value of a position for the first player.
type PositionValue struct {
	Value  float64 `json:"value"`
	Proven bool    `json:"proven,omitempty"`
}

// Grade says how good a move was.
type Grade string

const (
	Best    Grade = "best"    // the agent's choice, or proven to be as good
	Good    Grade = "good"    // it loses less than a mistake
	Mistake Grade = "mistake" // it loses at least mistakeLoss, or anything if that is exact
	Blunder Grade = "blunder" // it loses at least blunderLoss
	Random  Grade = "random"  // an opening ply, drawn at random or set up, so nobody's mistake
)

// Least losses of an estimated mistake and of a blunder: 10 % and 30 % of expected score. review.js has them, too.
const (
	mistakeLoss = 0.2
	blunderLoss = 0.6
)

// ReviewedMove is a move of a reviewed game. Its values are for the player who makes it.
type ReviewedMove struct {
	Ply    int     `json:"ply"` // from 1
	Player string  `json:"player"`
	Move   string  `json:"move"`
	Before float64 `json:"before"`          // of the best move
	After  float64 `json:"after"`           // of this one
	Loss   float64 `json:"loss"`            // what the move gives away, 0 or more
	Exact  bool    `json:"exact,omitempty"` // whether both values are
	Grade  Grade   `json:"grade"`
	// Where the move loses something: the better move, words that follow "BEST, which", and the lines of best play that
	// begin with the better move and with the reply to the move played.
	Best   string   `json:"best,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Line   []string `json:"line,omitempty"`
	Reply  []string `json:"reply,omitempty"`
	// Of a mistake: the values for the player, -1 to 1, of all legal moves by the analysis of the position; nil: unknown.
	Values map[string]*float64 `json:"values,omitempty"`
}

// IsMistake reports whether the move is a mistake or a blunder.
func (m *ReviewedMove) IsMistake() bool { return m.Grade == Mistake || m.Grade == Blunder }

// Side sums up the moves of a player, without opening plies.
type Side struct {
	Player   string  `json:"player"`
	Moves    int     `json:"moves"`
	Best     int     `json:"best"`
	Mistakes int     `json:"mistakes"` // with blunders
	Blunders int     `json:"blunders"`
	Loss     float64 `json:"loss"` // mean of a move's
}

// TurningPoint says where the player who has lost, or whose position is lost at the end, had a chance for the last
// time: before the move after which the estimates give no chance any more. If that move is no mistake, it is the first
// mistake after it, as long as the loss is not proven.
type TurningPoint struct {
	Player     string  `json:"player"` // the loser
	Ply        int     `json:"ply"`    // of the loser's move after which there was no chance any more; 0: there never was one
	Move       string  `json:"move,omitempty"`
	Value      float64 `json:"value"`                 // for the loser, of the first position without a chance
	ProvenFrom *int    `json:"proven_from,omitempty"` // ply from which on every position is proven to be lost
}

// Exact reports whether it is proven that there was no chance any more.
func (t *TurningPoint) Exact() bool { return t.ProvenFrom != nil && *t.ProvenFrom <= t.Ply }

// lostValue is the estimated value below which a position counts as lost: 25 % of expected score.
const lostValue = -0.5

// ErrNoValues means that an agent does not evaluate positions.
var ErrNoValues = errors.New("the agent does not evaluate positions")

// ReviewGame reviews a game by the analyses of its positions; judged, if not nil, is called after each. The first
// moves, opening of them, are opening plies. The caller sets Players, Result and Agent. Errors are ErrNoValues and
// those of [agent.Agent.Analyze].
//
// It goes from the end of the game to its start, so a solver's table knows what follows a position. The move played is
// worth what the analysis of the position after it says, where the search has more visits than the move had here. The
// best move is worth the position's exact value, or else what the analysis of the position says. If that does not value
// both moves, or the position after the move played is exact, the position after the best move is analysed, too.
// If only the move played has an exact value, the best move has the lower of its two estimates: a high one would blame
// a move in a lost position.
//
// A solver that could not decide some positions in a row rarely decides earlier ones, so there it gets fewer nodes.
func ReviewGame(ctx context.Context, game *env.Game, a agent.Agent, moves []env.Action, opening int, judged func()) (*Review, error) {
	rev := reviewer{game: game, agent: a, decided: len(moves)}
	states := []env.State{game.NewState()}
	for i, action := range moves {
		states = append(states, game.After(states[i], action))
	}
	a.Reset(0)
	positions := make([]*judgement, len(states))
	for i := len(states) - 1; i >= 0; i-- {
		var err error
		positions[i], err = rev.judge(ctx, states[i], moves[:i])
		if err != nil {
			return nil, err
		}
		if judged != nil {
			judged()
		}
	}
	utilities := Utilities(game)
	for i := len(moves) - 1; i >= 0; i-- {
		positions[i].deduce(positions[i+1], states[i].Player(), utilities[0])
	}
	for i := range moves {
		positions[i+1].follow(positions[i], states[i].Player(), game.ActionNames[moves[i]], utilities[1])
	}
	r := &Review{Game: game.Name, Moves: []ReviewedMove{}}
	for _, p := range positions {
		r.Positions = append(r.Positions, PositionValue{p.value, p.exact})
	}
	for p := range r.Sides {
		r.Sides[p].Player = game.Players[p]
	}
	for i := range moves {
		m, err := rev.weigh(ctx, states[i], moves[:i+1], positions[i], positions[i+1])
		if err != nil {
			return nil, err
		}
		m.Ply = i + 1
		if i < opening {
			m.Grade = Random
		} else {
			r.Sides[states[i].Player()].add(&m)
		}
		r.Moves = append(r.Moves, m)
	}
	for p := range r.Sides {
		r.Sides[p].Loss /= float64(max(1, r.Sides[p].Moves))
	}
	r.Lost = r.turningPoint()
	return r, nil
}

// reviewer judges the positions of a game.
type reviewer struct {
	game    *env.Game
	agent   agent.Agent
	decided int // ply of the first position that is exact
}

// Before undecidedPlies positions that are not exact, a solver gets a share of its nodes.
const (
	undecidedPlies = 4
	earlyShare     = 16
)

// judgement is the value of a position for the first player. The analysis is nil if the game is over.
type judgement struct {
	value float64
	exact bool
	*Result
}

// judge judges a position, to which the moves lead.
func (rev *reviewer) judge(ctx context.Context, state env.State, moves []env.Action) (*judgement, error) {
	if state.Done() {
		return &judgement{value: NewGameResult(rev.game, state).Value, exact: true}, nil
	}
	switch a := rev.agent.(type) {
	case agent.Outside:
		agent.Restart(a, 0, moves)
	case *agent.Batched:
		share := 1
		if len(moves) < rev.decided-undecidedPlies {
			share = earlyShare
		}
		a.LimitSolver(share)
		defer a.LimitSolver(1)
	}
	r, err := analyze(ctx, rev.game, rev.agent, state, 0)
	switch {
	case err != nil:
		return nil, err
	case r.Value == nil:
		return nil, ErrNoValues
	}
	if r.Proven {
		rev.decided = min(rev.decided, len(moves))
	}
	return &judgement{state.Player().Sign()**r.Value + 0, r.Proven, r}, nil // + 0 turns -0 into 0
}

// roundUtility rounds an exact value as those of analyses are.
func roundUtility(u float32) float64 { return *rounded(new(float64(u))) }

// Utilities returns the utility of the best and the worst outcome of a game.
func Utilities(game *env.Game) [2]float64 {
	return [2]float64{roundUtility(game.Classes[0].Utility), roundUtility(game.Classes[len(game.Classes)-1].Utility)}
}

// deduce makes the value of a position exact if the move that player made there is proven to win: no value is better
// than wins.
func (j *judgement) deduce(next *judgement, player env.Player, wins float64) {
	if next.exact && player.Sign()*next.value == wins {
		j.value, j.exact = next.value, true
	}
}

// follow makes the value of the position after player's move exact if that of the position before is, and the move
// keeps it: because it is the best one, or because every move loses: no value is worse than loses.
func (j *judgement) follow(before *judgement, player env.Player, move string, loses float64) {
	if before.exact && (before.Proven && move == before.Best || player.Sign()*before.value == loses) {
		j.value, j.exact = before.value, true
	}
}

// moveValue returns the value of a move for the player who makes it, nil if it is unknown.
func (j *judgement) moveValue(move string) *float64 {
	return j.Moves[slices.IndexFunc(j.Moves, func(m MoveInfo) bool { return m.Move == move })].Value
}

// weigh compares the last of some moves, made in state, with the best one. The positions are those before and after it.
func (rev *reviewer) weigh(ctx context.Context, state env.State, moves []env.Action, here, there *judgement) (m ReviewedMove, err error) {
	player, last := state.Player(), len(moves)-1
	m = ReviewedMove{
		Player: rev.game.Players[player], Move: rev.game.ActionNames[moves[last]], Exact: here.exact && there.exact, Grade: Good,
		Before: player.Sign()*here.value + 0, After: player.Sign()*there.value + 0, // + 0 turns -0 into 0
	}
	best, before, own := here.Best, here.moveValue(here.Best), here.moveValue(m.Move)
	switch {
	case m.Move == best && there.exact && !here.exact:
		m.Before, m.Exact = m.After, true
	case m.Move == best && !m.Exact:
		m.After = m.Before
	case here.exact: // so the best move has the position's value
	case before != nil && own != nil && !there.exact:
		m.Before = *before
	default:
		action := env.Action(slices.Index(rev.game.ActionNames, best))
		instead, err := rev.judge(ctx, rev.game.After(state, action), append(moves[:last:last], action))
		if err != nil {
			return m, err
		}
		m.Before, m.Exact = player.Sign()*instead.value+0, instead.exact && there.exact
		if there.exact && !instead.exact {
			m.Before = min(m.Before, player.Sign()*here.value+0)
		}
	}
	if m.Move != best {
		m.Loss = max(0, *rounded(new(m.Before - m.After)))
	}
	switch {
	case m.Move == best || m.Exact && m.Loss == 0:
		m.Grade = Best
	case m.Loss >= blunderLoss:
		m.Grade = Blunder
	case m.Exact || m.Loss >= mistakeLoss:
		m.Grade = Mistake
	}
	if m.Loss > 0 {
		m.Best, m.Reason, m.Line = best, here.fact, lineOf(here)
		if there.Result != nil && there.Player != m.Player {
			m.Reply = lineOf(there)
		}
	}
	if m.IsMistake() {
		m.Values = map[string]*float64{}
		for _, info := range here.Moves {
			m.Values[info.Move] = info.Value
		}
	}
	return m, nil
}

// lineOf returns the line of the best move in a position.
func lineOf(j *judgement) []string {
	if line := j.Moves[0].Line; line != nil {
		return line
	}
	return []string{j.Best}
}

// add counts a move; Loss becomes a sum.
func (s *Side) add(m *ReviewedMove) {
	s.Moves++
	s.Loss += m.Loss
	if m.Grade == Best {
		s.Best++
	}
	if m.IsMistake() {
		s.Mistakes++
	}
	if m.Grade == Blunder {
		s.Blunders++
	}
}

// turningPoint returns where the game was lost; nil if nobody has lost it, or if the estimates do not tell.
func (r *Review) turningPoint() *TurningPoint {
	last := len(r.Positions) - 1
	end := r.Positions[last].Value
	loser, sign := env.First, 1.0
	if end > 0 {
		loser, sign = env.Second, -1
	}
	point := &TurningPoint{Player: r.Sides[loser].Player}
	proven := 0
	for i, p := range r.Positions {
		value := sign * p.Value
		if value >= 0 || !p.Proven && value >= lostValue {
			point.Ply = i + 1
		}
		if value >= 0 || !p.Proven {
			proven = i + 1
		}
	}
	if end == 0 || point.Ply > last {
		return nil
	}
	point.Value = sign*r.Positions[point.Ply].Value + 0
	for point.Ply > 0 && r.Moves[point.Ply-1].Player != point.Player {
		point.Ply-- // the winner's move only showed what the loser had allowed
	}
	if point.Ply == 0 || !r.Moves[point.Ply-1].IsMistake() {
		later := slices.IndexFunc(r.Moves[point.Ply:min(proven, last)], func(m ReviewedMove) bool {
			return m.Player == point.Player && m.IsMistake()
		})
		if later >= 0 { // while nothing was proven, a mistake says more than an estimate
			point.Ply += later + 1
			point.Value = sign*r.Positions[point.Ply].Value + 0
		}
	}
	if point.Ply > 0 {
		point.Move = r.Moves[point.Ply-1].Move
	}
	if proven <= last {
		point.ProvenFrom = &proven
	}
	return point
}
