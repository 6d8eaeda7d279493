package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// helpWidth is the number of columns that help texts fit.
const helpWidth = 80

// foldHelp makes a command and its subcommands print their help folded to helpWidth.
func foldHelp(root *cobra.Command) {
	unfolded := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := cmd.OutOrStdout()
		var help bytes.Buffer
		cmd.SetOut(&help)
		unfolded(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, folded(help.String()))
	})
}

// folded breaks a help text between words. Lines without indentation are paragraphs. Lines of two columns, at least two
// blanks apart, keep their columns; lines that begin at the second column continue them. Other indented lines are commands
// for a shell, which takes a backslash before a break.
func folded(help string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(help, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		column, width, lineBreak := secondColumn(line), helpWidth, "\n"
		for line != "" && i+1 < len(lines) && lines[i+1] != "" && indentation(lines[i+1]) == column {
			i++
			line += " " + lines[i][column:]
		}
		if column < 0 {
			column, width, lineBreak = indentation(line)+2, helpWidth-len(" \\"), " \\\n"
		}
		words := strings.Split(line, " ")
		b.WriteString(words[0])
		used := utf8.RuneCountInString(words[0])
		for _, word := range words[1:] {
			n := utf8.RuneCountInString(word)
			if used > column && used+1+n > width {
				b.WriteString(lineBreak + strings.Repeat(" ", column) + word)
				used = column + n
				continue
			}
			b.WriteString(" " + word)
			used += 1 + n
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// indentation returns the number of blanks at the start of a line.
func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// secondColumn returns where the second column of an indented line begins, 0 for a line without indentation, and -1 for
// a line of one column.
func secondColumn(line string) int {
	indented := indentation(line)
	if indented == 0 {
		return 0
	}
	gap := strings.Index(line[indented:], "  ")
	if gap < 0 {
		return -1
	}
	return indented + gap + indentation(line[indented+gap:])
}
