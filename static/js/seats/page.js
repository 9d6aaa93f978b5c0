// The seat page: the map, the chosen seats, and live changes.

import "./held.js";
import { Choice } from "./choice.js";
import { SeatPlan } from "./plan.js";
import { Live } from "./live.js";
import { SeatMap } from "./map.js";
import { say } from "./labels.js";

const HINT = 4_000;
const box = document.getElementById("seat-map");

function begin() {
  const me = JSON.parse(box.dataset.me), { event, list, socket, hold, basket } = box.dataset;
  let plan = null, hint = 0;
  const choice = new Choice(me, { event, hold, basket }, changed);
  const map = new SeatMap(box, { marks: me.marks, own: me.own, tell: { taken, met, grew, stood } });
  const live = new Live({ list, socket }, { loaded, changed: heard, connectionChanged });

  function loaded(body) {
    mark("seats:list");
    plan = new SeatPlan(body);
    choice.seen(plan);
    map.chosen = new Set(choice.seats);
    if (box.hidden) open();
    map.show(plan);
    mark("seats:ready");
  }

  function open() {
    box.hidden = false;
    document.getElementById("plain-house").hidden = true;
  }

  /** Apply live changes; returns whether some seats are not in the list. */
  function heard(changes) {
    if (!plan) return false;
    const touchedSeats = [];
    const unknown = plan.apply(changes, (at) => touchedSeats.push(at));
    for (const at of touchedSeats) if (map.chosen.has(at)) choice.lost(at);
    if (touchedSeats.length) choice.show();
    map.draw();
    return unknown;
  }

  function changed(words, alone = []) {
    if (!plan) return;
    map.chosen = new Set(choice.seats);
    map.alone = new Set(alone);
    if (words) speak(words);
    map.draw();
  }

  function taken(at) {
    const before = map.chosen.size, words = choice.take(at);
    if (!words) return;
    speak(words);
    if (map.chosen.size === before) tip(words); // otherwise the list of chosen seats shows it
  }

  function met(at) {
    speak(choice.whole(at));
  }

  function grew() {
    tip(say("tooSmall"));
  }

  function stood(section) {
    const form = document.querySelector(`form input[name="section"][value="${CSS.escape(section.code)}"]`)?.form;
    form?.scrollIntoView({ block: "center" });
    form?.querySelector("input:checked")?.focus({ preventScroll: true });
  }

  function tip(words) {
    const place = box.querySelector("[data-hint]");
    place.textContent = words;
    place.hidden = false;
    clearTimeout(hint);
    hint = setTimeout(() => { place.hidden = true; }, HINT);
  }

  document.addEventListener("pass-over", () => choice.end());
  live.start();
}

/** A performance mark, once per name. */
function mark(name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}

function speak(words) {
  document.getElementById("map-spoken").textContent = words;
}

function connectionChanged(how, seconds) {
  const place = box.querySelector("[data-connection]");
  place.dataset.connection = how;
  place.querySelector("[data-connection-label]").textContent = say(how, { n: seconds });
}

if (box) begin();
