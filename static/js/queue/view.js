// Writes standings, announcements and clocks into the page.

import { serverNow } from "../clock.js";
import { EstimatedRank, rateOf } from "./estimated_rank.js";
import {
  aheadLabel, demotionLabel, etaLabel, etaRangeLabel, formatCount, gradeName, isOfGroup, label,
} from "./labels.js";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const PUSH_INTERVAL = 6 * SECOND; // the server pushes at least this often
const ANIMATION_MS = 600;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const find = (name) => document.querySelector(`#line-view [data-${name}]`);

let rank = new EstimatedRank();
let shown = null; // the number on the page, or the one that an animation moves towards
let animation = 0;
let soldOut = false;

/** Start over, so that an earlier place does not hold back the number of the new one. */
export function reset() {
  rank = new EstimatedRank();
  shown = null;
  cancelAnimationFrame(animation);
}

/** Show a standing wherever the page has an element for it. */
export function showStanding(standing, horizon = PUSH_INTERVAL) {
  text("total", formatCount(standing.total));
  text("lobby", formatCount(standing.lobby ?? 0));
  if (standing.number) text("number", formatCount(standing.number));
  showEta(standing);
  for (const note of document.querySelectorAll("#line-view [data-when]")) {
    note.hidden = note.dataset.when !== standing.queue_state;
  }
  if (standing.deadline) showDeadline(standing.deadline);
  if (standing.state !== "WAITING") return;
  rank.report(standing.ahead, { rate: rateOf(standing), horizon, now: performance.now() });
  showProgress(standing);
}

/** What only some people have; `standing` is one that was read for this person. */
export function showPersonal({ party, demoted_why: why }) {
  text("party", party?.people > 1 ? label("partyOf", { n: formatCount(party.people) }) : label("partyNone"));
  text("demoted-why", demotionLabel(why ?? ""));
  const note = find("demoted"), verify = find("verify");
  if (note) note.hidden = !why;
  if (verify) verify.hidden = !isOfGroup(why ?? "");
}

/** The estimate; there is none while all seats are sold. */
function showEta(standing) {
  text("eta", soldOut ? label("etaSoldOut") : etaLabel(standing));
  text("eta-range", soldOut ? "" : etaRangeLabel(standing));
}

function text(name, value) {
  const element = find(name);
  if (element && element.textContent !== value) element.textContent = value;
}

function showDeadline(deadline) {
  const left = find("left");
  if (left) left.dataset.left = deadline;
  text("until", venueTime().format(Date.parse(deadline)));
}

/** The bar shows how many of those who came before are no longer ahead. */
function showProgress({ number: own, ahead }) {
  const bar = find("way"), before = own - 1, gone = Math.max(before - ahead, 0);
  if (!bar) return;
  bar.max = Math.max(before, 1);
  bar.value = before ? gone : 1;
  find("gone").hidden = before === 0;
  text("gone", label("gone", { gone: formatCount(gone), before: formatCount(before) }));
}

/** Update the number of people ahead, animated unless the person prefers reduced motion. */
export function updateRank() {
  const element = find("ahead");
  if (!element || soldOut) return null;
  const goal = rank.at(performance.now());
  if (goal === shown) return goal;
  if (shown === null || reducedMotion.matches || document.hidden || goal > shown) setRank(element, goal);
  else animateRank(element, goal);
  return goal;
}

function animateRank(element, goal) {
  cancelAnimationFrame(animation);
  const from = shown, startedAt = performance.now();
  shown = goal;
  const step = (now) => {
    const part = Math.min((now - startedAt) / ANIMATION_MS, 1);
    writeRank(element, Math.round(from + (goal - from) * (1 - (1 - part) ** 3)));
    if (part < 1) animation = requestAnimationFrame(step);
  };
  animation = requestAnimationFrame(step);
}

function setRank(element, goal) {
  cancelAnimationFrame(animation);
  shown = goal;
  writeRank(element, goal);
}

function writeRank(element, ahead) {
  element.textContent = formatCount(ahead);
  element.hidden = ahead === 0;
  text("ahead-label", aheadLabel(ahead));
}

// -- announcements ---------------------------------------------------------------------------------

export function showNotice(message) {
  const box = document.querySelector("#line [data-notice]");
  box.hidden = !message;
  box.querySelector("[data-notice-text]").textContent = message;
}

export function showOutlook({ sold_out, grades }, standing) {
  const { ahead } = standing;
  soldOut = sold_out;
  document.querySelector("#line [data-sold-out]").hidden = !soldOut;
  const place = find("place"); // nobody is called: it would say nothing
  if (place) place.hidden = soldOut;
  showEta(standing);
  const box = find("outlook-box");
  if (!box) return;
  box.hidden = grades.length === 0 || ahead === null;
  if (box.hidden) return;
  const list = find("chances"), blank = box.querySelector("template").content;
  while (list.children.length > grades.length) list.lastElementChild.remove();
  while (list.children.length < grades.length) list.append(blank.cloneNode(true).firstElementChild);
  grades.forEach((grade, at) => showChance(list.children[at], grade, ahead));
}

function showChance(row, grade, ahead) {
  const chance = chanceOf(grade, ahead);
  row.className = `chance chance--${chance}`;
  row.querySelector("[data-grade-name]").textContent = gradeName(grade);
  row.querySelector("[data-grade-label]").textContent = label(chance);
  row.querySelector("[data-grade-free]").textContent = label("free", { n: formatCount(grade.free) });
}

export function chanceOf(grade, ahead) {
  if (!grade.free) return "none";
  if (ahead < grade.likely) return "likely";
  return ahead < grade.maybe ? "maybe" : "unlikely";
}

// -- clocks ----------------------------------------------------------------------------------------

let venueFormat = null;

function venueTime() {
  const zone = document.getElementById("line").dataset.zone;
  venueFormat ??= new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: zone });
  return venueFormat;
}

/** Update all clocks; returns the countdown of the page, or null if it has none. */
export function updateClocks() {
  const now = serverNow();
  for (const clock of document.querySelectorAll("#line [data-clock]")) clock.textContent = venueTime().format(now);
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
  const element = find("left");
  if (!element?.dataset.left) return null;
  const left = Math.max(0, Date.parse(element.dataset.left) - now), seconds = Math.ceil(left / SECOND);
  element.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return { left, then: element.dataset.then ?? "load" };
}

// -- connection status -----------------------------------------------------------------------------

export function showStatus(status, nextPoll) {
  const labels = {
    live: () => label("live"),
    sse: () => label("liveSse"),
    polling: () => label("checking", { n: Math.max(Math.round(nextPoll / SECOND), 1) }),
    reconnecting: () => label("reconnecting"),
  };
  const element = find("status");
  if (!element) return;
  element.dataset.status = status;
  text("status-label", labels[status]());
}
