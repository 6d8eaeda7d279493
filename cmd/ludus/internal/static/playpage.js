// The play page of ludus serve: it offers games and agents, and starts the app of play.js. The address takes game=NAME and any
// number of agent=SPEC.
import { byId, make } from "./dom.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { startPlay } from "./play.js";

const query = new URLSearchParams(location.search);

const agentForm = `
<details><summary>Another agent</summary><form><label for="agent">An agent spec, as for <code>ludus arena</code></label>
<input id="agent" type="text" placeholder="net:RUN@12,sims=256" spellcheck="false" autocapitalize="off"><button type="submit">Play against it</button><p class="note" role="alert"></p></form></details>`;

// baselines play every game.
const baselines = [
  { label: "tree search", text: (simulations) => `mcts:${Math.max(simulations, 1)}` },
  { label: "alpha-beta", text: "alphabeta:4" },
  { label: "greedy", text: "greedy" },
  { label: "random", text: "random" },
];

// agentOf makes an agent of a spec. The slider sets a network's simulations, unless its spec has options.
const agentOf = (text, label = text, note = "") => /^(zoo|net:("(\\.|[^"\\])*"[^,]*|[^,]+))$/.test(text)
  ? {
    label, note, text: (simulations) => simulations > 0 ? `${text},sims=${simulations}` : `policy:${text.replace("net:", "")},solve=0`,
    weakText: (elo) => `${text},elo=${elo}`,
  }
  : { label, note, text };

// shipped is the agent that comes with the program, for the games that have one.
const shipped = agentOf("zoo", "shipped agent");

// open opens the page of a game.
const open = (game) => location.assign(`/?${new URLSearchParams({ game })}`);

// offerGames fills the form for choosing a game: a list, and a text field for other sizes. A mouse opens the chosen game at once;
// arrow keys change the choice at every step, so a button appears.
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

// offerAgent handles the form for an agent spec. If the server rejects a spec, it shows the error.
function offerAgent(form, engine, game, add) {
  const field = form.querySelector("input"), note = form.querySelector("p");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    note.textContent = "";
    try {
      await engine.analyze({ game, moves: [], agent: text, simulations: 1 });
      add(text);
    } catch (error) {
      note.textContent = error.message;
    }
  });
}

// canonicalName returns a game's canonical name. An unknown name stays as it is; the app will show the error.
async function canonicalName(engine, game) {
  try {
    return (await engine.describe({ game })).game;
  } catch {
    return game;
  }
}

const trainedGenerations = 10; // a checkpoint without a rating counts as trained from this generation on

// strengthOf describes how strong the checkpoint of a generation of a run is, for menus. name is the generation's.
function strengthOf({ untrained, rating, curve }, generation, name = `gen. ${generation}`) {
  if (untrained) return "untrained";
  const i = curve?.kind === "rating" ? curve.generations.indexOf(generation) : -1;
  const elo = rating?.generation === generation ? rating.value : curve?.values[i];
  if (elo !== undefined) return [`${Math.round(elo)} Elo`, name].filter(Boolean).join(", ");
  return generation < trainedGenerations ? "untrained" : name;
}

// agentOfRun makes the agent of a run: of its best-rated checkpoint, or the newest one.
const agentOfRun = (run) => run.best
  ? agentOf(run.best, run.title, strengthOf(run, run.rating.generation))
  : agentOf(run.agent, run.title, strengthOf(run, run.generation));

// wished makes the agent of a spec. Its label is short, and has a note, if it is an agent of one of the runs.
function wished(text, runs) {
  if (text === "zoo") return shipped;
  for (const run of runs) {
    if (text === (run.best || run.agent)) return agentOfRun(run);
    const at = text.startsWith(run.agent) ? text.slice(run.agent.length) : undefined;
    if (at === "") return agentOf(text, `${run.title}@newest`, strengthOf(run, run.generation));
    if (/^@\d+$/.test(at)) return agentOf(text, run.title + at, strengthOf(run, Number(at.slice(1)), ""));
  }
  return agentOf(text);
}

// opponents returns the agents to choose from, wishes first. Then come the best-rated run, the shipped agent, other trained runs and
// baselines, and last untrained runs.
function opponents(own, hasShipped, wishes) {
  const trained = own.filter(({ untrained }) => !untrained), rated = trained.filter(({ rating }) => rating);
  const agents = [
    ...wishes,
    ...rated.sort((a, b) => b.rating.low - a.rating.low).map(agentOfRun),
    ...hasShipped ? [shipped] : [],
    ...trained.filter(({ rating }) => !rating).map(agentOfRun),
    ...baselines,
    ...own.filter(({ untrained }) => untrained).map(agentOfRun),
  ];
  return agents.filter(({ label }, i) => i === agents.findIndex((agent) => agent.label === label));
}

async function start() {
  const engine = engineOverHTTP("/api", (text) => { byId("message").textContent = text; });
  const more = document.createElement("div");
  // Playing works without these lists.
  const list = (path, none) => getJSON(path).catch((error) => { make(more, "p", { class: "note" }, error.message); return none; });
  const [{ games, zoo }, { runs }] = await Promise.all([list("/api/about", { games: [], zoo: [] }), list("/api/runs", { runs: [] })]);
  runs.sort((a, b) => (b.changed || 0) - (a.changed || 0)); // the newest run first
  const first = runs.find((run) => run.agent && !run.untrained)?.game || zoo[0] || games[0] || "quad-5x5";
  const game = await canonicalName(engine, query.get("game") || first);
  const wishes = query.getAll("agent");
  const own = runs.filter((run) => run.agent && run.game === game);
  const agents = opponents(own, zoo.includes(game), wishes.map((text) => wished(text, own)));
  document.title = `${game}: ludus`;
  more.insertAdjacentHTML("afterbegin", agentForm);
  const address = () => "?" + new URLSearchParams([["game", game], ...wishes.map((wish) => ["agent", wish])]);
  const app = startPlay(byId("play"), engine, { game, agents, seats: ["person", agents[0].label], readHash: true, more, address });
  offerGames(byId("choose-game"), [...games, ...runs.filter((run) => run.agent).map((run) => run.game)], game);
  offerAgent(more.querySelector("form"), engine, game, (text) => {
    wishes.push(text);
    app.addAgent(wished(text, own), 1);
  });
}

start();
