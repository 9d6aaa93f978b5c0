// The countdown of holds by the server's clock, the pass, and forms that submit once.

import { serverNow, startClock } from "../clock.js";
import { keepPass } from "./pass.js";

const TICK = 250, MINUTE = 60_000, SPREAD = 1_500;
const timers = [...document.querySelectorAll("[data-deadline]")];
const pass = document.getElementById("pass");
let over = false;

function tick() {
  for (const timer of timers) {
    const left = Math.max(0, Date.parse(timer.dataset.deadline) - serverNow()), seconds = Math.ceil(left / 1000);
    timer.querySelector("[data-left]").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    timer.toggleAttribute("data-near", left <= MINUTE);
    if (left <= MINUTE) speak(timer);
    if (left === 0) end();
  }
}

function speak(timer) {
  const place = timer.parentElement.querySelector("[data-spoken]");
  if (place && !place.textContent) place.textContent = place.dataset.spoken;
}

/** The hold expired: reload, so that the server renders the new state. */
function end() {
  if (over) return;
  over = true;
  setTimeout(() => location.reload(), 300 + Math.random() * SPREAD);
}

if (timers.length) {
  startClock(timers[0].dataset.now);
  tick();
  setInterval(tick, TICK);
}
if (pass) keepPass(pass);
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => setTimeout(() => { form.querySelector("button:not([type])").disabled = true; }));
}
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-once] button")) button.disabled = false;
});
