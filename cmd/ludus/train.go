package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

func trainCommand() *cobra.Command {
	var (
		o      train.Options
		sets   []string
		config string
		seed   uint64
	)
	cmd := &cobra.Command{
		Use:   "train GAME [flags]",
		Short: "Learn a game by self-play, or go on with a run",
		Long: `Learn a game from nothing by self-play. Everything is kept in the run's folder: the same command goes on with a run
that was interrupted, and a larger --time or --generations asks more of a finished one.

Settings (--set key=value, with the defaults of quad-5x5). AZ is the value of AlphaZero, GZ that of Gumbel AlphaZero. Gumbel
search improves the policy with as few as 16 simulations; it has no c_puct and no Dirichlet noise. There is no gating.
` + settingsHelp(),
		Example: `  ludus train quad-5x5
  ludus train breakthrough-6x6 --time 2h --set channels=64 --set blocks=5
  ludus train "quad(size=6,quads=10,whites=0)" --run runs/quad-6x6 --generations 50 --seed 7`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeGames,
		RunE: func(cmd *cobra.Command, args []string) error {
			game, err := games.New(args[0])
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("time") && cmd.Flags().Changed("generations") {
				return usage(cmd, errors.New("--time and --generations both say how long to train; give one of them"))
			}
			if cmd.Flags().Changed("time") && o.Time < time.Second {
				return usage(cmd, fmt.Errorf("--time %v: it must be 1s or more, such as 10m or 2h", o.Time))
			}
			if cmd.Flags().Changed("generations") && o.Generations < 1 {
				return usage(cmd, fmt.Errorf("--generations %d: it must be 1 or more", o.Generations))
			}
			if err := checkThreads(cmd, o.Threads); err != nil {
				return err
			}
			if o.Settings, err = changedSettings(game, sets, config); err != nil {
				return err
			}
			if cmd.Flags().Changed("seed") {
				o.Seed = &seed
			}
			if o.Game = game; o.Dir == "" {
				o.Dir = filepath.Join("runs", env.FileName(game.Name))
			}
			return runTraining(cmd, o)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Dir, "run", "", "the run's folder (default runs/GAME)")
	flags.DurationVar(&o.Time, "time", train.DefaultTime, "how long to train, with all that belongs to it")
	flags.IntVar(&o.Generations, "generations", 0, "train this many generations, however long that takes")
	flags.Uint64Var(&seed, "seed", 1, "where all randomness comes from")
	flags.IntVar(&o.Threads, "threads", runtime.GOMAXPROCS(0), "cores to use; the result does not depend on it")
	flags.StringVar(&o.From, "from", "", "an exported weights file to start from")
	flags.StringArrayVar(&sets, "set", nil, "change a setting, key=value; may be repeated")
	flags.StringVar(&config, "config", "", "a JSON file of settings; --set wins over it")
	return cmd
}

// settingsHelp lists every setting with its default.
func settingsHelp() string {
	game, err := games.New("quad-5x5")
	if err != nil {
		panic("ludus: " + err.Error())
	}
	var b strings.Builder
	defaults := rundir.DefaultSettings(game)
	for _, s := range rundir.AllSettings() {
		fmt.Fprintf(&b, "  %-26s %s\n", s.Key+"="+s.Text(&defaults), s.Help())
	}
	return strings.TrimRight(b.String(), "\n")
}

// changedSettings returns the settings that --config and --set change; --set wins.
func changedSettings(game *env.Game, sets []string, config string) (map[string]float64, error) {
	settings := make(map[string]float64)
	if config != "" {
		data, err := os.ReadFile(config)
		if err != nil {
			return nil, err
		}
		if settings, err = rundir.ParseSettings(data); err != nil {
			return nil, fmt.Errorf("%s: %w", config, err)
		}
	}
	var errs []error
	for _, set := range sets {
		key, value, err := rundir.ParseSetting(set)
		if errs = append(errs, err); err == nil {
			settings[key] = value
		}
	}
	defaults := rundir.DefaultSettings(game)
	return settings, errors.Join(append(errs, defaults.Change(settings))...)
}

// runTraining trains and shows it.
func runTraining(cmd *cobra.Command, o train.Options) error {
	screen := newScreen(cmd.ErrOrStderr())
	pages := reporter{dir: o.Dir, warn: screen.line}
	o.Observe = func(e train.Event) {
		screen.show(e)
		pages.show(cmd.Context(), e)
	}
	if !cmd.Flags().Changed("time") {
		o.Time = 0
	}
	summary, err := train.Train(cmd.Context(), o)
	if err == nil {
		pages.write(cmd.Context(), report.Full)
	}
	screen.close()
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(cmd.ErrOrStderr(), "stopped; finished generations are kept. Go on with:\n  %s\n", commandLine(os.Args[1:]))
	}
	if err != nil {
		return err
	}
	return output(cmd, func(w io.Writer) error { return writeSummary(w, o.Game, summary) })
}

