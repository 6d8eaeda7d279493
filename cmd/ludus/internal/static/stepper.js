// Stepping through a game that was played, by the buttons and keys of .viewer, the list #record and the curve #values.
import { byId, colour, make, plain } from "./dom.js";
import { drawChart, keepDrawn } from "./charts.js";

const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

export class Stepper {
  // show() is called whenever another position, number at, has been stepped to.
  constructor(show) {
    this.show = show;
    this.at = 0;
    const viewer = document.querySelector(".viewer");
    this.buttons = [...viewer.querySelectorAll("[data-go]")];
    for (const button of this.buttons) button.addEventListener("click", () => this.step(button.dataset.go));
    viewer.addEventListener("keydown", (event) => {
      if (event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
      event.preventDefault();
      this.step(keys[event.key]);
    });
  }

  // open begins another game: the names of its players, its moves { text, player }, the goals that it ended with, and the first
  // player's values of the positions, one more than moves, null or undefined where one is not known.
  open(players, moves, goals, values) {
    this.last = moves.length;
    this.list(players, moves, goals);
    this.drawValues(values, `value for ${players[0]}`);
    this.go(0);
  }

  step(where) {
    if (this.last !== undefined) this.go({ first: 0, back: this.at - 1, next: this.at + 1, last: this.last }[where]);
  }

  go(ply) {
    this.at = Math.min(Math.max(ply, 0), this.last);
    byId("ply").textContent = `ply ${this.at} of ${this.last}`;
    for (const button of this.buttons) {
      const back = button.dataset.go === "first" || button.dataset.go === "back";
      button.disabled = this.at === (back ? 0 : this.last);
    }
    this.mark();
    if (this.curve) this.curve.plot().redraw(false);
    this.show();
  }

  list(players, moves, goals) {
    byId("record").replaceChildren();
    const add = (ply, text, who) => {
      const button = make(make(byId("record"), "li"), "button", { type: "button", "data-ply": ply });
      make(button, "span", {}, text);
      if (who) make(button, "span", { class: "who" }, who);
      button.addEventListener("click", () => this.go(ply));
    };
    moves.forEach(({ text, player }, ply) => add(ply, `${ply + 1}. ${plain(text)}`, players[player]));
    add(moves.length, `${players[0]} ${goals[0]}, ${players[1]} ${goals[1]}`);
  }

  // mark marks the position shown in the list.
  mark() {
    const list = byId("record");
    for (const button of list.querySelectorAll("button")) {
      const now = Number(button.dataset.ply) === this.at;
      button.classList.toggle("now", now);
      if (!now) { button.removeAttribute("aria-current"); continue; }
      button.setAttribute("aria-current", "step");
      const top = button.offsetTop - list.offsetTop; // never scroll the page itself
      if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    }
  }

  drawValues(values, name) {
    if (this.curve) this.curve.stop();
    this.curve = undefined;
    const place = byId("values"), known = [...values.keys()].filter((ply) => values[ply] != null);
    if (known.length < 2) return;
    const chart = {
      x: "ply", unit: "", low: -1.05, high: 1.05,
      lines: [{ name, colour: 0, dots: true, x: known, y: known.map((ply) => values[ply]) }],
    };
    this.curve = keepDrawn(place, () => {
      const plot = drawChart(place, chart, { height: 150, legend: { show: false }, hooks: { draw: [(p) => this.drawNow(p)] } });
      plot.over.addEventListener("click", () => { if (plot.cursor.idx != null) this.go(known[plot.cursor.idx]); });
      return plot;
    });
  }

  // drawNow marks the position shown on the curve.
  drawNow(plot) {
    const left = plot.valToPos(this.at, "x", true), { top, height } = plot.bbox;
    plot.ctx.save();
    plot.ctx.strokeStyle = colour("c1");
    plot.ctx.lineWidth = 2 * devicePixelRatio;
    plot.ctx.beginPath();
    plot.ctx.moveTo(left, top);
    plot.ctx.lineTo(left, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }
}
