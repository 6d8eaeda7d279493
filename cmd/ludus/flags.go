package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludus/env"
	"ludus/env/games"
)

// usageError is an invalid command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage makes err a usageError that names the command's help.
func usage(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w; see %q", err, cmd.CommandPath()+" --help")}
}

// flagValues describes the values of flags by type.
var flagValues = map[string]string{
	"bool":     "true or false",
	"duration": "a duration, such as 10m, 90s or 2h",
	"int":      "a whole number of at most 18 digits",
	"uint64":   "a whole number from 0 to 18446744073709551615",
}

// flagError describes the values that a flag accepts.
func flagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	want := flagValues[flag.Value.Type()]
	var outside rangeError
	if errors.As(err, &outside) {
		want = string(outside)
	}
	if want == "" {
		return err
	}
	return fmt.Errorf("--%s %s: it must be %s", flag.Name, invalid.GetValue(), want)
}

// rangeError describes the range of a flag.
type rangeError string

func (e rangeError) Error() string { return string(e) }

// limited is a flag's value with a limited range.
type limited struct {
	pflag.Value
	want  rangeError
	valid func() bool
}

func (l limited) Set(text string) error {
	if err := l.Value.Set(text); err != nil {
		return err
	}
	if !l.valid() {
		return l.want
	}
	return nil
}

// limit makes a flag reject values for which valid is false. want describes the others.
func limit(cmd *cobra.Command, name, want string, valid func() bool) {
	flag := cmd.Flags().Lookup(name)
	flag.Value = limited{flag.Value, rangeError(want), valid}
}

// threadsFlag adds --threads.
func threadsFlag(cmd *cobra.Command, threads *int, help string) {
	cmd.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), help)
	limit(cmd, "threads", "from 1 to 1024", func() bool { return *threads >= 1 && *threads <= 1024 })
}

// arguments checks the number of arguments. most is negative if the last one may be repeated.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usage(cmd, fmt.Errorf("arguments are missing: %s", cmd.UseLine()))
		case most >= 0 && len(args) > most:
			return usage(cmd, fmt.Errorf("one argument too many, %q: %s", args[most], cmd.UseLine()))
		}
		return nil
	}
}

// onGame returns a command's RunE whose first argument is a game. run gets the others.
func onGame(run func(cmd *cobra.Command, game *env.Game, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		game, err := games.New(args[0])
		if err != nil {
			return err
		}
		return run(cmd, game, args[1:])
	}
}

// completeGames completes the first argument with the games' names.
func completeGames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return games.Names(), cobra.ShellCompDirectiveNoFileComp
}

// profiled adds --cpuprofile and --trace to a command.
func profiled(cmd *cobra.Command) *cobra.Command {
	var profilePath, tracePath string
	cmd.Flags().StringVar(&profilePath, "cpuprofile", "", "write a CPU profile to this file, for \"go tool pprof\"")
	cmd.Flags().StringVar(&tracePath, "trace", "", "write an execution trace to this file, for \"go tool trace\"")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		for _, p := range []struct {
			path  string
			start func(io.Writer) error
			stop  func()
		}{{profilePath, pprof.StartCPUProfile, pprof.StopCPUProfile}, {tracePath, trace.Start, trace.Stop}} {
			if p.path == "" {
				continue
			}
			file, openErr := os.Create(p.path)
			if openErr != nil {
				return openErr
			}
			if err := p.start(file); err != nil {
				return err
			}
			defer func() {
				p.stop()
				err = errors.Join(err, file.Close())
			}()
		}
		return run(cmd, args)
	}
	return cmd
}
