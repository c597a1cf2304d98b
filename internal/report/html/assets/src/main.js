// The page's behaviour: charts are drawn when they come near the screen and before the page is printed, anew when
// their width or the metric changes. Without it the page has all figures in its tables.
import {draw} from "./charts.js";

// How far, in pixels, a chart may be below the screen when it is drawn.
const AHEAD = "400px";

const figures = [...document.querySelectorAll("figure[data-kind]")].map(element => ({
  element,
  area: element.querySelector(".plot"),
  chart: null,
  drawn: "",
}));

const figureOf = new Map(figures.map(figure => [figure.area, figure]));

// metric is what the reader has chosen to see.
function metric() {
  return document.querySelector("input[name=metric]:checked")?.value ?? "iops";
}

// update draws a figure, unless it is drawn already as it has to be.
function update(figure) {
  const width = Math.floor(figure.area.clientWidth);
  const wanted = `${metric()} ${width}`;
  if (width === 0 || figure.drawn === wanted) return;
  figure.chart ??= JSON.parse(figure.element.querySelector("script").textContent);
  const svg = draw(figure.chart, metric(), width);
  figure.area.replaceChildren(svg ?? message("This was not measured here: see the table."));
  figure.drawn = wanted;
}

function message(text) {
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  return paragraph;
}

const visible = new IntersectionObserver(entries => {
  for (const {isIntersecting, target} of entries) {
    if (isIntersecting) update(figureOf.get(target));
  }
}, {rootMargin: AHEAD});

const resized = new ResizeObserver(entries => {
  for (const {target} of entries) {
    const figure = figureOf.get(target);
    if (figure.drawn) update(figure);
  }
});

for (const {area} of figures) {
  visible.observe(area);
  resized.observe(area);
}

// Those that are not near the screen are drawn as chosen when they come near.
for (const input of document.querySelectorAll("input[name=metric]")) {
  input.addEventListener("change", () => {
    for (const figure of figures) {
      if (figure.drawn) update(figure);
    }
  });
}

// On paper nothing can be opened.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  for (const details of opened) details.open = true;
  figures.forEach(update);
});
addEventListener("afterprint", () => {
  for (const details of opened) details.open = false;
});

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
}
