// Receives frames from the server: over a websocket, or by polling while there is none.

const SECOND = 1_000, MIN_DELAY = SECOND, MAX_DELAY = 15 * SECOND, POLL = 2 * SECOND, TRIES_BEFORE_POLLING = 2, SILENCE = 10 * SECOND;
const REFUSED = 4_400; // up to 4499: the server refused for a reason that a reconnect does not change

export class Connection {
  constructor({ socket, samples }, { since, onFrame, onStatus, maxSilence = SILENCE }) {
    Object.assign(this, { socket, samples, since, onFrame, onStatus, maxSilence, failures: 0, polling: null });
  }

  start() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const websocket = new WebSocket(`${scheme}//${location.host}${this.socket}?since=${this.since()}`);
    let silence, after = null;
    const restartTimer = () => {
      clearTimeout(silence);
      silence = setTimeout(() => websocket.close(), this.maxSilence + SECOND);
    };
    websocket.addEventListener("open", restartTimer);
    websocket.addEventListener("message", ({ data }) => {
      restartTimer();
      const frame = JSON.parse(data);
      if (frame.type === "reconnect") after = frame.after_ms;
      if (!["history", "sales", "sample"].includes(frame.type)) return;
      this.failures = 0;
      this.#stopPolling();
      this.onStatus("live");
      this.onFrame(frame);
    });
    websocket.addEventListener("close", ({ code }) => {
      clearTimeout(silence);
      if (code >= REFUSED && code < 4_500) return location.reload();
      this.#reconnect(after);
    });
  }

  /** Fetches the samples since a second over HTTP. */
  async fetchSince(since = this.since()) {
    const answer = await fetch(`${this.samples}?since=${since}`, { headers: { Accept: "application/json" }, cache: "no-store" }).catch(() => null);
    if (!answer?.ok || answer.redirected) return false;
    this.onFrame(await answer.json());
    return true;
  }

  #reconnect(after) {
    this.failures += 1;
    if (this.failures > TRIES_BEFORE_POLLING) this.#poll();
    else this.onStatus("lost");
    const wait = after ?? Math.min(MIN_DELAY * 2 ** this.failures, MAX_DELAY) * (0.5 + Math.random());
    setTimeout(() => this.start(), wait);
  }

  #poll() {
    if (this.polling) return;
    const ask = async () => this.onStatus((await this.fetchSince()) ? "polling" : "lost");
    this.polling = setInterval(ask, POLL);
    ask();
  }

  #stopPolling() {
    clearInterval(this.polling);
    this.polling = null;
  }
}
