// Draws one chart from what Go made of the results (chart.go): texts and units come from there, so that a figure reads the
// same in a chart and in the table below it.
import {plot, axisFy, axisX, axisY, areaY, barX, dot, gridX, gridY, lineY, pointer, ruleX, ruleY, text, tickX, tickY, tip} from "@observablehq/plot";

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
    ...KINDS[chart.kind](chart, data, width),
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
function lines(chart, {label, points, rules = [], log}, width) {
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
  marks.push(
    ruleY(rules, {y: "value", stroke: "var(--muted)", strokeDasharray: "1 3", strokeWidth: 1.5}),
    text(rules, {
      y: "value", text: "text", frameAnchor: "left", dx: 4, dy: -9, textAnchor: "start", fill: "var(--muted)", stroke: "var(--surface)", strokeWidth: 4,
      textOverflow: "ellipsis", lineWidth: (width - 100) / FONT_SIZE,
    }),
    dot(points, {x: "x", y: "value", symbol: "target", fill: "target", r: 3.5, title: "text", tip: TIP}),
    dot(points.filter(p => p.marked), {x: "x", y: "value", symbol: "circle", stroke: p => color(chart.targets.indexOf(p.target)), strokeWidth: 2, r: 9}),
  );
  if (!log) marks.push(ruleY([0], {stroke: "var(--axis)"}));
  const greatest = Math.max(...points.map(p => p.high ?? p.value), ...rules.map(r => r.value));
  return {
    marginLeft: leftOf(greatest, log), marginRight: rightOf(ticks), marginTop: 26, marginBottom: 44,
    x: {type: chart.logX ? "log" : "linear", base: 2},
    y: {type: log ? "log" : "linear", zero: !log, nice: true},
    marks,
  };
}

// time has a line for each run over its seconds, in the colour and dash of its target. A band reaches from the least to the most of what a
// point stands for; a triangle points at a drop; thin lines across are limits and baselines, an upright one is where measuring began.
function time(chart, {label, lines, rules = [], drops = [], froms = [], log}, width) {
  const ticks = width < NARROW ? chart.ticks.filter(t => !t.minor) : chart.ticks;
  const labels = new Map(ticks.map(t => [t.x, t.label]));
  const greatest = Math.max(...lines.flatMap(l => [...l.y, ...(l.high ?? [])]), ...rules.map(r => r.value));
  const marks = [
    gridX(ticks.map(t => t.x), {stroke: "var(--grid)", strokeOpacity: 1}),
    gridY({ticks: 5, stroke: "var(--grid)", strokeOpacity: 1}),
    axisX(ticks.map(t => t.x), {tickSize: 0, tickFormat: x => labels.get(x), label: chart.xLabel, ...CENTERED}),
    axisY({ticks: 5, tickSize: 0, tickFormat: log ? latency : number, label, labelArrow: "none"}),
  ];
  const all = lines.flatMap(line => line.y.map((y, i) => ({line, x: i * line.step, y, low: line.low?.[i], high: line.high?.[i]})));
  for (const line of lines) {
    const own = all.filter(p => p.line === line);
    const index = chart.targets.indexOf(line.target);
    const stroke = color(index);
    if (line.low) marks.push(areaY(own, {x: "x", y1: "low", y2: "high", fill: stroke, fillOpacity: BAND}));
    if (line.low && log) marks.push(lineY(own, {x: "x", y: "high", stroke, strokeWidth: 1, strokeOpacity: 0.5}));
    marks.push(lineY(own, {x: "x", y: "y", stroke, strokeWidth: line.faint ? 1 : 2, strokeOpacity: line.faint ? 0.6 : 1, strokeDasharray: dash(index)}));
  }
  marks.push(
    ruleY(rules, {y: "value", stroke: "var(--muted)", strokeDasharray: "1 3", strokeWidth: 1.5}),
    ...labelled(rules, greatest, chart.height).map(({rule, right, below}) => text([rule], {
      y: "value", text: "text", frameAnchor: right ? "right" : "left", dx: right ? -4 : 4, dy: below ? 9 : -9, textAnchor: right ? "end" : "start",
      fill: "var(--muted)", stroke: "var(--surface)", strokeWidth: 4, textOverflow: "ellipsis", lineWidth: (width - 100) / FONT_SIZE,
    })),
    ruleX(froms, {x: "x", stroke: d => color(chart.targets.indexOf(d.target)), strokeDasharray: "6 4", strokeWidth: 1.5}),
    dot(drops, {x: "x", y: "y", symbol: "triangle", rotate: 180, dy: -9, r: 5, fill: d => color(chart.targets.indexOf(d.target)), stroke: "var(--surface)", title: "text", tip: TIP}),
    tip(all, pointer({x: "x", y: "y", title: p => pointed(p, label, log), ...TIP})),
  );
  if (!log) marks.push(ruleY([0], {stroke: "var(--axis)"}));
  return {
    marginLeft: leftOf(greatest, log), marginRight: rightOf(ticks), marginTop: 26, marginBottom: 44,
    x: {domain: chart.span},
    y: {type: log ? "log" : "linear", zero: !log, nice: true},
    marks,
  };
}

