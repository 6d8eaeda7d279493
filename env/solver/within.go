package solver

import "ludus/env"

// ForcesWithin reports whether player can force the end of the game in its own class k (see [env.Game.ClassFor]) or
// better within so many plies from state. ok is false if a limit was reached. The state must not be done; it is neither
// changed nor retained. It uses the results of earlier calls but stores none, since its answers depend on plies.
func (s *Solver) ForcesWithin(player env.Player, state env.State, k, plies int, l Limits) (forced, ok bool) {
	s.begin(state, l)
	if player == env.Second { // First's classes are Second's in reverse
		k = s.game.ClassFor(env.Second, k) - 1
	}
	forced = s.forces(player, 0, k, plies)
	return forced && !s.aborted, !s.aborted
}

// forces decides whether player forces the end within plies plies from the position at ply, so that the question
// whether First reaches class k is decided in player's favour. The result is meaningless if s.aborted.
func (s *Solver) forces(player env.Player, ply, k, plies int) bool {
	if s.nodes >= s.nextCheck && s.limitReached() {
		return false
	}
	s.nodes++
	p := s.ply(ply)
	mover := p.state.Player()
	ending := s.findMoves(p, mover)
	if p.cutoffMove >= 0 && cutsOff(mover, ending, k) {
		return mover == player
	}
	p.cutoffMove = -1
	if plies == 1 || len(p.moves) == 0 {
		return mover != player && len(p.moves) == 0
	}
	key, symmetry := p.state.CanonicalKey()
	e := s.table.find(hashOf(&key))
	if e != nil && (player == env.First && int(e.low) > k || player == env.Second && int(e.high) <= k) {
		return false // not even without a limit on the plies
	}
	next := s.ply(ply + 1)
	s.scoreMoves(p, next, s.entryMove(e, symmetry))
	for i := range p.moves {
		a := p.pickMove(i)
		next.state.CopyFrom(p.state)
		next.state.Apply(a)
		if s.forces(player, ply+1, k, plies-1) == (mover == player) || s.aborted {
			p.cutoffMove = a
			return mover == player
		}
		p.promote(i+1, next.cutoffMove)
	}
	return mover != player
}
