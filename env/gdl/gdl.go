package gdl

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// Family is the family of all games that New returns.
const Family = "gdl"

// game holds the tables of a game.
type game struct {
	env      *env.Game
	net      *gates.Circuit
	play     *gates.Play
	turns    *turns
	actions  [2][]action     // by role: its possible moves as the mover, ascending
	entry    [2][]int        // by role, then action: its entry of actions, or -1
	init     []uint64        // the fluents that are true at first
	start    *gates.Position // the first position, which all states are copied from
	entries  [][]entry       // by fluent: what it sets in the tensor when First is to move
	framed   [][]entry       // and when Second is
	images   [][]int32       // by symmetry, then fluent: its image
	numbers  []*counter      // those that share a plane
	inSteps  bool            // some of them were found in a way that earlier versions did not have
	constant []entry         // always set
	first    []entry         // set when First is to move
	pieces   []piece         // by fluent
	voids    []piece         // what cells draw of which no fact of the board is true; nil if the sheet names no empty cells
	details  []int           // fluents that the drawing does not show
	limit    int             // plies after which the game is a draw; 0 if games are proven to end
	trial    played          // random games
	findings []string        // see Findings
	zobrist  [][8]uint64     // by fluent, then the number of plies; nil if keys are the fluents
	values   []int           // by class: First's goal, or the difference of goals
	bySum    bool            // both players' goals add up to 100, and each is a class
	byWin    bool            // classes are win, draw and loss, whatever the goals are
}

// action is a move with its gate.
type action struct {
	id    env.Action
	move  int
	legal gates.Ref
}

// entry is a value of the tensor.
type entry struct {
	index int32
	value float32
}

// piece is what a fluent draws: kind k-1 of the drawing's pieces on a cell; 0 for nothing, or for an empty cell.
type piece struct {
	cell  int32
	kind  uint8
	empty bool
}

// CircuitOf returns the network of a game that New or Restore returned.
func CircuitOf(e *env.Game) *gates.Circuit { return e.NewState().(*state).game.net }

// Info says what was found about a game. [Findings] says it in sentences.
type Info struct {
	Fluents, Gates int
	Board          string // "" if there is none
	Longest        string
	Proven         bool   // the longest game is proven
	Frame          string // how the board is turned for Second, if both sides are proven to be alike; else ""
	OwnGoals       bool   // the sides are alike but for their goals
	OneGoal        bool   // that each player has exactly one goal at the end is proven
	Moves          bool   // that both players have a legal move until the end is proven
}

// New returns the game of a sheet. The stem is the sheet's name, such as that of its file; the game's name contains it
// and a hash of the text. Errors of type [kif.Error] name the line.
func New(ctx context.Context, stem, text string) (*env.Game, *Info, error) {
	net, err := Read(ctx, text)
	if err != nil {
		return nil, nil, err
	}
	return FromCircuit(ctx, stem, text, net)
}

// Read returns the network of a sheet, whatever the number of roles and whether they take turns or not.
func Read(ctx context.Context, text string) (*gates.Circuit, error) {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	program, err := ground.Ground(ctx, rules, ground.DefaultLimits)
	if err != nil {
		return nil, explain(err, text, nil)
	}
	return gates.New(program)
}

// FromCircuit is [New] for a sheet whose network is known.
func FromCircuit(ctx context.Context, stem, text string, net *gates.Circuit) (*env.Game, *Info, error) {
	e, info, err := fromCircuit(ctx, stem, text, net, version{layout: lastLayout})
	return e, info, explain(err, text, net)
}

// Restore returns the game of that name, if it was made of the sheet. A cap on plies is the name's, whatever
// random games give now, and networks see the game as they did when games had such names.
func Restore(ctx context.Context, name, text string) (*env.Game, error) {
	stem, v, ok := parseName(name, text)
	if !ok {
		return nil, fmt.Errorf("%s is the name of another sheet's game", name)
	}
	net, err := Read(ctx, text)
	if err != nil {
		return nil, err
	}
	e, _, err := fromCircuit(ctx, stem, text, net, v)
	if err == nil && e.Name != name {
		return nil, fmt.Errorf("%s was made by another version of ludus, which proved other things about it: now it is %s", name, e.Name)
	}
	return e, err
}

// version says what a game's name says besides the sheet.
type version struct {
	limit  int // the cap on plies; uncapped if one is to be found where it is needed
	layout int // how networks see the game, which has changed since games got names; the first that makes no difference
}

