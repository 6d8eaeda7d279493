package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ludus/cmd/ludus/internal/report"
	"ludus/cmd/ludus/internal/static"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/naming"
	"ludus/model"
	"ludus/train"
	"ludus/train/agent"
	"ludus/train/doctor"
	"ludus/train/plan"
	"ludus/train/rundir"
	"ludus/train/shipped"
	"ludus/train/stats"
)

// trainHelp is the help of the train command, without the settings.
const trainHelp = `Trains a network from scratch by self-play. The run's folder keeps everything: the same command
continues a stopped run, and a larger --time, --cpu or --generations extends a stopped or finished one. GAME can be left
out where --run names a run. RUN/report.html is written anew during training.

While it trains, the newest checkpoint is tested in solved positions, if the game has some, and plays the shipped agent
(mcts:200 if there is none). Elo ratings come from "ludus rate".

A game with more than 64 cells learns on several sizes of its board, small ones first, with one network: see sizes below.

--games FILE... lets a new run learn from games of other players or programs first. At most the first quarter of its
generations take their games from the files, in their order, instead of from self-play; self-play then soon replaces
them in the replay window. If there are very many games, it takes every n-th. Policy targets are the moves of players who
did not lose; value targets are the results, and the values of moves where a file has some; the solver corrects both near
the end. A game that was resigned or lost by time has its given result. Games without a result are left out, and so are
random opening plies of "ludus arena --record". The run keeps the games; the files are needed until it has read them all.

With --listen, "ludus worker" on other machines plays for the run; docs/SCALE.md says how many help. Games then
depend on when they arrive, so such a run cannot be repeated exactly.

--dry-run measures this machine for a few seconds and prints the plan of the run, and what recorded trainings of the game
reached. It trains nothing and changes no file.

What replaces familiar parts of AlphaZero:
  800 simulations  16 or 32 are enough, because Gumbel search improves the policy with any number of them
  c_puct           none; value_scale sets the weight of values against priors
  Dirichlet noise  Gumbel noise at the root, varied starts of games, exploration_plies and exploration_fraction
  gating           none; the averaged weights of the newest generation play

Settings (--set key=value) with their defaults for quad-5x5; AZ is the value of AlphaZero, GZ that of Gumbel AlphaZero:
`

const trainExamples = `  ludus train quad-5x5
  ludus train breakthrough-6x6 --time 2h --set simulations=32
  ludus train quad-5x5 --time 1h --dry-run
  ludus train breakthrough-6x6 --time 2h --listen 127.0.0.1:4222
  ludus train quad-7x7 --from zoo --run runs/better
  ludus train othello --time 2h --games GGS.ggf club/*.sgf
  ludus train "quad(size=6,quads=10,whites=0)" --run runs/quad-6x6 --generations 50 --seed 7`

// trainFlags are the flags of the train command.
type trainFlags struct {
	train.Options
	sets        []string
	config      string
	games       []string
	skipBad     bool
	seed        uint64
	cpu         time.Duration
	dry, asJSON bool
	workers     workersFlags
}

func trainCommand() *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use:     "train [GAME] [flags]", // further arguments are more files of --games
		Short:   "Train a network by self-play, or continue a run",
		Long:    trainHelp + settingsHelp(),
		Example: trainExamples,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("games") {
				return nil
			}
			return arguments(0, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Dir, "run", "", "the run's folder (default runs/GAME)")
	flags.DurationVar(&f.Time, "time", plan.DefaultTime, "how long to train, everything included")
	flags.DurationVar(&f.cpu, "cpu", 0, "how much CPU time of all threads together to train for, instead of --time")
	flags.IntVar(&f.Generations, "generations", 0, "train this many generations in all, without a time limit")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of all randomness")
	threadsFlag(cmd, &f.Threads, "cores to use; the plan of a run with --time depends on it, nothing else")
	flags.StringVar(&f.From, "from", "",
		"weights to start from: a file, RUN, RUN@GENERATION or RUN@best, also of a network for another size of the board, "+
			"or zoo, the shipped agent; their channels and blocks are the default, and --set can raise them")
	flags.StringArrayVar(&f.games, "games", nil,
		"files of games to learn from first, such as *.sgf: any that \"ludus convert\" reads; GAME comes before them")
	flags.BoolVar(&f.skipBad, "skip-bad", false, "with --games, skip wrong games, with a warning for each")
	flags.StringArrayVar(&f.sets, "set", nil, "change a setting, key=value; may be repeated")
	flags.StringVar(&f.config, "config", "", "a JSON file of settings, such as config.json of a run; --set overrides it")
	flags.BoolVar(&f.dry, "dry-run", false, "print the plan and recorded trainings of the game instead of training")
	flags.BoolVar(&f.asJSON, "json", false, "with --dry-run, print one JSON object")
	flags.StringVar(&f.workers.listen, "listen", "",
		"let workers play, too: start a NATS server on this address, such as 127.0.0.1:4222")
	flags.BoolVar(&f.workers.insecure, "insecure", false,
		"with --listen, let everybody who reaches the address play, without encryption")
	flags.BoolVar(&f.LearnOnly, "learn-only", false, "leave self-play to the workers")
	limit(cmd, "time", "1s or more, such as 10m or 2h", func() bool { return f.Time >= time.Second })
	limit(cmd, "cpu", "1s or more, such as 10m or 2h", func() bool { return f.cpu >= time.Second })
	limit(cmd, "generations", "1 or more", func() bool { return f.Generations >= 1 })
	return cmd
}

