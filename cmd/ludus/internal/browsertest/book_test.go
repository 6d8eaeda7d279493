package browsertest

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"ludus/cmd/ludus/internal/web"
	"ludus/env"
	"ludus/train/agent"
	"ludus/train/book"
)

// bookOf makes a book of some positions in a file, and returns the file's content, too.
func bookOf(t *testing.T, game *env.Game, path string, positions int) (*book.Book, []byte) {
	t.Helper()
	maker, err := agent.ParseFactory(game, "mcts:200", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := book.Make(t.Context(), book.Options{Agent: maker, Plies: 3, Positions: positions, Threads: 1, File: path})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b, data
}

// The play page shows the moves of an agent's book, also in images of its positions and on exported pages; a press
// plays one. Where the book ends the page says so.
func TestBookPanel(t *testing.T) {
	b, game, dir := Start(t), newGame(t, "hex-5x5"), t.TempDir()
	known, data := bookOf(t, game, filepath.Join(dir, "a.book"), 30)
	server, _ := serve(t, web.Options{Runs: dir})
	for name, address := range map[string]string{
		"web": server + "?" + url.Values{"game": {game.Name}, "agent": {"mcts:20,book=a.book"}}.Encode(), "page": onDisk(t, exportedWithBook(t, game, 4, 1, data)),
	} {
		t.Run(name, func(t *testing.T) {
			p := NewPlaying(b.Open(t, address), game)
			rows := func(state env.State) (moves []book.Move) {
				moves = known.Moves(state)
				p.Wait(fmt.Sprintf(`!document.querySelector("#openings").hidden && document.querySelectorAll("#openings button").length === %d
					&& !document.querySelector("#openings div").inert`, len(moves)))
				for i, m := range moves {
					visits := fmt.Sprintf("%d visits", m.Visits)
					if m.Visits == 1 {
						visits = "1 visit"
					}
					p.Wait(fmt.Sprintf(`(() => { const { children: [move, bar, score, visits] } = document.querySelectorAll("#openings button")[%d];
						return move.textContent === %q && Math.abs(parseFloat(score.textContent.replace("= ", "")) - %v) < 0.1
							&& score.textContent.startsWith("=") === %v && visits.textContent === %q && bar.querySelector(".side%d"); })()`,
						i, game.ActionNames[m.Action], 50+50*m.Value, m.Exact, visits, state.Player()))
				}
				return moves
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
}
