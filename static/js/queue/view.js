// The numbers on the page, put in their places as they come.

import { serverNow } from "../clock.js";
import { HonestNumber, rateOf } from "./number.js";
import { aheadInWords, count, etaInWords, nameOf, rangeInWords, say } from "./words.js";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const PUSHED_EVERY = 6 * SECOND; // the server pushes at least so often, even far back
const GLIDE = 600;
const still = matchMedia("(prefers-reduced-motion: reduce)");
const find = (name) => document.querySelector(`#line-view [data-${name}]`);

let number = new HonestNumber();
let shown = null; // what stands on the page now, on its way to where the number is
let glide = 0;

/** Another person, another place: nothing of the old number may hold the new one. */
export function forget() {
  number = new HonestNumber();
  shown = null;
  cancelAnimationFrame(glide);
}

/** Everything that a standing says, where the page has a place for it. */
export function fill(standing, horizon = PUSHED_EVERY) {
  text("total", count(standing.total));
  text("lobby", count(standing.lobby ?? 0));
  if (standing.number) text("number", count(standing.number));
  text("eta", etaInWords(standing));
  text("eta-range", rangeInWords(standing));
  for (const note of document.querySelectorAll("#line-view [data-when]")) {
    note.hidden = note.dataset.when !== standing.queue_state;
  }
  if (standing.deadline) until(standing.deadline);
  if (standing.state !== "WAITING") return;
  number.tell(standing.ahead, { rate: rateOf(standing), horizon, now: performance.now() });
  way(standing);
}

function text(name, words) {
  const place = find(name);
  if (place && place.textContent !== words) place.textContent = words;
}

function until(deadline) {
  const left = find("left");
  if (left) left.dataset.left = deadline;
  text("until", wall().format(Date.parse(deadline)));
}

/** The bar: of those who came before, how many are no longer ahead. */
function way({ number: own, ahead }) {
  const bar = find("way"), before = own - 1, gone = Math.max(before - ahead, 0);
  if (!bar) return;
  bar.max = Math.max(before, 1);
  bar.value = before ? gone : 1;
  find("gone").hidden = before === 0;
  text("gone", say("gone", { gone: count(gone), before: count(before) }));
}

/** The number where it should be by now; the way there is soft, or none for who wants none. */
export function moveNumber() {
  const place = find("ahead");
  if (!place) return null;
  const goal = number.at(performance.now());
  if (goal === shown) return goal;
  if (shown === null || still.matches || document.hidden || goal > shown) put(place, goal);
  else glideTo(place, goal);
  return goal;
}

function glideTo(place, goal) {
  cancelAnimationFrame(glide);
  const from = shown, begun = performance.now();
  shown = goal;
  const step = (now) => {
    const part = Math.min((now - begun) / GLIDE, 1);
    write(place, Math.round(from + (goal - from) * (1 - (1 - part) ** 3)));
    if (part < 1) glide = requestAnimationFrame(step);
  };
  glide = requestAnimationFrame(step);
}

function put(place, goal) {
  cancelAnimationFrame(glide);
  shown = goal;
  write(place, goal);
}

function write(place, ahead) {
  place.textContent = count(ahead);
  place.hidden = ahead === 0;
  text("ahead-words", aheadInWords(ahead));
}

// -- what everybody is told ------------------------------------------------------------------------

export function fillNotice(message) {
  const box = document.querySelector("#line [data-notice]");
  box.hidden = !message;
  box.querySelector("[data-notice-text]").textContent = message;
}

export function fillOutlook({ sold_out: soldOut, grades }, ahead) {
  document.querySelector("#line [data-sold-out]").hidden = !soldOut;
  const box = find("outlook-box");
  if (!box) return;
  box.hidden = grades.length === 0 || ahead === null;
  if (box.hidden) return;
  const list = find("chances"), blank = box.querySelector("template").content;
  while (list.children.length > grades.length) list.lastElementChild.remove();
  while (list.children.length < grades.length) list.append(blank.cloneNode(true).firstElementChild);
  grades.forEach((grade, at) => fillChance(list.children[at], grade, ahead));
}

function fillChance(row, grade, ahead) {
  const chance = chanceOf(grade, ahead);
  row.className = `chance chance--${chance}`;
  row.querySelector("[data-grade-name]").textContent = nameOf(grade);
  row.querySelector("[data-grade-words]").textContent = say(chance);
  row.querySelector("[data-grade-free]").textContent = say("free", { n: count(grade.free) });
}

export function chanceOf(grade, ahead) {
  if (!grade.free) return "none";
  if (ahead < grade.likely) return "likely";
  return ahead < grade.maybe ? "maybe" : "unlikely";
}

// -- clocks ----------------------------------------------------------------------------------------

let zoned = null;

function wall() {
  const zone = document.getElementById("line").dataset.zone;
  zoned ??= new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: zone });
  return zoned;
}

/** The server's clock, and the time left until what the page counts down to; null if to nothing. */
export function moveClocks() {
  const now = serverNow();
  for (const place of document.querySelectorAll("#line [data-clock]")) place.textContent = wall().format(now);
  return countdown(now) ?? timeLeft(now);
}

function countdown(now) {
  const box = document.querySelector("#line-view [data-countdown]");
  if (!box) return null;
  const left = Math.max(0, Date.parse(box.dataset.countdown) - now);
  const parts = {
    days: left / DAY, hours: (left % DAY) / HOUR, minutes: (left % HOUR) / MINUTE, seconds: (left % MINUTE) / SECOND,
  };
  for (const [name, value] of Object.entries(parts)) {
    box.querySelector(`[data-part="${name}"]`).textContent = String(Math.floor(value)).padStart(2, "0");
  }
  box.toggleAttribute("data-near", left <= MINUTE);
  box.querySelector("[data-over]").hidden = left > 0;
  return { left, then: box.dataset.then };
}

function timeLeft(now) {
  const place = find("left");
  if (!place?.dataset.left) return null;
  const left = Math.max(0, Date.parse(place.dataset.left) - now), seconds = Math.ceil(left / SECOND);
  place.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return { left, then: place.dataset.then ?? "load" };
}

// -- how we are in touch ---------------------------------------------------------------------------

export function showTouch(how, nextPoll) {
  const words = {
    live: () => say("live"),
    sse: () => say("liveSse"),
    polling: () => say("checking", { n: Math.max(Math.round(nextPoll / SECOND), 1) }),
    reconnecting: () => say("reconnecting"),
  };
  const place = find("touch");
  if (!place) return;
  place.dataset.touch = how;
  text("touch-words", words[how]());
}
