// The page of ludus serve on which one plays: which game and against whom is chosen here, the rest is the playing app's.
// The address takes game=NAME and any number of agent=TEXT.
import { byId, make } from "./dom.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { startPlay } from "./play.js";

const asked = new URLSearchParams(location.search);

const agentForm = `
<details><summary>Another agent</summary><form><label for="agent">An agent's text, as <code>ludus arena</code> takes it</label>
<input id="agent" type="text" placeholder="net:RUN@12,sims=256" spellcheck="false" autocapitalize="off"><button type="submit">Play against it</button><p class="note" role="alert"></p></form></details>`;

// baselines play every game; agents that search are told how much.
const baselines = [
  { label: "tree search", text: (simulations) => `mcts:${Math.max(simulations, 1)}` },
  { label: "alpha-beta", text: "alphabeta:4" },
  { label: "greedy", text: "greedy" },
  { label: "random", text: "random" },
];

// agentOf is the agent of a text; a network whose text does not say how much it searches is told by the slider.
const agentOf = (text, label = text) => /^net:[^,]+$/.test(text)
  ? { label, text: (simulations) => simulations > 0 ? `${text},sims=${simulations}` : text.replace("net:", "policy:") }
  : { label, text };

// open goes to the page of a game.
const open = (game) => location.assign(`/?${new URLSearchParams({ game })}`);

// offerGames lists games, and lets another size be written. Whoever goes through the list with keys changes it at every step, and
// gets a button instead of being taken away.
function offerGames(form, games, game) {
  const select = form.querySelector("select"), field = form.querySelector("input"), button = form.querySelector("button");
  for (const name of new Set([...games, game])) make(select, "option", { value: name }, name);
  make(select, "option", { value: "" }, "another size …");
  select.value = game;
  let keys = false;
  select.addEventListener("keydown", () => { keys = true; });
  select.addEventListener("pointerdown", () => { keys = false; });
  select.addEventListener("change", () => {
    const written = select.value === "";
    field.hidden = !written;
    button.hidden = !written && (!keys || select.value === game);
    if (keys) return;
    if (written) field.focus();
    else open(select.value);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    open(select.value || field.value.trim());
  });
}

// offerAgent lets an agent's text be written; one that the server refuses stays, with the reason.
function offerAgent(form, engine, game, add) {
  const field = form.querySelector("input"), note = form.querySelector("p");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    note.textContent = "";
    try {
      await engine.analyze({ game, moves: [], agent: text, simulations: 1 });
      add(agentOf(text));
    } catch (error) {
      note.textContent = error.message;
    }
  });
}

// named is a game's canonical name; one that the server does not know stays as it is, and the app tells why.
async function named(engine, game) {
  try {
    return (await engine.describe({ game })).game;
  } catch {
    return game;
  }
}

// trained are the agents of a game that runs have come to.
const trained = (runs, game) => runs.filter((run) => run.agent && run.game === game).map((run) => agentOf(run.agent, run.title));

// opponents are those to choose from, and the label of the one to begin with: the first that is asked for, else the first.
function opponents(runs, game, wishes) {
  const runOf = (wish) => runs.find((run) => run.agent === wish && run.game === game);
  const others = wishes.filter((wish) => !runOf(wish)).map((wish) => agentOf(wish));
  const agents = [...others, ...trained(runs, game), ...baselines];
  return [agents, wishes.length > 0 ? runOf(wishes[0])?.title ?? wishes[0] : agents[0].label];
}

async function start() {
  const engine = engineOverHTTP("/api", (text) => { byId("message").textContent = text; });
  const more = document.createElement("div");
  // Without a list one can still play.
  const list = (path, none) => getJSON(path).catch((error) => { make(more, "p", { class: "note" }, error.message); return none; });
  const [{ games }, { runs }] = await Promise.all([list("/api/about", { games: [] }), list("/api/runs", { runs: [] })]);
  runs.sort((a, b) => (b.changed || 0) - (a.changed || 0)); // the newest is what one is most likely to want
  const first = runs.find((run) => run.agent)?.game || games[0] || "quad-5x5";
  const game = await named(engine, asked.get("game") || first);
  const wishes = asked.getAll("agent");
  const [agents, rival] = opponents(runs, game, wishes);
  document.title = `${game}: ludus`;
  more.insertAdjacentHTML("afterbegin", agentForm);
  const address = () => "?" + new URLSearchParams([["game", game], ...wishes.map((wish) => ["agent", wish])]);
  const app = startPlay(byId("play"), engine, { game, agents, seats: ["person", rival], readHash: true, more, address });
  offerGames(byId("choose-game"), [...games, ...runs.filter((run) => run.agent).map((run) => run.game)], game);
  offerAgent(more.querySelector("form"), engine, game, (agent) => {
    wishes.push(agent.label);
    app.addAgent(agent, 1);
  });
}

start();
