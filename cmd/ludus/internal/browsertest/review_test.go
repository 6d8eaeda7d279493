package browsertest

import (
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/cmd/ludus/internal/page"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
)

// reviewsOf writes a page with reviews of games of quad-5x5 by a random network with an exact search.
func reviewsOf(t *testing.T, players [2]string, lines ...[]string) []byte {
	t.Helper()
	game := games.Must("quad-5x5")
	factory, err := agent.ParseFactory(game, "net:random,sims=20,solve=100000", func(agent.Reference) (*infer.Weights, agent.Origin, error) {
		return infertest.RandomWeights(game, 4, 1, 1), agent.Origin{Generation: -1}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	reviewer, err := factory.New(1)
	if err != nil {
		t.Fatal(err)
	}
	var reviews []*analysis.Review
	for _, texts := range lines {
		_, moves, err := env.ReplayText(game, texts)
		if err != nil {
			t.Fatal(err)
		}
		review, err := analysis.ReviewGame(t.Context(), game, reviewer, moves, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		review.Players, review.Agent = players, factory.String()
		reviews = append(reviews, review)
	}
	data, err := page.Reviews(game, reviews)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// On a page of reviews from disk people choose a game, read its summary, step through it, and look at mistakes.
func TestReviewsInBrowser(t *testing.T) {
	unfinished := []string{"c3", "b2"}
	tab := Start(t).Open(t, onDisk(t, reviewsOf(t, [2]string{"Ann", evil}, lostGame, unfinished)))
	if text := tab.Text("#game"); !strings.HasPrefix(text, "1: Ann against "+evil+", 0 to 100") {
		t.Errorf("the games are %q", text)
	}
	if text := tab.Text("#summary .lost"); text != "x lost the game with 5. d1: from there o wins with best play, proven." {
		t.Errorf("the summary says %q", text)
	}
	if text := tab.Text("#summary tbody"); !regexp.MustCompile(`^x4\d\d %22\d+\.\d %o4\d\d %1125\.\d %$`).MatchString(text) {
		t.Errorf("the summary is %q", text)
	}
	if note, rows := tab.Text("#note"), Eval[int](tab, `document.querySelectorAll("#moves tr").length`); note != "● b2 played: by Ann." || rows != 0 {
		t.Errorf("of the first move the viewer says %q, with %d rows without figures", note, rows)
	}
	tab.CheckWidths("reviews", nil)
	tab.CheckNames()
	marks := `document.querySelectorAll("#board .played-ring").length + 10 * document.querySelectorAll("#board .hint-ring").length`
	tab.Click("#mistakes li button")
	if ply, n, text := tab.Text("#ply"), Eval[int](tab, marks), tab.Text("#mistake"); ply != "ply 2 of 8" || n != 11 || !strings.HasPrefix(text, "3. a2 gives away 100 % (100 % to 0 %, proven), a blunder. Better: ") {
		t.Errorf("the first mistake is shown at %q with marks %d and %q", ply, n, text)
	}
	if want := map[string]string{"b2": "x", "d3": "o"}; !maps.Equal(tab.Pieces(), want) {
		t.Errorf("before the first mistake the pieces are %v; want %v", tab.Pieces(), want)
	}
	tab.CheckWidths("reviews-mistake", nil)
	tab.Focus("#viewer")
	tab.Press(kb.ArrowLeft)
	if n, text := Eval[int](tab, marks), tab.Text("#mistake"); n != 1 || text != "" {
		t.Errorf("a good move has marks %d and %q", n, text)
	}
	quizOnReviews(tab)
	tab.CheckThemes()
	if text := tab.Text("#overview .ladder tbody"); !strings.HasPrefix(text, evil+"2") || !strings.Contains(text, "Ann2") || Eval[int](tab, `document.querySelectorAll("#overview .value").length`) != 2 {
		t.Errorf("the totals of the players are %q", text)
	}
	if text := tab.Text("#overview h2 ~ .scroll tbody"); !regexp.MustCompile(`^1: Ann – .*–\d\d % : \d\d %\d : \d5\. d12: Ann – `).MatchString(text) {
		t.Errorf("the games are %q", text)
	}
	tab.Click("#overview h2 ~ .scroll tr:nth-child(2) button")
	if ply := tab.Text("#ply"); ply != "ply 0 of 2" || Eval[string](tab, `document.getElementById("game").value`) != "1" {
		t.Errorf("the overview opened the second game at %q", ply)
	}
	tab.Choose("#game", "0")
	tab.Click("#summary button")
	tab.Choose("#game", "1") // ends the quiz
	if ply := tab.Text("#ply"); ply != "ply 0 of 2" || Eval[bool](tab, `document.getElementById("quiz").checkVisibility()`) {
		t.Errorf("the second game is shown at %q", ply)
	}
}

// quizOnReviews takes the quiz of a player's mistakes by mouse, keys and fingers. It hides what would give the answer
// away; steps through the game are allowed.
func quizOnReviews(tab *Tab) {
	tab.Helper()
	expect := func(want string) {
		tab.Helper()
		if text := tab.Text("#quiz [role=status]"); !regexp.MustCompile(want).MatchString(text) {
			tab.Errorf("the quiz says %q; want %q", text, want)
		}
	}
	marks := `document.querySelectorAll("#board .played-ring, #board .hint-ring").length`
	if n := Eval[int](tab, `document.querySelectorAll("#summary button").length`); n != 2 || tab.Text("#summary button") != "Find the better move: x" {
		tab.Errorf("%d quizzes are offered: %q", n, tab.Text("#summary"))
	}
	tab.Click("#summary button")
	expect("^1 of 2: x to move. In the game 3. a2 was a blunder; make a better move")
	if n := Eval[int](tab, marks); n != 0 || Eval[bool](tab, `["mistakes", "value", "values"].some((id) => document.getElementById(id).checkVisibility())`) {
		tab.Errorf("the quiz shows the answer, with %d marks", n)
	}
	tab.CheckWidths("reviews-quiz", nil)
	tab.Click(cellOf(6)) // b2, which is taken
	if text := tab.Text("#mistake"); text != "b2 is taken: x is on it" {
		tab.Errorf("the page says %q", text)
	}
	tab.Click(cellOf(5)) // a2, the mistake
	expect("^No: a2 gives away 100 % .*After a2: .*Best: ")
	if n := Eval[int](tab, marks); n != 2 {
		tab.Errorf("after the answer the board has %d marks", n)
	}
	tab.CheckNames()
	tab.Press(kb.Enter)
	expect("^2 of 2: x to move. In the game 5. d1 was a blunder")
	tab.Click(cellOf(6))
	tab.Press(kb.Home) // looking at other positions is allowed
	if text := tab.Text("#mistake"); text != "" {
		tab.Errorf("at another position the page says %q", text)
	}
	tab.Click(`[data-go="last"]`)
	tab.Click(`#record [data-ply="4"]`)
	best := Eval[int32](tab, `(() => { const { games: [{ review }], description } = JSON.parse(document.getElementById("data").textContent);
		return description.actions[review.moves[4].best].to; })()`)
	tab.Focus(cellOf(best))
	tab.Press(kb.Enter)
	expect("^Right: .* is the best move, proven.Best: ")
	tab.CheckWidths("reviews-quiz-answered", nil)
	tab.Click("#quiz .primary")
	expect("^You found the better move in 1 of 2 positions.")
	tab.Click("#quiz button:last-child")
	if ply := tab.Text("#ply"); ply != "ply 8 of 8" || !Eval[bool](tab, `document.getElementById("mistakes").checkVisibility() && !document.getElementById("quiz").checkVisibility() && !document.querySelector("#board button")`) {
		tab.Errorf("after the quiz the game is at %q", ply)
	}
}
