// A run's page: its curves while it trains, its matches, games and settings.
import { byId, startTheme } from "./dom.js";
import { count, duration, number, percent, sentence } from "./format.js";
import { followFragment } from "./fragment.js";
import { getJSON } from "./http.js";
import { follow } from "./live.js";
import { RunGames } from "./rungames.js";
import { playAddress, progressText, showMessage, showProgress, showState } from "./runinfo.js";
import { RunView, fillTable, showDiagnosis } from "./runview.js";

const name = new URLSearchParams(location.search).get("name") || "";
let view; // the newest version
let problem = ""; // why the server does not answer
let games;
const runView = new RunView({ playing: addressOf });

// addressOf returns the address that plays against an agent of a ladder: a baseline, or a checkpoint unless it was deleted.
function addressOf(agent) {
  const { run, checkpoints } = view, [, generation] = /^net@(\d+)$/.exec(agent) || [];
  if (generation === undefined) return /^(net|policy)/.test(agent) ? "" : playAddress(run.game, agent);
  return checkpoints?.includes(Number(generation)) ? playAddress(run.game, `${run.agent}@${generation}`) : "";
}

function showRun() {
  const { run } = view;
  byId("of").textContent = run.game;
  showState(byId("state"), run);
  byId("progress").textContent = [progressText(run), run.left && `about ${duration(run.left)} left`].filter(Boolean).join(", ");
  const bar = byId("bar");
  bar.setAttribute("aria-valuemax", run.generations);
  bar.setAttribute("aria-valuenow", run.generation);
  showProgress(bar, run);
  byId("play").hidden = !run.agent;
  if (run.agent) byId("play").href = playAddress(run.game, run.best || run.agent);
  byId("name").textContent = run.title;
  document.title = `${run.title} · ludus`;
  showMessage(problem || run.problem || (run.state === "starting" ? "Preparing the first generation." : ""));
}

const diagnosisInterval = 30_000; // milliseconds between diagnoses of a run in training
let diagnosed = { generation: 0, state: "", time: -Infinity }; // when the run was last diagnosed

// diagnose shows how good the run is, and why it does not learn if that is known.
async function diagnose({ generation, generations }) {
  const due = generation >= generations || performance.now() - diagnosed.time > diagnosisInterval;
  if (generation === diagnosed.generation && view.run.state === diagnosed.state || !due) return;
  diagnosed = { generation, state: view.run.state, time: performance.now() };
  try {
    showDiagnosis(await getJSON(`/api/run/doctor?name=${encodeURIComponent(name)}`));
  } catch {
    byId("doctor").hidden = true; // The page is useful without it; the command ludus doctor shows errors.
  }
}

const percentInterval = ({ low, high }) => `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %`;

function showMatches() {
  fillTable(byId("matches"), [
    { title: "agent", text: (m) => m.agent },
    { title: "opponent", text: (m) => m.opponent },
    { title: "score", figure: true, text: (m) => percent(m.score) },
    { title: "interval", figure: true, text: percentInterval },
    { title: "wins", figure: true, text: (m) => m.wins },
    { title: "draws", figure: true, text: (m) => m.draws },
    { title: "losses", figure: true, text: (m) => m.losses },
    { title: "mean goal", figure: true, text: (m) => number(m.goal_mean) },
  ], view.matches || [], "No matches yet.");
  fillTable(byId("suite"), [
    { title: "generation", text: (s) => s.generation },
    { title: "agent", text: (s) => s.agent === "net" ? "with search" : "policy alone" },
    { title: "errors", figure: true, text: (s) => percent(s.error) },
    { title: "interval", figure: true, text: percentInterval },
    { title: "score lost", figure: true, text: (s) => percent(s.loss / 2) }, // values go from -1 to 1
    { title: "positions", figure: true, text: (s) => s.positions },
  ], view.suite || [], "No results yet.");
}

// showWorkers shows the workers on other machines, if the run has any.
function showWorkers({ workers: status }) {
  byId("workers").hidden = !status;
  if (!status) return;
  byId("workers-text").textContent = `They play with the network of generation ${status.generation} and ${status.simulations} simulations per move. `
    + `${count(status.ready)} positions wait for the learner; a generation needs ${count(status.need)}. `
    + (status.queued < 0 ? "The NATS server does not answer." : `${count(status.queued)} messages are in the stream.`);
  fillTable(byId("workers-table"), [
    { title: "worker", text: (w) => w.name },
    { title: "threads", figure: true, text: (w) => w.threads },
    { title: "games", figure: true, text: (w) => count(w.games) },
    { title: "positions/s", figure: true, text: (w) => count(Math.round(w.speed)) },
    { title: "generations behind", figure: true, text: (w) => w.behind },
    { title: "last seen", figure: true, text: (w) => `${w.quiet} s ago` },
    { title: "rejected", figure: true, text: (w) => count(w.rejected) },
    { title: "duplicates", figure: true, text: (w) => count(w.duplicates) },
    { title: "", text: (w) => w.problem || "" },
  ], status.workers, "No worker has sent games yet.");
}

function show(next) {
  view = next;
  const readable = Boolean(view.sections);
  showRun();
  showWorkers(view);
  runView.show(view);
  runView.showParts(view.sections || [], [["games", "Games"]], [["arena", "Matches"], ["about", "Facts"], ["settings", "Settings"]]);
  for (const id of ["parts", "arena", "games", "about", "settings"]) byId(id).hidden = !readable;
  showMatches();
  if (!readable) return;
  diagnose(view.run);
  games ||= new RunGames(name);
  games.update(view.run, view.checkpoints || []);
}

startTheme();
followFragment();
byId("name").textContent = name;
follow(`/api/run?name=${encodeURIComponent(name)}`, show, (text, missing) => {
  problem = text;
  if (view) showRun();
  else showMessage(text && sentence(text));
  byId("elsewhere").hidden = !missing;
});
