// The page of a report or of a comparison of runs.
import { byId, make, startTheme } from "./dom.js";
import { followFragment } from "./fragment.js";
import { GameViewer } from "./viewer.js";
import { RunView, showDiagnosis } from "./runview.js";

const page = JSON.parse(byId("data").textContent);
const view = new RunView();

function showGames({ description, games }) {
  const viewer = new GameViewer();
  viewer.describe(description);
  games.forEach(({ title, goals }, i) => make(byId("game"), "option", { value: i }, `${title}: ${goals[0]} to ${goals[1]}`));
  byId("game").addEventListener("change", ({ target }) => viewer.open(games[target.value]));
  viewer.open(games[0]);
}

startTheme();
byId("subtitle").textContent = page.subtitle;
if (page.diagnosis) showDiagnosis(page.diagnosis);
view.show(page);
const hasGames = Boolean(page.samples), hasFacts = Boolean(page.facts), hasSettings = Boolean(page.settings);
if (page.axes) byId("parts").before(byId("about")); // the facts say which runs are compared
view.showParts(page.sections, hasGames ? [["games", "Sample games"]] : [],
  [...(hasFacts && !page.axes ? [["about", "Facts"]] : []), ...(hasSettings ? [["settings", "Settings"]] : [])]);
byId("games").hidden = !hasGames;
byId("about").hidden = !hasFacts;
byId("settings").hidden = !hasSettings;
if (page.axes) view.offerAxes(page);
if (page.samples) showGames(page.samples);
followFragment();