// run trains, or prints the plan with --dry-run.
func (f *trainFlags) run(cmd *cobra.Command, args []string) error {
	o := f.Options
	var err error
	o.Game, err = gameToTrain(cmd, args, o.Dir)
	if err != nil {
		return err
	}
	length, err := oneOf(cmd, "time", "cpu", "generations")
	if err != nil {
		return err
	}
	o.CPUTime = length == "cpu"
	if o.CPUTime {
		o.Time = f.cpu
	} else if length != "time" {
		o.Time = 0
	}
	o.Settings, err = changedSettings(o.Game, f.sets, f.config)
	if err != nil {
		return usage(cmd, err)
	}
	if cmd.Flags().Changed("seed") {
		o.Seed = &f.seed
	}
	o.Load, o.From = loader(o.Game), strings.TrimPrefix(o.From, "net:")
	o.Dir = cmp.Or(o.Dir, defaultRun(o.Game))
	if f.skipBad && len(f.games) == 0 {
		return usage(cmd, errors.New("--skip-bad needs --games"))
	}
	o.Import, err = importOf(cmd, o.Game, slices.Concat(f.games, args[min(1, len(args)):]), f.skipBad)
	if err != nil {
		return err
	}
	if spec, err := agent.Parse(agent.NetSpec(o.Dir).String()); err != nil || spec.Network.String() != agent.Operand(o.Dir) {
		return usage(cmd, fmt.Errorf("--run %s: its end reads like an option of an agent; choose another name", o.Dir))
	}
	err = f.workers.check(cmd, &o, f.dry)
	switch {
	case err != nil:
		return err
	case f.dry:
		return dryRun(cmd, o, f.asJSON)
	case f.asJSON:
		return usage(cmd, errors.New("--json needs --dry-run"))
	}
	return runTraining(cmd, o, f.workers)
}

// defaultRun is the default of --run for a game.
func defaultRun(game *env.Game) string { return filepath.Join("runs", naming.FileName(game.Name)) }

// gameToTrain returns the game named by the argument or, without one, the game of the run in dir.
func gameToTrain(cmd *cobra.Command, args []string, dir string) (*env.Game, error) {
	if len(args) > 0 {
		game, err := games.NewOfRun(args[0], dir)
		return game, gameError(cmd, args[0], err)
	}
	if dir == "" {
		return nil, usage(cmd, errors.New("name a game, such as quad-5x5, or a run to continue, with --run"))
	}
	_, game, err := rundir.Open(dir)
	if errors.Is(err, rundir.ErrNoRun) {
		return nil, usage(cmd, fmt.Errorf("%s is no run yet: name the game, too", dir))
	}
	return game, err
}

// settingsHelp lists every setting with its default and its help.
func settingsHelp() string {
	game, err := games.New("quad-5x5")
	if err != nil {
		panic("ludus: " + err.Error())
	}
	var b strings.Builder
	defaults := rundir.DefaultSettings(game)
	for _, s := range defaults.List() {
		fmt.Fprintf(&b, "  %-26s %s\n", s.Key+"="+s.Text(), s.Help())
	}
	return strings.TrimRight(b.String(), "\n")
}

// changedSettings returns the settings given by --config and --set. If both give a setting, --set wins.
func changedSettings(game *env.Game, sets []string, config string) (map[string]float64, error) {
	settings := make(map[string]float64)
	if config != "" {
		data, err := os.ReadFile(config)
		if err != nil {
			return nil, err
		}
		settings, err = rundir.ParseSettings(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", config, err)
		}
	}
	var errs []error
	for _, set := range sets {
		key, value, err := rundir.ParseSetting(set)
		errs = append(errs, err)
		if err == nil {
			settings[key] = value
		}
	}
	defaults := rundir.DefaultSettings(game)
	return settings, errors.Join(append(errs, defaults.Change(settings))...)
}