// screen shows a run's events: a bar on a terminal, plain lines elsewhere.
type screen struct {
	w     io.Writer
	bar   *progressbar.ProgressBar // nil where w is no terminal
	score string                   // the newest score
}

// barSteps is the length of the bar.
const barSteps = 1000

func newScreen(w io.Writer) *screen {
	s := &screen{w: w}
	if isTerminal(w) {
		s.bar = progressbar.NewOptions(barSteps,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(24),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
	}
	return s
}

func (s *screen) show(e train.Event) {
	switch {
	case e.Note != "":
		s.line(e.Note)
	case e.Judged != nil:
		s.score = fmt.Sprintf("%.0f %% against %s", 100*e.Judged.Score, e.Judged.Opponent) // the closing table has the rest
	case e.Rated != nil:
		s.score = fmt.Sprintf("rated %.0f", e.Rated.Rating)
		s.line(describeRating(e.Rated))
	case e.Checked != nil:
		if c := e.Checked; c.Agent == "net" {
			s.line(fmt.Sprintf("generation %d gives value away in %.1f %% of %d solved positions (95 %%: %.1f to %.1f)",
				c.Generation, 100*c.Error, c.Positions, 100*c.Low, 100*c.High))
		}
	case e.Metrics != nil:
		if s.bar == nil {
			fmt.Fprintln(s.w, describeGeneration(e.Metrics))
		}
	case s.bar != nil:
		s.bar.Describe(describe(e.Progress, s.score))
		// The bar's own error is that of a terminal that went away.
		_ = s.bar.Set(min(int(barSteps*e.Share), barSteps-1))
	case e.Phase == "measuring":
		fmt.Fprintln(s.w, "measuring how fast this machine is")
	}
}

// describeRating is the line of a rated generation.
func describeRating(a *rundir.Rating) string {
	return fmt.Sprintf("generation %d is rated %.0f ±%.0f (Elo above random, 95 %% within its pool)",
		*a.Generation, a.Rating, max(a.High-a.Rating, a.Rating-a.Low))
}

// describeGeneration is the plain line of a generation.
func describeGeneration(m *rundir.Metrics) string {
	parts := []string{
		fmt.Sprintf("generation %d: %d games", m.Generation, m.TotalGames),
		fmt.Sprintf("%.0f positions/s", float64(m.Positions)/m.PlaySeconds),
		fmt.Sprintf("%.1f s playing, %.1f s learning", m.PlaySeconds, m.LearnSeconds),
	}
	if m.Games > 0 {
		parts = append(parts, fmt.Sprintf("mean length %.1f", m.MeanPlies))
	}
	if m.LearningRate > 0 {
		parts = append(parts, fmt.Sprintf("losses %.3f policy, %.3f outcome", m.PolicyLoss, m.OutcomeLoss))
	}
	return strings.Join(parts, ", ")
}

// describe puts a run's progress into the words beside the bar.
func describe(p train.Progress, score string) string {
	if p.Generations == 0 {
		return p.Phase + " how fast this machine is"
	}
	parts := []string{fmt.Sprintf("%s %d/%d", p.Phase, p.Generation, p.Generations), fmt.Sprintf("%d games", p.Games)}
	if p.Speed > 0 {
		parts = append(parts, fmt.Sprintf("%.0f pos/s", p.Speed))
	}
	if p.Remaining > 0 {
		parts = append(parts, p.Remaining.Round(time.Second).String()+" left")
	}
	if score != "" {
		parts = append(parts, score)
	}
	return strings.Join(parts, ", ")
}

// line writes a line of text, above the bar where there is one.
func (s *screen) line(text string) {
	if s.bar != nil {
		_ = s.bar.Clear()
	}
	fmt.Fprintln(s.w, text)
}

func (s *screen) close() {
	if s.bar != nil {
		_ = s.bar.Clear()
	}
}

// reporter keeps a run's report up to date; where it cannot, it says so once and training goes on.
type reporter struct {
	dir    string
	warn   func(string)
	tenths int // of the plan that were behind when a page was written last, and 1
	failed bool
}

// show writes a page after the first generation and after each tenth of the plan.
func (r *reporter) show(ctx context.Context, e train.Event) {
	m := e.Metrics
	if m == nil || m.Generation == m.Generations {
		return
	}
	if tenths := 1 + 10*m.Generation/m.Generations; tenths > r.tenths {
		r.tenths = tenths
		r.write(ctx, report.Quick)
	}
}

func (r *reporter) write(ctx context.Context, depth report.Depth) {
	if _, err := report.Write(ctx, r.dir, depth); err != nil && ctx.Err() == nil && !r.failed {
		r.failed = true
		r.warn(fmt.Sprintf("warning: no report: %s", oneLine(err)))
	}
}

// writeSummary prints what a run has come to, and what to do with it.
func writeSummary(w io.Writer, game *env.Game, s *train.Summary) error {
	plan := &s.Config.Plan
	spent := time.Duration(s.Seconds * float64(time.Second)).Round(time.Second)
	if s.Already {
		fmt.Fprintf(w, "This run is finished; a larger --time or --generations asks for more.\n")
	}
	fmt.Fprintf(w, "\n%s: %d generations, %d games, %d positions, %d steps in %v\n",
		s.Config.Game, plan.Last(), s.Games, s.Positions, s.Steps, spent)
	d := &s.Diversity
	fmt.Fprintf(w, "self-play: %.1f plies a game, %s scores %.0f %%, %.0f %% of positions solved, %.1f %% duplicate games\n",
		d.MeanPlies, game.Players[0], 100*d.FirstShare, 100*d.Proven, 100*d.Duplicates)
	fmt.Fprintf(w, "distinct positions:%s\n\n", distinctByPly(d.Distinct))
	writeJudgement(w, s)
	agent := "net:" + s.Dir
	_, err := fmt.Fprintf(w, "\nsee it:    %s\nplay it:   %s\n           %s\njudge it:  %s\ntake it:   %s\n",
		filepath.Join(s.Dir, report.FileName),
		commandLine([]string{"play", game.Name, agent}),
		commandLine([]string{"serve", filepath.Join(s.Dir, ".."), "--open"}),
		commandLine([]string{"arena", game.Name, agent, "mcts:1000"}),
		commandLine([]string{"export", s.Dir, "--format", "html"}))
	return err
}

// writeJudgement prints the matches of a run's end and its rating, or how to get them.
func writeJudgement(w io.Writer, s *train.Summary) {
	switch {
	case len(s.Judged) > 0:
		fmt.Fprintf(w, "  %-12s %7s   %-17s %5s %6s %7s\n", "against", "score", "95 % interval", "wins", "draws", "losses")
	case s.Rated == nil:
		fmt.Fprintf(w, "  not judged, since the setting rating is 0; this does it:\n  %s\n", commandLine([]string{"rate", s.Dir}))
	}
	for _, j := range s.Judged {
		fmt.Fprintf(w, "  %-12s %5.1f %%   %5.1f to %5.1f %%  %5d %6d %7d\n",
			j.Opponent, 100*j.Score, 100*j.Low, 100*j.High, j.Wins, j.Draws, j.Losses)
	}
	if a := s.Rated; a != nil {
		fmt.Fprintf(w, "\n  rated %.0f Elo above random (95 %%: %.0f to %.0f)\n", a.Rating, a.AnchorLow, a.AnchorHigh)
	}
}

// distinctByPly picks a few plies out of the shares of distinct positions.
func distinctByPly(shares []float64) string {
	var b strings.Builder
	for ply := 1; ply < len(shares); ply *= 2 {
		fmt.Fprintf(&b, " %.0f %% at ply %d,", 100*shares[ply-1], ply)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// commandLine writes a call of this program as one would type it.
func commandLine(args []string) string {
	program := os.Args[0]
	if strings.Contains(program, string(filepath.Separator)+"go-build") {
		program = "go run ./cmd/ludus" // that is how it was started
	}
	words := []string{program}
	for _, a := range args {
		if strings.ContainsAny(a, " ()&;|<>*?$'\"") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
