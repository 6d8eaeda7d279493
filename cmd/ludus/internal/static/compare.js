// A page that compares runs of one game: the learning curves of the runs that the address names (?name=A&name=B…).
import { byId, startTheme } from "./dom.js";
import { followFragment } from "./fragment.js";
import { getJSON } from "./http.js";
import { showMessage } from "./runinfo.js";
import { RunView } from "./runview.js";

const names = new URLSearchParams(location.search).getAll("name");

async function start() {
  startTheme();
  followFragment();
  showMessage(names.length < 2 ? "Choose two or more runs of one game on the page Runs." : "Reading the runs …");
  if (names.length < 2) return;
  try {
    const page = await getJSON(`/api/compare?${new URLSearchParams(names.map((name) => ["name", name]))}`);
    const view = new RunView();
    byId("name").textContent = `Compare runs of ${page.title}`;
    document.title = `Compare ${names.join(", ")} · ludus`;
    view.show(page);
    view.showParts(page.sections, [], []);
    view.offerAxes(page);
    byId("parts").hidden = false;
    showMessage("");
  } catch (error) {
    showMessage(error.message);
  }
}

start();