// trainBytes is the memory that training of the smallest networks takes.
const trainBytes = 96 << 20

// runTraining trains, shows the progress and prints the summary.
func runTraining(cmd *cobra.Command, o train.Options, workers workersFlags) error {
	w := watcher{progress: newProgress(cmd), game: o.Game, dir: o.Dir}
	warnMemory(cmd, "train", trainBytes)
	for _, warning := range gdl.Warnings(o.Game) {
		w.warn("the sheet may have a mistake: " + warning.String())
	}
	if text := progressOf(o.Dir); text != "" {
		w.log(text)
	}
	if text := workers.stored(o.Dir); text != "" {
		w.log(text)
	}
	var mu sync.Mutex // notes about workers come from other goroutines
	o.Workers = workers.connect(o.Dir, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		w.log(text)
	})
	o.Observe = func(e train.Event) {
		mu.Lock()
		defer mu.Unlock()
		w.show(e)
		if m := e.Metrics; m != nil && m.Generation < m.Generations { // the report after the last generation follows below
			if tenths := 1 + 10*m.Generation/m.Generations; tenths > w.tenths {
				w.tenths = tenths
				w.report()
			}
		}
	}
	summary, err := train.Train(cmd.Context(), o)
	if err == nil {
		w.report()
	}
	w.close()
	if errors.Is(err, model.ErrDiverged) {
		return explainDiverged(o.Dir, err)
	}
	if err != nil {
		kept := "finished generations are kept"
		if ids, _ := rundir.Checkpoints(o.Dir).List(); len(ids) == 0 || slices.Max(ids) == 0 {
			kept = "nothing was trained yet"
		}
		return continuable(err, kept)
	}
	d, err := doctor.Diagnose(o.Dir)
	if err == nil {
		writeSummary(cmd.OutOrStdout(), o.Game, summary, d)
	}
	return err
}

// explainDiverged adds the diagnosis to an error of training, if training diverged.
func explainDiverged(dir string, err error) error {
	d, failed := doctor.Diagnose(dir)
	if failed != nil || len(d.Findings) == 0 {
		return err
	}
	next := ""
	if d.Summary.Next != "" {
		next = fmt.Sprintf(" Next: %s %s", commandLine(nil), d.Summary.Next)
	}
	return fmt.Errorf("%w. %s%s", err, d.Findings[0].Fix, next)
}

// progressOf describes how far an existing run has come; "" for a new or unreadable one, since training itself reports
// errors.
func progressOf(dir string) string {
	config, err := rundir.ReadConfig(dir)
	ids, _ := rundir.Checkpoints(dir).List()
	if done := slices.Max(append(ids, 0)); err == nil && done > 0 {
		return fmt.Sprintf("%s has %d of %d generations already", dir, done, config.Plan.Last())
	}
	return ""
}

// generationEvery is the least time between log lines about generations. The metrics hold all generations.
const generationEvery = 5 * time.Second

// watcher shows the events of training on standard error and rewrites the run's report: after the first generation,
// each tenth of the plan and the end.
type watcher struct {
	*progress
	game       *env.Game
	dir        string
	strength   string    // newest score, for the status
	generation time.Time // time of the last log line about a generation
	tenths     int       // tenths of the plan done at the last report, plus 1; 0 before it
	failed     bool      // writing a report has failed
}

// show shows an event of training: most as a log line, progress as the bar's status.
func (w *watcher) show(e train.Event) {
	switch {
	case e.Note != "":
		w.log(e.Note)
	case e.Score != nil:
		c := e.Score
		opponent := shipped.OpponentName(w.game)
		w.strength = fmt.Sprintf("%s %% against %s", stats.Decimal(100*c.Value, 1), opponent)
		w.log(fmt.Sprintf("generation %d: scores %s in %d games against %s; 95 %% interval", c.Generation, c.Percent(), c.Games, opponent))
	case e.Suite != nil:
		if r := e.Suite; r.Agent == "net" {
			e := stats.Estimate{Value: r.Error, Low: r.Low, High: r.High}
			w.log(fmt.Sprintf("generation %d, with 64 simulations: loses value in %s of %d solved positions%s; 95 %% interval",
				r.Generation, e.Percent(), r.Positions, r.Of()))
		}
	case e.Metrics != nil:
		last := e.Metrics.Generation == e.Metrics.Generations
		if !w.terminal && (last || time.Since(w.generation) >= generationEvery) {
			w.generation = time.Now()
			w.log(describeGeneration(e.Metrics))
		}
	case e.Progress.Generations == 0:
		detail := string(e.Progress.Phase)
		if n := e.Progress.Games; n > 0 {
			detail += ", " + static.Grouped(n) + " so far"
		}
		w.progress.show(status{detail: detail})
	default:
		p := e.Progress
		parts := []string{fmt.Sprintf("generation %d of %d%s, %s games", p.Generation, p.Generations, onBoard(p.Size), static.Grouped(p.Games))}
		if p.Speed > 0 {
			parts = append(parts, static.Grouped(int(p.Speed))+" positions/s")
		}
		for _, text := range []string{w.strength, string(p.Phase)} {
			if text != "" {
				parts = append(parts, text)
			}
		}
		detail := strings.Join(parts, ", ")
		w.progress.show(status{share: p.Share, left: p.Remaining, detail: detail})
	}
}

