// The page of ludus games --watch: what is wrong with a rule sheet, or random games by it.
import { byId, make, startTheme } from "./dom.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { follow } from "./live.js";
import { GameViewer } from "./viewer.js";

const moveTime = 800, endTime = 4000; // ms that a position is shown, and the last one of a game

const states = {
  checking: "The sheet is being checked …", missing: "There is no sheet to check. It is looked for all the time.",
  accepted: "ludus can play and train by this sheet.", refused: "ludus cannot play by this sheet yet.",
};
const choices = `<div class="buttons"><button type="button" id="run"></button><button type="button" id="another">Another game</button></div>`;

const engine = engineOverHTTP();
const viewer = new GameViewer({ choices });
let check = {}; // the newest one
let seed = Math.floor(Math.random() * 2 ** 32);
let running = !matchMedia("(prefers-reduced-motion: reduce)").matches; // the game goes on by itself
let timer;

// showExcerpt shows the lines around the problem.
function showExcerpt(lines) {
  byId("excerpt").hidden = lines.length === 0;
  byId("excerpt").replaceChildren();
  const width = String(lines.at(-1)?.number).length;
  for (const { number, text, column } of lines) {
    const before = `${String(number).padStart(width)}  `, line = make(byId("excerpt"), "div", column ? { class: "at" } : {}, before + text);
    if (column) make(line, "div", { class: "place", "aria-hidden": "true" }, `${" ".repeat(before.length + column - 1)}^`);
  }
}

// showNext shows the next position after a while, and after the last one another game.
function showNext() {
  clearTimeout(timer);
  byId("run").textContent = running ? "Pause" : "Go on";
  if (!running || document.hidden || !viewer.replay || check.state !== "accepted") return;
  const over = viewer.ply === viewer.last;
  timer = setTimeout(() => {
    if (over) { openRandom(check); return; }
    viewer.step("next");
    showNext();
  }, over ? endTime : moveTime);
}

// openRandom opens another random game of an accepted sheet.
async function openRandom(of) {
  try {
    const replay = await getJSON(`/api/sheet/game?${new URLSearchParams({ name: of.game, seed: seed++ })}`);
    if (of !== check) return; // the sheet has changed
    viewer.open(replay);
    showNext();
  } catch (error) {
    if (of === check) showMessage(error.message);
  }
}

// showGame shows a random game, or the one in which a law is broken.
async function showGame(of) {
  const { state, broken } = of;
  clearTimeout(timer);
  byId("game-section").hidden = state !== "accepted" && !broken;
  byId("facts-section").hidden = !broken;
  for (const id of ["run", "another"]) byId(id).hidden = state !== "accepted";
  if (broken) {
    byId("game-title").textContent = `A game that breaks a law: ${broken.law}`;
    viewer.describe(broken.description);
    viewer.open(broken.replay);
    viewer.step("last");
    byId("facts").textContent = broken.facts.join("\n");
  } else if (state === "accepted") {
    byId("game-title").textContent = "A random game";
    const description = await engine.describe({ game: of.game });
    if (of !== check) return;
    viewer.describe(description);
    await openRandom(of);
  }
}

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = !text;
}

async function show(next) {
  check = next;
  document.title = `${check.file} · ludus`;
  byId("file").textContent = check.file;
  byId("state").textContent = states[check.state];
  byId("problem").hidden = !check.problem;
  byId("problem").textContent = check.problem || "";
  const warnings = check.warnings || [];
  byId("warnings").hidden = warnings.length === 0;
  byId("warnings").querySelector("ul").replaceChildren();
  for (const text of warnings) make(byId("warnings").querySelector("ul"), "li", {}, text);
  showExcerpt(check.excerpt || []);
  byId("found-section").hidden = !check.found;
  byId("found").textContent = check.found || "";
  byId("play").hidden = !check.game;
  if (check.game) byId("play").href = `/?${new URLSearchParams({ game: check.game })}`;
  try {
    await showGame(next);
    showMessage("");
  } catch (error) {
    if (next === check) showMessage(error.message);
  }
}

startTheme();
byId("game").parentElement.hidden = true; // there is nothing to choose from
byId("run").addEventListener("click", () => { running = !running; showNext(); });
byId("another").addEventListener("click", () => openRandom(check));
document.addEventListener("visibilitychange", showNext);
follow("/api/sheet", show, showMessage);
