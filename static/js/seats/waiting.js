// Waiting for seats that somebody else is trying: the place in line, until the result is pushed or polled.

import { count, say } from "./labels.js";

const PATIENCE = 60_000; // then the server counts as out of reach
const UNPUSHED = 3; // so many times the pause of a client that only polls
const OVER = new Set(["SUCCESS", "FAILED"]);

export class Waiting {
  #address; #box; #seen = new Map(); #changed = null;

  constructor(address, box) {
    this.#address = address;
    this.#box = box;
  }

  /** A pushed request of this person; it may come before the answer that names it. */
  receive = (request) => {
    this.#seen.set(request.code, request);
    this.#changed?.();
  };

  /** The request once it is over, or null without an answer in time. */
  async end(request) {
    const until = performance.now() + PATIENCE;
    while (!OVER.has(request.state)) {
      if (performance.now() > until) return this.#close(null);
      this.#show(request);
      request = await this.#next(request);
    }
    return this.#close(request);
  }

  /** As it is after a push, or after asking if nothing was pushed for a while. */
  async #next(request) {
    const { code, state, next_poll_ms: pause } = request;
    const seen = () => this.#seen.has(code) && this.#seen.get(code).state !== state;
    if (!seen()) await new Promise((changed) => { this.#changed = changed; setTimeout(changed, pause * UNPUSHED); });
    return seen() ? this.#seen.get(code) : this.#poll(request);
  }

  async #poll(request) {
    try {
      const answer = await fetch(this.#address.replace("CODE", request.code), { headers: { Accept: "application/json" } });
      return answer.ok ? await answer.json() : request;
    } catch {
      return request;
    }
  }

  #show({ place }) {
    this.#box.hidden = false;
    if (place) this.#box.querySelector("[data-place]").textContent = place > 1 ? say("place", { place: count(place) }) : say("placeFirst");
  }

  #close(request) {
    this.#changed = null;
    this.#box.hidden = true;
    return request;
  }
}
