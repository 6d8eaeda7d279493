package agent

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Limits of a program's options.
const (
	maxStart  = time.Hour
	maxMemory = 1 << 20 // MB
)

// programKeys lists the options of outside programs; those from colours on are for GTP only.
var programKeys = []string{"init", "dir", "time", "start", "memory", "deterministic", "colours", "columns", "rows", "pass", "swap"}

// programChoices lists the values of options that have only a few.
var programChoices = map[string][]string{
	"deterministic": {"yes"}, "columns": {"all", "go"}, "rows": {"top", "bottom"}, "swap": {"stone", "colours"},
}

// parseProgram parses the text after gtp: and its like: a command, which may stand in double quotes, and options.
// Without quotes the command ends at the first comma followed by an option's key and "=", as do the values of options.
func (s *Spec) parseProgram(text string, l Limits) error {
	command, rest, closed := text, "", true
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		command, rest, closed = strings.Cut(quoted, `"`)
	} else if i := nextOption(text); i >= 0 {
		command, rest = text[:i], text[i:]
	}
	if !closed || strings.Contains(command, `"`) || rest != "" && rest[0] != ',' {
		return fmt.Errorf("the command needs double quotes around it, and none within, such as %s:\"engine -l 5\",time=1s", s.Kind)
	}
	s.Program.Command = strings.TrimSpace(command)
	words, err := s.Program.Words()
	if err != nil {
		return err
	}
	if len(words) == 0 {
		return fmt.Errorf("it needs a command, such as %s:\"engine -l 5\"", s.Kind)
	}
	given := make(map[string]bool)
	for rest != "" {
		option := rest[1:]
		rest = ""
		if i := nextOption(option); i >= 0 {
			option, rest = option[:i], option[i:]
		}
		key, value, _ := strings.Cut(option, "=")
		if !slices.Contains(programKeys, key) {
			keys := programKeys
			if s.Kind != GTP {
				keys = keys[:slices.Index(keys, "colours")]
			}
			return fmt.Errorf("unknown option %q (%s takes only %s)", option, s.Kind, strings.Join(keys, ", "))
		}
		if given[key] && key != "init" {
			return twiceError(key)
		}
		given[key] = true
		if err := s.setProgram(key, value, l); err != nil {
			return err
		}
	}
	return nil
}

// nextOption returns the index of the first comma in text that is followed by an option's key and "="; -1 if there is
// none.
func nextOption(text string) int {
	for i, c := range text {
		if c != ',' {
			continue
		}
		key, _, assigned := strings.Cut(text[i+1:], "=")
		if assigned && slices.Contains(programKeys, key) {
			return i
		}
	}
	return -1
}

// setProgram parses the value of a program's option and sets the option's field.
func (s *Spec) setProgram(key, value string, l Limits) (err error) {
	choices := programChoices[key]
	switch {
	case strings.ContainsFunc(value, unprintable):
		return fmt.Errorf("%s=%q: it must be one line of printable characters", key, value)
	case choices != nil && !slices.Contains(choices, value):
		return fmt.Errorf("%s=%s: it must be %[1]s=%[3]s", key, value, strings.Join(choices, " or "+key+"="))
	case value == "":
		return fmt.Errorf("%s= needs a value", key)
	}
	p := &s.Program
	if field := p.texts()[key]; field != nil {
		*field = value
	}
	switch key {
	case "init":
		if p.Init != "" {
			value = p.Init + "\n" + value
		}
		p.Init = value
	case "time":
		s.Time, err = duration(key, value, l.Time)
	case "start":
		p.Start, err = duration(key, value, maxStart)
	case "memory":
		p.Memory, err = strconv.Atoi(value)
		if err != nil || p.Memory < 1 || p.Memory > maxMemory {
			err = fmt.Errorf("memory=%s: it must be a number of megabytes from 1 to %d", value, maxMemory)
		}
	case "deterministic":
		p.Deterministic = true
	case "colours":
		first, second, ok := strings.Cut(value, "/")
		if !ok || first == "" || second == "" || first == second || strings.ContainsAny(value, " \t") {
			err = fmt.Errorf("colours=%s: it must be two words for the first and the second player, such as colours=red/blue", value)
		}
	}
	return err
}

// unprintable reports whether a character may not be in a spec, which files and screens show.
func unprintable(c rune) bool { return !unicode.IsPrint(c) }

// Words splits the command into the program and its arguments.
func (p *Program) Words() (words []string, err error) {
	if strings.ContainsFunc(p.Command, unprintable) {
		return nil, fmt.Errorf("the command %q must be one line of printable characters", p.Command)
	}
	parts := strings.Split(p.Command, "'") // those with odd index stood in quotes
	if len(parts)%2 == 0 {
		return nil, errors.New("the command has a single quote without another")
	}
	word, begun := "", false
	end := func() {
		if begun {
			words = append(words, word)
		}
		word, begun = "", false
	}
	for i, part := range parts {
		if i%2 == 1 {
			word, begun = word+part, true
			continue
		}
		for _, c := range part {
			if c == ' ' {
				end()
			} else {
				word, begun = word+string(c), true
			}
		}
	}
	end()
	return words, nil
}

// programText returns the spec of an outside program as text.
func (s Spec) programText() string {
	p := s.Program
	text := fmt.Sprintf(`%s:"%s"`, s.Kind, p.Command)
	if p.Init != "" {
		for line := range strings.SplitSeq(p.Init, "\n") {
			text += ",init=" + line
		}
	}
	text += option("dir", p.Dir) + option("time", s.Time) + option("start", p.Start) + option("memory", p.Memory)
	if p.Deterministic {
		text += option("deterministic", "yes")
	}
	for _, key := range []string{"colours", "columns", "rows", "pass", "swap"} {
		text += option(key, *p.texts()[key])
	}
	return text
}

// texts returns the fields of the options whose value is kept as it is, by key.
func (p *Program) texts() map[string]*string {
	return map[string]*string{
		"dir": &p.Dir, "colours": &p.Colours, "columns": &p.Columns, "rows": &p.Rows, "pass": &p.Pass, "swap": &p.Swap,
	}
}

// duration parses the value of an option that is a time.
func duration(key, value string, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 || d > most {
		return 0, fmt.Errorf("%s=%s: it must be a duration up to %s, such as 500ms or 2s", key, value, strings.Replace(most.String(), "h0m0s", "h", 1))
	}
	return d, nil
}

// twiceError returns the error about an option that is given twice.
func twiceError(key string) error { return fmt.Errorf("option %s is given twice", key) }
