//go:build linux

package gdl_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/gdl"
	"ludus/env/gdl/oracle"
	"ludus/env/gdl/sheets"
)

// Limits of the survey, in seconds of CPU time.
const (
	maxAccept = 60   // for gdl.New
	maxLaws   = 900  // for the laws of one sheet
	maxGames  = 900  // for the comparison with the slow interpreter
	wantGames = 1000 // games to compare, if time allows
	maxMB     = 2048
)

// surveyed is what the survey finds about one sheet; a file of the survey's folder holds it.
type surveyed struct {
	Name       string
	Roles      int     // 0 if the sheet cannot be ground
	Error      string  // why it is refused; "" if it is accepted
	Seconds    float64 // CPU time of gdl.New
	MB         int     // peak of memory
	Info       gdl.Info
	Tensor     env.Shape
	Actions    int
	Symmetries int
	MaxPlies   int
	Classes    int
}

// TestSurvey tries every foreign sheet in a process of its own, and writes what it finds to the folder that LUDUS_SURVEY
// names. It skips what is there already, so it can be stopped and continued. Its parts can be run alone:
//
//	LUDUS_SHEETS=DIR LUDUS_SURVEY=RESULTS go test ./env/gdl -timeout 0 -v -run TestSurvey/accept
//
// accept builds the games, laws checks package env's laws, games compares random games with the slow interpreter, and table
// prints the results as Markdown and compares what is accepted with testdata/foreign.txt.
func TestSurvey(t *testing.T) {
	folder := os.Getenv("LUDUS_SURVEY")
	if folder == "" {
		t.Skip("LUDUS_SURVEY does not name a folder for results")
	}
	paths := sheets.ForeignPaths(t)
	for _, part := range []string{"accept", "laws", "games"} {
		t.Run(part, func(t *testing.T) {
			for _, path := range paths {
				result := filepath.Join(folder, path.Name+"."+part)
				if _, err := os.Stat(result); err == nil {
					continue
				}
				if part != "accept" && readSurveyed(t, folder, path.Name).Error != "" {
					continue
				}
				out := surveyChild(t, part, path)
				if err := os.WriteFile(result, out, 0o644); err != nil {
					t.Fatal(err)
				}
				if part != "accept" {
					t.Logf("%s: %s", path.Name, out)
				}
			}
		})
	}
	t.Run("table", func(t *testing.T) {
		var list []surveyed
		expected := foreign(t)
		for _, path := range paths {
			s := readSurveyed(t, folder, path.Name)
			checkForeign(t, s.Name, s.Error, expected)
			list = append(list, s)
		}
		fmt.Print(surveyTable(t, folder, list))
	})
}

// surveyChild runs a part of the survey for one sheet and returns its result.
func surveyChild(t *testing.T, part string, path sheets.Path) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "result")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSurveyPart$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "LUDUS_SURVEY_PART="+part, "LUDUS_SURVEY_NAME="+path.Name,
		"LUDUS_SURVEY_FILE="+path.File, "LUDUS_SURVEY_RESULT="+file)
	out, err := cmd.CombinedOutput()
	result, readErr := os.ReadFile(file)
	switch {
	case t.Context().Err() != nil:
		t.Fatal("stopped")
	case readErr == nil && err == nil:
	case part == "accept":
		result, _ = json.Marshal(surveyed{Name: path.Name, Error: fmt.Sprintf("crashed: %v: %.2000s", err, out)})
	default:
		result = []byte(failures(string(out)))
	}
	return result
}

// failures returns the first lines of failed tests.
func failures(out string) string {
	lines := regexp.MustCompile(`(?m)^\s+\w+_?\w*\.go:\d+: .*$|^panic.*$|^SIG.*$`).FindAllString(out, 6)
	return "failed: " + strings.Join(lines, "\n") + "\n"
}

// TestSurveyPart is a process of the survey.
func TestSurveyPart(t *testing.T) {
	part := os.Getenv("LUDUS_SURVEY_PART")
	if part == "" {
		t.Skip("a part of TestSurvey")
	}
	path := sheets.Path{Name: os.Getenv("LUDUS_SURVEY_NAME"), File: os.Getenv("LUDUS_SURVEY_FILE")}
	text := path.Text(t)
	var result []byte
	switch part {
	case "accept":
		var err error
		if result, err = json.MarshalIndent(survey(path.Name, text), "", " "); err != nil {
			t.Fatal(err)
		}
	case "laws":
		g, _, err := gdl.New(t.Context(), path.Name, text)
		if err != nil {
			t.Fatal(err)
		}
		limitCPU(t, maxLaws)
		envtest.Run(t, g)
		result = fmt.Appendf(nil, "all hold, %.1f s\n", cpuSeconds())
	case "games":
		g, _, err := gdl.New(t.Context(), path.Name, text)
		if err != nil {
			t.Fatal(err)
		}
		start := cpuSeconds()
		games, plies, err := compareWithOracle(g, text, func() bool { return cpuSeconds()-start > maxGames })
		if err != nil {
			t.Fatal(err)
		}
		result = fmt.Appendf(nil, "%d games of %d plies equal, %.1f s\n", games, plies, cpuSeconds()-start)
	}
	if t.Failed() {
		return
	}
	if err := os.WriteFile(os.Getenv("LUDUS_SURVEY_RESULT"), result, 0o644); err != nil {
		t.Fatal(err)
	}
}