// describeGeneration returns the log line about a generation.
func describeGeneration(m *rundir.Metrics) string {
	speed := fmt.Sprintf("%.0f positions/s", float64(m.Positions)/m.PlaySeconds)
	if m.ImportedGames > 0 {
		speed = "from files"
	}
	if m.ReceivedGames > 0 { // their search time is not in this generation's
		speed = fmt.Sprintf("%d of %d games received", m.ReceivedGames, m.Games)
	}
	parts := []string{
		fmt.Sprintf("generation %d%s: %d games", m.Generation, onBoard(m.Size), m.TotalGames),
		speed,
		fmt.Sprintf("%.1f s playing, %.1f s solving, %.1f s learning", m.PlaySeconds, m.SolveSeconds, m.LearnSeconds),
	}
	if m.Games > 0 {
		parts = append(parts, fmt.Sprintf("mean length %.1f, %.0f %% solved", m.MeanPlies, 100*m.SolvedShare))
	}
	if m.PolicyLoss+m.OutcomeLoss > 0 { // 0: there was no training step on this board
		parts = append(parts, fmt.Sprintf("losses %.3f policy, %.3f outcome", m.PolicyLoss, m.OutcomeLoss))
	}
	return strings.Join(parts, ", ")
}

// onBoard names the board of a generation in a run of several sizes; "" for size 0, in a run of one.
func onBoard(size int) string {
	if size == 0 {
		return ""
	}
	return fmt.Sprintf(" on %dx%[1]d", size)
}

// report rewrites the report. The first failure is a warning, later ones are ignored.
func (w *watcher) report() {
	_, err := report.Write(w.dir)
	if err != nil && !w.failed {
		w.failed = true
		w.warn("no report: " + oneLine(err))
	}
}

// writeSummary prints the result of training, its diagnosis and the commands that use it.
func writeSummary(w io.Writer, game *env.Game, s *train.Summary, d *doctor.Diagnosis) {
	if s.Already {
		fmt.Fprintf(w, "This run is finished; a larger --time, --cpu or --generations extends it.\n")
	}
	fmt.Fprintf(w, "\n%s: %d generations, %s games, %s positions, %s steps in %v\n", s.Config.Game, s.Config.Plan.Last(),
		static.Grouped(s.Games), static.Grouped(s.Positions), static.Grouped(s.Steps), seconds(s.Seconds).Round(time.Second))
	m := &s.LastGames
	fmt.Fprintf(w, "self-play in the last generation%s: %.1f plies per game, %s scores %.0f %%, %.0f %% of positions solved, "+
		"%.1f %% duplicate games\n\n", onBoard(m.Size), m.MeanPlies, game.Players[0], 100*m.FirstScore, 100*m.SolvedShare, 100*m.Duplicates)
	writeStrength(w, d)
	newest, name, dir := agent.NetSpec(s.Dir).String(), nameIn(game, s.Dir), agent.Operand(s.Dir)
	fmt.Fprintf(w, "\nreport:   %s\nplay:     %s\n          %s\nmeasure:  %s\n          %s\nexport:   %s\n",
		filepath.Join(s.Dir, report.FileName),
		commandLine([]string{"play", name, newest}),
		commandLine([]string{"serve", agent.Operand(filepath.Join(s.Dir, "..")), "--open"}),
		commandLine([]string{"arena", name, newest, shipped.Opponent(game)}),
		commandLine([]string{"rate", dir}),
		commandLine([]string{"export", dir}))
}

// nameIn returns the name of a game for commands on a run's folder or a weights file at path. For a game of a rule
// sheet the name contains the path, because the files there contain the sheet.
func nameIn(game *env.Game, path string) string {
	if game.Sheet != "" {
		return gdl.Family + "(" + path + ")"
	}
	return game.Name
}
