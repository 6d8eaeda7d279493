// The review of a game: what each side gave away, a curve of the expected score, and the mistakes. What a mistake is, package analysis
// defines; the rule is the same here. Values of positions are for the first player, those of moves for the player who makes them.
import { valueForFirst } from "./analysis.js";
import { make, makeSVG } from "./dom.js";
import { percent, score } from "./format.js";

const mistakeLoss = 0.2, blunderLoss = 0.6; // least estimated loss of a mistake and of a blunder, see package analysis
const wide = 100, high = 30; // of the curve

// judgement turns an analysis into a position of a review: { value, proven, best, line, values }; values are those of the moves, by
// name, and line is best play. The value is null if the agent does not evaluate positions.
export function judgement({ terminal, goals, value, player, proven, best, moves = [] }, { players, goalHead }) {
  if (terminal) return { value: (goals[players[0]] - goals[players[1]]) / 100, proven: !goalHead, values: {} }; // with a goal head points are not the score
  const first = (x) => valueForFirst(x, player, players);
  return {
    value: first(value), proven: Boolean(proven), best, line: moves.find(({ move }) => move === best)?.line ?? [best],
    values: Object.fromEntries(moves.map(({ move, value }) => [move, first(value)])),
  };
}

// needsOther says whether the position after the best move must be judged, too, since the analysis of the position before a move does
// not tell what the move gave away: it does not value both moves, or the position after the move is solved.
const needsOther = (position, move, after) => move !== position.best && !(position.proven && after.proven) &&
  (after.proven || position.values[position.best] == null || position.values[move] == null);

// Reviewer judges the positions of a game. analyses is an AnalysisCache, so a review that was stopped continues.
export class Reviewer {
  constructor(analyses, description, agent) {
    this.analyses = analyses;
    this.description = description;
    this.agent = agent;
  }

  stop() {
    this.stopped = true;
    this.analyses.stop();
  }

  async judge(moves) {
    if (this.stopped) throw new DOMException("the review was stopped", "AbortError");
    const position = judgement(await this.analyses.run({ game: this.description.game, moves, agent: this.agent }), this.description);
    if (position.value == null) throw new Error("this agent does not evaluate positions");
    return position;
  }

  // weigh compares a move after others, in the judged position to which they lead, with the best one: { best, line, before, after, loss,
  // exact, grade, next }. Before and after are the values of the best move and of this one; grade is best, good, mistake or blunder;
  // next is the position after the move.
  async weigh(moves, position, move, player) {
    const next = await this.judge([...moves, move]), { best, line } = position, sign = player === 0 ? 1 : -1;
    const other = needsOther(position, move, next) ? await this.judge([...moves, best]) : undefined, exact = position.proven && next.proven;
    const [before, after] = (exact ? [position, next].map(({ value }) => value) : other ? [other.value, next.value]
      : [best, move].map((name) => position.values[name] ?? position.value)).map((value) => sign * value);
    const loss = move === best ? 0 : Math.max(0, before - after);
    const grade = move === best || (exact && loss === 0) ? "best" : loss >= blunderLoss ? "blunder" : exact || loss >= mistakeLoss ? "mistake" : "good";
    return { best, line, before, after, loss, exact, grade, next };
  }

  // review returns the review of a game: { positions, moves }, the judged positions and what weigh says of each move, with its ply (from 1),
  // move and player. onPly(ply) is called before each move.
  async review({ moves: names, positions: places }, onPly) {
    const positions = [await this.judge([])], moves = [];
    for (const [i, move] of names.entries()) {
      onPly(i + 1);
      const weighed = await this.weigh(names.slice(0, i), positions[i], move, places[i].player);
      positions.push(weighed.next);
      moves.push({ ...weighed, ply: i + 1, move, player: places[i].player });
    }
    return { positions, moves };
  }
}

export const isMistake = ({ grade }) => grade === "mistake" || grade === "blunder";

// lineText writes a line of best play.
export const lineText = ([first, ...rest]) => rest.length > 0 ? `${first}, then ${rest.join(", ")}` : first;

// lossText says what a move gives away.
export const lossText = ({ before, after, loss, exact }) =>
  `${exact ? "" : "about "}${score(loss - 1, 0)} (${score(before, 0)} to ${score(after, 0)}${exact ? ", proven" : ""})`;

