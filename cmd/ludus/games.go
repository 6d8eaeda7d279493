package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/sheet"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/cmd/ludus/internal/web"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/solver"
	"ludus/train/memory"
	"ludus/train/shipped"
)

func gamesCommand() *cobra.Command {
	var (
		asJSON, browse bool
		file           string
	)
	cmd := &cobra.Command{
		Use:   "games [GAME]",
		Short: "List the games, or show one: rules, shipped agent, parameters, tensors, outcome classes",
		Long: `Lists the games, or shows what is known about one. Of a rule sheet's game, if it is small, that includes who wins
with best play, and in how many plies.

With --watch it helps to write a rule sheet (docs/RULES.md): it checks the sheet at once and whenever it is saved, and prints
what it found, or the problem with its line and column. The page at the printed address shows random games by the sheet,
or the position in which a law of games is broken, and reloads itself. Ctrl-C ends it.`,
		Example: `  ludus games
  ludus games quad-5x5
  ludus games "quad(size=6,quads=10)" --json
  ludus games tic-tac-toe.kif
  ludus games --watch tic-tac-toe.kif --open`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case file != "" && (len(args) > 0 || asJSON):
				return usage(cmd, errors.New("--watch takes no GAME and no --json: it shows the game of its file"))
			case file != "":
				return watchSheet(cmd, file, browse)
			case browse:
				return usage(cmd, errors.New("--open needs --watch"))
			}
			return showGames(cmd, args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON per game")
	cmd.Flags().StringVar(&file, "watch", "", "check this rule sheet whenever it is saved, and show it in the browser")
	cmd.Flags().BoolVar(&browse, "open", false, "with --watch, open the browser")
	return cmd
}

// showGames prints the list of games or, if args name one, that game.
func showGames(cmd *cobra.Command, args []string, asJSON bool) error {
	list, err := namedGames(cmd, args)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	switch {
	case asJSON:
		for _, g := range list {
			err = printJSON(cmd, describeGame(g))
			if err != nil {
				return err
			}
		}
		if len(args) > 0 {
			err = writeMistakes(io.Discard, list[0]) // only for its error: the JSON has the mistakes
		}
	case len(args) > 0:
		err = writeMistakes(out, list[0])
		writeGame(out, list[0])
	default:
		writeGames(out, list)
	}
	return err
}

// watchSheet serves a page about a rule sheet and checks the sheet whenever it is saved, until the command's context
// ends.
func watchSheet(cmd *cobra.Command, file string, browse bool) error {
	if path, ok := games.SheetPath(file); ok {
		file = path
	}
	out := cmd.OutOrStdout()
	watcher := sheet.NewWatcher(file, func(g *env.Game) string {
		var b strings.Builder
		writeGame(&b, g)
		return b.String()
	})
	server, err := web.Listen(web.Options{
		Address: "127.0.0.1:0", Runs: defaultRuns, Threads: 1, Log: cmd.ErrOrStderr(), Sheet: watcher,
	})
	if err != nil {
		return err
	}
	page := server.URL() + "sheet"
	fmt.Fprintln(out, page)
	if browse {
		openBrowser(cmd, page)
	}
	ctx, cancel := context.WithCancel(cmd.Context())
	served := make(chan error, 1)
	go func() {
		defer cancel()
		served <- server.Serve(ctx)
	}()
	err = watcher.Run(ctx, func(c *sheet.Check) {
		fmt.Fprintf(out, "\n%s %s: %s\n", time.Now().Format(time.TimeOnly), file, c.State)
		for _, text := range c.Warnings {
			fmt.Fprintln(out, "warning: the sheet may have a mistake: "+text)
		}
		if c.Problem != "" {
			fmt.Fprintln(out, c.Problem)
		}
		if c.Broken != nil {
			fmt.Fprintf(out, "after %d random moves %s; the page shows the game and the facts\n",
				len(c.Broken.Replay.Positions)-1, c.Broken.Law)
		}
		fmt.Fprint(out, c.Found)
	})
	stopped := <-served
	if !errors.Is(stopped, context.Canceled) {
		return stopped
	}
	return err
}

// writeMistakes prints errors and likely mistakes in the sheet of a game. It returns an error only if a mistake is
// certain.
func writeMistakes(w io.Writer, g *env.Game) error {
	lists := map[bool][]gdl.Warning{} // by Sure
	for _, m := range gdl.Warnings(g) {
		lists[m.Sure] = append(lists[m.Sure], m)
	}
	for _, part := range []struct {
		head string
		sure bool
	}{{"Mistakes in the sheet:", true}, {"There may be mistakes in the sheet:", false}} {
		if len(lists[part.sure]) == 0 {
			continue
		}
		fmt.Fprintln(w, part.head)
		for _, m := range lists[part.sure] {
			fmt.Fprintln(w, " ", m)
		}
		fmt.Fprintln(w)
	}
	if n := len(lists[true]); n > 0 {
		return fmt.Errorf("the sheet has mistakes (%d); they are printed first", n)
	}
	return nil
}

// writeGame prints everything about a game except the mistakes in its sheet.
func writeGame(w io.Writer, g *env.Game) {
	writeRules(w, g)
	writeFindings(w, g)
	if card := zoo.CardOf(g.Name); card != nil {
		writeCard(w, g, card)
	} else if trained := shipped.TrainedOn(g); trained != nil {
		fmt.Fprintf(w, "\nzoo, the shipped agent of %s, plays this game, too. Its strength here has no card. docs/METHODS.md,\n"+
			"\"Other sizes of a board\", says how strong shipped agents are on some boards that they were not trained on.\n", trained.Name)
	}
	writeNumbers(w, g)
}

// writeGames prints one line per game, with columns x rows of its board, and then the parameters of each family of
// games.
func writeGames(w io.Writer, list []*env.Game) {
	table := leftTable(w)
	fmt.Fprintln(table, "GAME\tBOARD\tAGENT\tIN SHORT")
	for _, g := range list {
		agent := "-"
		if trained := shipped.TrainedOn(g); trained == g {
			agent = "yes"
		} else if trained != nil {
			agent = "of " + trained.Name
		}
		fmt.Fprintf(table, "%s\t%dx%d\t%s\t%s\n", g.Name, g.Tensor.W, g.Tensor.H, agent, g.Summary)
	}
	table.Flush()
	fmt.Fprintln(w, "\nBOARD is columns x rows. AGENT: a trained opponent comes with ludus; \"of GAME\": "+
		"it was trained on that game.\n\"ludus games GAME\" shows the rules and how strong it is.")
	fmt.Fprintln(w, "\nOther sizes and rules; parameters that you leave out keep their defaults:")
	for _, f := range games.Families() {
		fmt.Fprintln(w, " ", f.Pattern())
	}
	fmt.Fprintln(w,
		"\nThe name of a file, such as my-game.kif, is the game of that rule sheet; docs/RULES.md shows how to write one.")
}

// writeRules prints a game's rules, starting position and parameters.
func writeRules(w io.Writer, g *env.Game) {
	fmt.Fprintf(w, "%s: %s against %s\n\n", g.Name, g.Players[0], g.Players[1])
	style := terminal.Style{Width: textWidth}
	fmt.Fprintln(w, style.Rules(g))
	fmt.Fprintln(w, style.Board(g, g.NewState()))
	if len(g.Params) == 0 {
		return
	}
	table := leftTable(w)
	fmt.Fprintln(table, "PARAMETER\tVALUE\tALLOWED")
	ranges := parameterRanges(g.Family)
	for _, p := range g.Params {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Value, ranges[p.Name])
	}
	table.Flush()
}

