// How many are ahead, between two messages: an honest guess that the next message puts right.

// Guessed somewhat slower than the line moved lately: falling behind is better than promising.
const CAUTION = 0.9;
// A guess that was too low stands still until the line has caught up; after so long it is corrected.
const PATIENCE = 10_000;

export class HonestNumber {
  #told = null;
  #toldAt = 0;
  #rate = 0;
  #horizon = 0;
  #shown = null;
  #heldSince = null;

  /** What the server said: people ahead, people called per second, ms until it speaks again. */
  tell(ahead, { rate = 0, horizon = 0, now }) {
    this.#told = ahead;
    this.#toldAt = now;
    this.#rate = rate;
    this.#horizon = horizon;
    if (this.#shown === null || ahead <= this.#shown) this.#heldSince = null;
    else this.#heldSince ??= now;
  }

  /** Never more than before, and never less than was told minus what the pace makes likely. */
  at(now) {
    const passed = Math.min(Math.max(now - this.#toldAt, 0), this.#horizon);
    const fallen = Math.floor((this.#rate * CAUTION * passed) / 1000);
    const guess = Math.max(this.#told - fallen, Math.min(this.#told, 1));
    const held = this.#heldSince !== null && now - this.#heldSince > PATIENCE;
    if (this.#shown === null || guess < this.#shown || held) this.#shown = guess;
    if (held) this.#heldSince = null;
    return this.#shown;
  }
}

/** People called per second, as the estimate has it; 0 where there is none. */
export function rateOf({ ahead, eta_seconds: eta, paused }) {
  return !paused && eta > 0 && ahead !== null ? (ahead + 1) / eta : 0;
}
