// The console of one sale: live figures, charts, and the preview of knobs.

import { Charts } from "./charts.js";
import { Connection } from "./connection.js";
import { count, label, money, rate, time } from "./format.js";
import { SampleHistory } from "./history.js";
import { previewKnobs } from "./preview.js";
import { listenForKeys, openDialogs } from "./shortcuts.js";
import { fill, fillLanes, fillProcesses, fillSeats, write } from "./view.js";

const SECOND = 1_000, LATE = 5, MINUTES = 15, TABLE_EVERY = 10;
const root = document.querySelector("[data-console]");
const { socket, samples, preview, currency } = root.dataset;
const history = new SampleHistory(), charts = new Charts(root, history, currency);
const began = Date.now() / SECOND;
let newest = 0, status = "lost", tableSecond = 0, isRefreshing = false;

const connection = new Connection({ socket, samples }, { since: () => history.last, onFrame, onStatus });

function onFrame(frame) {
  if (frame.type === "history") {
    history.add(frame);
    if (frame.last) show(frame.last);
  } else {
    const since = history.append(frame.figures);
    if (since !== null) connection.fetchSince(since);
    show(frame.figures);
  }
  charts.draw();
  table();
}

function show(figures) {
  if (figures.second < newest) return;
  newest = figures.second;
  fill(document, figures);
  fillSeats(root, figures.seats);
  fillLanes(root, figures.lanes ?? []);
  fillProcesses(root.querySelector("[data-processes]"), figures.processes);
  if (figures.state !== root.dataset.at) refresh();
}

/** The queue changed its state: loads the buttons, warnings and changes again. */
async function refresh() {
  if (isRefreshing) return;
  isRefreshing = true;
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
  if (answer?.ok && !answer.redirected) replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
  isRefreshing = false;
}

function replace(page) {
  const now = page.querySelector("[data-console]");
  if (!now) return; // an error page: the next sample tries again
  root.dataset.at = now.dataset.at;
  root.toggleAttribute("data-runs", "runs" in now.dataset);
  for (const place of root.querySelectorAll("[data-fresh]")) {
    place.replaceChildren(...now.querySelector(`[data-fresh=${place.dataset.fresh}]`).childNodes);
  }
}

function onStatus(word) {
  status = word;
  showStatus();
}

/** Shows the connection status, and "late" when the figures are old. */
function showStatus() {
  const late = status !== "lost" && Date.now() / SECOND - Math.max(newest, began) > LATE;
  const word = !late ? status : "runs" in root.dataset ? "late" : "still";
  root.querySelector("[data-dot]").className = `console-dot console-dot--${word}`;
  write(root.querySelector("[data-connection]"), label(word));
}

function table() {
  if (newest - tableSecond < TABLE_EVERY || !history.fields.length) return;
  tableSecond = newest;
  const rows = history.minutes(MINUTES).map((row) => {
    const of = (name) => history.value(row, name);
    return [time(row[0]), count(of("waiting")), count(of("inside")), rate(of("admissions")), rate(of("joins")), count(of("held")), count(of("paying")), count(of("sold")), money(of("money"), currency)];
  });
  if (rows.length) root.querySelector("[data-minutes]").replaceChildren(...rows.map(tableRow));
}

function tableRow([head, ...cells]) {
  const row = document.createElement("tr"), name = document.createElement("th");
  name.scope = "row";
  name.textContent = head;
  row.append(name, ...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  return row;
}

const spans = root.querySelector("[data-spans]");
spans.hidden = false;
spans.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-span]");
  if (!button) return;
  spans.querySelectorAll("[data-span]").forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
  charts.show(Number(button.dataset.span));
});

const knobs = root.querySelector("[data-knobs]");
if (knobs) previewKnobs(knobs, preview, knobs.querySelector("[data-preview-words]"));

openDialogs(root);
listenForKeys(root);
connection.start();
setInterval(showStatus, SECOND);
