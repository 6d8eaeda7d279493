// A move of an opening book, on the page of a book and on the play page.
import { make, makeSVG } from "./dom.js";
import { counted, score } from "./format.js";

// fillOpening fills an element with a board.BookMove and a note, by default the visits of its search.
export function fillOpening(place, { move, value, exact, visits }, note) {
  place.classList.add("opening");
  make(place, "b", {}, move);
  const share = makeSVG(place, { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  make(share, "rect", { width: 100, height: 10, class: "all" });
  make(share, "rect", { width: 50 + 50 * value, height: 10, class: "won" });
  make(place, "span", { class: "figure" }, `${exact ? "= " : ""}${score(value)}`);
  make(place, "small", {}, note || (visits ? counted(visits, "visit") : ""));
}