// lostText says after which move the loser was lost for good, "" if that is not known.
function lostText({ positions, moves }, players) {
  const end = positions.at(-1).value, loser = end < 0 ? 0 : 1, sign = loser === 0 ? 1 : -1;
  const open = positions.findLastIndex(({ value, proven }) => sign * value >= (proven ? 0 : -0.5)), turn = moves[open];
  if (end === 0 || open === positions.length - 1) return "";
  if (!turn) return positions[0].proven ? `${players[loser]} was lost from the start, proven: ${players[1 - loser]} never let the win go.` : "";
  const { value, proven } = positions[open + 1];
  return `After ${turn.ply}. ${turn.move} ${players[loser]} was lost${proven ? ", proven" : ` by the estimate: expected score ${score(sign * value, 0)}`}.`;
}

// showReview fills box with a review. actions has functions for its buttons: show(mistake) and, optional,
// playOn(mistake) and quiz().
export function showReview(box, review, { players }, actions) {
  const { positions, moves } = review, mistakes = moves.filter(isMistake);
  box.replaceChildren();
  make(box, "h2", {}, "Review");
  const lost = lostText(review, players);
  if (lost) make(box, "p", { class: "lost" }, lost);
  showSummary(box, moves, players);
  make(box, "p", { class: "note" }, `Expected score of ${players[0]} at the start and after each move, from 0 % below to 100 % above; thick where it is proven`);
  drawCurve(box, positions, mistakes);
  if (mistakes.length === 0) make(box, "p", {}, "No move gave value away, as far as the agent sees.");
  if (actions.quiz) make(box, "button", { type: "button", class: "primary" }, "Find the better move").addEventListener("click", actions.quiz);
  const list = make(box, "ol");
  for (const mistake of mistakes) {
    const { ply, move, player, line, grade } = mistake, item = make(list, "li"), button = make(item, "button", { type: "button" }, `${ply}. ${move}`);
    button.addEventListener("click", () => actions.show(mistake));
    make(item, "span", {}, `${grade === "blunder" ? "Blunder: " : ""}${players[player]} gives away ${lossText(mistake)}. Better: ${lineText(line)}`);
    if (actions.playOn) make(item, "button", { type: "button", "aria-label": `Play on before ${ply}. ${move}` }, "Play on").addEventListener("click", () => actions.playOn(mistake));
  }
}

// showSummary adds a table of what each side gave away.
function showSummary(box, moves, players) {
  const table = make(box, "table", { class: "summary" }), head = make(make(table, "thead"), "tr"), body = make(table, "tbody");
  for (const title of ["", "moves", "best", "mistakes", "blunders", "mean loss"]) make(head, title ? "th" : "td", title ? { scope: "col", class: "figure" } : {}, title);
  players.forEach((name, seat) => {
    const own = moves.filter(({ player }) => player === seat), row = make(body, "tr"), number = (test) => own.filter(test).length, per = (x, show) => own.length > 0 ? show(x / own.length) : "–";
    make(row, "th", { scope: "row" }, name);
    for (const text of [
      own.length, per(number(({ grade }) => grade === "best"), (x) => `${Math.round(100 * x)} %`), number(isMistake), number(({ grade }) => grade === "blunder"),
      per(own.reduce((sum, { loss }) => sum + loss / 2, 0), percent),
    ]) make(row, "td", { class: "figure" }, text);
  });
}

// drawCurve draws the positions' values by ply, thick between proven ones, with a dot after each mistake.
function drawCurve(box, positions, mistakes) {
  const x = (ply) => wide * ply / Math.max(1, positions.length - 1), y = (ply) => high * (1 - positions[ply].value) / 2, at = (ply) => `${x(ply)},${y(ply)}`;
  const label = `Expected score: ${positions.map(({ value, proven }) => score(value, 0) + (proven ? " proven" : "")).join(", ")}`;
  const svg = makeSVG(box, { viewBox: `-2 -2 ${wide + 4} ${high + 4}`, class: "curve", role: "img", "aria-label": label });
  make(svg, "path", { class: "even", d: `M0 ${high / 2}H${wide}` });
  make(svg, "polyline", { points: positions.map((_, ply) => at(ply)).join(" ") });
  positions.forEach(({ proven }, ply) => {
    if (proven && positions[ply - 1]?.proven) make(svg, "path", { class: "proven", d: `M${at(ply - 1)}L${at(ply)}` });
  });
  for (const { ply } of mistakes) make(svg, "circle", { cx: x(ply), cy: y(ply), r: 1.4 });
}
