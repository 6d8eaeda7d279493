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
)

// ErrName is wrapped by every error about the name of a game or its parameters.
var ErrName = errors.New("no such game")

// Family is a set of games that differ only in their parameters.
type Family struct {
	Name    string
	Params  []Param // in the canonical order
	Aliases []Alias
}

// Alias is a short name of one game of a family.
type Alias struct{ Name, Full string }

// Param is a parameter of a family: one of Words or, where there are none, a whole number from Min to Max.
type Param struct {
	Name     string
	Default  string
	Words    []string
	Min, Max int
}

// Range says which values are allowed: "4..11" or "cut|left|full".
func (p Param) Range() string {
	if p.Words != nil {
		return strings.Join(p.Words, "|")
	}
	return fmt.Sprintf("%d..%d", p.Min, p.Max)
}

// number is a parameter that takes whole numbers from low to high.
func number(name string, value, low, high int) Param {
	return Param{Name: name, Default: strconv.Itoa(value), Min: low, Max: high}
}

// word is a parameter that takes one of the given words, the first by default.
func word(name string, words ...string) Param {
	return Param{Name: name, Default: words[0], Words: words}
}

// check returns value in its canonical spelling.
func (p Param) check(value string) (string, error) {
	if p.Words != nil {
		if slices.Contains(p.Words, value) {
			return value, nil
		}
	} else if n, err := strconv.Atoi(value); err == nil && p.Min <= n && n <= p.Max {
		return strconv.Itoa(n), nil
	}
	return "", fmt.Errorf("%s=%s is not allowed; it takes %s", p.Name, value, p.Range())
}

// values are checked parameters in the canonical order.
type values []env.Param

// word returns the value of the named parameter.
func (v values) word(name string) string {
	for _, p := range v {
		if p.Name == name {
			return p.Value
		}
	}
	panic("games: family without parameter " + name)
}

// number returns the value of the named parameter that takes numbers.
func (v values) number(name string) int {
	n, err := strconv.Atoi(v.word(name))
	if err != nil {
		panic("games: not a number: parameter " + name)
	}
	return n
}

// family is what a family's file registers.
type family struct {
	Family
	order int // place in lists
	// build makes the game of checked parameters; name, family and parameters are filled in by the registry. It
	// returns an error for values that are allowed one by one but not together.
	build func(v values) (*env.Game, error)
}

var (
	families []*family

	built   = map[string]*env.Game{} // by canonical name
	builtMu sync.Mutex
)

// register adds a family; its result lets a file do so in a declaration.
func register(f family) bool {
	families = append(families, &f)
	slices.SortFunc(families, func(a, b *family) int { return cmp.Compare(a.order, b.order) })
	return true
}

// Families lists all families with their parameters. The caller must not change them.
func Families() []Family {
	list := make([]Family, len(families))
	for i, f := range families {
		list[i] = f.Family
	}
	return list
}

// Names lists the short names of the games.
func Names() []string {
	var names []string
	for _, f := range families {
		for _, s := range f.Aliases {
			names = append(names, s.Name)
		}
	}
	return names
}

// New returns the game of a short name, a family (all parameters at their defaults) or a family with parameters in
// any order, those left out at their defaults. Equal games are one and the same pointer. Errors wrap [ErrName].
func New(name string) (*env.Game, error) {
	f, v, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrName, name, err)
	}
	canonical := f.canonical(v)
	builtMu.Lock()
	defer builtMu.Unlock()
	if g := built[canonical]; g != nil {
		return g, nil
	}
	g, err := f.build(v)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrName, name, err)
	}
	g.Name, g.Family, g.Params = canonical, f.Name, v
	built[canonical] = g
	return g, nil
}

// canonical writes every parameter in order, and prefers a short name.
func (f *family) canonical(v values) string {
	parts := make([]string, len(v))
	for i, p := range v {
		parts[i] = p.Name + "=" + p.Value
	}
	full := f.Name + "(" + strings.Join(parts, ",") + ")"
	for _, s := range f.Aliases {
		if s.Full == full {
			return s.Name
		}
	}
	return full
}

// parse reads a name of any form.
func parse(name string) (*family, values, error) {
	head, arguments, bracket := strings.Cut(strings.TrimSpace(name), "(")
	head = strings.TrimSpace(head)
	if bracket {
		var closed bool
		if arguments, closed = strings.CutSuffix(arguments, ")"); !closed || strings.ContainsAny(arguments, "()") {
			return nil, nil, errors.New("a name with parameters reads like quad(size=5,quads=8,whites=0,corners=cut)")
		}
	}
	for _, f := range families {
		if f.Name == head {
			v, err := f.parse(arguments)
			return f, v, err
		}
		for _, s := range f.Aliases {
			if s.Name == head && !bracket {
				return parse(s.Full)
			}
		}
	}
	return nil, nil, suggest(head, knownNames(bracket))
}

// knownNames lists what may stand alone, or before brackets.
func knownNames(bracket bool) []string {
	var names []string
	if !bracket {
		names = Names()
	}
	for _, f := range families {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	return names
}

// parse reads the arguments between the brackets, "size=5, quads=8".
func (f *family) parse(arguments string) (values, error) {
	v := make(values, len(f.Params))
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
			return nil, fmt.Errorf("unknown parameter %q: %w", name, suggest(name, names))
		}
		if given[i] {
			return nil, fmt.Errorf("parameter %s is given twice", name)
		}
		given[i] = true
		var err error
		if v[i].Value, err = f.Params[i].check(value); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// suggest says what name may have been meant, and what there is.
func suggest(name string, known []string) error {
	list := "there are " + strings.Join(known, ", ")
	if near := env.Nearest(name, known); near != "" {
		return fmt.Errorf("did you mean %s? %s", near, list)
	}
	return errors.New(list)
}
