// The review of a game. Reviewer makes what ReviewGame of package analysis makes, whose documents say what a mistake is; the rest shows it.
import { valueForFirst } from "./analysis.js";
import { make, makeSVG } from "./dom.js";
import { percent, score } from "./format.js";

const mistakeLoss = 0.2, blunderLoss = 0.6, lostValue = -0.5; // as in package analysis
const shownReplies = 6; // of a line
const wide = 100, high = 30; // of the curve

// judgement turns an analysis into a position of a review: { value, proven, analysed, sign, player, best, reason, line, values }. The value
// is for the first player, null if the agent does not evaluate positions; sign turns it into the player's. proven says whether the value is
// exact, analysed whether the analysis itself proves it. values are those of the moves, for the player. A reason is a fact, not a comparison.
function judgement({ terminal, value, player, proven, best, reason, moves = [] }, players) {
  if (terminal) return { value, proven: true };
  return {
    value: valueForFirst(value, player, players), proven: Boolean(proven), analysed: Boolean(proven), sign: player === players[0] ? 1 : -1, player, best,
    reason: /^is better than /.test(reason) ? undefined : reason,
    line: moves[0]?.line ?? [best], values: Object.fromEntries(moves.map(({ move, value }) => [move, value])),
  };
}

// deduce makes the value of a position exact if the move made there is proven to have the utility of the best outcome.
function deduce(position, next, [most]) {
  if (next.proven && position.sign * next.value === most) Object.assign(position, { value: next.value, proven: true });
}

// follow makes the value of the position after a move exact if that of the position before is, and the move keeps it: because it is the
// best one, or because no value is worse than that.
function follow(next, before, move, [, least]) {
  if (before.proven && ((before.analysed && move === before.best) || before.sign * before.value === least)) Object.assign(next, { value: before.value, proven: true });
}

// compare says how good a move of value after is beside the best one, of value before.
function compare(isBest, exact, before, after) {
  const loss = isBest ? 0 : Math.max(0, Math.round((before - after) * 1e6) / 1e6);
  const grade = isBest || (exact && loss === 0) ? "best" : loss >= blunderLoss ? "blunder" : exact || loss >= mistakeLoss ? "mistake" : "good";
  return { before, after, loss, exact, grade };
}

// knownAnswer is Reviewer.answer without an agent: by the values that a review has of the moves in the position of a mistake. It returns
// undefined for a move without one.
export function knownAnswer(mistake, move) {
  const { best, exact, before, values } = mistake;
  if (move === mistake.move) return mistake;
  if (move === best) return compare(true, exact, before, before);
  return values[move] == null ? undefined : compare(false, false, values[best] ?? before, values[move]);
}

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
    const position = judgement(await this.analyses.run({ game: this.description.game, moves, agent: this.agent }), this.description.players);
    if (position.value == null) throw new Error("this agent does not evaluate positions");
    return position;
  }

  // weigh compares a move with the best one in a position, to which moves lead; next is the position after it.
  async weigh(moves, position, move, next) {
    const { player, sign, best, reason, line, values } = position;
    let before = sign * position.value, after = sign * next.value, exact = position.proven && next.proven;
    if (move === best && next.proven) [before, exact] = [after, true];
    else if (move === best) after = before;
    else if (!position.proven && !next.proven && values[best] != null && values[move] != null) before = values[best];
    else if (!position.proven) {
      const instead = await this.judge([...moves, best]), value = sign * instead.value;
      exact = next.proven && instead.proven;
      before = next.proven && !exact ? Math.min(before, value) : value;
    }
    const compared = compare(move === best, exact, before, after), reply = next.best && next.player !== player ? next.line : undefined;
    return { ply: moves.length + 1, player, move, ...compared, ...compared.loss > 0 && { best, reason, line, reply }, ...isMistake(compared) && { values } };
  }

  // answer weighs a move that was not played, in a position of a review.
  async answer(moves, position, move) {
    const next = await this.judge([...moves, move]);
    follow(next, position, move, this.description.utilities);
    return this.weigh(moves, position, move, next);
  }

  // review reviews a game of moves. onPly(ply) is called before the position after ply moves is judged.
  async review(names, onPly) {
    const { players, utilities } = this.description, positions = [], moves = [];
    for (let ply = 0; ply <= names.length; ply++) {
      onPly(ply);
      positions.push(await this.judge(names.slice(0, ply)));
    }
    for (let i = names.length - 1; i >= 0; i--) deduce(positions[i], positions[i + 1], utilities);
    names.forEach((move, i) => follow(positions[i + 1], positions[i], move, utilities));
    for (const [i, move] of names.entries()) moves.push(await this.weigh(names.slice(0, i), positions[i], move, positions[i + 1]));
    return { positions, moves, sides: players.map((player) => sideOf(player, moves)), lost: turningPoint(positions, moves, players) };
  }
}

