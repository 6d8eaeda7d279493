package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/stat"

	"ludus/train/doctor"
	"ludus/train/stats"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor RUN",
		Short: "Say how good a run is, and why it does not learn",
		Long: `Says how good a run's agent is, whether longer training would help, and the next command. If the run does not
learn, it names the most likely cause and a fix: it looks at the run's losses beside what its newest games can teach, at
repeated games, and at settings far from their default. The run may be in training.

A table shows the run's curves from its first to its newest generation. "recorded" is what recorded trainings of the game had
after as much training as the newest value; only runs with default settings from random weights have it. "shipped" is
the error of the shipped agent on its card. "uniform" is uniform play in positions of the run's newest games.`,
		Example: `  ludus doctor runs/quad-5x5
  ludus doctor runs/quad-5x5 --json`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := doctor.Diagnose(args[0])
			if err != nil {
				return explainFolder(args[0], err)
			}
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

// writeDiagnosis prints how good a run is, the findings about it, and the evidence.
func writeDiagnosis(w io.Writer, d *doctor.Diagnosis) {
	fmt.Fprintf(w, "%s, generation %d, %d training steps\n\n", d.Game, d.Generation, d.Steps)
	writeStrength(w, d)
	if len(d.Findings) == 0 && !d.Early {
		fmt.Fprintln(w, "No problem was found.")
	}
	fmt.Fprintln(w)
	writeCurves(w, d.Curves)
}

// writeStrength prints how good a run's agent is, whether longer training would help, why it does not learn if that is
// known, and the next command.
func writeStrength(w io.Writer, d *doctor.Diagnosis) {
	for _, sentence := range append(slices.Clone(d.Summary.Good), d.Summary.Longer) {
		if sentence != "" {
			fmt.Fprintln(w, sentence)
		}
	}
	for i, f := range d.Findings {
		title := "Most likely cause"
		if i > 0 {
			title = "Also"
		}
		fmt.Fprintf(w, "%s: %s.\n  %s\n  %s\n", title, f.Cause, f.Evidence, f.Fix)
	}
	if d.Summary.Next != "" {
		fmt.Fprintf(w, "Next: %s %s\n", commandLine(nil), d.Summary.Next)
	}
}

// writeCurves prints a table of curves with sparklines.
func writeCurves(w io.Writer, curves []doctor.Curve) {
	table := leftTable(w)
	fmt.Fprintln(table, "curve\tfirst\tnewest\trecorded\tshipped\tuniform\t\tin a healthy run")
	for i := range curves {
		c := &curves[i]
		value := func(x *float64) string {
			switch {
			case x == nil:
				return ""
			case c.Unit == "%":
				return stats.Decimal(*x, 1) + " %"
			}
			return stats.Decimal(*x, 3)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Name, value(&c.Values[0]), value(&c.Values[len(c.Values)-1]),
			value(c.NewestRecorded()), value(c.Shipped), value(c.Uniform), sparkline(c.Values), c.Expected)
	}
	table.Flush()
	for _, column := range []struct {
		text string
		of   func(c *doctor.Curve) *float64
	}{
		{"recorded: in a recorded training of this game, after as much training as the newest value", (*doctor.Curve).NewestRecorded},
		{"shipped: the error of the shipped agent", func(c *doctor.Curve) *float64 { return c.Shipped }},
		{"uniform: the loss of uniform play in positions of the newest games", func(c *doctor.Curve) *float64 { return c.Uniform }},
	} {
		if slices.ContainsFunc(curves, func(c doctor.Curve) bool { return column.of(&c) != nil }) {
			fmt.Fprintln(w, column.text)
		}
	}
}

// sparkline draws values as at most 24 bars. Each bar is the mean of neighbouring values; the lowest bar stands for the
// least mean.
func sparkline(values []float64) string {
	const width = 24
	levels := []rune("▁▂▃▄▅▆▇█")
	means := make([]float64, min(width, len(values)))
	for i := range means {
		means[i] = stat.Mean(values[i*len(values)/len(means):(i+1)*len(values)/len(means)], nil)
	}
	low := slices.Min(means)
	span := max(slices.Max(means)-low, 1e-9)
	var b strings.Builder
	for _, x := range means {
		b.WriteRune(levels[int((x-low)/span*float64(len(levels)-1))])
	}
	return b.String()
}
