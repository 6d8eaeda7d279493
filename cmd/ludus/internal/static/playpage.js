// The play page of ludus serve: it offers games and agents, and starts the app of play.js. The address takes game=NAME and any
// number of agent=SPEC.
import { byId, make } from "./dom.js";
import { against, count, sentence } from "./format.js";
import { engineOverHTTP, getJSON } from "./http.js";
import { startPlay } from "./play.js";

const query = new URLSearchParams(location.search);

const agentForm = `
<details><summary>Another agent</summary><form><label for="agent">Name any agent, as in the terminal. Examples:</label>
<dl></dl>
<input id="agent" type="text" placeholder="solver:500000" spellcheck="false" autocapitalize="off"><button type="submit">Play against it</button><p class="note" role="alert"></p><p class="note limits"></p></form></details>`;

// examples of agents for the form; those with zoo are for games with a shipped agent.
const examples = [
  ["solver:500000", "plays perfectly where it solves the position within 500,000 nodes, which are positions that it looks at"],
  ["mcts:10000", "plays 10,000 random games before each move"],
  ["zoo,sims=1000", "is the shipped agent with 1,000 simulations per move"],
];

// baselines play every game.
const baselines = [
  { label: "tree search", note: "random playouts", text: (simulations) => `mcts:${Math.max(simulations, 1)}` },
  { label: "alpha-beta", note: "4 moves ahead", text: "alphabeta:4" },
  { label: "greedy", note: "1 move ahead", text: "greedy" },
  { label: "random", text: "random" },
];

// agentOf makes an agent of a spec. The slider sets a network's simulations, unless its spec has options.
const agentOf = (text, label = text, note = "", elo) => /^(zoo|net:("(\\.|[^"\\])*"[^,]*|[^,]+))$/.test(text)
  ? {
    label, note, elo, spec: text, text: (simulations) => simulations > 0 ? `${text},sims=${simulations}` : `policy:${text.replace("net:", "")},solve=0`,
    weakText: (elo) => `${text},elo=${elo}`,
  }
  : { label, note, spec: text, text };

// shippedAgent makes the agent that comes with the program, for the games that have one. elo is its rating; 0: not rated. trainedOn is
// the game that it was trained on, if that is another size.
const shippedAgent = (elo, trainedOn) => agentOf("zoo", "shipped agent", trainedOn ? `of ${trainedOn}` : elo ? `${Math.round(elo)} Elo` : "", elo || undefined);

// open opens the page of a game.
const open = (game) => location.assign(`/?${new URLSearchParams({ game })}`);

// offerGames fills the form for choosing a game: a list, and a text field for other sizes. A mouse opens the chosen game at once;
// arrow keys change the choice at every step, so a button appears.
// summaries say what one plays, by name; the list shows them beside the names of other games than the chosen one, whose rules are open.
// patterns are { sizes, defaults }, such as hex(size=2..19) and hex(size=11). check(name) returns a promise that is rejected if there is
// no such game; the form then shows the error.
function offerGames(form, games, game, summaries, patterns, check) {
  const sizes = form.querySelector("div"), select = form.querySelector("select"), field = form.querySelector("input"), button = form.querySelector("button");
  const wrong = form.querySelector("[role=alert]");
  for (const name of new Set([...games, game])) make(select, "option", { value: name }, name === game || !summaries[name] ? name : `${name}: ${summaries[name]}`);
  make(select, "option", { value: "" }, "another size …");
  select.value = game;
  let keys = false;
  select.addEventListener("keydown", () => { keys = true; });
  select.addEventListener("pointerdown", () => { keys = false; });
  make(sizes, "p", {}, "4..11 means from 4 to 11; cut|left means cut or left. What you leave out keeps its default, as in hex(size=9).");
  for (const pattern of patterns) {
    make(sizes, "code", {}, pattern.sizes);
    make(sizes, "small", {}, `default: ${pattern.defaults.replace(/^[^(]*\(|\)$/g, "").replaceAll(",", ", ")}`);
  }
  select.addEventListener("change", () => {
    const written = select.value === "";
    wrong.textContent = "";
    field.hidden = sizes.hidden = !written;
    button.hidden = !written && (!keys || select.value === game);
    if (keys) return;
    if (written) field.focus();
    else open(select.value);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = select.value || field.value.trim();
    wrong.textContent = "";
    try {
      await check(name);
      open(name);
    } catch (error) {
      wrong.textContent = sentence(error.message);
      field.focus();
    }
  });
}

// offerAgent handles the form for an agent spec. add(spec) returns a promise; if it is rejected, the form shows the error. limits are
// the server's.
function offerAgent(form, hasShipped, limits, add) {
  const field = form.querySelector("input"), note = form.querySelector("[role=alert]"), button = form.querySelector("[type=submit]");
  for (const [spec, meaning] of examples.filter(([spec]) => hasShipped || !spec.startsWith("zoo"))) {
    const term = make(make(form.querySelector("dl"), "dt"), "button", { type: "button" }, spec);
    term.addEventListener("click", () => { field.value = spec; field.focus(); });
    make(form.querySelector("dl"), "dd", {}, meaning);
  }
  const { simulations, nodes, depth, seconds } = limits ?? {};
  form.querySelector(".limits").textContent = limits
    ? `At most ${count(simulations)} simulations, ${count(nodes)} solver nodes, depth ${depth} or ${seconds} s per move.` : "";
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = field.value.trim();
    note.textContent = "Preparing the agent …";
    button.disabled = true;
    try {
      await add(text);
      note.textContent = `${text} is your opponent now.`;
    } catch (error) {
      note.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  });
}

