package games

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ludus/env"
	"ludus/env/naming"
)

// ErrName is wrapped by every error about the name of a game or its parameters.
var ErrName = errors.New("no such game")

// Family is a set of games that differ only in their parameters.
type Family struct {
	Name    string
	Params  []Param // in the canonical order
	Aliases []Alias // at least one; the function Names lists the first of each game
	Order   int     // families are listed by ascending Order; those with 0 come last, by name
	// Build returns the game with these parameters, or an error if each is allowed but not all of them together. The
	// registry sets the game's Name, Family and Params.
	Build func(v Values) (*env.Game, error)
}

// Pattern returns how names with parameters are written: "hex(size=2..19,swap=0..1)".
func (f *Family) Pattern() string { return f.written(Param.Range) }

// Defaults returns the name with the default of each parameter: "hex(size=11,swap=1)".
func (f *Family) Defaults() string { return f.written(func(p Param) string { return p.Default }) }

// written returns the family's name with what value says of each parameter; "" leaves it out.
func (f *Family) written(value func(p Param) string) string {
	var params []string
	for _, p := range f.Params {
		if v := value(p); v != "" {
			params = append(params, p.Name+"="+v)
		}
	}
	return f.Name + "(" + strings.Join(params, ",") + ")"
}

// Alias is a short name of one game of a family. Full is its name with every parameter that is not implied. Of several
// aliases of one game, the first is its canonical name.
type Alias struct{ Name, Full string }

// Param is a parameter of a family. Its value is one of Words or, if there are none, a whole number from Min to Max.
type Param struct {
	Name     string
	Default  string
	Words    []string
	Min, Max int
	implied  bool // canonical names leave it out where it has its default
}

// Implied returns the parameter as one that canonical names leave out where it has its default: so games keep their
// names when their family gets the parameter.
func (p Param) Implied() Param {
	p.implied = true
	return p
}

// Number returns a parameter that takes whole numbers from low to high.
func Number(name string, value, low, high int) Param {
	return Param{Name: name, Default: strconv.Itoa(value), Min: low, Max: high}
}

// Word returns a parameter that takes one of the given words, the first by default.
func Word(name string, words ...string) Param {
	return Param{Name: name, Default: words[0], Words: words}
}

// Range describes the allowed values: "4..13" or "cut|left|full".
func (p Param) Range() string {
	if p.Words != nil {
		return strings.Join(p.Words, "|")
	}
	return fmt.Sprintf("%d..%d", p.Min, p.Max)
}

// parse returns value in its canonical spelling.
func (p Param) parse(value string) (string, error) {
	if p.Words != nil {
		if slices.Contains(p.Words, value) {
			return value, nil
		}
	} else if n, err := strconv.Atoi(value); err == nil && p.Min <= n && n <= p.Max {
		return strconv.Itoa(n), nil
	}
	return "", fmt.Errorf("%s=%s is not allowed; it takes %s", p.Name, value, p.Range())
}

// Values are the parameters of a game, checked against its family's, in the canonical order.
type Values []env.Param

// Word returns the value of the named parameter.
func (v Values) Word(name string) string {
	return v[slices.IndexFunc(v, func(p env.Param) bool { return p.Name == name })].Value
}

// Number returns the value of the named parameter, which takes numbers.
func (v Values) Number(name string) int {
	n, err := strconv.Atoi(v.Word(name))
	if err != nil {
		panic("games: not a number: parameter " + name)
	}
	return n
}

var (
	families []Family

	built   = map[string]*env.Game{}                 // by canonical name
	makers  = map[string]func() (*env.Game, error){} // make games of rule sheets once, by name
	builtMu sync.Mutex
)

// Register adds a family and returns true. The result allows a game's file to call it in a variable declaration.
func Register(f Family) bool {
	families = append(families, f)
	slices.SortFunc(families, func(a, b Family) int {
		return cmp.Or(cmp.Compare(uint(a.Order-1), uint(b.Order-1)), cmp.Compare(a.Name, b.Name)) // 0 becomes the largest
	})
	return true
}

