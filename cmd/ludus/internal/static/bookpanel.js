// The panel of the play page that shows what an agent's opening book has for the position.
import { make } from "./dom.js";
import { count } from "./format.js";
import { fillOpening } from "./openingrow.js";

export class BookPanel {
  // box is the element to fill; play(move) plays a move of the book.
  constructor(box, engine, play) {
    Object.assign(this, { box, engine, play });
  }

  // show shows the book's moves for a request { game, moves, agent }, or hides the panel without one. player is to move; canMove
  // says whether people may play a move.
  show(request, description, player, canMove) {
    this.box.hidden = !request;
    if (!request) return;
    const key = JSON.stringify(request);
    if (this.key !== key) {
      this.reply = undefined; // until it comes: { moves, games } of the book, or an error
      const keep = (reply) => { if (this.key === key) { this.reply = reply; this.draw(); } };
      this.engine.book(request).then(keep, keep);
    } else if (this.canMove === canMove) return;
    Object.assign(this, { key, description, player, canMove });
    this.draw();
  }

  draw() {
    const { reply, description, player } = this, known = reply?.moves?.length > 0, [note, list] = this.box.querySelectorAll("p, div");
    list.inert = !reply; // the old moves keep their place
    if (list.inert) return;
    const counts = reply.games ? `Numbers of games are of ${count(reply.games)}.` : "Visits are of the book's search.";
    note.textContent = reply.message ?? (known ? `Expected score of ${description.players[player]}; = is exact. ${counts}` : "The book does not have this position.");
    list.replaceChildren();
    for (const opening of reply.moves ?? []) {
      const button = make(list, "button", { type: "button" });
      button.disabled = !this.canMove;
      fillOpening(button, opening, description, player, reply.games > 0);
      button.addEventListener("click", () => this.play(opening.move));
    }
  }
}
