// The strength of the agents: a slider for each seat. Nothing here knows the game.
import { make } from "./dom.js";

// Settings of the slider by simulations; 0 is the network alone. Those below the default are for agents without a strength dial.
const searchStrengths = [0, 4, 16, 64, 256, 1024, 4096].map((simulations) => ({ simulations }));
const defaultSimulations = 64; // of networks
const plainSimulations = 1024; // of searches without a network
const units = { sims: "simulations", elo: "elo" }; // keys of a setting, by the option of an agent spec

// An agent is { label, text, weakText, elo }; text is an agent spec or a function that makes one for a number of simulations, 0: network
// alone; weakText, if the agent may have a strength dial, makes one for a rating in Elo; elo, if it is known, is its
// rating with the default simulations.

const leastBlunders = 0.0019; // upper end of the 95 % interval of no blunder in 2,000 positions, as many as are measured

// share writes a share of blunders, which is from 0 to 1, as package agent does.
const share = (x) => x < leastBlunders ? `at most ${share(leastBlunders)}` : `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`;

// textOf returns the spec of an agent with a number of simulations, if it takes one.
export const textOf = (agent, simulations = defaultSimulations) => typeof agent.text === "function" ? agent.text(simulations) : agent.text;

// StrengthSlider sets the strength of the agent in one seat. It is hidden without an agent that it affects. onChange is called after
// people have moved it.
export class StrengthSlider {
  constructor(parent, seat, onChange) {
    this.box = make(parent, "div", { class: "strength", hidden: "" });
    this.label = make(this.box, "label", { for: `strength${seat}` });
    this.slider = make(this.box, "input", { id: `strength${seat}`, type: "range", min: 0, step: 1 });
    this.note = make(this.box, "span", { id: `strength-text${seat}` });
    this.slider.addEventListener("input", () => { this.wanted = this.value; this.show(); });
    this.slider.addEventListener("change", onChange);
    this.offer();
  }

  // value is the setting: { simulations } or, on a strength dial, { elo, low, high }.
  get value() { return this.settings[this.slider.value]; }

  // offer sets up the slider for an agent, the levels of its strength dial and its share of blunders at full strength, as near as
  // possible to the strength that people wanted.
  offer(agent, { levels, blunders } = { levels: [] }) {
    const network = Boolean(agent?.weakText);
    const least = levels.length > 0 ? defaultSimulations : network ? 0 : 1; // only networks play without a search
    const searches = searchStrengths.filter(({ simulations }) => simulations >= least);
    const usual = { simulations: network ? defaultSimulations : plainSimulations };
    const wanted = this.wanted ?? usual;
    const nearest = (list, key) => list.reduce((best, other) => Math.abs(other[key] - wanted[key]) < Math.abs(best[key] - wanted[key]) ? other : best);
    const chosen = wanted.simulations !== undefined ? nearest(searches, "simulations")
      : levels.length > 0 ? nearest(levels, "elo") : searches.find(({ simulations }) => simulations === usual.simulations);
    this.levels = levels;
    this.blunders = blunders;
    this.elo = agent?.elo;
    this.settings = [...levels, ...searches];
    this.slider.max = this.settings.length - 1;
    this.slider.value = this.settings.indexOf(chosen);
    this.box.hidden = typeof agent?.text !== "function";
    this.show();
  }

  show() {
    const { simulations, elo, low, high, word, blunders } = this.value, top = this.elo ?? this.levels.at(-1)?.elo;
    let text = simulations === 0 ? "network alone" : `${simulations} simulations`;
    if (elo !== undefined) text = `weakened to ${elo} Elo (${low} to ${high})`;
    else if (this.levels.length > 0 && simulations > defaultSimulations) text += `, over ${Math.round(top)} Elo`;
    else if (this.levels.length > 0) text += `, full strength (${this.elo ? "" : "over "}${Math.round(top)} Elo)`;
    if (word) text = `${word} (${share(blunders)} blunders), ${text}`;
    else if (this.blunders !== undefined) text = `strongest (at most ${share(Math.max(this.blunders, leastBlunders))} blunders), ${text}`;
    this.slider.title = this.levels.length > 0 ? "Blunders: moves that give value away, in solved positions. Elo above random moves, with its 95 % interval" : "";
    this.note.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
  }

  // playText returns the spec of an agent that plays with this strength.
  playText(agent) {
    const { elo, simulations } = this.value;
    return elo === undefined ? textOf(agent, simulations) : agent.weakText(elo);
  }

  // wantedText writes the strength that people wanted, like the option of an agent spec; "" if they wanted none.
  get wantedText() {
    const unit = Object.keys(units).find((unit) => this.wanted?.[units[unit]] !== undefined);
    return unit ? `${unit}=${this.wanted[units[unit]]}` : "";
  }

  // want reads what wantedText returned.
  want(text) {
    const [, unit, number] = /^(sims|elo)=(\d{1,6})$/.exec(text) || [];
    if (text !== "" && !unit) throw new Error(`“${text.slice(0, 60)}” is no strength; it is like sims=64 or elo=300`);
    this.wanted = unit && { [units[unit]]: Number(number) };
  }
}