// Families lists all families. The caller must not change them.
func Families() []Family { return families }

// Names lists the canonical names of all games that have an alias.
func Names() []string {
	var names []string
	for _, f := range families {
		for i, s := range f.Aliases {
			if !slices.ContainsFunc(f.Aliases[:i], func(other Alias) bool { return other.Full == s.Full }) {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// New returns the game of an alias, or of a family with parameters in any order, such as "quad(size=5,quads=8)";
// parameters left out have their defaults. The names gdl(PATH) and PATH.kif are the game of a rule sheet; see package
// gdl. The same game is always the same pointer. Errors wrap [ErrName].
func New(name string) (*env.Game, error) {
	if path, ok := SheetPath(name); ok {
		return newSheet(strings.TrimSpace(name), path)
	}
	f, v, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrName, name, err)
	}
	full := f.full(v)
	canonical := f.canonical(full)
	builtMu.Lock()
	defer builtMu.Unlock()
	if g := built[canonical]; g != nil {
		return g, nil
	}
	g, err := f.Build(v)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrName, canonical, err) // with the values that were left out
	}
	g.Name, g.Full, g.Family, g.Params = canonical, full, f.Name, v
	built[canonical] = g
	return g, nil
}

// Must is [New] for a name that is valid for certain. It panics on an error.
func Must(name string) *env.Game {
	g, err := New(name)
	if err != nil {
		panic("games: " + err.Error())
	}
	return g
}

// full returns the name of a game as the family with every parameter that is not implied.
func (f *Family) full(v Values) string {
	return f.written(func(p Param) string {
		if value := v.Word(p.Name); !p.implied || value != p.Default {
			return value
		}
		return ""
	})
}

// canonical returns the canonical name of a game by its full name: its first alias if it has one.
func (f *Family) canonical(full string) string {
	for _, s := range f.Aliases {
		if s.Full == full {
			return s.Name
		}
	}
	return full
}

// parse reads a name in any of the forms that New takes.
func parse(name string) (*Family, Values, error) {
	head, arguments, bracket := strings.Cut(strings.TrimSpace(name), "(")
	head = strings.TrimSpace(head)
	if bracket {
		if !strings.Contains(arguments, ")") {
			return nil, nil, fmt.Errorf("the ) at the end is missing: %s(%s)", head, arguments)
		}
		var closed bool
		arguments, closed = strings.CutSuffix(arguments, ")")
		if !closed || strings.ContainsAny(arguments, "()") {
			return nil, nil, errors.New("a name with parameters reads like quad(size=5,quads=8,whites=0,corners=cut)")
		}
	}
	for i := range families {
		f := &families[i]
		if f.Name == head {
			v, err := f.parse(arguments)
			return f, v, err
		}
		for _, s := range f.Aliases {
			if s.Name != head {
				continue
			}
			if bracket {
				return nil, nil, fmt.Errorf("%s takes no parameters; it is %s, whose parameters you can change", head, s.Full)
			}
			return parse(s.Full)
		}
	}
	known := knownNames(bracket)
	near := naming.Nearest(head, known)
	if sized := otherSize(head); sized != "" && !bracket {
		near = sized
	}
	err := suggest(near, known)
	for i := range families {
		if f := &families[i]; strings.HasPrefix(head, f.Name+"-") { // such as quad-4x4
			err = fmt.Errorf("other sizes are written like %s; %w", f.Pattern(), err)
		}
	}
	return nil, nil, err
}

// Resized is [Sized] for a game with a square board.
func Resized(game *env.Game, side int) (*env.Game, error) {
	if game.Tensor.H != game.Tensor.W {
		return nil, fmt.Errorf("%s has no other sizes: its board is not square", game.Name)
	}
	return Sized(game, side, side)
}

