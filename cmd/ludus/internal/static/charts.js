// Curves, drawn by uPlot, which a page loads as a script of its own before this one. A chart is what report.Chart writes:
// { title, x, unit, low, high, lines: [{ name, colour, dashed, dots, x: [...], y: [...], low, high }] }.
import { colour, faint, grouped, number, onTheme } from "./dom.js";

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

// axisWidth is that of the y axis: its longest text has room.
const axisWidth = (plot, texts) => Math.max(52, ...(texts || []).map((text) => 7.5 * text.length + 16));

// range leaves some room around the values where the chart sets no bound.
function range(chart) {
  return (plot, low, high) => {
    if (low == null) return [0, 1];
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [chart.low ?? low - room, chart.high ?? high + room];
  };
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

// tellNewest makes the legend tell the newest values while the mouse is away from the curve.
function tellNewest(plot) {
  if (plot.cursor.idx == null) plot.setLegend({ idxs: plot.data.map((column) => column.findLastIndex((y) => y != null)) });
}

// drawChart makes a plot in place; options are uPlot's that differ from the usual ones.
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
    series: [{ label: chart.x, value: (plot, x) => x == null ? "–" : grouped(String(Number(x.toFixed(2)))) }, ...columns.map((c, i) => seriesOf(c, i + 1, chart.unit))],
    legend: { markers: { fill: (plot, i) => plot.series[i].dash ? "transparent" : plot.series[i].stroke() } },
    cursor: { drag: { x: true, y: false }, points: { size: 7 }, dataIdx: nearest },
    hooks: { setCursor: [tellNewest] },
    ...options,
  }, table, place);
}

// keepDrawn draws a plot now, again when the theme changes, and to its place's width. It returns plot(), the plot of now,
// again(), which draws it anew, and stop(), after which it is drawn no more.
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

// liveChart draws a chart that grows: show(chart) takes new points of the same lines in place, keeping the reader's zoom
// where there is one, and draws anew where the lines are others. stop() is keepDrawn's.
export function liveChart(place, first) {
  let chart = first;
  const kept = keepDrawn(place, () => drawChart(place, chart));
  const shape = (c) => JSON.stringify(c.lines.map((line) => [line.name, line.colour, line.dashed, line.dots, Boolean(line.low)]));
  const zoomed = ({ data: [xs], scales: { x } }) => xs.length > 0 && (x.min > xs[0] || x.max < xs.at(-1));
  function show(next) {
    const same = shape(next) === shape(chart);
    chart = next;
    if (!same) { kept.again(); return; }
    const plot = kept.plot(), keep = zoomed(plot);
    plot.setData(joined(columnsOf(chart.lines)), !keep);
    if (keep) plot.redraw();
    tellNewest(plot);
  }
  return { show, stop: kept.stop };
}
