// The page of a report or of a comparison of runs.
import { byId, make, startTheme } from "./dom.js";
import { GameViewer } from "./viewer.js";
import { RunView } from "./runview.js";

const page = JSON.parse(byId("data").textContent);
const view = new RunView();
const axes = { games: "games", seconds: "seconds of training" }; // of comparisons, beside generations

// withAxis returns the page with its charts by generation on another x axis.
function withAxis(axis) {
  const moved = (line) => ({ ...line, x: line[axis] });
  const charts = (section) => section.charts.map((c) => c.lines?.[0].games ? { ...c, x: axes[axis], lines: c.lines.map(moved) } : c);
  return axis in axes ? { ...page, sections: page.sections.map((section) => ({ ...section, charts: charts(section) })) } : page;
}

function showGames({ description, games }) {
  const viewer = new GameViewer();
  viewer.describe(description);
  games.forEach(({ title, goals }, i) => make(byId("game"), "option", { value: i }, `${title}: ${goals[0]} to ${goals[1]}`));
  byId("game").addEventListener("change", ({ target }) => viewer.open(games[target.value]));
  viewer.open(games[0]);
}

startTheme();
byId("subtitle").textContent = page.subtitle;
view.show(page);
const hasGames = Boolean(page.samples || page.noSamples), hasSettings = Boolean(page.settings);
view.showParts(page.sections, [...(hasGames ? [["games", "Sample games"]] : []), ...(hasSettings ? [["settings", "Settings"]] : [])]);
byId("games").hidden = !hasGames;
byId("settings").hidden = !hasSettings;
byId("axes").hidden = !page.axes;
byId("axis").addEventListener("change", ({ target }) => view.show(withAxis(target.value)));
if (page.samples) {
  showGames(page.samples);
} else if (page.noSamples) {
  byId("games").replaceChildren(byId("games-title"));
  make(byId("games"), "p", { class: "missing" }, `Nothing to show: ${page.noSamples}.`);
}
