// The page of an opening book: a tree of moves to fold out, beside the position after the chosen one.
import { Board } from "./board.js";
import { byId, make, startTheme } from "./dom.js";
import { fillOpening } from "./openingrow.js";

const { description, root: start, games } = JSON.parse(byId("data").textContent);
const board = new Board(byId("board"), description);
let chosen; // the summary of the position on the board

// show draws the position of a line of openings, whose last one it is, and marks its place in the tree.
function show(line, place) {
  const at = line.at(-1), moves = line.slice(1).map(({ move }) => move), cells = (move) => description.actions[move];
  board.show(at, { last: [cells(at.move)].filter(Boolean), hint: at.next && cells(at.next[0].move) });
  byId("status").textContent = at.status;
  byId("line").textContent = moves.length > 0 ? moves.join(", ") : "start";
  chosen?.removeAttribute("aria-current");
  chosen = place;
  chosen?.setAttribute("aria-current", "step");
}

// list appends the moves after a line of openings to an element, the best first. Replies are added when a move is folded out.
function list(parent, line) {
  const items = make(parent, "ul");
  for (const opening of line.at(-1).next ?? []) {
    const item = make(items, "li"), after = [...line, opening], folded = Boolean(opening.next);
    const place = folded ? make(make(item, "details"), "summary") : make(item, "button", { type: "button" });
    fill(place, opening.move, after);
    if (folded) place.addEventListener("click", () => list(item.firstChild, after), { once: true });
  }
}

// fill fills the row of an opening, the last one of a line.
function fill(place, name, line) {
  const opening = line.at(-1);
  fillOpening(place, { ...opening, move: name }, description, (line.at(-2) ?? opening).player, games > 0);
  place.addEventListener("click", () => show(line, place));
}

startTheme();
const first = make(byId("tree"), "button", { type: "button" });
fill(first, "start", [start]);
list(byId("tree"), [start]);
show([start], first);
