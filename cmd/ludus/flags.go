package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/naming"
	"ludus/train/memory"
)

// usageError is an invalid command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage makes err a usageError that names the command's help.
func usage(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w; see %q", err, cmd.CommandPath()+" --help")}
}

// flagValues describes the values that flags accept, by the flags' types.
var flagValues = map[string]string{
	"bool":     "true or false",
	"duration": "a duration, such as 10m, 90s or 2h",
	"int":      "a whole number of at most 18 digits",
	"uint64":   "a whole number from 0 to 18446744073709551615",
}

// flagError rewrites errors of the flag parser. For an invalid value it says which values the flag accepts, for an unknown
// flag it names the nearest.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := naming.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return fmt.Errorf("%w; did you mean --%s?", err, near)
		}
		return err
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	want, ok := flagValues[flag.Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s %s: it must be %s", flag.Name, invalid.GetValue(), want)
}

// limit makes a command reject values of a flag for which valid returns false. want describes the valid values.
func limit(cmd *cobra.Command, name, want string, valid func() bool) {
	others := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if flag := cmd.Flags().Lookup(name); flag.Changed && !valid() {
			return usage(cmd, fmt.Errorf("--%s %s: it must be %s", name, flag.Value, want))
		}
		if others != nil {
			return others(cmd, args)
		}
		return nil
	}
}

// oneOf returns the one of the named flags that is set, "" if none is. It returns an error if several are.
func oneOf(cmd *cobra.Command, names ...string) (set string, err error) {
	for _, name := range names {
		switch {
		case !cmd.Flags().Changed(name):
		case set != "":
			return "", usage(cmd, fmt.Errorf("--%s and --%s exclude each other", set, name))
		default:
			set = name
		}
	}
	return set, nil
}

// threadsFlag adds the flag --threads; its default is the number of cores.
func threadsFlag(cmd *cobra.Command, threads *int, help string) {
	cmd.Flags().IntVar(threads, "threads", runtime.GOMAXPROCS(0), help)
	limit(cmd, "threads", "from 1 to 1024", func() bool { return *threads >= 1 && *threads <= 1024 })
}

// memoryFlag adds the flag --memory in MiB, at least `least`. If less than twice its default is available, the default is
// half of what is.
func memoryFlag(cmd *cobra.Command, mebibytes *int, least, value int, help string) {
	cmd.Flags().IntVar(mebibytes, "memory", max(least, memory.Share(value<<20)>>20), help)
	most := min(1<<20, memory.Available()>>20)
	limit(cmd, "memory", fmt.Sprintf("from %d to %d megabytes, as many as are available here", least, most),
		func() bool { return *mebibytes >= least && *mebibytes <= most })
}

// arguments returns a check of the number of arguments. A negative most means no maximum.
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

// newGame returns the game that an argument names.
func newGame(cmd *cobra.Command, name string) (*env.Game, error) {
	game, err := games.New(name)
	return game, gameError(cmd, name, err)
}

// gameError makes the error about an argument that names no game a usageError. A rule sheet that cannot be used is an
// invalid file, not an invalid command line; one that does not exist names no game.
func gameError(cmd *cobra.Command, name string, err error) error {
	if _, sheet := games.SheetPath(name); err == nil || sheet && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return usage(cmd, err)
}

// namedGames returns the named games, or all games if there are no names.
func namedGames(cmd *cobra.Command, names []string) (list []*env.Game, err error) {
	if len(names) == 0 {
		names = games.Names()
	}
	for _, name := range names {
		game, err := newGame(cmd, name)
		if err != nil {
			return nil, err
		}
		list = append(list, game)
	}
	return list, nil
}

// onGame returns a RunE for a command whose first argument is a game. It parses the game and calls run with it and the
// remaining arguments.
func onGame(run func(cmd *cobra.Command, game *env.Game, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		game, err := newGame(cmd, args[0])
		if err != nil {
			return err
		}
		return run(cmd, game, args[1:])
	}
}

// completeGames completes the first argument with the names of games.
func completeGames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return games.Names(), cobra.ShellCompDirectiveNoFileComp
}

// profiled adds the flags --cpuprofile and --trace to a command.
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
