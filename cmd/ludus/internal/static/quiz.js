// The quiz of a review: people look for the better move where they made a mistake.
import { make } from "./dom.js";
import { isMistake, lineText, lossText } from "./review.js";

// Quiz asks for a better move than each of some mistakes in turn, once it begins, and fills box. The functions of page:
//   show(ply)            shows the position after ply moves, for an answer
//   weigh(mistake, move) returns or promises what Reviewer.answer says of a move in the position of a mistake, undefined if nothing is known
//   mark()               draws the marks of the answer anew
//   end()                ends the quiz
export class Quiz {
  constructor(box, mistakes, page) {
    this.box = box;
    this.mistakes = mistakes;
    this.page = page;
    box.replaceChildren();
    this.status = make(box, "div", { role: "status" });
    this.buttons = make(box, "div", { class: "row" });
  }

  // ply is that of the position that waits for an answer, undefined if none does.
  get ply() { return this.waiting ? this.mistake.ply - 1 : undefined; }

  get mistake() { return this.mistakes[this.number]; }

  // marksAt returns the moves to mark on the board after ply moves: the answer and the better move, or none.
  marksAt(ply) { return this.answered && ply === this.mistake.ply - 1 ? [this.answered, this.mistake.best] : []; }

  begin() {
    this.number = -1;
    this.found = 0;
    this.next();
  }

  next() {
    this.number++;
    this.answered = undefined;
    const { mistake, number, mistakes: { length }, found } = this;
    this.waiting = Boolean(mistake);
    if (!mistake) {
      this.write([`You found the better move in ${found} of ${length} ${length === 1 ? "position" : "positions"}.`], [["Again", () => this.begin()]]);
      return;
    }
    const { ply, move, player } = mistake;
    this.write([`${number + 1} of ${length}: ${player} to move. In the game ${ply}. ${move} was a ${mistake.grade}; make a better move on the board.`],
      [["Show it", () => this.reveal("", [])]], false);
    this.page.show(ply - 1);
  }

  // answer takes a move in the position of the question.
  async answer(move) {
    const { mistake } = this, { best } = mistake;
    this.waiting = false;
    this.answered = move;
    this.write([`${move} …`], []);
    this.page.mark();
    try {
      const weighed = await this.page.weigh(mistake, move);
      if (!weighed) return this.reveal(`The review does not say how good ${move} is.`, []);
      const { grade, exact, reply } = weighed, proven = exact ? ", proven" : "";
      if (!isMistake(weighed)) this.found++;
      const verdict = move === best ? `Right: ${move} is the best move${proven}.` : !isMistake(weighed) ? `Right: ${move} is ${grade === "best" ? "" : "about "}as good as ${best}${proven}.`
        : `No: ${move} ${lossText(weighed)}.`;
      this.reveal(verdict, isMistake(weighed) && reply ? [`After ${move}: ${lineText(reply)}.`] : []);
    } catch (error) {
      if (error.name !== "AbortError") this.write([error.message], [["Next", () => this.next()]]);
    }
  }

  // reveal shows the best move and its line below a verdict.
  reveal(verdict, more) {
    const last = this.number + 1 === this.mistakes.length;
    this.waiting = false;
    this.answered ??= this.mistake.move;
    this.write([verdict, ...more, `Best: ${lineText(this.mistake.line, this.mistake.reason)}.`].filter(Boolean), [[last ? "Score" : "Next", () => this.next()]]);
    this.page.mark();
  }

  // write shows texts and buttons; the first button gets the focus.
  write(texts, buttons, focus = true) {
    const { status, buttons: row } = this, all = [...buttons, ["End the quiz", () => this.page.end()]];
    for (const box of [status, row]) box.replaceChildren();
    for (const text of texts) make(status, "p", {}, text);
    for (const [text, act] of all) make(row, "button", { type: "button" }, text).addEventListener("click", act);
    row.firstChild.classList.toggle("primary", focus && buttons.length > 0);
    if (focus && buttons.length > 0) row.firstChild.focus({ preventScroll: true });
  }
}
