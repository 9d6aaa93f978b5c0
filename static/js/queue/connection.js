// The connection to the server: a websocket, else server-sent events, else polling.

import { fetchStanding, isTransient, openPolls, openSocket, openStream, rememberStanding } from "./transports.js";

const TRANSPORTS = [openSocket, openStream, openPolls];
const STATUSES = ["live", "sse", "polling"];
const POLLING = 2;
const TRIES = 2; // with one transport before the next one
const FIRST_FRAME = 8_000; // a connection without a frame after so long counts as lost
const MAX_SILENCE = 30_000; // between two frames
const PROBE_EVERY = 60_000;
const MIN_PAUSE = 1_000, MAX_PAUSE = 30_000;

const jittered = (ms) => ms * (0.8 + 0.4 * Math.random());

export class Connection {
  #urls; #onFrame; #onStatus; #onError;
  #transport = "WebSocket" in window ? 0 : 1;
  #close = null;
  #failures = 0;
  #attempts = 0; // since the last frame, for the pause before the next one
  #timers = {};
  #running = false;

  /** `onFrame` gets every frame (with the ms until the next, and whether it may be out of order),
   *  `onStatus` the state of the connection, `onError` an error that will not go away. */
  constructor(urls, { onFrame, onStatus, onError }) {
    this.#urls = urls;
    this.#onFrame = onFrame;
    this.#onStatus = onStatus;
    this.#onError = onError;
  }

  /** Open the connection; with `socketAfter` ms, poll until then: many others came at the same time. */
  start({ socketAfter = 0, nextPoll = 0 } = {}) {
    if (this.#running) return;
    this.#running = true;
    if (socketAfter > 0) this.#openLater(socketAfter, nextPoll);
    else this.#open();
    this.#after("probeLater", jittered(PROBE_EVERY), () => this.#probeLater());
  }

  stop() {
    this.#running = false;
    this.#close?.();
    this.#close = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
  }

  /** Fetch the standing now, for instance because the page became visible. */
  async refresh() {
    if (!this.#running) return;
    try {
      this.#onFrame(await fetchStanding(this.#urls), undefined, true);
      if (!this.#close) this.#open();
    } catch (failure) {
      if (failure.code && !isTransient(failure.code)) this.#fail(failure.code);
    }
  }

  #open() {
    const transport = this.#transport;
    this.#close?.();
    this.#close = TRANSPORTS[transport](
      this.#urls,
      (frame) => this.#receive(frame, transport),
      (code) => this.#lose(code),
    );
    this.#setWatchdog(FIRST_FRAME);
  }

  #openLater(ms, nextPoll) {
    this.#close = openPolls(
      this.#urls,
      (frame) => this.#receive(frame, POLLING),
      (code) => code && !isTransient(code) && this.#fail(code),
      nextPoll,
    );
    this.#onStatus(STATUSES[POLLING], nextPoll);
    this.#after("reopen", ms, () => this.#open());
  }

  #receive(frame, transport) {
    if (frame.type === "reconnect") return this.#reopen(frame.after_ms);
    if (frame.type === "error") return isTransient(frame.code) ? this.#lose() : this.#fail(frame.code);
    if (frame.type === "standing") rememberStanding(this.#urls, frame);
    this.#failures = this.#attempts = 0;
    const pause = transport === POLLING ? frame.next_poll_ms : 0; // only standings carry it
    if (pause !== undefined) {
      this.#setWatchdog(pause + MAX_SILENCE);
      this.#onStatus(STATUSES[transport], pause);
    }
    this.#onFrame(frame, pause || undefined);
  }

  #lose(code) {
    this.#close?.();
    this.#close = null;
    if (code && !isTransient(code)) return this.#fail(code);
    this.#failures += 1;
    this.#attempts += 1;
    this.#onStatus("reconnecting");
    const downgrade = this.#failures >= TRIES && this.#transport < POLLING;
    if (downgrade) {
      this.#transport += 1;
      this.#failures = this.#attempts = 0;
    }
    this.#reopen(downgrade ? MIN_PAUSE * Math.random() : this.#pause());
  }

  /** 1 to 2 seconds, doubling up to 30, at random so that clients don't reconnect in step. */
  #pause() {
    return Math.min(MIN_PAUSE * 2 ** (this.#attempts - 1) * (1 + Math.random()), MAX_PAUSE);
  }

  #reopen(ms) {
    this.#close?.();
    this.#close = null;
    this.#onStatus("reconnecting");
    clearTimeout(this.#timers.watchdog);
    this.#after("reopen", ms, () => this.#open());
  }

  #fail(code) {
    this.stop();
    this.#onError(code);
  }

  #setWatchdog(ms) {
    this.#after("watchdog", ms, () => this.#lose());
  }

  /** Once a minute, try the better transports again beside the one that works. */
  #probeLater() {
    this.#after("probeLater", jittered(PROBE_EVERY), () => this.#probeLater());
    if (this.#transport > 0 && this.#close && !document.hidden) this.#probe("WebSocket" in window ? 0 : 1);
  }

  #probe(transport) {
    if (transport >= this.#transport) return;
    const giveUp = () => {
      clearTimeout(this.#timers.probe);
      close();
      if (this.#running) this.#probe(transport + 1);
    };
    const close = TRANSPORTS[transport](this.#urls, (frame) => {
      if (this.#close === close) return this.#receive(frame, transport);
      clearTimeout(this.#timers.probe);
      if (!this.#running || frame.type !== "standing") return close();
      this.#close?.();
      this.#close = close;
      this.#transport = transport;
      this.#receive(frame, transport);
    }, (code) => (this.#close === close ? this.#lose(code) : giveUp()));
    this.#after("probe", FIRST_FRAME, giveUp);
  }

  #after(name, ms, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, ms);
  }
}