// survey builds the game of a sheet.
func survey(name, text string) surveyed {
	s := surveyed{Name: name}
	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		for cpuSeconds() < maxAccept {
			time.Sleep(50 * time.Millisecond)
		}
		cancel(errors.New("the survey's limit"))
	}()
	net, err := gdl.Read(ctx, text)
	if err == nil {
		s.Roles = len(net.Program.Roles)
		var g *env.Game
		var info *gdl.Info
		if g, info, err = gdl.FromCircuit(ctx, name, text, net); err == nil {
			s.Info, s.Tensor, s.Actions, s.MaxPlies, s.Classes = *info, g.Tensor, g.NumActions(), g.MaxPlies, len(g.Classes)
			s.Symmetries = len(g.Symmetries)
		}
	}
	s.Seconds, s.MB = cpuSeconds(), peakMB()
	switch {
	case err != nil:
		s.Error = err.Error()
	case s.Seconds > maxAccept:
		s.Error = fmt.Sprintf("takes %.0f s", s.Seconds)
	case s.MB > maxMB:
		s.Error = fmt.Sprintf("takes %d MB", s.MB)
	}
	return s
}

func usage() syscall.Rusage {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u
}

func cpuSeconds() float64 {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func peakMB() int { return int(usage().Maxrss / 1024) }

// limitCPU kills the process after some seconds of CPU time.
func limitCPU(t *testing.T, seconds uint64) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds}); err != nil {
		t.Fatal(err)
	}
}

// compareWithOracle plays random games by a game and by the slow interpreter, and compares legal moves, ends and goals. It
// stops after wantGames games, or earlier if the time is over.
func compareWithOracle(g *env.Game, text string, over func() bool) (games, plies int, err error) {
	o, err := oracle.New(text)
	if err != nil {
		return 0, 0, err
	}
	start, err := o.Start()
	if err != nil {
		return 0, 0, err
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for ; games < wantGames; games++ {
		s, p := g.NewState(), start
		var moves []string
		for ; !s.Done(); plies++ {
			if over() {
				return games, plies, nil
			}
			role := slices.Index(o.Roles, g.Players[s.Player()])
			want, other := p.Legal(o.Roles[role]), p.Legal(o.Roles[1-role])
			got := g.Texts(s.Legal(nil))
			slices.Sort(got)
			if p.Terminal() || !slices.Equal(got, want) || len(other) != 1 {
				return games, plies, fmt.Errorf("legal moves of %s are %v, want %v; of the other player %v; terminal is %t; after %v",
					o.Roles[role], got, want, other, p.Terminal(), moves)
			}
			a := s.RandomAction(rng.Uint64())
			joint := []string{g.ActionTexts[a], g.ActionTexts[a]}
			joint[1-role] = other[0]
			moves = append(moves, g.ActionTexts[a])
			s.Apply(a)
			if p, err = p.Next(joint); err != nil {
				return games, plies, err
			}
		}
		if err := sameEnd(g, s, p, len(moves) < g.MaxPlies); err != nil {
			return games, plies, fmt.Errorf("%w after %v", err, moves)
		}
	}
	return games, plies, nil
}

// sameEnd compares the goals of a final position. A game that ends by the limit of plies, not early, is not over by the
// rules.
func sameEnd(g *env.Game, s env.State, p *oracle.Position, early bool) error {
	if !p.Terminal() {
		if early {
			return errors.New("the game is over, but not by the slow interpreter,")
		}
		return nil
	}
	for player, role := range g.Players {
		if want := p.Goals(role); !slices.Equal(want, []int{s.Goals()[player]}) {
			return fmt.Errorf("goals %v, want %v for %s", s.Goals(), want, role)
		}
	}
	return nil
}

// readSurveyed reads the first part's result.
func readSurveyed(t *testing.T, folder, name string) (s surveyed) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name+".accept"))
	if err != nil {
		t.Skip(err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// surveyTable returns the results as Markdown.
func surveyTable(t *testing.T, folder string, list []surveyed) string {
	t.Helper()
	var b strings.Builder
	reasons := map[string][]string{}
	fmt.Fprint(&b, "| sheet | seconds | MB | gates | board | symmetries | frame | plies | laws | games |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, s := range list {
		if s.Error != "" {
			reasons[reason(s)] = append(reasons[reason(s)], s.Name)
			continue
		}
		fmt.Fprintf(&b, "| %s | %.1f | %d | %d | %s | %d | %s | %d%s | %s | %s |\n", s.Name, s.Seconds, s.MB, s.Info.Gates,
			cmp.Or(s.Info.Board, "none"), s.Symmetries, s.Info.Frame, s.MaxPlies, map[bool]string{false: ", cap", true: ""}[s.Info.Proven],
			surveyNote(folder, s.Name, "laws"), surveyNote(folder, s.Name, "games"))
	}
	fmt.Fprint(&b, "\n| refused | sheets | names |\n|---|---|---|\n")
	var order []string
	for r := range reasons {
		order = append(order, r)
	}
	slices.SortFunc(order, func(a, b string) int { return len(reasons[b]) - len(reasons[a]) })
	for _, r := range order {
		fmt.Fprintf(&b, "| %s | %d | %s |\n", r, len(reasons[r]), strings.Join(reasons[r], ", "))
	}
	return b.String()
}

// surveyNote returns a result of another part; "" if there is none.
func surveyNote(folder, name, part string) string {
	data, err := os.ReadFile(filepath.Join(folder, name+"."+part))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}

// reason groups errors.
func reason(s surveyed) string {
	text := regexp.MustCompile(`^line \d+, column \d+: `).ReplaceAllString(s.Error, "")
	for _, from := range []string{":", ", in ", "; "} {
		text, _, _ = strings.Cut(text, from)
	}
	text = regexp.MustCompile(`^\S+ and \S+ both`).ReplaceAllString(text, "both players")
	return regexp.MustCompile(`\d+`).ReplaceAllString(text, "N")
}