// Sized returns the game of the same family and rules on a board of another size. A size that the family does not allow
// is [ErrName].
func Sized(game *env.Game, columns, rows int) (*env.Game, error) {
	sized, err := Variant(game, sizes(columns, rows))
	if err == nil && (sized.Tensor.W != columns || sized.Tensor.H != rows) {
		err = fmt.Errorf("%s has no board of %d columns and %d rows", game.Name, columns, rows)
		if sized.Tensor.W == sized.Tensor.H {
			err = fmt.Errorf("%w: its boards are squares", err)
		}
	}
	return sized, err
}

// sizes returns the values of parameters that set the size of the board.
func sizes(columns, rows int) map[string]string {
	c, r := strconv.Itoa(columns), strconv.Itoa(rows)
	return map[string]string{"size": c, "width": c, "columns": c, "height": r, "rows": r}
}

// Variant returns the game that differs from another of its family in the values of some parameters, by name. Values of
// parameters that the family does not have do not matter.
func Variant(game *env.Game, values map[string]string) (*env.Game, error) {
	i := slices.IndexFunc(families, func(f Family) bool { return f.Name == game.Family })
	if i < 0 { // the game of a rule sheet, without parameters
		return game, nil
	}
	return New(families[i].written(func(p Param) string { return cmp.Or(values[p.Name], Values(game.Params).Word(p.Name)) }))
}

// otherSize returns the written form of the game that an unknown name such as hex-14x14 may mean: hex(size=14). The
// part before the size is a family or an alias. The result is "" if there is no such game.
func otherSize(name string) string {
	i := strings.LastIndexByte(name, '-')
	var columns, rows int
	n, _ := fmt.Sscanf(name[i+1:], "%dx%d", &columns, &rows)
	if i < 0 || n < 2 || !slices.Contains(knownNames(false), name[:i]) {
		return ""
	}
	f, v, err := parse(name[:i])
	if err != nil {
		return ""
	}
	values := sizes(columns, rows)
	written := f.written(func(p Param) string {
		if value := v.Word(p.Name); value != p.Default {
			return cmp.Or(values[p.Name], value)
		}
		return values[p.Name]
	})
	g, err := New(written)
	if err != nil || g.Tensor.W != columns || g.Tensor.H != rows {
		return ""
	}
	return written
}

// knownNames lists the aliases of each family, then the family if it is not among them. If bracket is set, it leaves
// the aliases out, because only a family takes parameters.
func knownNames(bracket bool) []string {
	var names []string
	for _, f := range families {
		for _, s := range f.Aliases {
			if !bracket {
				names = append(names, s.Name)
			}
		}
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// parse reads the arguments between the brackets, "size=5, quads=8".
func (f *Family) parse(arguments string) (Values, error) {
	v := make(Values, len(f.Params))
	names := make([]string, len(f.Params))
	for i, p := range f.Params {
		v[i] = env.Param{Name: p.Name, Value: p.Default}
		names[i] = p.Name
	}
	if strings.TrimSpace(arguments) == "" {
		return v, nil
	}
	given := make([]bool, len(f.Params))
	for argument := range strings.SplitSeq(arguments, ",") {
		name, value, ok := strings.Cut(argument, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("parameter %q does not read like name=value", strings.TrimSpace(argument))
		}
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("unknown parameter %q: %w", name, suggest(naming.Nearest(name, names), names))
		}
		if given[i] {
			return nil, fmt.Errorf("parameter %s is given twice", name)
		}
		given[i] = true
		var err error
		if v[i].Value, err = f.Params[i].parse(value); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// suggest returns an error that names what is near to an unknown name, unless that is "", and all known names.
func suggest(near string, known []string) error {
	list := "there are " + strings.Join(known, ", ")
	if near != "" {
		return fmt.Errorf("did you mean %s? %s", near, list)
	}
	return errors.New(list)
}