// canonicalName returns a game's canonical name, or undefined if there is no such game.
const canonicalName = (engine, game) => engine.describe({ game }).then((description) => description.game, () => undefined);

// adviseToTrain says in parent how to train an agent of a game.
function adviseToTrain(parent, game) {
  const note = make(parent, "p", { class: "note" }, `There is no trained agent of ${game} yet. `);
  make(note, "code", {}, `ludus train ${game.includes("(") ? `"${game}"` : game}`);
  note.append(" trains one.");
}

const trainedGenerations = 10; // a checkpoint without a score counts as trained from this generation on

// agentOfCheckpoint makes the agent of the checkpoint of a generation of a run. Its note says how strong it is. name is the
// generation's.
function agentOfCheckpoint(text, label, { untrained, scores = [] }, generation, name = `gen. ${generation}`) {
  if (untrained) return agentOf(text, label, "untrained");
  const score = scores.find((s) => s.generation === generation);
  if (!score) return agentOf(text, label, generation < trainedGenerations ? "untrained" : name);
  return agentOf(text, label, [`${Math.round(100 * score.value)} % ${against(score)}`, name].filter(Boolean).join(", "));
}

// agentOfRun makes the agent of a run: of its newest checkpoint, unless ratings say that another is the best.
const agentOfRun = (run) => run.best ? agentOf(run.best, run.title, "best checkpoint") : agentOfCheckpoint(run.agent, run.title, run, run.generation);

// wished makes the agent of a spec. Its label is short, and has a note, if it is an agent of one of the runs.
function wished(text, runs, shipped) {
  if (text === "zoo" && shipped) return shipped;
  for (const run of runs) {
    if (text === (run.best || run.agent)) return agentOfRun(run);
    const at = text.startsWith(run.agent) ? text.slice(run.agent.length) : undefined;
    if (at === "") return agentOfCheckpoint(text, `${run.title}@newest`, run, run.generation);
    if (/^@\d+$/.test(at)) return agentOfCheckpoint(text, run.title + at, run, Number(at.slice(1)), "");
  }
  return agentOf(text);
}

// opponents returns the agents to choose from, wishes first. Then come trained runs, those with the best scores first, with the shipped
// agent before those that are not better than it beyond chance; then baselines, and last untrained runs. shipped is undefined if no agent
// is shipped.
function opponents(own, shipped, wishes) {
  const trained = own.filter(({ untrained }) => !untrained);
  const scored = trained.filter(({ score }) => score).sort((a, b) => b.score.low - a.score.low);
  const better = scored.filter(({ score }) => !shipped || (score.opponent === "zoo" && score.low > 0.5));
  const agents = [
    ...wishes,
    ...better.map(agentOfRun),
    ...shipped ? [shipped] : [],
    ...scored.filter((run) => !better.includes(run)).map(agentOfRun),
    ...trained.filter(({ score }) => !score).map(agentOfRun),
    ...baselines,
    ...own.filter(({ untrained }) => untrained).map(agentOfRun),
  ];
  return agents.filter(({ label }, i) => i === agents.findIndex((agent) => agent.label === label));
}

async function start() {
  const engine = engineOverHTTP("/api", (text) => { byId("message").textContent = text; });
  const more = document.createElement("div");
  // Playing works without these lists.
  let listed = true; // both lists have come
  const list = (path, none) => getJSON(path).catch((error) => { listed = false; make(more, "p", { class: "note" }, error.message); return none; });
  const { runs } = await list("/api/runs", { runs: [] });
  runs.sort((a, b) => (b.changed || 0) - (a.changed || 0)); // the newest run first
  const first = runs.find((run) => run.agent && !run.untrained)?.game || "quad-5x5"; // as in the README
  const asked = query.get("game") || first, known = await canonicalName(engine, asked);
  const game = known ?? asked; // of an unknown game the app shows the error
  const { games, summaries, zoo, trained_on: trainedOn, patterns, limits } =
    await list(`/api/about?${new URLSearchParams({ game })}`, { games: [], summaries: {}, zoo: {}, patterns: [] });
  const wishes = query.getAll("agent");
  const own = runs.filter((run) => run.agent && run.game === game);
  const shipped = game in zoo ? shippedAgent(zoo[game]) : trainedOn ? shippedAgent(0, trainedOn) : undefined;
  const agents = opponents(own, shipped, wishes.map((text) => wished(text, own, shipped)));
  document.title = `${game}: ludus`;
  more.insertAdjacentHTML("afterbegin", agentForm);
  // findAgent makes the agent of a spec. An error of the server says why there is none.
  const findAgent = async (text) => {
    await engine.dial({ game, agent: text }); // loads it
    wishes.push(text);
    return wished(text, own, shipped);
  };
  const address = () => "?" + new URLSearchParams([["game", game], ...wishes.map((wish) => ["agent", wish])]);
  const app = startPlay(byId("play"), engine, { game, agents, seats: ["person", agents[0].label], useHash: true, more, address, findAgent, onRefused: () => { byId("elsewhere").hidden = false; } });
  const trained = shipped || own.some(({ untrained }) => !untrained) || wishes.some((text) => /^(net|policy):/.test(text));
  const ofSheet = game.startsWith("gdl("); // which file it came from is not known here
  if (known && !ofSheet && !trained && listed) adviseToTrain(byId("swap").parentElement, game);
  offerGames(byId("choose-game"), [...games, ...runs.filter((run) => run.agent).map((run) => run.game)], game, summaries, patterns,
    (name) => engine.describe({ game: name }));
  offerAgent(more.querySelector("form"), Boolean(shipped), limits, async (text) => app.addAgent(await findAgent(text), 1));
}

start();
