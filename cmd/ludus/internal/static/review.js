// The review of a game: a curve of the expected score, and the moves that gave value away. Values are for the first player.
import { make, makeSVG } from "./dom.js";
import { score } from "./format.js";

const leastLoss = 0.2; // of an estimated value that counts as given away: 10 % of expected score, as in package analysis
const wide = 100, high = 30; // of the curve

// mistakesOf returns the moves that gave value away: { ply, before, after, best, exact }, with values for the mover. A review has, for
// each position from the start on, { value, proven, best }, and players: who moves there.
export function mistakesOf(review, players) {
  return review.slice(1).flatMap(({ value, proven }, i) => {
    const sign = players[i] === 0 ? 1 : -1, before = sign * review[i].value, after = sign * value, exact = Boolean(proven && review[i].proven);
    return (exact && before > after) || before - after >= leastLoss ? [{ ply: i + 1, before, after, best: review[i].best, exact }] : [];
  });
}

// showReview fills box with the curve and the list of a review of a game's first moves. onPly(ply) is called when people choose a move.
export function showReview(box, review, { moves, positions, description: { players } }, onPly) {
  const mistakes = mistakesOf(review, positions.map(({ player }) => player));
  box.replaceChildren();
  make(box, "h2", {}, "Review");
  make(box, "p", { class: "note" }, `Expected score of ${players[0]}, from 0 % below to 100 % above`);
  drawCurve(box, review.map(({ value }) => value), mistakes);
  if (mistakes.length === 0) make(box, "p", {}, "No move gave value away, as far as the agent sees.");
  const list = make(box, "ol");
  for (const { ply, before, after, best, exact } of mistakes) {
    const item = make(list, "li"), button = make(item, "button", { type: "button" }, `${ply}. ${moves[ply - 1]}`);
    button.addEventListener("click", () => onPly(ply - 1));
    make(item, "span", {}, `${players[positions[ply - 1].player]} falls from ${exact ? "" : "about "}${score(before, 0)} to ${score(after, 0)}; ${best} was better`);
  }
}

// drawCurve draws values by ply, with a dot after each mistake.
function drawCurve(box, values, mistakes) {
  const x = (ply) => wide * ply / Math.max(1, values.length - 1), y = (ply) => high * (1 - values[ply]) / 2;
  const svg = makeSVG(box, { viewBox: `-2 -2 ${wide + 4} ${high + 4}`, class: "curve", role: "img", "aria-label": `Expected score: ${values.map((value) => score(value, 0)).join(", ")}` });
  make(svg, "path", { class: "even", d: `M0 ${high / 2}H${wide}` });
  make(svg, "polyline", { points: values.map((_, ply) => `${x(ply)},${y(ply)}`).join(" ") });
  for (const { ply } of mistakes) make(svg, "circle", { cx: x(ply), cy: y(ply), r: 1.4 });
}
