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
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/lines"
	"ludus/cmd/ludus/internal/program"
	"ludus/env/naming"
	"ludus/train/memory"
)

// Exit codes.
const (
	exitFailure  = 1
	exitUsage    = 2   // invalid command line
	exitUnsolved = 3   // solve or exploit reached a limit, or a program gave exploit no move
	exitFaults   = 4   // exploit found moves that give value away
	exitStopped  = 130 // Ctrl-C, SIGTERM or SIGHUP, as shells report SIGINT
)

func main() {
	program.Main()
	memory.LimitHeap()
	ctx := untilStopped()
	out, root := &errorWriter{w: os.Stdout}, rootCommand()
	root.SetOut(out)
	err := checkEncoding(os.Args[1:])
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if out.err != nil && !errors.Is(err, out.err) {
		err = errors.Join(err, fmt.Errorf("writing the output: %w", out.err))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ludus:", message(err))
	}
	os.Exit(exitCode(err))
}

// checkEncoding returns an error for an argument that is not UTF-8. Files of runs hold names of agents and folders as
// JSON, which cannot hold other bytes.
func checkEncoding(args []string) error {
	for _, arg := range args {
		if !utf8.ValidString(arg) {
			return usageError{fmt.Errorf("the argument %q is not UTF-8; use a terminal for UTF-8, and rename files with other names", arg)}
		}
	}
	return nil
}

// untilStopped returns a context that ends at the first Ctrl-C, SIGTERM or SIGHUP. A second Ctrl-C or SIGTERM kills the
// program. Further SIGHUPs do not: a closing terminal sends several. SIGHUP stays ignored under nohup.
func untilStopped() context.Context {
	stopping := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		stopping = append(stopping, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stopping...)
	context.AfterFunc(ctx, func() {
		signal.Ignore(syscall.SIGHUP)
		stop()
	})
	return ctx
}

// rootCommand returns the command ludus with all its subcommands.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ludus",
		Short: "Train, evaluate and play agents for board games",
		Long: `ludus learns two-player board games by self-play, on CPUs only.

Start with:
  ludus serve --open                           play in the browser; watch runs
  ludus play quad-5x5                          play in the terminal
  ludus games                                  list the games
  ludus train quad-5x5                         train a network in eight minutes
  ludus play quad-5x5 net:runs/quad-5x5        play against it
  ludus arena quad-5x5 net:runs/quad-5x5 zoo   measure its strength

` + agentHelp + `

Exit codes:
  0    success
  1    failure
  2    invalid command line, such as an unknown flag, game or agent
  3    "solve" or "exploit" reached its limits
  4    "exploit" found faults
  130  stopped by Ctrl-C, SIGTERM or hanging up (SIGHUP)

A stopped "train", "rate", "suite", "book", "arena --record" or "review --output" prints the command that continues it.`,
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
		profiled(compareCommand()), profiled(suiteCommand()), profiled(exploitCommand()), profiled(bookCommand()), analyzeCommand(),
		reviewCommand(), gtpCommand(), gomocupCommand(), nboardCommand(),
		profiled(solveCommand()),
		exportCommand(), reportCommand(), doctorCommand(), checkCommand(),
		gamesCommand(), perftCommand(), verifyCommand(), convertCommand(), profiled(benchCommand()), versionCommand())
	foldHelp(root)
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

// continuable turns a cancellation into an error that shows how to continue the command. It keeps other errors. kept
// says what has been kept.
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
	case errors.Is(err, errUnsolved), errors.Is(err, errFailed):
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
	program := naming.ShellWord(os.Args[0])
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		program = "go run ./cmd/ludus"
	}
	words := []string{program}
	for _, a := range args {
		words = append(words, naming.ShellWord(a))
	}
	return strings.Join(words, " ")
}

// errorWriter keeps the first write error and drops everything after it. Commands need not check their prints: main
// reports the error.
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
