// Draws one chart from what Go made of the results (chart.go): texts and units come from there, so that a figure reads the
// same in a chart and in the table below it.
import {plot, axisFy, axisX, axisY, areaY, barX, dot, gridX, gridY, lineY, ruleX, ruleY, text, tickX, tickY} from "@observablehq/plot";

// Targets are told apart by colour, by mark and by dash: 8 colours, and another dash for the targets that come after.
const COLORS = 8;
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross"];
const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

// Widths in pixels: below NARROW labels of targets are cut, and axes have fewer ticks.
const NARROW = 480;
const CHARACTER = 6.6;
const FONT_SIZE = 12;

// HEADING is the room for the name of the first group of bars, in pixels: headingHeight of chart.go.
const HEADING = 30;

// CENTERED is how horizontal axes are labelled.
const CENTERED = {labelAnchor: "center", labelArrow: "none", labelOffset: 38};

const color = index => `var(--series-${index % COLORS})`;
const symbol = index => SYMBOLS[index % SYMBOLS.length];
const dash = index => DASHES[(index + Math.floor(index / COLORS)) % DASHES.length] || null;

// draw returns the chart as SVG, or null if it has nothing of the metric.
export function draw(chart, metric, width) {
  const data = chart.metrics[metric] ?? chart.metrics.latency;
  if (!data) return null;
  const svg = plot({
    width, height: chart.height, ariaLabel: `${chart.title}. ${data.label}.`, style: {fontSize: `${FONT_SIZE}px`},
    color: {type: "categorical", domain: chart.targets, range: chart.targets.map((_, i) => color(i))},
    symbol: {domain: chart.targets, range: chart.targets.map((_, i) => symbol(i))},
    ...(chart.kind === "bars" ? bars(chart, data, width) : lines(chart, data, width)),
  });
  // Plot adds a style sheet of its own, which the page's Content-Security-Policy forbids; style.css has its rules.
  svg.querySelector("style").remove();
  svg.setAttribute("role", "img");
  // What Plot labels is a part of an image, which has no labels of its own.
  for (const mark of svg.querySelectorAll("[aria-label]")) {
    mark.setAttribute("class", `plot-${mark.getAttribute("aria-label").replaceAll(" ", "-")}`);
    mark.removeAttribute("aria-label");
  }
  return svg;
}

// bars are one for each target, in a group for each choice of parameters, with whiskers from the lowest to the highest.
function bars(chart, {label, points}, width) {
  const shown = chart.targets.filter(t => points.some(p => p.target === t));
  const longest = Math.max(...shown.map(t => t.length)) * CHARACTER + 14;
  const marginLeft = Math.min(longest, width < NARROW ? width * 0.3 : 220);
  const cut = longest > marginLeft ? {textOverflow: "ellipsis", lineWidth: (marginLeft - 8) / FONT_SIZE} : {};
  const largest = Math.max(...points.map(p => p.high), 0);
  // Room for the figure behind the longest bar.
  const end = (largest * (width - marginLeft)) / (width - marginLeft - 90) || 1;
  const whiskers = points.filter(p => p.low < p.high);
  return {
    marginLeft, marginRight: 8, marginTop: HEADING, marginBottom: 44,
    x: {domain: [0, end]},
    y: {domain: shown, label: null, padding: 0.28},
    fy: {domain: chart.groups, paddingInner: chart.groupGap, paddingOuter: 0, label: null},
    marks: [
      gridX({ticks: width < NARROW ? 4 : 6, stroke: "var(--grid)", strokeOpacity: 1}),
      axisX({ticks: width < NARROW ? 4 : 6, tickSize: 0, tickFormat: number, label, ...CENTERED}),
      axisY({tickSize: 0, label: null, ...cut}),
      axisFy({text: null, ariaHidden: "true"}),
      text(chart.groups, {fy: g => g, text: g => g, frameAnchor: "top-left", dx: 4 - marginLeft, dy: -20, fontWeight: 600, textAnchor: "start", textOverflow: "ellipsis", lineWidth: (width - 16) / FONT_SIZE}),
      barX(points, {fy: "group", y: "target", x: "value", fill: "target", title: "text", rx: 2, tip: TIP}),
      ruleY(whiskers, {fy: "group", y: "target", x1: "low", x2: "high", strokeWidth: 1.5}),
      tickX(whiskers, {fy: "group", y: "target", x: "low", strokeWidth: 1.5, inset: 3}),
      tickX(whiskers, {fy: "group", y: "target", x: "high", strokeWidth: 1.5, inset: 3}),
      text(points, {fy: "group", y: "target", x: p => Math.max(p.value, p.high), text: "short", textAnchor: "start", dx: 6, fontVariant: "tabular-nums"}),
      ruleX([0], {stroke: "var(--axis)"}),
    ],
  };
}

// lines are one for each target, over the percentiles or over the values of a parameter, with a band from the lowest to
// the highest.
function lines(chart, {label, points, log}, width) {
  const ticks = width < NARROW ? chart.ticks.filter(t => !t.minor) : chart.ticks;
  const labels = new Map(ticks.map(t => [t.x, t.label]));
  const marks = [
    gridX(ticks.map(t => t.x), {stroke: "var(--grid)", strokeOpacity: 1}),
    gridY({ticks: 5, stroke: "var(--grid)", strokeOpacity: 1}),
    axisX(ticks.map(t => t.x), {tickSize: 0, tickFormat: x => labels.get(x), label: chart.xLabel, ...CENTERED}),
    axisY({ticks: 5, tickSize: 0, tickFormat: log ? latency : number, label, labelArrow: "none"}),
  ];
  for (const [index, target] of chart.targets.entries()) {
    const own = points.filter(p => p.target === target);
    if (own.length === 0) continue;
    const stroke = color(index);
    marks.push(
      areaY(own, {x: "x", y1: "low", y2: "high", fill: stroke, fillOpacity: 0.14}),
      lineY(own, {x: "x", y: "value", stroke, strokeWidth: 2, strokeDasharray: dash(index)}),
    );
  }
  marks.push(dot(points, {x: "x", y: "value", symbol: "target", fill: "target", r: 3.5, title: "text", tip: TIP}));
  if (!log) marks.push(ruleY([0], {stroke: "var(--axis)"}));
  return {
    marginLeft: 60, marginRight: 20, marginTop: 26, marginBottom: 44,
    x: {type: chart.logX ? "log" : "linear", base: 2},
    y: {type: log ? "log" : "linear", zero: !log, nice: true},
    marks,
  };
}

// TIP is what a pointer is shown beside a bar or mark.
const TIP = {fill: "var(--surface)", stroke: "var(--axis)", fontSize: FONT_SIZE};

// number prints a figure of an axis, such as 3,000 or 0.5.
function number(value) {
  return value.toLocaleString("en", {maximumSignificantDigits: 6});
}

// latency prints a power of ten of nanoseconds with its unit, such as 10 µs, and nothing for what is between them.
function latency(ns) {
  const exponent = Math.log10(ns);
  if (Math.abs(exponent - Math.round(exponent)) > 1e-9) return "";
  const thousands = Math.min(Math.floor(Math.round(exponent) / 3), 3);
  return `${number(ns / 1000 ** thousands)} ${["ns", "µs", "ms", "s"][thousands]}`;
}
