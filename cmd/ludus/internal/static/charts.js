// Charts, drawn by uPlot, which a page loads as a script before this one. A chart is what report.Chart of the server writes:
// { title, x, unit, min, max, lines: [{ name, colour, dashed, dots, x: [...], y: [...], low, high }] }.
import { colour, faint, onTheme } from "./dom.js";
import { grouped, quantity } from "./format.js";

const palette = 6;
const wholeSteps = Array.from({ length: 8 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

// joined aligns lines over one list of x: [x, y of line 0, y of line 1, ...], with null where a line has no point.
function joined(columns) {
  const x = [...new Set(columns.flatMap((c) => c.x))].sort((a, b) => a - b);
  const place = new Map(x.map((value, i) => [value, i]));
  return [x, ...columns.map((c) => {
    const y = new Array(x.length).fill(null);
    c.x.forEach((value, i) => { y[place.get(value)] = c.y[i]; });
    return y;
  })];
}

// columnsOf returns a chart's lines, each with an interval followed by its two bounds.
function columnsOf(lines) {
  return lines.flatMap((line) => line.low
    ? [{ ...line, bounded: true }, { x: line.x, y: line.low, bound: line }, { x: line.x, y: line.high, bound: line }]
    : [line]);
}

// seriesOf is the uPlot series of a column.
function seriesOf(column, i, unit) {
  if (column.bound) return { class: "band", stroke: "transparent", points: { show: false }, spanGaps: true };
  const stroke = colour(`c${column.colour % palette}`);
  const value = (plot, y, series, at) => {
    if (y == null) return "–";
    return quantity(y, unit, ...(column.bounded ? [plot.data[i + 1][at], plot.data[i + 2][at]] : []));
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

// axisWidth is the width of the y axis, enough for its longest text.
const axisWidth = (plot, texts) => Math.max(52, ...(texts || []).map((text) => 7.5 * text.length + 16));

// range is the y axis: the chart's own bounds, else the values with some room around them.
function range(chart) {
  return (plot, low, high) => {
    if (low == null) return [0, 1];
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [chart.min ?? low - room, chart.max ?? high + room];
  };
}

// nearest returns the index of the point whose value the legend shows for column i at x: the closest point of the line, or none
// before its start and after its end. Runs side by side have few x in common.
function nearest(plot, i, at, x) {
  const column = plot.data[i], xs = plot.data[0];
  if (column[at] != null) return at;
  const after = column.findIndex((y, k) => k > at && y != null);
  const before = column.findLastIndex((y, k) => k < at && y != null);
  if (before < 0 || after < 0) return at;
  return x - xs[before] <= xs[after] - x ? before : after;
}

// showNewest makes the legend show the newest values while the mouse is elsewhere.
function showNewestValues(plot) {
  if (plot.cursor.idx == null) plot.setLegend({ idxs: plot.data.map((column) => column.findLastIndex((y) => y != null)) });
}

// drawChart makes a uPlot in place; options override those chosen here.
export function drawChart(place, chart, options = {}) {
  const columns = columnsOf(chart.lines);
  const table = joined(columns);
  const bands = columns.flatMap((c, i) =>
    c.bounded ? [{ series: [i + 3, i + 2], fill: faint(colour(`c${c.colour % palette}`)) }] : []);
  place.replaceChildren();
  return new uPlot({
    width: place.clientWidth, height: 230, bands,
    scales: { x: { time: false }, y: { range: range(chart) } },
    axes: [{ ...axis(chart.x), ...(table[0].every(Number.isInteger) && { incrs: wholeSteps }) }, { ...axis(), size: axisWidth }],
    series: [{ label: chart.x, value: (plot, x) => x == null ? "–" : grouped(String(Number(x.toFixed(x < 100 ? 2 : 0)))) }, ...columns.map((c, i) => seriesOf(c, i + 1, chart.unit))],
    legend: { markers: { fill: (plot, i) => plot.series[i].dash ? "transparent" : plot.series[i].stroke() } },
    cursor: { drag: { x: true, y: false }, points: { size: 7 }, dataIdx: nearest },
    hooks: { setCursor: [showNewestValues] },
    ...options,
  }, table, place);
}

// keepDrawn draws a plot, redraws it when the theme changes, and fits it to its place's width. It returns plot(), the current plot,
// again(), which redraws it, and stop(), which removes it.
export function keepDrawn(place, makePlot) {
  let plot = makePlot();
  const again = () => { plot.destroy(); plot = makePlot(); };
  const forget = onTheme(again);
  const observer = new ResizeObserver(() => {
    if (place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: plot.height });
  });
  observer.observe(place);
  return { plot: () => plot, again, stop() { forget(); observer.disconnect(); plot.destroy(); } };
}

const reach = 16; // pixels from a point in which a click is meant for it

// linkPoints opens addressOf(x) when a point of a line is clicked. Points without an address are no links. lineOf() returns the line.
function linkPoints(plot, lineOf, addressOf) {
  let pressed;
  const near = ({ clientX, clientY }) => {
    const { left, top } = plot.over.getBoundingClientRect(), { x, y } = lineOf();
    const far = x.map((at, i) => addressOf(at) ? Math.hypot(left + plot.valToPos(at, "x") - clientX, top + plot.valToPos(y[i], "y") - clientY) : Infinity);
    const least = Math.min(...far);
    return least < reach ? addressOf(x[far.indexOf(least)]) : undefined;
  };
  plot.over.addEventListener("mousemove", (event) => { plot.over.style.cursor = near(event) ? "pointer" : ""; });
  plot.over.addEventListener("mousedown", ({ clientX }) => { pressed = clientX; });
  plot.over.addEventListener("click", (event) => {
    const address = near(event), dragged = Math.abs(event.clientX - pressed) > 3; // to zoom
    if (address && !dragged) location.assign(address);
  });
}

// liveChart draws a chart that changes: show(chart) updates the points and keeps the reader's zoom, or redraws the chart if it
// has other lines. stop() removes it. With addressOf, the points of the first line are links; see linkPoints.
export function liveChart(place, first, addressOf) {
  let chart = first;
  const kept = keepDrawn(place, () => {
    const plot = drawChart(place, chart);
    if (addressOf) linkPoints(plot, () => chart.lines[0], addressOf);
    return plot;
  });
  const shape = (c) => JSON.stringify([c.x, c.lines.map((line) => [line.name, line.colour, line.dashed, line.dots, Boolean(line.low)])]);
  const zoomed = ({ data: [xs], scales: { x } }) => xs.length > 0 && (x.min > xs[0] || x.max < xs.at(-1));
  function show(next) {
    const same = shape(next) === shape(chart);
    chart = next;
    if (!same) { kept.again(); return; }
    const plot = kept.plot(), keep = zoomed(plot);
    plot.setData(joined(columnsOf(chart.lines)), !keep);
    if (keep) plot.redraw();
    showNewestValues(plot);
  }
  return { show, stop: kept.stop };
}
