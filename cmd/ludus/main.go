// Command ludus trains, judges and plays agents for two-player board games. Only this package and those below it print,
// ask or exit.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
	"ludus/env/games"
)

const (
	exitFailure     = 1
	exitUsage       = 2
	exitUnsolved    = 3   // solve ran out of its limits
	exitInterrupted = 130 // as shells say for a program that SIGINT ended
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	root := rootCommand()
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ludus:", oneLine(err))
	}
	os.Exit(exitCode(err))
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ludus",
		Short: "Train, judge and play agents for board games",
		Long: `ludus learns two-player board games from nothing, by playing against itself.

Start with:
  ludus games                                        what there is to learn
  ludus train quad-5x5                               learn a game within ten minutes
  ludus play quad-5x5 net:runs/quad-5x5              play against what was learned
  ludus serve --open                                 play and watch runs in the browser
  ludus arena quad-5x5 net:runs/quad-5x5 mcts:200    judge it

An agent is random, greedy, mcts:N (N random playouts a move), alphabeta:D (D plies deep), solver:NODES (perfect where so
many nodes are enough), net:PATH (a network with search) or policy:PATH (a network alone); PATH is a run's folder, a
checkpoint or an exported file. A network may be followed by options: net:PATH[@GENERATION|@best][,sims=N][,time=D][,search=gumbel|puct][,temp=T][,sym=all].`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:          noCommand,

		DisableFlagParsing: true, // of the root alone, or --help would go before an unknown command
	}
	cobra.EnableCommandSorting = false
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, plainFlagError(err)) })
	root.AddCommand(trainCommand(), playCommand(), serveCommand(), arenaCommand(), rateCommand(), compareCommand(), suiteCommand(), analyzeCommand(),
		solveCommand(), exportCommand(), reportCommand(), gamesCommand(), perftCommand(), verifyCommand(), benchCommand(), versionCommand())
	return root
}

// noCommand checks the arguments of the root, which are those that name no command.
func noCommand(root *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "--help" || args[0] == "-h":
		return nil
	case strings.HasPrefix(args[0], "-"):
		return usage(root, fmt.Errorf("unknown flag: %s", args[0]))
	}
	hint := ""
	if near := env.Nearest(args[0], commandNames(root)); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return usage(root, fmt.Errorf("unknown command %q%s", args[0], hint))
}

func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usage makes err a usageError that says where help is.
func usage(cmd *cobra.Command, err error) error {
	return usageError{fmt.Errorf("%w; see %q", err, cmd.CommandPath()+" --help")}
}

// flagValues says what the flags of each type take.
var flagValues = map[string]string{
	"bool":     "true or false",
	"duration": "a duration, such as 10m, 90s or 2h",
	"int":      "a whole number of at most 18 digits",
	"uint64":   "a whole number from 0 to 18446744073709551615",
}

// plainFlagError says what a flag takes where its value could not be read.
func plainFlagError(err error) error {
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

// oneLine writes an error, however many it joins, on one line.
func oneLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.Is(err, errUnsolved):
		return exitUnsolved
	}
	return exitFailure
}

// arguments checks that as many arguments are given as a command's use line names; more is what the last one allows.
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

// mostThreads bounds --threads, each of which takes memory.
const mostThreads = 1024

func checkThreads(cmd *cobra.Command, threads int) error {
	if threads < 1 || threads > mostThreads {
		return usage(cmd, fmt.Errorf("--threads %d: it must be from 1 to %d", threads, mostThreads))
	}
	return nil
}

// completeGames lets a shell complete the first argument with the games' names.
func completeGames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return games.Names(), cobra.ShellCompDirectiveNoFileComp
}

// failing is a writer that remembers the first error, so that a full disk or a closed pipe is reported once, at the end.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	f.err = err
	return n, err
}

// output runs print with the command's standard output, buffered nowhere, and returns the first error of either.
func output(cmd *cobra.Command, print func(w io.Writer) error) error {
	w := &failing{w: cmd.OutOrStdout()}
	if err := print(w); err != nil {
		return err
	}
	if w.err != nil {
		return fmt.Errorf("writing the output: %w", w.err)
	}
	return nil
}

// input returns the command's standard input. Closing it ends a pending Read.
func input(cmd *cobra.Command) io.ReadCloser {
	if file, ok := cmd.InOrStdin().(*os.File); ok {
		return lines.Interruptible(file)
	}
	return io.NopCloser(cmd.InOrStdin())
}
