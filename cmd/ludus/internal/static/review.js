// The review of a game: a curve of the expected score, and the moves that gave value away. Values are for the first player.
import { valueForFirst } from "./analysis.js";
import { make, makeSVG } from "./dom.js";
import { score } from "./format.js";

const leastLoss = 0.2; // of an estimated value that counts as given away: 10 % of expected score, as in package analysis
const wide = 100, high = 30; // of the curve

// judgement turns an analysis into a position of a review: { value, proven, best, values }, with values for the first player; values are
// those of the moves, by name. The value is null if the agent does not evaluate positions.
export function judgement({ terminal, goals, value, player, proven, best, moves = [] }, { players, goalHead }) {
  if (terminal) return { value: (goals[players[0]] - goals[players[1]]) / 100, proven: !goalHead, values: {} }; // with a goal head points are not the score
  const first = (x) => valueForFirst(x, player, players);
  return { value: first(value), proven, best, values: Object.fromEntries(moves.map(({ move, value }) => [move, first(value)])) };
}

// needsOther says whether the position after the best move must be judged, too, since the analysis of the position before a move does
// not tell what the move gave away: it does not value both moves, or the position after the move is solved.
export const needsOther = (position, move, after) => move !== position.best && !(position.proven && after.proven) &&
  (after.proven || position.values[position.best] == null || position.values[move] == null);

// mistakesOf returns the moves that gave value away: { ply, before, after, best, exact }, with the values of the best move and the move
// played for the mover. A review has the judgement of each position from the start on, with other: that of the position after the best
// move instead of the one that led there, if it needs one. Players are those who move there.
export function mistakesOf(review, moves, players) {
  return moves.flatMap((move, i) => {
    const position = review[i], next = review[i + 1], sign = players[i] === 0 ? 1 : -1, exact = Boolean(position.proven && next.proven);
    if (move === position.best) return [];
    const values = exact ? [position.value, next.value] : next.other ? [next.other.value, next.value] : [position.values[position.best], position.values[move]];
    const [before, after] = values.map((value) => sign * value);
    return (exact && before > after) || before - after >= leastLoss ? [{ ply: i + 1, before, after, best: position.best, exact }] : [];
  });
}

// showReview fills box with the curve and the list of a review of a game's first moves. onPly(ply) is called when people choose a move.
export function showReview(box, review, { moves, positions, description: { players } }, onPly) {
  const mistakes = mistakesOf(review, moves, positions.map(({ player }) => player));
  box.replaceChildren();
  make(box, "h2", {}, "Review");
  make(box, "p", { class: "note" }, `Expected score of ${players[0]} at the start and after each move, from 0 % below to 100 % above`);
  drawCurve(box, review.map(({ value }) => value), mistakes);
  if (mistakes.length === 0) make(box, "p", {}, "No move gave value away, as far as the agent sees.");
  const list = make(box, "ol");
  for (const { ply, before, after, best, exact } of mistakes) {
    const item = make(list, "li"), button = make(item, "button", { type: "button" }, `${ply}. ${moves[ply - 1]}`);
    button.addEventListener("click", () => onPly(ply - 1));
    make(item, "span", {}, `${players[positions[ply - 1].player]} gives away ${exact ? "" : "about "}${score(before - after - 1, 0)} (${score(before, 0)} to ${score(after, 0)}); ${best} was better`);
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
