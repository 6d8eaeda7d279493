package browsertest

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"ludus/cmd/ludus/internal/openings"
	"ludus/cmd/ludus/internal/web"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/book"
)

// bookOf makes a book of some positions in a file, with numbers of random games, and returns the file's content, too.
func bookOf(t *testing.T, game *env.Game, path string, positions int) (*book.Book, []byte) {
	t.Helper()
	maker, err := agent.ParseFactory(game, "mcts:200", nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	played := func(yield func([]env.Action, error) bool) {
		for range 12 {
			var moves []env.Action
			for state := game.NewState(); !state.Done(); state.Apply(moves[len(moves)-1]) {
				moves = append(moves, state.RandomAction(rng.Uint64()))
			}
			if !yield(moves, nil) {
				return
			}
		}
	}
	b, err := book.Make(t.Context(), book.Options{Agent: maker, Plies: 3, Positions: positions, Threads: 1, File: path, Games: played})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, data
}

// bookRows waits until the elements of a selector are the rows of the book's moves in a position, which it returns.
func bookRows(tab *Tab, known *book.Book, selector string, state env.State) []book.Move {
	tab.Helper()
	moves, rows := known.Moves(state), fmt.Sprintf("document.querySelectorAll(%q)", selector)
	tab.Wait(fmt.Sprintf("%s.length === %d", rows, len(moves)))
	for i, m := range moves {
		n, of := m.Games, "game"
		if known.Games == 0 {
			n, of = m.Visits, "visit"
		}
		note := fmt.Sprintf("%d %ss", n, of)
		if n == 1 {
			note = "1 " + of
		}
		tab.Wait(fmt.Sprintf(`(() => { const { children: [move, bar, score, note] } = %s[%d], { width } = bar.querySelector(".won.side%d").attributes, percent = %v;
			return move.textContent === %q && Math.abs(parseFloat(score.textContent.replace("= ", "")) - percent) < 0.1 && Math.abs(width.value - percent) < 0.01
				&& score.textContent.startsWith("=") === %v && note.textContent === %q; })()`,
			rows, i, state.Player(), 50+50*m.Value, known.Game.ActionNames[m.Action], m.Exact, note))
	}
	return moves
}

// The play page shows the moves of an agent's book, also in images of its positions and on exported pages; a press
// plays one. Where the book ends the page says so. The book's own page has the same rows, and those of a book
// without games visits.
func TestBookPanel(t *testing.T) {
	b, game, dir := Start(t), games.Must("hex-5x5"), t.TempDir()
	known, data := bookOf(t, game, filepath.Join(dir, "a.book"), 30)
	server, _ := serve(t, web.Options{Runs: dir})
	for name, address := range map[string]string{
		"web": server + "?" + url.Values{"game": {game.Name}, "agent": {"mcts:20,book=a.book"}}.Encode(), "page": onDisk(t, exportedWithBook(t, game, 4, 1, data)),
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPlaying(b.Open(t, address), game)
			rows := func(state env.State) []book.Move {
				p.Wait(`!document.querySelector("#openings").hidden && !document.querySelector("#openings div").inert`)
				return bookRows(p.Tab, known, "#openings button", state)
			}
			p.Choose("#seat1", "person")
			state := game.NewState()
			move := rows(state)[0].Action
			p.CheckWidths(name+"-book", nil)
			p.Click("#openings button") // the first one
			state.Apply(move)
			rows(state)
			p.Click("#undo")
			state = game.NewState()
			image := game.Symmetries[1].Actions[move]
			p.Follow("ready")
			p.Turn(image)
			state.Apply(image)
			rows(state)
			for len(known.Moves(state)) > 0 {
				legal := state.Legal(nil)
				last := legal[len(legal)-1]
				p.Turn(last)
				state.Apply(last)
			}
			p.Wait(`document.querySelector("#openings p").textContent === "The book does not have this position."`)
			rows(state) // none
		})
	}
	for range 2 {
		data, err := openings.NewTree(known, 3).HTML()
		if err != nil {
			t.Fatal(err)
		}
		tab, state := b.Open(t, onDisk(t, data)), game.NewState()
		move := bookRows(tab, known, "#tree > ul > li > * > .opening, #tree > ul > li > .opening", state)[0].Action
		tab.Click("#tree > ul summary")
		state.Apply(move)
		bookRows(tab, known, "#tree ul ul > li > * > .opening, #tree ul ul > li > .opening", state)
		tab.CheckWidths("openings", nil)
		if err := known.Count(func(func([]env.Action, error) bool) {}, 0); err != nil {
			t.Fatal(err)
		}
	}
}
