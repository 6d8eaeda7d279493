// The rules of a game on the play page: text, a line of strategy, and diagrams.
import { Board } from "./board.js";
import { byId, make, remember, remembered } from "./dom.js";

// showRules fills a details element with the rules of a game, given its board.Description. They are open until the reader closes
// them; the browser remembers that for each game.
export function showRules(details, description) {
  const { game, rules, strategy, diagrams } = description, box = details.querySelector("div"), key = `ludus-rules ${game}`;
  box.replaceChildren();
  for (const text of rules.split("\n")) make(box, "p", {}, text);
  if (strategy) make(make(box, "p"), "strong", {}, "Tip: ").after(strategy);
  const list = make(box, "div", { class: "diagrams" });
  for (const diagram of diagrams || []) drawDiagram(make(list, "figure"), description, diagram);
  details.open = remembered(key) !== "closed";
  details.ontoggle = () => {
    remember(key, details.open ? "open" : "closed");
    if (!details.open && (document.activeElement === document.body || details.contains(document.activeElement))) byId("rules").focus({ preventScroll: true });
  };
  details.onclick = ({ clientY }) => { if (clientY < details.getBoundingClientRect().top) details.open = false; }; // above a phone's sheet
}

// toggleRules opens or closes the rules.
export function toggleRules(details) {
  details.open = !details.open;
  if (details.open) details.querySelector("summary").focus();
}

// drawDiagram draws a board.Diagram, and the position after its move if that shows more.
function drawDiagram(figure, description, { caption, pieces, move, player, after, wonBy }) {
  const boards = make(figure, "div", { class: "boards" });
  const draw = (position, marks) => new Board(make(boards, "div", { class: "board" }), description).show({ status: caption, ...position }, marks);
  const cells = description.actions[move];
  draw({ pieces, player, wonBy }, cells ? { played: cells } : {});
  if (after) draw({ pieces: after, player, status: `${caption}; then` }, { last: cells ? [cells] : [] });
  const named = move && caption.endsWith(move);
  const capital = caption.replace(/^[a-z]{2}/, (start) => start[0].toUpperCase() + start[1]); // not the names x and o
  const text = make(figure, "figcaption", {}, named ? capital.slice(0, -move.length) : capital);
  if (named) make(text, "span", { class: "move" }, move);
}
