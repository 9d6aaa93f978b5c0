// The number of people ahead between two messages: an estimate that the next message corrects.

// The estimate falls somewhat slower than the line moved recently, so that it seldom has to rise.
const CAUTION = 0.9;
// An estimate that was too low stays until the line has caught up, but no longer than this.
const MAX_HELD = 10_000;

export class EstimatedRank {
  #reported = null;
  #reportedAt = 0;
  #rate = 0;
  #horizon = 0;
  #shown = null;
  #heldSince = null;

  /** Take the server's number; `rate` is people called per second, `horizon` ms to the next message. */
  report(ahead, { rate = 0, horizon = 0, now }) {
    this.#reported = ahead;
    this.#reportedAt = now;
    this.#rate = rate;
    this.#horizon = horizon;
    if (this.#shown === null || ahead <= this.#shown) this.#heldSince = null;
    else this.#heldSince ??= now;
  }

  /** The number to show: it never rises, except to correct an estimate that was held too long. */
  at(now) {
    const passed = Math.min(Math.max(now - this.#reportedAt, 0), this.#horizon);
    const called = Math.floor((this.#rate * CAUTION * passed) / 1000);
    const estimate = Math.max(this.#reported - called, Math.min(this.#reported, 1));
    const heldTooLong = this.#heldSince !== null && now - this.#heldSince > MAX_HELD;
    if (this.#shown === null || estimate < this.#shown || heldTooLong) this.#shown = estimate;
    if (heldTooLong) this.#heldSince = null;
    return this.#shown;
  }
}

/** People called per second according to the server's estimate; 0 if there is none. */
export function rateOf({ ahead, eta_seconds: eta, paused }) {
  return !paused && eta > 0 && ahead !== null ? (ahead + 1) / eta : 0;
}
