// The console of one sale: live numbers, charts of its course, and what a change would mean.

import { Charts } from "./charts.js";
import { Course } from "./course.js";
import { Link } from "./link.js";
import { previewKnobs } from "./preview.js";
import { fill, fillProcesses, fillSeats, write } from "./view.js";
import { count, money, rate, say, time } from "./words.js";

const SECOND = 1_000, LATE = 5, MINUTES = 15, TABLE_EVERY = 10;
const root = document.querySelector("[data-console]");
const { socket, samples, preview, currency } = root.dataset;
const course = new Course(), charts = new Charts(root, course, currency);
const began = Date.now() / SECOND;
let newest = 0, how = "lost", tabled = 0, asking = false;

const link = new Link({ socket, samples }, { since: () => course.last, heard, touched });

function heard(frame) {
  if (frame.type === "history") {
    course.add(frame);
    if (frame.last) show(frame.last);
  } else {
    const since = course.follow(frame.figures);
    if (since !== null) link.ask(since); // the server still knows what went unheard
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
  fillProcesses(root.querySelector("[data-processes]"), figures.processes);
  if (figures.state !== root.dataset.at) refresh();
}

/** Somebody else, or the clock, moved the sale: other buttons and warnings are right now. */
async function refresh() {
  if (asking) return;
  asking = true;
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
  if (answer?.ok && !answer.redirected) replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
  asking = false;
}

function replace(page) {
  const now = page.querySelector("[data-console]");
  if (!now) return; // another page than this one: the next sample asks again
  root.dataset.at = now.dataset.at;
  root.toggleAttribute("data-runs", "runs" in now.dataset);
  for (const place of root.querySelectorAll("[data-fresh]")) {
    place.replaceChildren(...now.querySelector(`[data-fresh=${place.dataset.fresh}]`).childNodes);
  }
}

function touched(word) {
  how = word;
  tell();
}

/** Old numbers must not pass for new ones. */
function tell() {
  const late = how !== "lost" && Date.now() / SECOND - Math.max(newest, began) > LATE;
  const word = !late ? how : "runs" in root.dataset ? "late" : "still";
  root.querySelector("[data-dot]").className = `console-dot console-dot--${word}`;
  write(root.querySelector("[data-touch]"), say(word));
}

function table() {
  if (newest - tabled < TABLE_EVERY || !course.fields.length) return;
  tabled = newest;
  const rows = course.minutes(MINUTES).map((row) => {
    const of = (name) => course.value(row, name);
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

link.start();
setInterval(tell, SECOND);
