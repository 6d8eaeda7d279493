// The panel of the play page that shows what an agent's opening book has for the position.
import { make } from "./dom.js";
import { fillOpening } from "./openingrow.js";

export class BookPanel {
  // box is the element to fill; play(move) plays a move of the book.
  constructor(box, engine, play) {
    this.box = box;
    this.engine = engine;
    this.play = play;
    this.replies = new Map(); // moves of the book, promises of them, or errors, by request
  }

  // show shows the book's moves for a request { game, moves, agent }, or hides the panel without one. player is who is to move; canMove
  // says whether people may play a move.
  show(request, player, canMove) {
    this.box.hidden = !request;
    if (!request) return;
    const key = JSON.stringify(request), { replies } = this;
    if (!replies.has(key)) {
      const keep = (reply) => { replies.set(key, reply); if (this.key === key) this.draw(); };
      replies.set(key, this.engine.book(request).then(({ moves }) => keep(moves), keep));
    }
    if (this.key === key && this.canMove === canMove) return;
    Object.assign(this, { key, player, canMove });
    this.draw();
  }

  draw() {
    const reply = this.replies.get(this.key), known = reply.length > 0, [note, list] = this.box.querySelectorAll("p, div");
    list.inert = reply instanceof Promise; // until the moves are there, the old ones keep their place
    if (list.inert) return;
    note.textContent = reply.message ?? (known ? `Expected score of ${this.player}; = is exact.` : "The book does not have this position.");
    list.replaceChildren();
    for (const opening of known ? reply : []) {
      const button = make(list, "button", { type: "button" });
      button.disabled = !this.canMove;
      fillOpening(button, opening);
      button.addEventListener("click", () => this.play(opening.move));
    }
  }
}