// uncapped stands for a cap on plies that is to be found, if one is needed.
const uncapped = 0

// Layouts. Names end in "-v2", "-v3" or "-v4" for those after the first: their networks differ.
const (
	firstLayout = 1 + iota // both players see the board alike
	withFrames             // Second's frame, and planes that show numbers
	withFigures            // figures, and a frame where the sides differ in their goals only
	withPlaces             // no roles and no values as coordinates
	lastLayout  = withPlaces
)

// fromCircuit is FromCircuit for a version of the game.
func fromCircuit(ctx context.Context, stem, text string, net *gates.Circuit, v version) (*env.Game, *Info, error) {
	program := net.Program
	if n := len(program.Roles); n != 2 {
		roles := fmt.Sprintf("%d roles", n)
		if n == 1 {
			roles = "one role"
		}
		return nil, nil, fmt.Errorf("the sheet has %s; only games of two players are supported", roles)
	}
	if newWalk(net, 0).isOver() {
		return nil, nil, errors.New("the game is over at its start: terminal holds in the first position")
	}
	folder := net.NewFolder()
	g := &game{net: net}
	var err error
	if g.turns, err = findTurns(ctx, net, folder); err != nil {
		return nil, nil, err
	}
	g.init = make([]uint64, (len(program.Fluents)+63)/64)
	for i, start := range program.Starts() {
		if start {
			g.init[i/64] |= 1 << (i % 64)
		}
	}
	e := &env.Game{Name: Name(stem, text), Family: Family, Sheet: text}
	g.env = e
	for role, t := range program.Roles {
		e.Players[g.turns.playerOf(role)] = program.Terms.Text(t)
	}
	if err := g.setClasses(folder); err != nil {
		return nil, nil, err
	}
	b := findBoard(program, nil)
	newPlaces := false
	if v.layout >= withPlaces {
		old := b
		b = findBoard(program, func(groups [][]int) bool { return g.proveExclusive(net.NewFolder(), groups) })
		newPlaces = !b.equals(old)
	}
	if b != nil {
		b.allLines = v.layout < withFrames
	}
	if err := g.setActions(b); err != nil {
		return nil, nil, err
	}
	trial, err := g.playTrial(ctx)
	if err != nil {
		if w := FindWitness(ctx, net); w != nil { // people who watch the sheet see this game
			err = w.Err()
		}
		return nil, nil, err
	}
	l, proven := findLongest(ctx, net, folder, g.turns)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("the proof that games end was not finished: %w", ctx.Err())
	}
	proven = proven && l.plies <= maxPlies
	e.MaxPlies, e.UsualPlies = l.plies, max(trial.longest, 1)
	info := &Info{Fluents: len(program.Fluents), Longest: l.proof, Proven: proven}
	limit := v.limit
	switch {
	case limit != uncapped:
		info.Longest, info.Proven = fmt.Sprintf("after %d plies the game is a draw", limit), false
	case !proven:
		limit = 4 * e.UsualPlies
		info.Longest = fmt.Sprintf("%d plies are four times the longest of %d random games; then the game is a draw", limit, trial.games)
	}
	if limit != uncapped {
		g.limit, e.MaxPlies, e.UsualPlies = limit, limit, min(e.UsualPlies, limit)
		g.addDraw()
	}
	g.setTensor(b, folder, v.layout < withFrames)
	f := g.newFinder(b)
	second, err := f.findSymmetries(ctx, v.layout)
	if err != nil {
		return nil, nil, err
	}
	g.setFrame(second)
	if v.layout >= withFigures {
		e.Figures = f.figures(second)
	}
	needed := firstLayout
	switch {
	case newPlaces:
		needed = withPlaces
	case len(e.Figures) > 0 || second.ownGoals:
		needed = withFigures
	case v.layout >= withFrames && (second.actions != nil || g.inSteps || b != nil && b.fewerLines):
		needed = withFrames
	}
	e.Name = version{limit, needed}.name(e.Name)
	g.setKeys()
	g.setPlay(folder)
	e.NewState = func() env.State { return g.newState() }
	position, moves, goals := net.Size()
	info.Gates = position + moves + goals
	if b != nil {
		info.Board = b.String()
	}
	if second.actions != nil {
		info.Frame, info.OwnGoals = cmp.Or(second.name, "not turned"), second.ownGoals
	}
	info.OneGoal, info.Moves = g.proveGoals(folder), g.proveMoves(folder)
	g.trial = trial
	g.describe(info)
	e.Finish(second.actions)
	return e, info, nil
}

