// The seat page: the map, the chosen seats, and live changes.

import "./held.js";
import { Card } from "./card.js";
import { Choice } from "./choice.js";
import { Filter, followFilterButtons, showCounts } from "./filter.js";
import { SeatPlan } from "./plan.js";
import { Live } from "./live.js";
import { SeatMap } from "./map.js";
import { say } from "./labels.js";

const HINT = 4_000;
const COUNTS = 1_000; // ms until free seats are counted again: new text costs a layout of the page
const box = document.getElementById("seat-map");

function begin() {
  const me = JSON.parse(box.dataset.me), { event, list, socket, hold, basket, request } = box.dataset;
  let plan = null, hint = 0, counting = 0;
  const choice = new Choice(me, { event, hold, basket, request }, changed);
  const filter = new Filter(), buttons = box.querySelector("[data-filter]");
  followFilterButtons(buttons, filter, () => map.draw());
  const map = new SeatMap(box, { marks: me.marks, own: me.own, filter, tell: { taken, met, pointed, grew, stood, drawn: () => mark("seats:ready") } });
  const card = new Card(box.querySelector("[data-card]"), choice, me.views);
  const live = new Live({ list, socket }, { loaded, changed: heard, requestChanged: choice.waiting.receive, passMoved, connectionChanged });

  /** In two tasks: taps and scrolling need not wait for both. Changes that come between them are applied again afterwards. */
  async function loaded(text) {
    mark("seats:list");
    const unpacked = new SeatPlan(text);
    await window.scheduler?.yield?.();
    plan = unpacked;
    filter.plan = plan;
    choice.seen(plan);
    showCounts(buttons, plan);
    map.chosen = new Set(choice.seats);
    if (box.hidden) open();
    map.show(plan);
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
    const touchedChoice = touchedSeats.filter((at) => map.chosen.has(at));
    for (const at of touchedChoice) choice.lost(at);
    if (touchedChoice.length) choice.show();
    if (touchedSeats.length) {
      counting ||= setTimeout(recount, COUNTS);
      map.draw(touchedSeats);
    }
    return unknown;
  }

  function recount() {
    counting = 0;
    showCounts(buttons, plan);
    map.drawOverview();
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
    card.seat(plan, at);
    if (!words) return;
    speak(words);
    if (map.chosen.size === before) tip(words); // otherwise the list of chosen seats shows it
    if (!before) document.getElementById("choice")?.scrollIntoView({ block: "nearest" });
  }

  function met(at) {
    speak(choice.whole(at));
    card.seat(plan, at);
  }

  function pointed(at, section) {
    if (at >= 0) card.seat(plan, at);
    else card.section(plan, section, filter.left(section));
  }

  function grew(canTapSeats) {
    tip(say(canTapSeats ? "tooSmall" : "tapCloser"));
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

  for (const name of ["pass-over", "pass-moved"]) document.addEventListener(name, () => choice.end());
  live.start();
}

/** Another browser of this person has the pass, or this one got it in another tab. */
function passMoved({ elsewhere }) {
  const isShown = [...document.querySelectorAll("#pass-moved, #pass-elsewhere")].some((note) => !note.hidden);
  if (elsewhere && document.getElementById("pass")) document.dispatchEvent(new CustomEvent("pass-moved"));
  if (!elsewhere && isShown) location.reload();
}

/** A performance mark, once per name. */
function mark(name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}

function speak(words) {
  document.getElementById("map-spoken").textContent = words;
}

function connectionChanged(how, seconds) {
  const place = box.querySelector("[data-connection]"), label = place.querySelector("[data-connection-label]"), words = say(how, { n: seconds });
  if (label.textContent === words) return; // each change says so: the same text again costs a layout of the page
  place.dataset.connection = how;
  label.textContent = words;
}

if (box) begin();