// Limits of the search for the result of perfect play of a sheet's game: about a second.
const (
	sheetNodes = 100_000
	sheetTable = 64 << 20 // bytes, if there are twice as many
)

// findingsOf returns what was derived from the sheet of a game, and who wins with best play if the game is small; none
// if the game has no sheet.
func findingsOf(g *env.Game) []string {
	findings := gdl.Findings(g)
	if len(findings) == 0 {
		return nil
	}
	class, plies, ok := solver.New(g, memory.Share(sheetTable)).Plies(g.NewState(), solver.Limits{Nodes: sheetNodes})
	if !ok {
		return findings
	}
	result := "The game is a draw with best play."
	if utility := g.Classes[class].Utility; utility != 0 {
		winner := g.Players[env.First]
		if utility < 0 {
			winner = g.Players[env.Second]
		}
		result = winner + " wins by force"
		if plies > 0 {
			result += fmt.Sprintf(" in %d plies", plies)
		}
		result += "."
	}
	return append(findings, result)
}

// writeFindings prints the findings about the sheet of a game.
func writeFindings(w io.Writer, g *env.Game) {
	findings := findingsOf(g)
	if len(findings) == 0 {
		return
	}
	fmt.Fprintln(w, "for authors of the sheet:")
	style := terminal.Style{Width: func() int { return textWidth() - 2 }}
	for _, line := range findings {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(style.Wrapped(line), "\n", "\n  "))
	}
}

// textWidth is the number of columns for texts: the terminal's width, at most 100.
func textWidth() int { return cmp.Or(min(terminalWidth(), 100), 100) }

