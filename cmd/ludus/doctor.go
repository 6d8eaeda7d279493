package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"ludus/train/doctor"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor RUN",
		Short: "Say why a run does not learn",
		Long: `Names the most likely cause why a run does not learn, and a fix, or says that nothing was found. It looks at the run's losses,
how varied its games are, and how the newest network evaluates positions of the newest games, compared with uniform play,
with exact values of the solver and with the shipped agent. Settings only help to name the cause. The run may be in training.

A table shows the run's curves from its first to its newest generation. "recorded" is what recorded trainings of the game had
after as much training as the newest value; only runs with default settings from random weights have it. "shipped" is the error
of the shipped agent on its card. "uniform" is uniform play in positions of the run's newest games.`,
		Example: `  ludus doctor runs/quad-5x5
  ludus doctor runs/quad-5x5 --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := doctor.Read(cmd.Context(), args[0])
			if err != nil {
				return explainFolder(args[0], err)
			}
			d := doctor.Diagnose(run)
			if asJSON {
				return printJSON(cmd, d)
			}
			writeDiagnosis(cmd.OutOrStdout(), d)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the diagnosis as one line of JSON")
	return cmd
}

// writeDiagnosis prints the findings about a run, then the evidence.
func writeDiagnosis(w io.Writer, d *doctor.Diagnosis) {
	fmt.Fprintf(w, "%s, generation %d, %d training steps\n\n", d.Game, d.Generation, d.Steps)
	for i, f := range d.Findings {
		title := "Most likely cause"
		if i > 0 {
			title = "Also"
		}
		fmt.Fprintf(w, "%s: %s.\n  %s\n  %s\n", title, f.Cause, f.Evidence, f.Fix)
	}
	switch {
	case len(d.Findings) > 0:
	case d.Early:
		fmt.Fprintln(w, "Too early to tell.")
	default:
		fmt.Fprintln(w, "Nothing found.")
	}
	fmt.Fprintf(w, "%s\n\n", d.Status)

	writeCurves(w, d.Curves)
	if d.Newest.Policy.Count == 0 {
		fmt.Fprintln(w, "\nThe network was not examined: the run has no finished game or no checkpoint that can be read.")
		return
	}
	fmt.Fprintf(w, "\nin positions of the newest %d games (%.0f %% duplicates):\n", d.Games.Count, 100*d.Games.Duplicates)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  measure\tnewest network\tshipped network")
	// The shipped agent has no such number, because the policy targets are the run's, and a stronger network plays
	// differently.
	fmt.Fprintf(table, "  policy targets learned (uniform play: 0 %%)\t%.0f %%\t\n", 100*d.Newest.Policy.Gain(d.Newest.Policy.Loss))
	row := func(name string, count int, value func(a *doctor.Accuracy) string) {
		if count > 0 {
			shipped := ""
			if d.Shipped != (doctor.Accuracy{}) {
				shipped = value(&d.Shipped)
			}
			fmt.Fprintf(table, "  %s\t%s\t%s\n", name, value(&d.Newest), shipped)
		}
	}
	row("correlation of values with exact values", d.Newest.Value.Count, func(a *doctor.Accuracy) string {
		return fmt.Sprintf("%.2f", a.Value.Correlation)
	})
	row("probability of moves that lose value: network", d.Newest.Search.Count, func(a *doctor.Accuracy) string {
		return fmt.Sprintf("%.0f %%", 100*a.Search.Network)
	})
	if s := &d.Newest.Search; s.Count > 0 { // only the run has search results, not the shipped agent
		fmt.Fprintf(table, "  likewise: policy targets of the run's search\t%.0f %%\t\n", 100*s.Targets)
	}
	table.Flush()
}

// writeCurves prints a table of curves with sparklines. It leaves out columns of reference values that no curve has.
func writeCurves(w io.Writer, curves []doctor.Curve) {
	references := []struct {
		name  string
		value func(c *doctor.Curve) *float64
	}{
		{"recorded", (*doctor.Curve).NewestRecorded},
		{"shipped", func(c *doctor.Curve) *float64 { return c.Shipped }},
		{"uniform", func(c *doctor.Curve) *float64 { return c.Uniform }},
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(first string, reference func(i int) string, rest string) {
		fmt.Fprint(table, first)
		for i := range references {
			if slices.ContainsFunc(curves, func(c doctor.Curve) bool { return references[i].value(&c) != nil }) {
				fmt.Fprint(table, "\t", reference(i))
			}
		}
		fmt.Fprintln(table, "\t"+rest)
	}
	row("curve\tfirst\tnewest", func(i int) string { return references[i].name }, "\tin a healthy run")
	for i := range curves {
		c := &curves[i]
		row(fmt.Sprintf("%s\t%.3f\t%.3f", c.Name, c.Values[0], c.Values[len(c.Values)-1]),
			func(i int) string { return optional(references[i].value(c)) }, sparkline(c.Values)+"\t"+c.Expected)
	}
	table.Flush()
}

// optional formats a number that may be missing.
func optional(x *float64) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("%.3f", *x)
}

// sparkline draws values as at most 24 bars. Each bar is the mean of neighbouring values; the lowest bar stands for the
// least mean.
func sparkline(values []float64) string {
	const width = 24
	levels := []rune("▁▂▃▄▅▆▇█")
	bars := make([]float64, min(width, len(values)))
	for i := range bars {
		part := values[i*len(values)/len(bars) : (i+1)*len(values)/len(bars)]
		for _, x := range part {
			bars[i] += x / float64(len(part))
		}
	}
	low, high := slices.Min(bars), slices.Max(bars)
	var b strings.Builder
	for _, x := range bars {
		level := 0
		if high > low {
			level = int((x - low) / (high - low) * float64(len(levels)-1))
		}
		b.WriteRune(levels[level])
	}
	return b.String()
}