// sideOf sums up the moves of a player.
function sideOf(player, all) {
  const moves = all.filter((move) => move.player === player), number = (test) => moves.filter(test).length;
  return {
    player, moves: moves.length, best: number(({ grade }) => grade === "best"), mistakes: number(isMistake), blunders: number(({ grade }) => grade === "blunder"),
    loss: moves.reduce((sum, { loss }) => sum + loss, 0) / Math.max(1, moves.length),
  };
}

// turningPoint returns where the game was lost; undefined if nobody has lost it, or if the estimates do not tell.
export function turningPoint(positions, moves, players) {
  const end = positions.at(-1).value, sign = end > 0 ? -1 : 1, isLost = ({ value, proven }) => sign * value < (proven ? 0 : lostValue);
  const ply = positions.findLastIndex((position) => !isLost(position)) + 1, proven = positions.findLastIndex((position) => !(position.proven && isLost(position))) + 1;
  if (end === 0 || ply === positions.length) return undefined;
  const player = players[end > 0 ? 1 : 0], own = moves.slice(0, ply).findLast((move) => move.player === player); // the winner's move only shows what that allowed
  // While nothing was proven, a mistake says more than an estimate.
  const later = own && isMistake(own) ? undefined : moves.slice(own?.ply ?? 0, proven).find((move) => move.player === player && isMistake(move));
  const last = later ?? own;
  return {
    player, ply: last?.ply ?? 0, move: last?.move, value: sign * positions[later?.ply ?? ply].value,
    proven_from: proven < positions.length ? proven : undefined,
  };
}

export const isMistake = ({ grade }) => grade === "mistake" || grade === "blunder";

// lineText writes the beginning of a line of best play. reason says of its first move what that does, if that is known.
export const lineText = ([first, ...rest], reason) =>
  `${first}${reason ? `, which ${reason}` : ""}${rest.length > 0 ? `; then ${rest.slice(0, shownReplies).join(", ")}${rest.length > shownReplies ? " and so on" : ""}` : ""}`;

// lossText says what a move gives away.
export const lossText = ({ before, after, loss, exact, grade }) =>
  `gives away ${exact ? "" : "about "}${score(loss - 1, 0)} (${score(before, 0)} to ${score(after, 0)}${exact ? ", proven" : ""})${grade === "blunder" ? ", a blunder" : ""}`;

// mistakeText says what a mistake gives away, and what was better; who is its player or its move.
const mistakeText = (mistake, who) => `${who} ${lossText(mistake)}. Better: ${lineText(mistake.line, mistake.reason)}`;

// explained says all about a mistake.
export const explained = (mistake) => mistakeText(mistake, `${mistake.ply}. ${mistake.move}`) + (mistake.reply ? `. After ${mistake.move}: ${lineText(mistake.reply)}` : "");

