// A move of an opening book, on the page of a book and on the play page.
import { coloursOf } from "./board.js";
import { make, makeSVG } from "./dom.js";
import { counted, score } from "./format.js";

// fillOpening fills an element with a board.BookMove: with its games if the book counts games, else with the visits of its search. side is
// the player whose value it is.
export function fillOpening(place, { move, value, exact, visits, games = 0 }, { pieces }, side, countsGames) {
  place.classList.add("opening");
  make(place, "b", {}, move);
  const share = makeSVG(place, { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  make(share, "rect", { width: 100, height: 10, class: "all" });
  make(share, "rect", { width: 50 + 50 * value, height: 10, class: `won ${coloursOf(pieces.find((piece) => piece.side === side))}` });
  make(place, "span", { class: "figure" }, `${exact ? "= " : ""}${score(value)}`);
  make(place, "small", {}, countsGames ? counted(games, "game") : visits ? counted(visits, "visit") : "");
}
