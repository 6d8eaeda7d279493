package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows how far a long job is: a bar on a terminal, a line every ten seconds elsewhere.
type progress struct {
	w    io.Writer
	bar  *progressbar.ProgressBar // nil where w is no terminal
	told time.Time
}

const progressEvery = 10 * time.Second

// newProgress returns a progress on w; the options are further ones of its bar.
func newProgress(w io.Writer, options ...progressbar.Option) progress {
	p := progress{w: w, told: time.Now()}
	if isTerminal(w) {
		options = append(options, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(24), progressbar.OptionClearOnFinish())
		p.bar = progressbar.NewOptions(1, options...)
	}
	return p
}

// tell says that done of all are done, with beside written beside the bar, or as line where there is none.
func (p *progress) tell(done, all int, beside, line string) {
	switch {
	case p.bar != nil:
		p.bar.ChangeMax(all)
		p.bar.Describe(beside)
		_ = p.bar.Set(done) // fails only where the terminal went away
	case time.Since(p.told) > progressEvery:
		p.told = time.Now()
		fmt.Fprintln(p.w, line)
	}
}

// line writes a line of text, above the bar where there is one.
func (p *progress) line(text string) {
	p.close()
	fmt.Fprintln(p.w, text)
}

func (p *progress) close() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
