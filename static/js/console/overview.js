// The overview: every running sale, second by second.

import { Link } from "./link.js";
import { fill, write } from "./view.js";
import { say } from "./words.js";

const SECOND = 1_000, LATE = 5, GONE = 10, QUIET = 60 * SECOND, BUSY = 10 * SECOND;
const root = document.querySelector("[data-overview]");
const { socket, figures: samples } = root.dataset;
const rows = new Map([...root.querySelectorAll("[data-sale]")].map((row) => [row.dataset.sale, row]));
const began = Date.now() / SECOND, seen = new Map();
let how = "lost", asked = began;

// Where no sale runs there is nothing to hear, and silence means nothing.
const link = new Link({ socket, samples }, { since: () => 0, heard, touched, patience: rows.size ? BUSY : QUIET });

function heard(frame) {
  if (frame.type === "sales") compare(frame.sales);
  else show(String(frame.event), frame.figures);
}

/** A sale that began or ended changes the page, not only its numbers. */
function compare(sales) {
  const running = Object.keys(sales);
  if (running.length !== rows.size || running.some((event) => !rows.has(event))) return location.reload();
  running.forEach((event) => sales[event] && show(event, sales[event]));
}

function show(event, figures) {
  if (!rows.has(event)) return location.reload();
  if (figures.second < (seen.get(event) ?? 0)) return;
  seen.set(event, figures.second);
  fill(rows.get(event), figures);
}

function touched(word) {
  how = word;
  tell();
}

/** Old numbers must not pass for new ones. */
function tell() {
  const now = Date.now() / SECOND, newest = Math.max(began, ...seen.values());
  const word = how !== "lost" && rows.size && now - newest > LATE ? "late" : how;
  root.querySelector("[data-dot]").className = `console-dot console-dot--${word}`;
  write(root.querySelector("[data-touch]"), say(word));
  askAboutSilent(now);
}

/** A sale of which nothing is heard any more may be over. */
function askAboutSilent(now) {
  const silent = [...rows.keys()].some((event) => now - Math.max(began, seen.get(event) ?? 0) > GONE);
  if (!silent || now - asked < GONE) return;
  asked = now;
  link.ask();
}

link.start();
setInterval(tell, SECOND);
