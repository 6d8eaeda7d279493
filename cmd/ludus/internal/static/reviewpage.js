// The page of the reviews of games.
import { byId, make, startTheme } from "./dom.js";
import { showOverview } from "./overview.js";
import { explained, isMistake, showMistakes, showSummary } from "./review.js";
import { GameViewer } from "./viewer.js";

const { description, games } = JSON.parse(byId("data").textContent);
const viewer = new GameViewer({
  tools: `<div id="summary"></div><p id="mistake" role="status"></p>`, actions: `<h2>Mistakes</h2><div id="mistakes"></div>`,
  onPosition: () => { byId("mistake").textContent = viewer.position.mistake ?? ""; },
});

function openGame({ replay, review }) {
  for (const mistake of review.moves.filter(isMistake)) {
    Object.assign(replay.positions[mistake.ply - 1], { better: mistake.best, mistake: explained(mistake) });
  }
  for (const id of ["summary", "mistakes"]) byId(id).replaceChildren();
  showSummary(byId("summary"), review);
  showMistakes(byId("mistakes"), review, { show: ({ ply }) => { viewer.go(ply - 1); byId("board").scrollIntoView({ block: "nearest" }); } });
  viewer.open(replay);
}

startTheme();
viewer.describe(description);
games.forEach(({ replay: { title } }, i) => make(byId("game"), "option", { value: i }, title));
byId("game").addEventListener("change", ({ target }) => openGame(games[target.value]));
if (games.length > 1) {
  showOverview(byId("overview"), games, (number) => {
    byId("game").value = number;
    openGame(games[number]);
    byId("viewer").scrollIntoView();
    byId("viewer").focus({ preventScroll: true });
  });
}
openGame(games[0]);
