"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);

  // make returns a new element with attributes, in the namespace of parent, as parent's last child.
  function make(parent, name, attributes = {}, text) {
    const child = document.createElementNS(parent.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
    if (text !== undefined) child.textContent = text;
    parent.appendChild(child);
    return child;
  }

  // grouped writes a number with thin spaces between thousands.
  const grouped = (text) => text.replace(/\d{5,}(?=$|\.)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));

  // number writes a value as the tables do.
  function number(x) {
    if (x == null) return "–";
    const a = Math.abs(x);
    if (a >= 100) return grouped(x.toFixed(0));
    if (a >= 10) return x.toFixed(1);
    if (a >= 1) return x.toFixed(2);
    return String(Number(x.toPrecision(3)));
  }

  // utility writes what a position or a move is worth, from -1 to 1.
  const utility = (x) => x == null ? "–" : x.toFixed(3).replace(/^-0\.000$/, "0.000");

  // ---- light and dark

  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme || (systemDark.matches ? "dark" : "light")) === "dark";

  function remember(theme) {
    try { localStorage.setItem("ludus-theme", theme); } catch { /* a browser may refuse files a memory */ }
  }

  function remembered() {
    try { return localStorage.getItem("ludus-theme"); } catch { return null; }
  }

  function showTheme() {
    byId("theme").textContent = isDark() ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", `switch to ${isDark() ? "light" : "dark"} colours`);
    for (const redraw of redraws) redraw();
  }

  // colour is what a custom property comes to now, for a canvas.
  function colour(name) {
    const probe = make(document.body, "span", { hidden: "" });
    probe.style.color = `var(--${name})`;
    const value = getComputedStyle(probe).color;
    probe.remove();
    return value;
  }

  const faint = (rgb) => rgb.replace(/^rgb\((.*)\)$/, "rgba($1, 0.18)");

  // ---- curves

  const redraws = []; // draw every curve again, in the colours of now
  const palette = 6;
  const wholeSteps = Array.from({ length: 8 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

  // joined puts lines over one list of x: [x, y of line 0, y of line 1, ...], null where a line has no point.
  function joined(columns) {
    const x = [...new Set(columns.flatMap((c) => c.x))].sort((a, b) => a - b);
    const place = new Map(x.map((value, i) => [value, i]));
    return [x, ...columns.map((c) => {
      const y = new Array(x.length).fill(null);
      c.x.forEach((value, i) => { y[place.get(value)] = c.y[i]; });
      return y;
    })];
  }

  // columnsOf are a chart's lines and, after each that has an interval, its two bounds.
  function columnsOf(lines) {
    return lines.flatMap((line) => line.low
      ? [{ ...line, bounded: true }, { x: line.x, y: line.low, bound: line }, { x: line.x, y: line.high, bound: line }]
      : [line]);
  }

  // seriesOf describes a column to uPlot.
  function seriesOf(column, i, unit) {
    if (column.bound) return { class: "band", stroke: "transparent", points: { show: false }, spanGaps: true };
    const stroke = colour(`c${column.colour % palette}`);
    const value = (plot, y, series, at) => {
      if (y == null) return "–";
      const interval = column.bounded ? ` (${number(plot.data[i + 1][at])} to ${number(plot.data[i + 2][at])})` : "";
      return `${number(y)}${interval}${unit ? " " + unit : ""}`;
    };
    return {
      label: column.name, stroke, width: 1.75, spanGaps: true, value,
      dash: column.dashed ? [6, 4] : undefined,
      points: { show: Boolean(column.dots) && !column.dashed, size: 5, fill: stroke },
    };
  }

  const tickTexts = (plot, ticks) => ticks.map((t) => grouped(String(Number(t.toPrecision(10)))));

  function axis(label) {
    const quiet = colour("quiet"), edge = colour("edge");
    return {
      stroke: quiet, grid: { stroke: edge, width: 1 }, ticks: { stroke: edge, width: 1 }, font: "12px system-ui, sans-serif",
      label, labelFont: "12px system-ui, sans-serif", labelSize: 18, labelGap: 0, size: 30, values: tickTexts,
    };
  }

  // widthOf is that of the y axis: its longest text has room.
  const widthOf = (plot, texts) => Math.max(52, ...(texts || []).map((text) => 7.5 * text.length + 16));

  // range leaves some room around the values where the chart sets no bound.
  function range(chart) {
    return (plot, low, high) => {
      if (low == null) return [0, 1];
      const room = (high - low || Math.abs(high) || 1) * 0.06;
      return [chart.low ?? low - room, chart.high ?? high + room];
    };
  }

  // over is what curves by generation are drawn over; another choice than generations is there where runs are compared.
  let over = "generation";
  const axisNames = { games: "games", seconds: "seconds of training" };

  function placed(chart) {
    if (over === "generation" || !chart.lines[0].games) return chart;
    return { ...chart, x: axisNames[over], lines: chart.lines.map((line) => ({ ...line, x: line[over] })) };
  }

  function chooseAxis(event) {
    over = event.target.value;
    for (const redraw of redraws) redraw();
  }

  // nearest chooses what a line's readout tells at x, the table's column i having no value there: that of the line's point
  // closest to x, or none before the line begins and after it ends. Runs side by side have few x in common.
  function nearest(plot, i, at, x) {
    const column = plot.data[i], xs = plot.data[0];
    if (column[at] != null) return at;
    const after = column.findIndex((y, k) => k > at && y != null);
    const before = column.findLastIndex((y, k) => k < at && y != null);
    if (before < 0 || after < 0) return at;
    return x - xs[before] <= xs[after] - x ? before : after;
  }

  // draw makes a plot in place; options are uPlot's that differ from the usual ones.
  function draw(place, chart, options = {}) {
    const columns = columnsOf(chart.lines);
    const table = joined(columns);
    const bands = columns.flatMap((c, i) =>
      c.bounded ? [{ series: [i + 3, i + 2], fill: faint(colour(`c${c.colour % palette}`)) }] : []);
    const newest = table.map((column) => column.findLastIndex((y) => y != null));
    place.replaceChildren();
    return new uPlot({
      width: place.clientWidth, height: 230, bands,
      scales: { x: { time: false }, y: { range: range(chart) } },
      axes: [{ ...axis(chart.x), ...(table[0].every(Number.isInteger) && { incrs: wholeSteps }) }, { ...axis(), size: widthOf }],
      series: [{ label: chart.x, value: (plot, x) => x == null ? "–" : grouped(String(Number(x.toFixed(2)))) }, ...columns.map((c, i) => seriesOf(c, i + 1, chart.unit))],
      legend: { markers: { fill: (plot, i) => plot.series[i].dash ? "transparent" : plot.series[i].stroke() } },
      cursor: { drag: { x: true, y: false }, points: { size: 7 }, dataIdx: nearest },
      // Away from the curve the legend tells the newest values.
      hooks: { setCursor: [(plot) => { if (plot.cursor.idx == null) plot.setLegend({ idxs: newest }); }] },
      ...options,
    }, table, place);
  }

  // keepDrawn draws a plot now, again when the theme changes, and to its place's width.
  function keepDrawn(place, make) {
    let plot = make();
    redraws.push(() => { plot.destroy(); plot = make(); });
    new ResizeObserver(() => {
      if (place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: plot.height });
    }).observe(place);
    return () => plot;
  }

  function showCharts() {
    for (const figure of document.querySelectorAll("[data-chart]")) {
      const place = figure.querySelector(".plot");
      const chart = data.charts[figure.dataset.chart];
      if (!place) continue;
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", `${chart.title} by ${chart.x}; the newest figures stand in the table below`);
      keepDrawn(place, () => draw(place, placed(chart)));
    }
  }

  // ---- games

  function showGames() {
    const { board, samples } = data.games;
    const width = board.columns.length, height = board.rows.length;
    const svg = byId("board");
    const viewer = document.querySelector(".viewer");
    let sample = samples[0], at = 0, curve;

    const margin = 0.55; // for labels
    const x = (cell) => margin + (cell % width) + 0.5;
    const y = (cell) => {
      const row = Math.floor(cell / width);
      return (board.topDown ? margin + row : height - 1 - row) + 0.5;
    };

    function drawGrid() {
      svg.setAttribute("viewBox", `0 0 ${width + margin + 0.1} ${height + margin + 0.1}`);
      svg.replaceChildren();
      board.cells.forEach((exists, cell) => {
        if (exists) make(svg, "rect", { class: "cell", x: x(cell) - 0.48, y: y(cell) - 0.48, width: 0.96, height: 0.96, rx: 0.08 });
      });
      board.rows.forEach((text, row) => make(svg, "text", { class: "label", x: margin / 2, y: y(row * width) }, text));
      board.columns.forEach((text, column) =>
        make(svg, "text", { class: "label", x: x(column), y: board.topDown ? margin / 2 : height + margin / 2 }, text));
    }

    // drawPiece draws discs, with a hole for the second player and square for nobody, so that colour is not all.
    function drawPiece(cell, kind) {
      const piece = board.pieces[kind - 1];
      const names = `piece side${piece.side} named-${piece.name}`;
      if (piece.side === 2) {
        make(svg, "rect", { class: "piece side2", x: x(cell) - 0.27, y: y(cell) - 0.27, width: 0.54, height: 0.54, rx: 0.08 });
        return;
      }
      make(svg, "circle", { class: names, cx: x(cell), cy: y(cell), r: 0.34 });
      if (piece.side === 1) make(svg, "circle", { class: "hole", cx: x(cell), cy: y(cell), r: 0.13 });
    }

    // drawArrow leads from the edge of one cell's piece to the other cell's middle.
    function drawArrow(from, to, width, names, opacity) {
      const dx = x(to) - x(from), dy = y(to) - y(from), length = Math.hypot(dx, dy);
      const ux = dx / length, uy = dy / length, head = 0.1 + width;
      const ex = x(to) - ux * (0.12 + head), ey = y(to) - uy * (0.12 + head);
      const group = make(svg, "g", { opacity });
      make(group, "path", { class: `arrow ${names}`, "stroke-width": width, d: `M${x(from) + ux * 0.3} ${y(from) + uy * 0.3}L${ex} ${ey}` });
      const points = [[ex + ux * head, ey + uy * head], [ex - uy * head * 0.6, ey + ux * head * 0.6], [ex + uy * head * 0.6, ey - ux * head * 0.6]];
      make(group, "polygon", { class: `head ${names.replace("arrow", "head")}`, points: points.map((p) => p.join(",")).join(" ") });
    }

    // drawMoves shows the search's visits: shaded cells for pieces placed, arrows for pieces moved, strongest where most is.
    function drawMoves(position) {
      const shown = position.moves.filter((m) => m.to >= 0 && m.visits > 0).sort((a, b) => b.visits - a.visits);
      const placed = shown.length > 0 && shown[0].from < 0;
      const sums = new Map(); // by cell: several moves may lead to one
      for (const m of shown) sums.set(m.to, (sums.get(m.to) || 0) + m.visits);
      const most = placed ? Math.max(...sums.values()) : shown[0]?.visits;
      if (placed) {
        for (const [cell, visits] of sums) {
          make(svg, "rect", { class: "heat", x: x(cell) - 0.48, y: y(cell) - 0.48, width: 0.96, height: 0.96, rx: 0.08, opacity: 0.1 + 0.6 * visits / most });
        }
      } else {
        for (const m of shown) drawArrow(m.from, m.to, 0.04 + 0.08 * m.visits / most, "", 0.45 + 0.5 * m.visits / most);
      }
      const played = position.moves[position.played];
      if (played.to >= 0 && played.from >= 0) drawArrow(played.from, played.to, 0.08, "played-arrow", 1);
      if (played.to >= 0) make(svg, "rect", { class: "played-ring", x: x(played.to) - 0.45, y: y(played.to) - 0.45, width: 0.9, height: 0.9, rx: 0.08 });
      for (const [cell, visits] of sums) make(svg, "text", { class: "visits", x: x(cell), y: y(cell) + (placed ? 0 : 0.33) }, visits);
    }

    function drawPosition() {
      const position = sample.positions[at];
      drawGrid();
      [...position.pieces].forEach((kind, cell) => { if (kind !== "0") drawPiece(cell, Number(kind)); });
      if (at > 0) {
        const before = sample.positions[at - 1];
        const last = before.moves[before.played];
        for (const cell of [last.from, last.to]) {
          if (cell >= 0) make(svg, "rect", { class: "last", x: x(cell) - 0.45, y: y(cell) - 0.45, width: 0.9, height: 0.9, rx: 0.08 });
        }
      }
      if (position.moves) drawMoves(position);
      svg.setAttribute("aria-label", `Board: ${position.status}`);
    }

    function tellThoughts() {
      const position = sample.positions[at];
      const names = board.players;
      const body = byId("moves").querySelector("tbody");
      body.replaceChildren();
      const over = !position.moves;
      byId("moves").hidden = over;
      byId("status").textContent = position.status;
      byId("value").textContent = `Value for ${names[0]}: ${utility(position.value)}${over ? "" : position.proven ? ", proven" : ""}`;
      byId("unsearched").textContent = "";
      if (over) return;
      const most = 8;
      const shown = position.moves.filter((m, i) => i < most || i === position.played);
      for (const m of shown) {
        const row = make(body, "tr");
        const played = m === position.moves[position.played];
        if (played) row.className = "played";
        make(row, "th", { scope: "row" }, m.text + (played ? " ●" : ""));
        make(row, "td", { class: "figure" }, m.visits);
        make(row, "td", { class: "figure" }, utility(m.value));
        make(row, "td", { class: "figure" }, m.prior == null ? "–" : `${(100 * m.prior).toFixed(1)} %`);
      }
      const rest = position.legal - shown.length;
      const by = position.by ? "drawn at random" : `by ${sample.players[position.player]}`;
      byId("unsearched").textContent = `● played, ${by}. Values here are for ${names[position.player]}, who is to move. ` +
        (rest > 0 ? `${rest} other legal ${rest === 1 ? "move was" : "moves were"} searched less or not at all.` : "");
    }

    function listRecord() {
      const record = byId("record");
      record.replaceChildren();
      sample.positions.forEach((position, ply) => {
        const button = make(make(record, "li"), "button", { type: "button", "data-ply": ply });
        if (!position.moves) {
          make(button, "span", {}, `${board.players[0]} ${sample.goals[0]}, ${board.players[1]} ${sample.goals[1]}`);
        } else {
          make(button, "span", {}, `${ply + 1}. ${position.moves[position.played].text}`);
          make(button, "span", { class: "who" }, board.players[position.player]);
        }
        button.addEventListener("click", () => go(ply));
      });
    }

    function markRecord() {
      for (const button of byId("record").querySelectorAll("button")) {
        const now = Number(button.dataset.ply) === at;
        button.classList.toggle("now", now);
        if (!now) { button.removeAttribute("aria-current"); continue; }
        button.setAttribute("aria-current", "step");
        const list = byId("record"), top = button.offsetTop - list.offsetTop; // never scroll the page itself
        if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
      }
    }

    const valueChart = () => ({
      x: "ply", unit: "", low: -1.05, high: 1.05,
      lines: [{ name: `value for ${board.players[0]}`, colour: 0, x: sample.positions.map((p, i) => i), y: sample.positions.map((p) => p.value), dots: true }],
    });

    // drawNow marks the position shown on the curve of values.
    function drawNow(plot) {
      const left = plot.valToPos(at, "x", true), { top, height } = plot.bbox;
      plot.ctx.save();
      plot.ctx.strokeStyle = colour("c1");
      plot.ctx.lineWidth = 2 * devicePixelRatio;
      plot.ctx.beginPath();
      plot.ctx.moveTo(left, top);
      plot.ctx.lineTo(left, top + height);
      plot.ctx.stroke();
      plot.ctx.restore();
    }

    function drawValues() {
      const plot = draw(byId("values"), valueChart(), { height: 150, legend: { show: false }, hooks: { draw: [drawNow] } });
      plot.over.addEventListener("click", () => { if (plot.cursor.idx != null) go(plot.cursor.idx); });
      return plot;
    }

    function go(ply) {
      at = Math.min(Math.max(ply, 0), sample.positions.length - 1);
      byId("ply").textContent = `ply ${at} of ${sample.positions.length - 1}`;
      for (const button of viewer.querySelectorAll("[data-go]")) {
        const back = button.dataset.go === "first" || button.dataset.go === "back";
        button.disabled = back ? at === 0 : at === sample.positions.length - 1;
      }
      drawPosition();
      tellThoughts();
      markRecord();
      curve().redraw(false);
    }

    const steps = {
      first: () => go(0), back: () => go(at - 1), next: () => go(at + 1), last: () => go(sample.positions.length - 1),
    };
    const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" };

    samples.forEach((s, i) => make(byId("game"), "option", { value: i }, `${s.title}: ${s.goals[0]} to ${s.goals[1]}`));
    byId("game").addEventListener("change", (event) => {
      sample = samples[event.target.value];
      curve().setData([sample.positions.map((p, i) => i), sample.positions.map((p) => p.value)]);
      listRecord();
      go(0);
    });
    for (const button of viewer.querySelectorAll("[data-go]")) button.addEventListener("click", () => steps[button.dataset.go]());
    viewer.addEventListener("keydown", (event) => {
      if (event.target.tagName === "SELECT" || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
      event.preventDefault();
      steps[keys[event.key]]();
    });
    curve = keepDrawn(byId("values"), drawValues);
    listRecord();
    go(0);
  }

  const theme = remembered();
  if (theme === "dark" || theme === "light") root.dataset.theme = theme;
  showCharts();
  if (data.games) showGames();
  showTheme();
  if (byId("axis")) byId("axis").addEventListener("change", chooseAxis);
  byId("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember(root.dataset.theme);
    showTheme();
  });
  systemDark.addEventListener("change", showTheme);
})();
