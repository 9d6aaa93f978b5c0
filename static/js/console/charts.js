// Charts of a sale over time. Their colours come from the page and change with its theme.

import uPlot from "../../vendor/uplot/uPlot.esm.js";
import { count, label, money, rate } from "./format.js";

const KINDS = {
  people: { series: ["waiting", "inside", "ready", "lobby"], show: count },
  pace: { series: ["admissions", "joins"], show: rate },
  seats: { series: ["sold", "paying", "held"], show: count },
  money: { series: ["money"], show: count },
};
const DASHES = [[], [6, 4], [2, 3], [8, 3, 2, 3]]; // so that lines differ by more than their colour
const WHOLE_STEPS = [1, 2, 5].flatMap((step) => Array.from({ length: 12 }, (_, zeros) => step * 10 ** zeros)).sort((a, b) => a - b);
const TALL = 190, LOW = 112, ONE_SCREEN = "(min-width: 1200px)", TICK_SPACE = 44; // wider than a label
const MINUTE = 60, STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440].map((minutes) => minutes * MINUTE);

export class Charts {
  constructor(root, history, currency) {
    this.history = history;
    this.currency = currency;
    this.span = 300;
    this.places = [...root.querySelectorAll("[data-chart]")];
    this.charts = new Map();
    this.#watch();
  }

  draw() {
    if (!this.history.fields.length) return;
    for (const place of this.places) {
      const kind = KINDS[place.dataset.chart];
      const data = this.history.columns(this.span, kind.series);
      const known = this.charts.get(place);
      if (known) known.setData(data);
      else this.charts.set(place, new uPlot(this.#options(place, kind), data, place));
      showNewest(this.charts.get(place));
    }
  }

  show(span) {
    this.span = span;
    this.draw();
  }

  #watch() {
    const redraw = () => {
      this.charts.forEach((chart) => chart.destroy());
      this.charts.clear();
      this.draw();
    };
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    const fit = new ResizeObserver(() => this.charts.forEach((chart, place) => chart.setSize(size(place))));
    this.places.forEach((place) => fit.observe(place));
    // A canvas does not load missing parts of a web font by itself: 만 and 억 of large sums.
    document.fonts.load(`12px ${getComputedStyle(document.body).fontFamily}`, short(1e4) + short(1e8)).then(redraw, () => null);
  }

  #options(place, kind) {
    const style = getComputedStyle(place), colour = (name) => resolved(place, name);
    const font = `12px ${style.fontFamily}`;
    const axis = { font, stroke: colour("--body-quiet-color"), grid: { stroke: colour("--hairline-color"), width: 1 }, ticks: { show: false } };
    const shown = place.dataset.chart === "money" ? (value) => money(value, this.currency) : kind.show;
    return {
      ...size(place),
      tzDate: (second) => uPlot.tzDate(new Date(second * 1000), "Asia/Seoul"),
      cursor: { y: false },
      scales: { y: { range: (_chart, _low, high) => [0, Math.max(high * 1.1, 1)] } },
      axes: [
        { ...axis, space: TICK_SPACE, size: 34, incrs: STEPS, values: (_chart, ticks) => ticks.map(clock({})) },
        { ...axis, size: 56, incrs: kind.show === count ? WHOLE_STEPS : undefined, values: (_chart, ticks) => ticks.map(short) },
      ],
      series: [
        { label: label("time"), value: (_chart, second) => (second ? clock({ second: "2-digit" })(second) : "–") },
        ...kind.series.map((name, index) => ({
          label: label(name),
          stroke: colour(`--console-${index + 1}`),
          dash: DASHES[index],
          width: 2,
          points: { show: false },
          value: (_chart, value) => shown(value ?? null),
        })),
      ],
    };
  }
}

/** Shows the newest values in the legend, unless the cursor is on others. */
function showNewest(chart) {
  if (chart.cursor.left === undefined || chart.cursor.left < 0) chart.setLegend({ idx: chart.data[0].length - 1 }, false);
}

/** A canvas knows no `light-dark()`: the colour as the browser computes it. */
function resolved(place, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const height = () => (matchMedia(ONE_SCREEN).matches ? LOW : TALL);
const size = (place) => ({ width: Math.max(place.clientWidth, 200), height: height() });
const compact = new Intl.NumberFormat(document.documentElement.lang || "ko", { notation: "compact", maximumFractionDigits: 2 });
const short = (value) => compact.format(value);

function clock(seconds) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "Asia/Seoul", hour: "2-digit", minute: "2-digit", ...seconds });
  return (second) => format.format(new Date(second * 1000));
}
