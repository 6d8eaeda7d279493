package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/gamefile"
	"ludus/cmd/ludus/internal/terminal"
	"ludus/env"
)

// reviewFormats are the formats of reviews, with a function that writes the review of a game.
var reviewFormats = map[string]func(*reviewJob, *analysis.Review) (string, error){
	"text": reviewText,
	"json": reviewJSON,
	"sgf":  reviewSGF,
	"html": reviewJSON, // a page is made of all reviews
}

// setFormat sets the format from --to and --output.
func (rev *reviewer) setFormat(to, output string) error {
	if to == "" && strings.EqualFold(filepath.Ext(output), ".html") {
		to = "html"
	}
	rev.format = cmp.Or(to, map[gamefile.Format]string{gamefile.SGF: "sgf", gamefile.JSON: "json"}[gamefile.FormatOf(output)], "text")
	switch {
	case reviewFormats[rev.format] == nil:
		return fmt.Errorf("--to %s: it must be text, json, sgf or html", env.Quote(to))
	case rev.format == "html" && output == "":
		return errors.New("--to html needs --output FILE.html")
	}
	return nil
}

// reviewText writes a review for people.
func reviewText(job *reviewJob, r *analysis.Review) (string, error) {
	text := fmt.Sprintf("game %d: %s", job.number, r.Game)
	if job.number > 1 {
		text = "\n" + text
	}
	if r.Result != "" {
		text += ", " + r.Result
	}
	if job.record.End != "" {
		text += " (" + job.record.End + ")"
	}
	style := terminal.Style{Width: terminalWidth}
	return fmt.Sprintf("%s, %s, reviewed by %s\n%s", text, terminal.Counted(len(r.Moves), "move"), r.Agent, style.Review(r)), nil
}

// reviewJSON writes a review as a line of JSON.
func reviewJSON(_ *reviewJob, r *analysis.Review) (string, error) {
	var line strings.Builder
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(r)
	return line.String(), err
}

// reviewSGF writes a game with the values of its moves, and with comments and better lines where it has mistakes. What
// the file said before stays.
func reviewSGF(job *reviewJob, r *analysis.Review) (string, error) {
	out := *job.record
	out.Moves = slices.Clone(out.Moves)
	summary := "Reviewed by " + r.Agent + "."
	for _, s := range r.Sides {
		summary += fmt.Sprintf("\n%s: %s, %d best, %s, of these %s; mean loss %.1f %%.", s.Player, terminal.Counted(s.Moves, "move"), s.Best,
			terminal.Counted(s.Mistakes, "mistake"), terminal.Counted(s.Blunders, "blunder"), 50*s.Loss)
	}
	out.Comment = withText(withText(out.Comment, summary), terminal.LostText(r))
	for i := range out.Moves {
		m, reviewed := &out.Moves[i], &r.Moves[i]
		value := r.Positions[i+1].Value
		if reviewed.Player != r.Sides[env.First].Player {
			value = 0 - value
		}
		m.Value = &value
		if !reviewed.IsMistake() {
			continue
		}
		m.Bad = map[analysis.Grade]int{analysis.Mistake: 1, analysis.Blunder: 2}[reviewed.Grade]
		m.Comment = withText(m.Comment, terminal.MistakeText(reviewed)+". Better: "+terminal.BetterText(reviewed))
		var better []gamefile.Move
		for _, name := range reviewed.Line {
			better = append(better, gamefile.Move{Action: env.Action(slices.Index(out.Game.ActionNames, name))})
		}
		better[0].Value = &reviewed.Before
		same := func(line []gamefile.Move) bool {
			return slices.EqualFunc(line, better, func(a, b gamefile.Move) bool { return a.Action == b.Action })
		}
		if !slices.ContainsFunc(m.Instead, same) { // it has been reviewed before
			m.Instead = append(slices.Clip(m.Instead), better)
		}
	}
	return gamefile.Text(&out, gamefile.SGF)
}

// withText adds a paragraph to a comment, unless the comment has it already.
func withText(comment, text string) string {
	if strings.Contains(comment, text) {
		return comment
	}
	return strings.TrimSpace(comment + "\n" + text)
}
