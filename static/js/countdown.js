// The time left until the sale opens, by the server's clock; then the page, opened.

import { serverNow, startClock } from "./clock.js";

const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
const NEAR = MINUTE;
// Spoken when so much is left, and never each second.
const SPOKEN = [DAY, HOUR, 30 * MINUTE, 10 * MINUTE, 5 * MINUTE, MINUTE, 10 * SECOND];
const SPREAD = 3 * SECOND, LONGEST_WAIT = 30 * SECOND;
const tries = `opening:${location.pathname}`;

const box = document.querySelector("[data-countdown]");
const find = (name) => box.querySelector(`[data-${name}]`);
const opens = Date.parse(box.dataset.opens);
const language = document.documentElement.lang;
const wall = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23", timeZone: box.dataset.zone });
let before = Infinity;

function show(left) {
  const parts = {
    days: Math.floor(left / DAY),
    hours: Math.floor((left % DAY) / HOUR),
    minutes: Math.floor((left % HOUR) / MINUTE),
    seconds: Math.floor((left % MINUTE) / SECOND),
  };
  for (const [name, value] of Object.entries(parts)) {
    box.querySelector(`[data-part="${name}"]`).textContent = String(value).padStart(2, "0");
  }
  find("server-time").textContent = wall.format(serverNow());
  box.toggleAttribute("data-near", left <= NEAR);
}

function speak(left) {
  const mark = SPOKEN.find((moment) => left <= moment && before > moment);
  before = left;
  if (mark === undefined) return;
  const place = find("announce");
  place.textContent = place.dataset.announce.replace("{time}", inWords(left));
}

function inWords(left) {
  const [amount, unit] =
    left > DAY ? [left / DAY, "day"] : left > HOUR ? [left / HOUR, "hour"]
    : left > MINUTE ? [left / MINUTE, "minute"] : [left / SECOND, "second"];
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return format.format(Math.ceil(amount));
}

/** Everybody's page is due at the same moment: spread out, and wait longer after each vain try. */
function open() {
  find("waiting").hidden = true;
  find("opening").hidden = false;
  const vain = Number(sessionStorage.getItem(tries) ?? 0);
  const pause = vain ? Math.min(LONGEST_WAIT, SECOND * 2 ** vain) : 0;
  sessionStorage.setItem(tries, vain + 1);
  setTimeout(() => location.reload(), pause + Math.random() * SPREAD);
}

function tick() {
  const left = Math.max(0, opens - serverNow());
  show(left);
  if (left === 0) return open();
  speak(left);
  sessionStorage.removeItem(tries);
  setTimeout(tick, (left % SECOND) + 5);
}

startClock(box.dataset.now);
tick();