// leftOf is the room for the labels of the vertical axis, which may have three digits more than the greatest figure, as in 0.25.
function leftOf(greatest, log) {
  return Math.max(64, log ? 0 : number(Math.round(greatest)).length * CHARACTER + 22);
}

// rightOf is the room for the half of the last label of the horizontal axis that stands beyond it.
function rightOf(ticks) {
  return Math.max(20, ((ticks.at(-1)?.label ?? "").length * CHARACTER) / 2 + 6);
}

// labelled decides where the labels of lines across stand: on the right, and where that is too near to the label of the line
// above, on the left, and so on in turns. A label below its line needs room there, also for the label of the next line.
function labelled(rules, greatest, height) {
  const pixels = value => (value / greatest) * (height - 80);
  const near = i => i > 0 && i < rules.length && pixels(rules[i - 1].value - rules[i].value) < 3 * FONT_SIZE;
  let right = false;
  return rules.map((rule, i) => {
    right = near(i) ? !right : true;
    return {rule, right, below: rule.below && pixels(rule.value) > 1.5 * FONT_SIZE && !near(i + 1)};
  });
}

// pointed is what a pointer is shown of a point of a run.
function pointed({line, x, y, low, high}, label, log) {
  const form = log ? nanoseconds : number;
  const between = low == null || low === high ? "" : `\n${line.between[0]} ${form(low)}, ${line.between[1]} ${form(high)}`;
  return `${line.name}\n${label}: ${form(y)}${between}\nsecond ${number(x)}`;
}

// BAND is how opaque bands are.
const BAND = 0.16;

// KINDS are the kinds of charts.
const KINDS = {bars, lines, time};

// TIP is what a pointer is shown beside a bar or mark.
const TIP = {fill: "var(--surface)", stroke: "var(--axis)", fontSize: FONT_SIZE};

// number prints a figure of an axis, such as 3000 or 0.5.
function number(value) {
  return value.toLocaleString("en", {maximumSignificantDigits: 6, useGrouping: false});
}

// nanoseconds prints a latency in three digits.
function nanoseconds(ns) {
  const thousands = Math.min(Math.max(Math.floor(Math.log10(ns) / 3), 0), 3);
  return `${number(Number((ns / 1000 ** thousands).toPrecision(3)))}${UNITS[thousands]}`;
}

// latency prints a power of ten of nanoseconds with its unit, such as 10us, and nothing for what is between them.
function latency(ns) {
  const exponent = Math.log10(ns);
  if (Math.abs(exponent - Math.round(exponent)) > 1e-9) return "";
  const thousands = Math.min(Math.floor(Math.round(exponent) / 3), 3);
  return `${number(ns / 1000 ** thousands)}${UNITS[thousands]}`;
}

const UNITS = ["ns", "us", "ms", "s"];
