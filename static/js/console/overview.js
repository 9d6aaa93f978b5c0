// The overview: the figures of every running sale, updated every second.

import { Connection } from "./connection.js";
import { label } from "./format.js";
import { fill, write } from "./view.js";

const SECOND = 1_000, LATE = 5, ASK_AFTER = 10, SILENCE_IDLE = 60 * SECOND, SILENCE_RUNNING = 10 * SECOND;
const root = document.querySelector("[data-overview]");
const { socket, figures: samples } = root.dataset;
const rows = new Map([...root.querySelectorAll("[data-sale]")].map((row) => [row.dataset.sale, row]));
const began = Date.now() / SECOND, seen = new Map();
let status = "lost", asked = began;

// Without a running sale no samples come, so silence is no sign of a lost connection.
const connection = new Connection({ socket, samples }, { since: () => 0, onFrame, onStatus, maxSilence: rows.size ? SILENCE_RUNNING : SILENCE_IDLE });

function onFrame(frame) {
  if (frame.type === "sales") compare(frame.sales);
  else show(String(frame.event), frame.figures);
}

/** Reloads the page when a sale began or ended. */
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

function onStatus(word) {
  status = word;
  showStatus();
}

/** Shows the connection status, and "late" when the figures are old. */
function showStatus() {
  const now = Date.now() / SECOND, newest = Math.max(began, ...seen.values());
  const word = status !== "lost" && rows.size && now - newest > LATE ? "late" : status;
  root.querySelector("[data-dot]").className = `console-dot console-dot--${word}`;
  write(root.querySelector("[data-connection]"), label(word));
  askAboutSilent(now);
}

/** A sale without new samples may be over: ask the server. */
function askAboutSilent(now) {
  const silent = [...rows.keys()].some((event) => now - Math.max(began, seen.get(event) ?? 0) > ASK_AFTER);
  if (!silent || now - asked < ASK_AFTER) return;
  asked = now;
  connection.fetchSince();
}

connection.start();
setInterval(showStatus, SECOND);
