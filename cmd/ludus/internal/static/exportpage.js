// The page of an exported agent. Its engine runs in a worker.

import { byId } from "./dom.js";
import { startPlay } from "./play.js";
import { loadEngine, engineOverWorker } from "./worker.js";

// opponents returns the opponents to choose from, as for startPlay; book is an option of the agent's spec, or "". With 0 simulations the network plays alone, without an exact search.
const opponents = (elo, book) => [
  { label: "agent", elo, text: (simulations) => simulations > 0 ? `net:agent,sims=${simulations}${book}` : `policy:agent,solve=0${book}`, weakText: (elo) => `net:agent,elo=${elo}` },
  { label: "tree search without a network", text: "mcts:1000" },
  { label: "greedy", text: "greedy" },
  { label: "random", text: "random" },
];

const needed = ["WebAssembly", "DecompressionStream", "Worker"].filter((name) => !(name in globalThis));

if (needed.length > 0) {
  byId("play").replaceChildren(byId("unable"));
  byId("unable").hidden = false;
  byId("unable").append(` It lacks ${needed.join(", ")}.`);
} else {
  const { game, dial } = JSON.parse(byId("facts").textContent);
  const engine = engineOverWorker(loadEngine(byId("program"), byId("engine"), byId("weights"), byId("book"), JSON.stringify(dial)));
  startPlay(byId("play"), engine, { game, agents: opponents(dial?.at(-1)?.rating, byId("book") ? ",book=book" : ""), seats: ["person", "agent"], useHash: true, more: byId("who") });
}