// maxPlies is the largest bound of a game's length that is of use; of games with a larger one, random games tell more.
const maxPlies = 4 * maxTrial

// Name returns the name of a sheet's game: its stem and the first 8 hexadecimal digits of the text's SHA-256. The name of
// a game with a cap on plies continues with the cap, as in gdl(reversi-e9dfb92b-144), and that of a game whose networks are no
// longer as they were in earlier versions of ludus with "v2", "v3" or "v4", as in gdl(tic-tac-toe-41d4b05b-v3).
func Name(stem, text string) string {
	stem = cmp.Or(env.FileName(strings.ToLower(stem)), "sheet")
	return fmt.Sprintf("%s(%s-%s)", Family, stem, hashOf(text))
}

func hashOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:8] }

// name returns the name of a version of the game of a name without one.
func (v version) name(plain string) string {
	name := strings.TrimSuffix(plain, ")")
	if v.limit != uncapped {
		name += fmt.Sprintf("-%d", v.limit)
	}
	if v.layout > firstLayout {
		name += fmt.Sprintf("-v%d", v.layout)
	}
	return name + ")"
}

// parseName returns the stem and the version of a name, and whether it is the name of a game of the sheet.
func parseName(name, text string) (stem string, v version, ok bool) {
	inner := strings.TrimSuffix(strings.TrimPrefix(name, Family+"("), ")")
	stem, end, _ := strings.Cut(inner, "-"+hashOf(text))
	v.layout = firstLayout
	for k := firstLayout + 1; k <= lastLayout; k++ {
		if rest, ok := strings.CutSuffix(end, fmt.Sprintf("-v%d", k)); ok {
			end, v.layout = rest, k
			break
		}
	}
	if end != "" {
		limit, err := strconv.Atoi(strings.TrimPrefix(end, "-"))
		if err != nil || limit <= 0 {
			return stem, v, false
		}
		v.limit = limit
	}
	return stem, v, name == v.name(Name(stem, text))
}

// IsName reports whether a name is that of a game of the sheet.
func IsName(name, text string) bool {
	_, _, ok := parseName(name, text)
	return ok
}

// setClasses finds the classes from the goals.
func (g *game) setClasses(f *gates.Folder) error {
	n, e := g.net, g.env
	values := map[int]map[int]gates.Ref{}
	for role := range 2 {
		values[role] = map[int]gates.Ref{}
		for _, goal := range n.Goals[role] {
			values[role][goal.Value] = goal.Holds
		}
		if len(values[role]) == 0 {
			return fmt.Errorf("%s has no goal", n.Program.Terms.Text(n.Program.Roles[role]))
		}
	}
	g.bySum = len(values[0]) == len(values[1])
	for v, r := range values[0] {
		other, ok := values[1][100-v]
		g.bySum = g.bySum && ok && other == r
	}
	set := map[int]bool{}
	for v := range values[0] {
		if g.bySum {
			set[v], set[100-v] = true, true
			continue
		}
		for w := range values[1] {
			set[v-w], set[w-v] = true, true
		}
	}
	if len(set) < 2 {
		return fmt.Errorf("all goals are equal: nobody can win")
	}
	// That everybody has a goal may not be proven. Who has none gets 0.
	set[0] = true
	if g.bySum {
		set[100] = true
	} else {
		for _, list := range values {
			for v := range list {
				set[v], set[-v] = true, true
			}
		}
	}
	for v := range set {
		g.values = append(g.values, v)
	}
	if len(g.values) > maxClasses {
		g.byWin, g.bySum = true, false
		g.values = []int{1, 0, -1}
	}
	e.GoalHead = !g.bySum
	g.nameClasses()
	return nil
}

// Limits of proveGoals: goals of a player, and gates looked at.
const (
	maxProvenGoals = 21
	maxGoalWork    = 1 << 26
)

