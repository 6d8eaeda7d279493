package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludus/checkpoints/zoo"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
	"ludus/env/games"
)

func gamesCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "games [GAME]",
		Short: "List the games, or show one: rules, shipped agent, parameters, tensors, outcome classes",
		Example: `  ludus games
  ludus games quad-5x5
  ludus games "quad(size=6,quads=10)" --json
  ludus games "gdl(tic-tac-toe.kif)"`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := namedGames(args)
			if err != nil {
				return err
			}
			switch {
			case asJSON:
				for _, g := range list {
					if err := printJSON(cmd, describeGame(g)); err != nil {
						return err
					}
				}
			case len(args) > 0:
				writeRules(cmd.OutOrStdout(), list[0])
				if card := zoo.CardOf(list[0].Name); card != nil {
					writeCard(cmd.OutOrStdout(), list[0], card)
				}
				writeNumbers(cmd.OutOrStdout(), list[0])
			default:
				writeGames(cmd.OutOrStdout(), list)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one line of JSON per game")
	return cmd
}

// writeGames prints a line per game, with columns x rows of its board, then the parameters of each family of games.
func writeGames(w io.Writer, list []*env.Game) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GAME\tBOARD\tAGENT\tIN SHORT")
	for _, g := range list {
		shipped := "-"
		if zoo.CardOf(g.Name) != nil {
			shipped = "yes"
		}
		fmt.Fprintf(table, "%s\t%dx%d\t%s\t%s\n", g.Name, g.Tensor.W, g.Tensor.H, shipped, g.Summary)
	}
	table.Flush()
	fmt.Fprintln(w, "\nBOARD is columns x rows. Games with an agent come with a trained opponent.\n\"ludus games GAME\" shows the rules and how strong it is.")
	fmt.Fprintln(w, "\nOther sizes and rules; parameters that you leave out keep their defaults:")
	for _, f := range games.Families() {
		fmt.Fprintln(w, " ", f.Pattern())
	}
	fmt.Fprintln(w, "\ngdl(PATH) is the game of a rule sheet; docs/RULES.md shows how to write one.")
}

// writeRules prints a game's rules, its start and its parameters.
func writeRules(w io.Writer, g *env.Game) {
	fmt.Fprintf(w, "%s: %s against %s\n\n", g.Name, g.Players[0], g.Players[1])
	style := terminal.Style{Width: func() int { return cmp.Or(min(terminalWidth(), 100), 100) }}
	fmt.Fprintln(w, style.Rules(g))
	fmt.Fprintln(w, style.Board(g, g.NewState()))
	if len(g.Params) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PARAMETER\tVALUE\tALLOWED")
	ranges := parameterRanges(g.Family)
	for _, p := range g.Params {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Value, ranges[p.Name])
	}
	table.Flush()
}

// writeNumbers prints a game's tensors and outcome classes.
func writeNumbers(w io.Writer, g *env.Game) {
	fmt.Fprintln(w, "\nfor developers:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "  tensor\t[%d %d %d]\tas the player to move, the mover, sees the board: [0 0] is %s for %s and %s for %s\n",
		g.Tensor.C, g.Tensor.H, g.Tensor.W, firstCell(g, env.First), g.Players[0], firstCell(g, env.Second), g.Players[1])
	for i, plane := range g.Planes {
		fmt.Fprintf(table, "  plane %d\t\t%s\n", i, plane)
	}
	fmt.Fprintf(table, "  policy\t%d\t%d x %d cells + %d: %s\n", g.NumActions(), g.PolicyPlanes, g.Tensor.Cells(),
		g.PolicyExtras, strings.Join(g.PolicyNames, ", "))
	fmt.Fprintf(table, "  moves\t%d\tsuch as %s\n", moveCount(g), moveExample(g))
	writeClasses(table, g)
	fmt.Fprintf(table, "  symmetries\t%d\tturns and reflections under which the game stays the same, the identity included\n", len(g.Symmetries))
	if n := len(g.Figures); n > 0 {
		fmt.Fprintf(table, "  figures\t%d\tsets of cells, such as lines, each seen as a whole by the network\n", n)
	}
	fmt.Fprintf(table, "  longest game\t%d\tplies\n", g.MaxPlies)
	table.Flush()
}

// writeClasses prints the ways in which a game can end for a player, and what its goals are.
func writeClasses(w io.Writer, g *env.Game) {
	for i, c := range g.Classes {
		switch {
		case c.Impossible:
		case g.GoalHead:
			fmt.Fprintf(w, "  class %d\t%s\tutility %g\n", i, c.Name, c.Utility)
		default:
			fmt.Fprintf(w, "  class %d\t%s\tutility %g, goals %d and %d for the opponent\n", i, c.Name, c.Utility, c.Goals[0], c.Goals[1])
		}
	}
	about := "final scores, 0 to 100, of the classes; training aims at the utility"
	if g.GoalHead {
		about = "final scores, 0 to 100: the points that the players make; training aims at the utility"
	}
	fmt.Fprintf(w, "  goals\t\t%s\n", about)
}

// firstCell names the board cell that player p's input tensor holds at [0 0].
func firstCell(g *env.Game, p env.Player) string {
	cell := g.FrameCell(p, 0) // it maps board cells to tensor cells and, being its own inverse, also back
	return g.CellName(int32(cell))
}

// moveExample returns the first legal move of a game, by its name and its official text.
func moveExample(g *env.Game) string {
	a := g.NewState().Legal(nil)[0]
	return fmt.Sprintf("%s, in files %s", g.ActionNames[a], g.ActionTexts[a])
}

// moveCount returns the number of different moves of a game: of the actions that some position allows.
func moveCount(g *env.Game) (n int) {
	for _, text := range g.ActionTexts {
		if text != "" {
			n++
		}
	}
	return n
}

// parameterRanges returns the ranges of a family's parameters by name.
func parameterRanges(family string) map[string]string {
	ranges := make(map[string]string)
	families := games.Families()
	i := slices.IndexFunc(families, func(f games.Family) bool { return f.Name == family })
	if i < 0 {
		return ranges // a game of a rule sheet has no parameters
	}
	for _, p := range families[i].Params {
		ranges[p.Name] = p.Range()
	}
	return ranges
}

// describeGame returns a game's description for programs.
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
		if c.Goals[0] >= 0 { // otherwise they depend on the play
			class["goals"] = c.Goals // the player's and the opponent's final scores
		}
		classes = append(classes, class)
	}
	return map[string]any{
		"name": g.Name, "family": g.Family, "params": params, "ranges": parameterRanges(g.Family), "players": g.Players,
		"summary": g.Summary, "rules": g.Rules, "strategy": g.Strategy,
		"tensor": [3]int{g.Tensor.C, g.Tensor.H, g.Tensor.W}, "planes": g.Planes,
		"policy_planes": g.PolicyPlanes, "policy_extras": g.PolicyExtras, "policy_names": g.PolicyNames,
		"actions": g.NumActions(), "classes": classes, "goal_head": g.GoalHead, "symmetries": len(g.Symmetries),
		"figures": len(g.Figures), "max_plies": g.MaxPlies, "zoo": zoo.CardOf(g.Name),
	}
}
