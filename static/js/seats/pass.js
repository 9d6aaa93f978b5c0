// Renews the pass of an admitted fan by polling the queue, and says so if another browser has it.

import { fetchStanding, isTransient } from "../queue/transports.js";

const AGAIN = 5_000;

export function keepPass(box) {
  const place = JSON.parse(box.dataset.place);
  const where = { poll: box.dataset.standing, token: place.token };
  let next = setTimeout(ask, place.next_poll_ms), over = false;

  async function ask() {
    clearTimeout(next);
    if (over) return;
    let pause = AGAIN;
    try {
      const standing = await fetchStanding(where);
      if (standing.state !== "ADMITTED") return end();
      if (standing.elsewhere) return move();
      pause = standing.next_poll_ms;
    } catch (failure) {
      if (failure.code && !isTransient(failure.code)) return end();
    }
    next = setTimeout(ask, pause);
  }

  function end() {
    if (over) return;
    over = true;
    document.dispatchEvent(new CustomEvent("pass-over"));
  }

  function move() {
    if (!over) document.dispatchEvent(new CustomEvent("pass-moved"));
  }

  function show(id) {
    over = true;
    box.hidden = true;
    document.getElementById(id).hidden = false;
  }

  document.addEventListener("visibilitychange", () => document.hidden || ask());
  document.addEventListener("pass-over", () => show("pass-over"));
  document.addEventListener("pass-moved", () => show("pass-moved"));
}