// proveGoals tries to prove that each player has exactly one goal where the game is over.
func (g *game) proveGoals(f *gates.Folder) bool {
	end := f.Work() + maxGoalWork
	for _, c := range g.turns.fluents {
		for _, goals := range g.net.Goals {
			if len(goals) > maxProvenGoals || f.Work() > end {
				return false
			}
			assume(g.net, f, g.turns.fluents, c, nil, nil)
			over := []gates.Ref{f.Fold(g.net.Terminal)}
			var holds []gates.Ref
			missing := slices.Clone(over)
			for _, goal := range goals {
				r := f.Fold(goal.Holds)
				holds, missing = append(holds, r), append(missing, r.Not())
			}
			if f.Possible(missing...) || !f.Exclusive(holds, over) {
				return false
			}
		}
	}
	return true
}

// maxMoveWork bounds the gates looked at by proveMoves.
const maxMoveWork = 1 << 26

// proveMoves tries to prove that in every position that is not terminal the player to move has a legal move, and the other
// one the move that it makes then.
func (g *game) proveMoves(f *gates.Folder) bool {
	n, t := g.net, g.turns
	var numbers [][]int
	for _, c := range g.numbers {
		numbers = append(numbers, c.fluents)
	}
	f.Exclude(numbers)
	defer f.Exclude(nil)
	f.Budget(maxMoveWork)
	defer f.Budget(0)
	end := f.Work() + maxMoveWork
	for k, c := range t.fluents {
		assume(n, f, t.fluents, c, nil, nil)
		running := []gates.Ref{f.Fold(n.Terminal).Not()}
		if c != none {
			running = append(running, n.Fluent(c))
		}
		stuck := slices.Clone(running)
		for _, r := range n.Legal[t.mover[k]] {
			stuck = append(stuck, f.Fold(r).Not())
		}
		idle := gates.False
		if t.idle[k] >= 0 {
			idle = f.Fold(n.Legal[1-t.mover[k]][t.idle[k]])
		}
		if f.Possible(stuck...) || f.Possible(append(running, idle.Not())...) || f.Work() > end {
			return false
		}
	}
	return true
}

// maxClasses is the largest number of classes; games with more are played for winning, drawing or losing.
const maxClasses = 21

// nameClasses sets the classes of g.values.
func (g *game) nameClasses() {
	slices.SortFunc(g.values, func(a, b int) int { return cmp.Compare(b, a) })
	e := g.env
	e.Classes = nil
	middle := 0
	if g.bySum {
		middle = 50
	}
	for _, v := range g.values {
		c := env.Class{Name: strconv.Itoa(v), Goals: env.OpenGoals, Utility: float32(v) / 100}
		if g.bySum {
			c.Goals, c.Utility = [2]int{v, 100 - v}, float32(2*v-100)/100
		}
		switch {
		case g.byWin:
			c.Utility = float32(v)
			c.Name = []string{"loss", "draw", "win"}[v+1]
		case v == middle:
			c.Name = "draw"
		case len(g.values) <= 3 && v > middle:
			c.Name = "win"
		case len(g.values) <= 3:
			c.Name = "loss"
		case !g.bySum:
			c.Name = fmt.Sprintf("%+d", v)
		}
		e.Classes = append(e.Classes, c)
	}
}

// addDraw adds a class for games that reach the limit of plies.
func (g *game) addDraw() {
	middle := 0
	if g.bySum {
		middle = 50
	}
	if !slices.Contains(g.values, middle) {
		g.values = append(g.values, middle)
	}
	g.nameClasses()
}

// goalsAtLimit are the goals of a game that reaches the limit of plies.
var goalsAtLimit = [2]int{50, 50}

// class returns the class of final goals of First and Second.
func (g *game) class(goals [2]int) int {
	v := goals[0]
	if !g.bySum {
		v -= goals[1]
	}
	if g.byWin {
		v = cmp.Compare(v, 0)
	}
	return slices.Index(g.values, v)
}

// setBoard sets the size and the labels of the board.
func (g *game) setBoard(b *board) {
	p, e := g.net.Program, g.env
	e.Tensor = env.Shape{H: 1, W: 1}
	e.Drawing = env.Drawing{Rows: []string{"1"}, Columns: []string{"1"}, Inferred: true}
	if b == nil {
		return
	}
	e.Tensor = env.Shape{H: b.height(), W: b.width()}
	rows, columns := b.second.labels(p), b.first.labels(p)
	if b.rowsFirst {
		rows, columns = columns, rows
	}
	e.Drawing.Rows, e.Drawing.Columns, e.Drawing.ColumnsFirst = rows, columns, !b.rowsFirst
	e.Drawing.RowNames, e.Drawing.ColumnNames = namesAs(isDigits, rows), namesAs(isLetter, columns)
}