// writeNumbers prints the sizes of a game's tensors, and its outcome classes.
func writeNumbers(w io.Writer, g *env.Game) {
	fmt.Fprintln(w, "\nfor developers:")
	table := leftTable(w)
	fmt.Fprintf(table,
		"  tensor\t[%d %d %d]\tas the player to move, the mover, sees the board: [0 0] is %s for %s and %s for %s\n",
		g.Tensor.C, g.Tensor.H, g.Tensor.W, firstCell(g, env.First), g.Players[0], firstCell(g, env.Second), g.Players[1])
	for i, plane := range g.Planes {
		fmt.Fprintf(table, "  plane %d\t\t%s\n", i, plane)
	}
	fmt.Fprintf(table, "  policy\t%d\t%d x %d cells + %d: %s\n", g.NumActions(), g.PolicyPlanes, g.Tensor.Cells(),
		g.PolicyExtras, strings.Join(g.PolicyNames, ", "))
	first := g.NewState().Legal(nil)[0]
	fmt.Fprintf(table, "  moves\t%d\tsuch as %s, in files %s\n", moveCount(g), g.ActionNames[first], g.ActionTexts[first])
	writeClasses(table, g)
	fmt.Fprintf(table, "  symmetries\t%d\tturns and reflections under which the game stays the same, the identity included\n",
		len(g.Symmetries))
	if n := len(g.Figures); n > 0 {
		fmt.Fprintf(table, "  figures\t%d\tsets of cells, such as lines, each seen as a whole by new networks\n", n)
	}
	fmt.Fprintf(table, "  longest game\t%d\tplies\n", g.MaxPlies)
	table.Flush()
}

// writeClasses prints a game's outcome classes with their goals.
func writeClasses(w io.Writer, g *env.Game) {
	for i, c := range g.Classes {
		switch {
		case c.Impossible:
		case g.GoalHead:
			fmt.Fprintf(w, "  class %d\t%s\tutility %g\n", i, c.Name, c.Utility)
		default:
			fmt.Fprintf(w, "  class %d\t%s\tutility %g, goals %d and %d for the opponent\n", i, c.Name, c.Utility,
				c.Goals[0], c.Goals[1])
		}
	}
	about := "final scores, 0 to 100, of the classes; training aims at the utility"
	if g.GoalHead {
		about = "final scores, 0 to 100: the points that the players make; training aims at the utility"
	}
	fmt.Fprintf(w, "  goals\t\t%s\n", about)
}

// firstCell names the board cell that stands at [0 0] in player p's input tensor.
func firstCell(g *env.Game, p env.Player) string {
	cell := g.FrameCell(p, 0) // FrameCell is its own inverse, so it also maps tensor cells to board cells
	return g.CellName(int32(cell))
}

// moveCount returns the number of actions that are legal in some position of the game.
func moveCount(g *env.Game) (n int) {
	for _, text := range g.ActionTexts {
		if text != "" { // "": no position allows the action
			n++
		}
	}
	return n
}

// parameterRanges returns the ranges of a game family's parameters, by name.
func parameterRanges(family string) map[string]string {
	ranges := make(map[string]string)
	families := games.Families()
	i := slices.IndexFunc(families, func(f games.Family) bool { return f.Name == family })
	if i < 0 {
		return ranges // games of rule sheets have no parameters
	}
	for _, p := range families[i].Params {
		ranges[p.Name] = p.Range()
	}
	return ranges
}

// describeGame returns a game's description for JSON output.
func describeGame(g *env.Game) map[string]any {
	params := make(map[string]string)
	for _, p := range g.Params {
		params[p.Name] = p.Value
	}
	var classes []map[string]any
	for k, c := range g.Classes {
		if c.Impossible {
			continue
		}
		class := map[string]any{"class": k, "name": c.Name, "goals": nil, "utility": c.Utility}
		if c.Goals[0] >= 0 { // negative goals depend on play
			class["goals"] = c.Goals // final scores of the player and the opponent
		}
		classes = append(classes, class)
	}
	all := map[string]any{
		"name": g.Name, "family": g.Family, "params": params, "ranges": parameterRanges(g.Family), "players": g.Players,
		"summary": g.Summary, "rules": g.Rules, "strategy": g.Strategy,
		"tensor": [3]int{g.Tensor.C, g.Tensor.H, g.Tensor.W}, "planes": g.Planes,
		"policy_planes": g.PolicyPlanes, "policy_extras": g.PolicyExtras, "policy_names": g.PolicyNames,
		"actions": g.NumActions(), "classes": classes, "goal_head": g.GoalHead, "symmetries": len(g.Symmetries),
		"figures": len(g.Figures), "max_plies": g.MaxPlies, "zoo": zoo.CardOf(g.Name),
	}
	if g.Sheet != "" {
		mistakes := []string{}
		for _, w := range gdl.Warnings(g) {
			mistakes = append(mistakes, w.String())
		}
		all["findings"], all["mistakes"] = findingsOf(g), mistakes
	}
	if trained := shipped.TrainedOn(g); trained != nil {
		all["trained_on"] = trained.Name // the game that the agent zoo was trained on, of another size perhaps
	}
	return all
}
