// Stays in touch: a websocket; where that does not work, server-sent events; else asking now and then.

import { askStanding, isPassing, openPolls, openSocket, openStream } from "./transports.js";

const LADDER = [openSocket, openStream, openPolls];
const TOUCH = ["live", "sse", "polling"];
const POLLS = 2;
const TRIES = 2; // on one rung, before the next one down
const FIRST_WORD = 8_000; // a connection that says nothing for so long is none
const SILENCE = 30_000; // nor is one that went silent
const CLIMB_EVERY = 60_000;
const SHORTEST = 1_000, LONGEST = 30_000;

const spread = (ms) => ms * (0.8 + 0.4 * Math.random());

export class Link {
  #where; #heard; #touched; #refused;
  #rung = "WebSocket" in window ? 0 : 1;
  #close = null;
  #failures = 0;
  #vain = 0;
  #timers = {};
  #running = false;

  /** `heard` gets every message (with the time until the next, and whether it may come out of turn),
   *  `touched` how we are in touch, `refused` a refusal that stands. */
  constructor(where, { heard, touched, refused }) {
    this.#where = where;
    this.#heard = heard;
    this.#touched = touched;
    this.#refused = refused;
  }

  start() {
    if (this.#running) return;
    this.#running = true;
    this.#open();
    this.#after("climb", spread(CLIMB_EVERY), () => this.#climb());
  }

  stop() {
    this.#running = false;
    this.#close?.();
    this.#close = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
  }

  /** Look at once, for instance because somebody just turned to the page. */
  async ask() {
    if (!this.#running) return;
    try {
      this.#heard(await askStanding(this.#where), undefined, true);
      if (!this.#close) this.#open();
    } catch (failure) {
      if (failure.code && !isPassing(failure.code)) this.#refuse(failure.code);
    }
  }

  #open() {
    const rung = this.#rung;
    this.#close?.();
    this.#close = LADDER[rung](
      this.#where,
      (frame) => this.#hear(frame, rung),
      (code) => this.#lose(code),
    );
    this.#expect(FIRST_WORD);
  }

  #hear(frame, rung) {
    if (frame.type === "reconnect") return this.#again(frame.after_ms);
    if (frame.type === "error") return isPassing(frame.code) ? this.#lose() : this.#refuse(frame.code);
    this.#failures = this.#vain = 0;
    const pause = rung === POLLS ? frame.next_poll_ms : 0; // told with a standing only
    if (pause !== undefined) {
      this.#expect(pause + SILENCE);
      this.#touched(TOUCH[rung], pause);
    }
    this.#heard(frame, pause || undefined);
  }

  #lose(code) {
    this.#close?.();
    this.#close = null;
    if (code && !isPassing(code)) return this.#refuse(code);
    this.#failures += 1;
    this.#vain += 1;
    this.#touched("reconnecting");
    const steps = this.#failures >= TRIES && this.#rung < POLLS;
    if (steps) {
      this.#rung += 1;
      this.#failures = this.#vain = 0;
    }
    this.#again(steps ? SHORTEST * Math.random() : this.#pause());
  }

  /** 1 to 2 seconds, doubling up to 30: nobody knocks in step with the others. */
  #pause() {
    return Math.min(SHORTEST * 2 ** (this.#vain - 1) * (1 + Math.random()), LONGEST);
  }

  #again(ms) {
    this.#close?.();
    this.#close = null;
    this.#touched("reconnecting");
    clearTimeout(this.#timers.expect);
    this.#after("again", ms, () => this.#open());
  }

  #refuse(code) {
    this.stop();
    this.#refused(code);
  }

  #expect(ms) {
    this.#after("expect", ms, () => this.#lose());
  }

  /** Once a minute, try the better ways again, beside the one that works. */
  #climb() {
    this.#after("climb", spread(CLIMB_EVERY), () => this.#climb());
    if (this.#rung > 0 && this.#close && !document.hidden) this.#probe("WebSocket" in window ? 0 : 1);
  }

  #probe(rung) {
    if (rung >= this.#rung) return;
    const giveUp = () => {
      clearTimeout(this.#timers.probe);
      close();
      if (this.#running) this.#probe(rung + 1);
    };
    const close = LADDER[rung](this.#where, (frame) => {
      if (this.#close === close) return this.#hear(frame, rung);
      clearTimeout(this.#timers.probe);
      if (!this.#running || frame.type !== "standing") return close();
      this.#close?.();
      this.#close = close;
      this.#rung = rung;
      this.#hear(frame, rung);
    }, (code) => (this.#close === close ? this.#lose(code) : giveUp()));
    this.#after("probe", FIRST_WORD, giveUp);
  }

  #after(name, ms, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, ms);
  }
}