// lostText says where a game was lost.
function lostText({ moves, sides, lost: { player: loser, ply, move, value, proven_from: proven } }) {
  const winner = sides.find(({ player }) => player !== loser).player, lost = ply === 0 ? `${loser} was lost from the start` : `${loser} lost the game with ${ply}. ${move}${moves[ply - 1].grade === "random" ? " (an opening ply)" : ""}`;
  if (proven <= ply) return `${lost}: from there ${value === -1 ? `${winner} wins` : `${loser} scores ${score(value, 0)}`} with best play, proven.`;
  return `${lost}, by the agent's estimate${proven < moves.length ? `; the loss is proven from move ${proven} on` : ""}.`;
}

// showReview fills box with a review. actions has functions for its buttons: show(mistake) and, optional, playOn(mistake) and quiz().
export function showReview(box, review, { players }, actions) {
  box.replaceChildren();
  make(box, "h2", {}, "Review");
  showSummary(box, review);
  make(box, "p", { class: "note" }, `Expected score of ${players[0]} at the start and after each move, from 0 % below to 100 % above; thick where it is proven`);
  drawCurve(box, review);
  if (actions.quiz) make(box, "button", { type: "button", class: "primary" }, "Find the better move").addEventListener("click", actions.quiz);
  showMistakes(box, review, actions);
}

// showSummary adds where the game was lost, and a table of what each side gave away.
export function showSummary(box, review) {
  const { sides, lost } = review;
  if (lost) make(box, "p", { class: "lost" }, lostText(review));
  const table = make(box, "table", { class: "summary" }), head = make(make(table, "thead"), "tr"), body = make(table, "tbody");
  for (const title of ["", "moves", "best", "mistakes", "blunders", "mean loss"]) make(head, title ? "th" : "td", title ? { scope: "col" } : {}, title);
  for (const { player, moves, best, mistakes, blunders, loss } of sides) {
    const row = make(body, "tr");
    make(row, "th", { scope: "row" }, player);
    for (const text of [moves, moves > 0 ? `${Math.round(100 * best / moves)} %` : "–", mistakes, blunders, percent(loss / 2)]) make(row, "td", { class: "figure" }, text);
  }
}

// showMistakes adds the list of mistakes; actions is that of showReview.
export function showMistakes(box, { moves }, { show, playOn }) {
  const mistakes = moves.filter(isMistake);
  if (mistakes.length === 0) make(box, "p", {}, "No move was a mistake, as far as the agent sees.");
  const list = make(box, "ol", { class: "mistakes", "aria-label": "Mistakes" });
  for (const mistake of mistakes) {
    const { ply, move, player } = mistake, item = make(list, "li"), button = make(item, "button", { type: "button" }, `${ply}. ${move}`);
    button.addEventListener("click", () => show(mistake));
    make(item, "span", {}, mistakeText(mistake, player));
    if (playOn) make(item, "button", { type: "button", "aria-label": `Play on before ${ply}. ${move}` }, "Play on").addEventListener("click", () => playOn(mistake));
  }
}

// drawCurve draws the positions' values by ply, thick between proven ones, with a dot after each mistake.
function drawCurve(box, { positions, moves }) {
  const x = (ply) => wide * ply / Math.max(1, positions.length - 1), y = (ply) => high * (1 - positions[ply].value) / 2, at = (ply) => `${x(ply)},${y(ply)}`;
  const label = `Expected score: ${positions.map(({ value, proven }) => score(value, 0) + (proven ? " proven" : "")).join(", ")}`;
  const svg = makeSVG(box, { viewBox: `-2 -2 ${wide + 4} ${high + 4}`, class: "curve", role: "img", "aria-label": label });
  make(svg, "path", { class: "even", d: `M0 ${high / 2}H${wide}` });
  make(svg, "polyline", { points: positions.map((_, ply) => at(ply)).join(" ") });
  positions.forEach(({ proven }, ply) => {
    if (proven && positions[ply - 1]?.proven) make(svg, "path", { class: "proven", d: `M${at(ply - 1)}L${at(ply)}` });
  });
  for (const { ply } of moves.filter(isMistake)) make(svg, "circle", { cx: x(ply), cy: y(ply), r: 1.4 });
}