// namesAs returns the constants of an axis without what they have in common before their last characters, such as the r of
// r1 and r2, if the rest are labels of a kind for people; otherwise nil.
func namesAs(isName func(string) bool, constants []string) (names []string) {
	for _, text := range constants {
		rest := text
		if len(text) > 1 && text[0] == constants[0][0] && !isDigits(text) {
			rest = text[1:]
		}
		if !isName(rest) || slices.Contains(names, rest) {
			return nil
		}
		names = append(names, rest)
	}
	return names
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isLetter(s string) bool { return len(s) == 1 && s[0] >= 'a' && s[0] <= 'z' }

// plane is a plane of the tensor or of the policy: terms with a name and a number of arguments, see groupName, that differ
// in their place only.
type plane struct{ group, text string }

// setActions numbers the moves of both players: planes of the policy, then single entries.
func (g *game) setActions(b *board) error {
	p, e := g.net.Program, g.env
	// Moves by text: both players share those of the same text.
	var terms []ground.Term
	seen := map[ground.Term]bool{}
	for role := range 2 {
		for m, possible := range g.turns.moves[role] {
			if t := p.Moves[role][m]; possible && !seen[t] {
				seen[t] = true
				terms = append(terms, t)
			}
		}
	}
	if len(terms) == 0 {
		return fmt.Errorf("nobody ever has a move")
	}
	g.setBoard(b)
	cells := e.Tensor.Cells()
	type slot struct {
		plane plane
		cell  int
	}
	slots := map[slot]ground.Term{}
	var planes []plane
	drawn := map[ground.Term]env.FromTo{}
	var single []ground.Term
	names, groups := groupsOf(p, terms)
	for _, name := range names {
		var group []ground.Term
		for _, i := range groups[name] {
			group = append(group, terms[i])
		}
		pl := b.placeOf(p, group)
		placed := map[slot]ground.Term{}
		own := map[plane]bool{}
		var order []plane
		for _, t := range group {
			args := p.Terms.Args(t)
			s := slot{plane: plane{name, pl.others(p, t)}}
			from := env.FromTo{From: env.NoCell, To: env.NoCell}
			switch {
			case pl.kind == onCell:
				s.cell, _ = b.at(args, pl.i, pl.j)
				from.To = int32(s.cell)
				if pl.k >= 0 {
					to, _ := b.at(args, pl.k, pl.l)
					w := b.width()
					s.plane.text = fmt.Sprintf("%s %+d %+d", s.plane.text, to%w-s.cell%w, to/w-s.cell/w)
					from = env.FromTo{From: int32(s.cell), To: int32(to)}
				}
				if !strings.Contains(pl.others(p, t), " ") && from.From != from.To {
					drawn[t] = from
				}
			case pl.kind == onFirst || pl.kind == onSecond:
				s.cell = int(b.cells(p, pl, t)[0])
			}
			placed[s] = t
			if !own[s.plane] {
				own[s.plane] = true
				order = append(order, s.plane)
			}
		}
		// A group that would need many more entries than it has moves gets single entries.
		if b == nil {
			for _, t := range group { // a plane of one cell each
				own := plane{name, p.Terms.Text(t)}
				planes = append(planes, own)
				slots[slot{plane: own}] = t
			}
			continue
		}
		if pl.kind == nowhere || len(placed) < len(group) || len(order)*cells > 32*len(group)+1024 {
			single = append(single, group...)
			continue
		}
		planes = append(planes, order...)
		for s, t := range placed {
			slots[s] = t
		}
	}
	if len(planes) == 0 {
		planes = []plane{{text: "unused"}} // networks need a plane
	}
	ids := map[ground.Term]env.Action{}
	add := func(t ground.Term) {
		ids[t] = env.Action(len(e.ActionTexts))
		e.ActionTexts = append(e.ActionTexts, p.Terms.Text(t))
		cells, ok := drawn[t]
		if !ok {
			cells = env.NoCells
		}
		e.Drawing.ActionCells = append(e.Drawing.ActionCells, cells)
	}
	for _, plane := range planes {
		for cell := range cells {
			if t, ok := slots[slot{plane, cell}]; ok {
				add(t)
				continue
			}
			e.ActionTexts = append(e.ActionTexts, "")
			e.Drawing.ActionCells = append(e.Drawing.ActionCells, env.NoCells)
		}
	}
	for _, t := range single {
		add(t)
	}
	for _, plane := range planes {
		e.PolicyNames = append(e.PolicyNames, plane.text)
	}
	for _, t := range single {
		e.PolicyNames = append(e.PolicyNames, p.Terms.Text(t))
	}
	e.PolicyExtras = len(single)
	for role := range 2 {
		for m, possible := range g.turns.moves[role] {
			if possible {
				g.actions[role] = append(g.actions[role], action{ids[p.Moves[role][m]], m, g.net.Legal[role][m]})
			}
		}
		slices.SortFunc(g.actions[role], func(a, b action) int { return cmp.Compare(a.id, b.id) })
		g.entry[role] = slices.Repeat([]int{-1}, len(e.ActionTexts))
		for k, a := range g.actions[role] {
			g.entry[role][a.id] = k
		}
	}
	return nil
}

// setPlay prepares the network for the modes in which players move.
func (g *game) setPlay(f *gates.Folder) {
	t := g.turns
	type key struct{ mover, idle int }
	numbers := map[key]int{}
	var modes []gates.Mode
	for k := range t.fluents {
		x := key{t.mover[k], t.idle[k]}
		i, ok := numbers[x]
		if !ok {
			i = len(modes)
			numbers[x] = i
			m := gates.Mode{Mover: x.mover, Idle: x.idle}
			for _, a := range g.actions[x.mover] {
				m.Moves = append(m.Moves, a.move)
			}
			modes = append(modes, m)
		}
		t.modes = append(t.modes, i)
	}
	for i := range modes {
		var own []int
		for k, fluent := range t.fluents {
			switch {
			case t.modes[k] == i:
				own = append(own, fluent)
			case fluent != none:
				modes[i].Known = append(modes[i].Known, g.net.Fluent(fluent).Not())
			}
		}
		if len(own) == 1 && own[0] != none {
			modes[i].Known = append(modes[i].Known, g.net.Fluent(own[0]))
		}
	}
	g.play = gates.NewPlay(g.net, f, modes)
	g.start = g.play.NewPosition(g.init)
}

// setTensor lays out the planes of the tensor, as in old versions if it is asked to, and what is drawn.
func (g *game) setTensor(b *board, f *gates.Folder, old bool) {
	p, e := g.net.Program, g.env
	cells := e.Tensor.Cells()
	g.entries = make([][]entry, len(p.Fluents))
	g.pieces = make([]piece, len(p.Fluents))
	e.Drawing.Cells = make([]bool, cells)
	planes := map[plane]int{}
	number := func(p plane) int {
		i, ok := planes[p]
		if !ok {
			i = len(e.Planes)
			planes[p] = i
			e.Planes = append(e.Planes, p.text)
		}
		return i
	}
	names, groups := groupsOf(p, p.Fluents)
	places, counters := map[string]place{}, map[string][]*counter{}
	var all []*counter
	for _, name := range names {
		var terms []ground.Term
		for _, i := range groups[name] {
			terms = append(terms, p.Fluents[i])
		}
		if places[name] = b.placeOf(p, terms); places[name].kind == nowhere {
			counters[name] = countersOf(p, groups[name])
			all = append(all, counters[name]...)
		}
	}
	g.findNumbers(f, all, old)
	for _, name := range names {
		for _, c := range counters[name] {
			for k, i := range c.fluents {
				title, value := c.plane(p, k)
				at := number(plane{name, title})
				for cell := range cells {
					g.entries[i] = append(g.entries[i], entry{int32(at*cells + cell), value})
				}
			}
		}
		pl := places[name]
		if pl.kind == nowhere {
			continue
		}
		single := pl
		single.k, single.l = -1, -1 // a second cell, as in (line 1 1 1 2), tells planes apart
		for _, i := range groups[name] {
			t := p.Fluents[i]
			at := number(plane{name, single.others(p, t) + ": 1 where it is true, 0 elsewhere"})
			for _, cell := range b.cells(p, pl, t) {
				g.entries[i] = append(g.entries[i], entry{int32(at*cells) + cell, 1})
				if pl.kind == onCell {
					e.Drawing.Cells[cell] = true
				}
			}
		}
		if b.group == name {
			g.setPieces(pl, groups[name], b)
		}
	}
	for _, c := range e.Drawing.ActionCells {
		for _, cell := range []int32{c.From, c.To} {
			if cell >= 0 {
				e.Drawing.Cells[cell] = true
			}
		}
	}
	if b == nil {
		e.Drawing.Cells[0] = true
	}
	onBoard := number(plane{text: "board: 1 on every cell that exists, 0 elsewhere"})
	for cell, exists := range e.Drawing.Cells {
		if exists {
			g.constant = append(g.constant, entry{int32(onBoard*cells + cell), 1})
		}
	}
	if g.limit > 0 {
		number(plane{text: fmt.Sprintf("plies left: on every cell the plies before the game is a draw / %d", g.limit)})
	}
	for i := range p.Fluents {
		if g.pieces[i].kind == 0 && !slices.Contains(g.turns.fluents, i) && !(b != nil && groupName(p, p.Fluents[i]) == b.group) {
			g.details = append(g.details, i)
		}
	}
}

// emptyNames are constants that stand for an empty cell. They are not drawn. docs/RULES.md lists them.
var emptyNames = []string{"b", "blank", "empty", "e", "none", "free", "dirt", "clear", "nothing", "space", "nil"}

// voidName is the name of the kind that is drawn on cells of which no fact is true. It is one of emptyNames, so no piece has it.
const voidName = "nothing"

// maxKinds is the number of kinds of pieces.
const maxKinds = 255

// setPieces sets what fluents of the board draw: the constants that do not place them. If some of them say that a cell is
// empty, a cell of which none is true is something else, and drawn as if it did not exist.
func (g *game) setPieces(pl place, fluents []int, b *board) {
	p, e := g.net.Program, g.env
	named := map[int32]bool{} // cells that the fluents speak of
	isEmpty := false
	for _, i := range fluents {
		t := p.Fluents[i]
		cell := b.cells(p, pl, t)[0]
		named[cell] = true
		_, name, _ := strings.Cut(pl.others(p, t), " ")
		if slices.Contains(emptyNames, name) {
			g.pieces[i] = piece{cell: cell, empty: true}
			isEmpty = true
			continue
		}
		if name == "" {
			name = p.Terms.Name(t)
		}
		kind := slices.IndexFunc(e.Drawing.Pieces, func(p env.Piece) bool { return p.Name == name })
		if kind < 0 {
			if kind = len(e.Drawing.Pieces); kind == maxKinds {
				continue
			}
			piece := env.Piece{Name: name, Neutral: true}
			for player, role := range e.Players {
				if slices.Contains(strings.Fields(name), role) {
					piece.Player, piece.Neutral = env.Player(player), false
				}
			}
			e.Drawing.Pieces = append(e.Drawing.Pieces, piece)
		}
		g.pieces[i] = piece{cell: cell, kind: uint8(kind + 1)}
	}
	if !isEmpty || len(e.Drawing.Pieces) == maxKinds {
		return
	}
	e.Drawing.Pieces = append(e.Drawing.Pieces, env.Piece{Name: voidName, Neutral: true, Void: true})
	for cell := range e.Tensor.Cells() {
		if named[int32(cell)] {
			g.voids = append(g.voids, piece{cell: int32(cell), kind: uint8(len(e.Drawing.Pieces))})
		}
	}
}

// appendBoard appends the kinds of pieces on all cells while no fluent is true.
func (g *game) appendBoard(dst []uint8) []uint8 {
	start := len(dst)
	for range g.env.Tensor.Cells() {
		dst = append(dst, 0)
	}
	for _, v := range g.voids {
		dst[start+int(v.cell)] = v.kind
	}
	return dst
}

// draw draws a fluent that is true. A piece hides that another fluent calls its cell empty.
func (g *game) draw(pieces []uint8, fluent int) {
	switch p := g.pieces[fluent]; {
	case p.kind > 0:
		pieces[p.cell] = p.kind
	case p.empty && g.env.Drawing.IsVoid(pieces[p.cell]):
		pieces[p.cell] = 0
	}
}

// setKeys decides what keys are: the fluents if they fit beside the number of plies, otherwise sums of random words.
func (g *game) setKeys() {
	words := len(g.init)
	if g.limit > 0 {
		words++
	}
	if words <= len(env.Key{}) {
		return
	}
	rng := rand.New(rand.NewPCG(2, 2))
	g.zobrist = make([][8]uint64, len(g.net.Program.Fluents)+g.limit+1)
	for i := range g.zobrist {
		for k := range g.zobrist[i] {
			g.zobrist[i][k] = rng.Uint64()
		}
	}
}
