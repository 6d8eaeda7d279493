package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ludus/cmd/ludus/internal/terminal"
)

const (
	barSteps      = 1000
	barWidth      = 10                     // width of the bar itself, in columns
	barFrame      = len("  100% || ") + 1  // columns around the bar, and a free one
	barEvery      = 100 * time.Millisecond // least time between updates of the bar
	progressEvery = 10 * time.Second       // least time between lines, without a terminal
)

// status is the progress of a long command.
type status struct {
	count  int           // units done
	unit   string        // such as "games"; "" hides count and speed
	share  float64       // completed share of the job, 0 to 1; negative if unknown
	left   time.Duration // expected time left; 0: derived from share
	detail string        // texts shown last, most important first, separated by ", "
}

// progress shows a long command's status on standard error: a bar on a terminal, a line every ten seconds elsewhere.
type progress struct {
	w        io.Writer
	terminal bool
	bar      *progressbar.ProgressBar // created by the first status on a terminal
	written  time.Time                // time of the last line or update of the bar
	first    status                   // first status shown, from which speed and time left are derived
	started  time.Time                // time of the first status; zero before
}

func newProgress(cmd *cobra.Command) *progress {
	w := cmd.ErrOrStderr()
	return &progress{w: w, terminal: isTerminal(w), written: time.Now()}
}

// show shows a status, unless the last one was shown just before.
func (p *progress) show(s status) {
	if p.started.IsZero() {
		p.first, p.started = s, time.Now()
	}
	every := progressEvery
	if p.terminal {
		every = barEvery
	}
	if time.Since(p.written) < every {
		return
	}
	if !p.terminal {
		p.log(p.text(s))
		return
	}
	p.written = time.Now()
	if p.bar == nil {
		steps := barSteps
		if s.share < 0 {
			steps = -1 // spinner
		}
		p.bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(p.w), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
	}
	p.bar.Describe(fit(p.text(s), cmp.Or(width(p.w), 80)-barWidth-barFrame))
	_ = p.bar.Set(max(0, min(int(barSteps*s.share), barSteps-1))) // fails only if the terminal is gone
}

// text formats a status: "50 games, 5.0 games/s, 30s left, detail".
func (p *progress) text(s status) string {
	var parts []string
	elapsed := time.Since(p.started).Seconds()
	if s.unit != "" {
		parts = append(parts, amount(float64(s.count))+" "+s.unit)
		if done := s.count - p.first.count; done > 0 {
			parts = append(parts, amount(float64(done)/elapsed)+" "+s.unit+"/s")
		}
	}
	left := s.left
	if done := s.share - p.first.share; left == 0 && s.share > 0 && done > 0 {
		left = time.Duration((1 - s.share) / done * elapsed * float64(time.Second))
	}
	if left > 0 {
		parts = append(parts, left.Round(time.Second).String()+" left")
	}
	if s.detail != "" {
		parts = append(parts, s.detail)
	}
	return strings.Join(parts, ", ")
}

// fit drops texts between ", " from the end until at most room characters remain, because a bar of more than one line
// cannot be erased.
func fit(text string, room int) string {
	for len(text) > room {
		i := strings.LastIndex(text, ", ")
		if i < 0 {
			return strings.ToValidUTF8(text[:max(room, 0)], "")
		}
		text = text[:i]
	}
	return text
}

// amount formats a number with few digits: 1.5, 150, 1.5 million.
func amount(x float64) string {
	switch {
	case x >= 1e6:
		return fmt.Sprintf("%.1f million", x/1e6)
	case x >= 10 || x == float64(int(x)):
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// log writes a line. On a terminal it erases the bar first, and wraps the line to the width; the next status draws the bar
// again.
func (p *progress) log(text string) {
	p.close()
	p.written = time.Now()
	if p.terminal {
		style := terminal.Style{Width: func() int { return width(p.w) }}
		text = style.Wrapped(text)
	}
	fmt.Fprintln(p.w, text)
}

// warn writes a warning.
func (p *progress) warn(text string) { p.log("ludus: warning: " + text) }

// close erases the bar.
func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// isTerminal reports whether a stream is a file that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the number of columns of a terminal stream; 0 if unknown.
func width(stream any) int {
	if f, ok := stream.(*os.File); ok {
		columns, _, _ := term.GetSize(int(f.Fd())) // -1 after an error
		return max(columns, 0)
	}
	return 0
}

// seconds turns a number of seconds into a duration, rounded to 0.1 s for printing.
func seconds(x float64) time.Duration {
	return time.Duration(x * float64(time.Second)).Round(100 * time.Millisecond)
}
