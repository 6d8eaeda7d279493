package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env/naming"
)

// Exit codes.
const (
	exitFailure  = 1
	exitUsage    = 2   // invalid command line
	exitUnsolved = 3   // solve or exploit reached a limit
	exitFaults   = 4   // exploit found moves that give value away
	exitStopped  = 130 // Ctrl-C or SIGTERM, as shells report SIGINT
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // after the first Ctrl-C, a second one kills the program
	out, root := &errorWriter{w: os.Stdout}, rootCommand()
	root.SetOut(out)
	err := root.ExecuteContext(ctx)
	if out.err != nil && !errors.Is(err, out.err) {
		err = errors.Join(err, fmt.Errorf("writing the output: %w", out.err))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ludus:", message(err))
	}
	os.Exit(exitCode(err))
}

// rootCommand returns the command ludus with all its subcommands.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ludus",
		Short: "Train, evaluate and play agents for board games",
		Long: `ludus learns two-player board games by self-play, on CPUs only.

Start with:
  ludus serve --open                                 play in the browser; watch runs
  ludus play quad-5x5                                play against the shipped agent in the terminal
  ludus games                                        list the games
  ludus train quad-5x5                               train a network in about eight minutes
  ludus play quad-5x5 net:runs/quad-5x5              play against yours
  ludus arena quad-5x5 net:runs/quad-5x5 mcts:200    measure its strength

` + agentHelp + `

Exit codes: 0 success, 1 failure, 2 invalid command line, 3 "solve" or "exploit" reached its limits, 4 "exploit" found
faults, 130 stopped by Ctrl-C or SIGTERM.
A stopped "train", "rate", "suite" or "arena --record" prints the command that continues it.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:          noCommand,

		SuggestionsMinimumDistance: 2,
		DisableFlagParsing:         true, // for the root command only: otherwise --help hides an unknown command
	}
	cobra.EnableCommandSorting = false
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(cmd, flagError(cmd, err)) })
	root.AddCommand(profiled(trainCommand()), profiled(workerCommand()), statusCommand(), playCommand(), serveCommand(),
		ggpCommand(), profiled(arenaCommand()), profiled(rateCommand()),
		profiled(compareCommand()), profiled(suiteCommand()), profiled(exploitCommand()), analyzeCommand(),
		gtpCommand(), gomocupCommand(), nboardCommand(),
		profiled(solveCommand()),
		exportCommand(), reportCommand(), doctorCommand(), checkCommand(),
		gamesCommand(), perftCommand(), verifyCommand(), profiled(benchCommand()), versionCommand())
	for _, c := range root.Commands() {
		if strings.Contains(c.Use, "GAME") {
			c.ValidArgsFunction = completeGames
		}
	}
	return root
}

// noCommand handles a call of ludus whose first argument is no command: it rejects everything but a call for help.
func noCommand(root *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "--help" || args[0] == "-h":
		return nil
	case strings.HasPrefix(args[0], "-"):
		return usage(root, fmt.Errorf("unknown flag: %s", args[0]))
	}
	suggestion := ""
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		suggestion = fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usage(root, fmt.Errorf("unknown command %q%s", args[0], suggestion))
}

// stoppedError is the error of a command that was stopped and that the same command line continues.
type stoppedError struct {
	kept string // what has been kept, such as "finished games are kept"
}

func (e stoppedError) Error() string {
	return fmt.Sprintf("stopped; %s; continue with:\n  %s", e.kept, commandLine(os.Args[1:]))
}

func (e stoppedError) Unwrap() error { return context.Canceled }

// continuable turns a cancellation into an error that shows how to continue the command. It keeps other errors. kept says
// what has been kept.
func continuable(err error, kept string) error {
	if errors.Is(err, context.Canceled) {
		return stoppedError{kept}
	}
	return err
}

// message returns the text that ludus prints for an error.
func message(err error) string {
	var stopped stoppedError
	switch {
	case errors.As(err, &stopped):
		return stopped.Error()
	case errors.Is(err, context.Canceled):
		return "stopped"
	}
	return oneLine(err)
}

// oneLine joins the lines of an error's text.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }), "; ")
}

// exitCode returns the exit code for a command's error.
func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitStopped
	case errors.As(err, new(usageError)):
		return exitUsage
	case errors.Is(err, errUnsolved):
		return exitUnsolved
	case errors.Is(err, errFaults):
		return exitFaults
	}
	return exitFailure
}

// printJSON prints a value as one line of JSON.
func printJSON(cmd *cobra.Command, value any) error {
	return json.NewEncoder(cmd.OutOrStdout()).Encode(value)
}

// warn prints a warning on standard error.
func warn(cmd *cobra.Command, text string) { fmt.Fprintln(cmd.ErrOrStderr(), "ludus: warning:", text) }

// leftTable returns a writer of lines whose cells are separated by tabs: it aligns columns left, two spaces apart.
func leftTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// rightTable is leftTable with columns aligned right.
func rightTable(w io.Writer) *tabwriter.Writer {
	return tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// commandLine formats a call of this program as typed in a shell.
func commandLine(args []string) string {
	program := os.Args[0]
	if strings.Contains(program, string(filepath.Separator)+"go-build") {
		program = "go run ./cmd/ludus"
	}
	words := []string{program}
	for _, a := range args {
		words = append(words, naming.ShellWord(a))
	}
	return strings.Join(words, " ")
}

// errorWriter keeps the first write error and drops everything after it. Commands need not check their prints: main reports
// the error.
type errorWriter struct {
	w   io.Writer
	err error
}

func (e *errorWriter) Write(p []byte) (n int, err error) {
	if e.err == nil {
		n, e.err = e.w.Write(p)
	}
	return n, e.err
}

// input returns the command's standard input. Closing it ends a pending Read.
func input(cmd *cobra.Command) io.ReadCloser {
	if file, ok := cmd.InOrStdin().(*os.File); ok {
		return lines.Interruptible(file)
	}
	return io.NopCloser(cmd.InOrStdin())
}
