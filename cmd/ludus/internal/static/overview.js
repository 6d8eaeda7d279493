// The overview of reviewed games: how well each player has played in all of them, and a table of the games.
import { make, makeSVG } from "./dom.js";
import { percent } from "./format.js";

const points = { "1-0": [1, 0], "0-1": [0, 1], "1/2-1/2": [0.5, 0.5] }; // of the players, by result

const share = ({ best, moves }) => moves > 0 ? `${Math.round(100 * best / moves)} %` : "–";

// totalsOf sums up the sides of all games by the players' names.
function totalsOf(games) {
  const totals = new Map();
  for (const { replay: { agents }, review: { sides, result } } of games) {
    sides.forEach((side, seat) => {
      const name = agents[seat], total = totals.get(name) ?? { name, games: 0, finished: 0, points: 0, moves: 0, best: 0, mistakes: 0, blunders: 0, loss: 0 };
      totals.set(name, total);
      total.games++;
      total.finished += Number(result in points);
      total.points += points[result]?.[seat] ?? 0;
      total.loss += side.loss * side.moves;
      for (const key of ["moves", "best", "mistakes", "blunders"]) total[key] += side[key];
    });
  }
  return [...totals.values()].sort((a, b) => b.best * a.moves - a.best * b.moves || b.moves - a.moves);
}

// wilson returns the 95 % interval of a share, as of [0, 1].
function wilson(k, n) {
  const z = 1.96, p = k / n, middle = p + z * z / (2 * n), half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n));
  return [middle - half, middle + half].map((x) => x / (1 + z * z / n));
}

// drawShare draws the share of best moves as a bar with its interval.
function drawShare(cell, { name, best, moves }) {
  const svg = makeSVG(cell, { viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `${share({ best, moves })} of the moves of ${name} are best` });
  if (moves === 0) return;
  const [low, high] = wilson(best, moves).map((x) => 100 * x);
  make(svg, "rect", { class: "value", x: 0, y: 1, width: 100 * best / moves, height: 8 });
  make(svg, "path", { class: "whisker", d: `M${low} 5H${high}M${low} 3V7M${high} 3V7` });
}

// tableIn adds a table with titles; row(head, ...texts) adds a row and returns its cells.
function tableIn(box, titles) {
  const table = make(make(box, "div", { class: "scroll" }), "table", { class: "stack" }), head = make(make(table, "thead"), "tr"), body = make(table, "tbody");
  titles.forEach((title, i) => make(head, "th", { scope: "col", ...i > 0 && { class: "figure" } }, title));
  return (...texts) => {
    const row = make(body, "tr");
    return texts.map((text, i) => make(row, i > 0 ? "td" : "th", i > 0 ? { class: "figure", "data-title": titles[i] } : { scope: "row" }, text));
  };
}

// showOverview fills box; open(number) opens a game, counted from 0.
export function showOverview(box, games, open) {
  box.hidden = false;
  make(box, "h2", {}, `Players in ${games.length} games`);
  const addPlayer = tableIn(make(box, "div", { class: "ladder" }), ["player", "games", "score", "moves", "best", "", "mistakes", "blunders", "mean loss"]);
  for (const total of totalsOf(games)) {
    const { name, finished, points, moves, mistakes, blunders, loss } = total;
    const cells = addPlayer(name, total.games, finished > 0 ? percent(points / finished) : "–", moves, share(total), "", mistakes, blunders, percent(loss / Math.max(1, moves) / 2));
    cells[5].className = "strip";
    drawShare(cells[5], total);
  }
  make(box, "p", { class: "note" }, "Bars: share of best moves, with 95 % intervals. Opening plies do not count.");
  make(box, "h2", {}, "Games");
  const addGame = tableIn(box, ["players", "result", "best", "blunders", "lost by"]);
  games.forEach(({ replay: { title, agents }, review: { sides, result, lost } }, i) => {
    const [head] = addGame("", result || "–", sides.map(share).join(" : "), sides.map(({ blunders }) => blunders).join(" : "),
      lost ? lost.ply > 0 ? `${lost.ply}. ${lost.move}` : "the start" : "–");
    const button = make(head, "button", { type: "button", "aria-label": `Open game ${title}` }, `${i + 1}: ${agents.join(" – ")}`);
    button.addEventListener("click", () => open(i));
  });
}
