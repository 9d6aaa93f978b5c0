// Stays in touch with the server: by a websocket, or by asking every few seconds where there is none.

const SECOND = 1_000, SOONEST = SECOND, LATEST = 15 * SECOND, POLL = 2 * SECOND, VAIN = 2, SILENCE = 10 * SECOND;
const REFUSED = 4_400; // and above: the server said why, and will say it again

export class Link {
  constructor({ socket, samples }, { since, heard, touched, patience = SILENCE }) {
    Object.assign(this, { socket, samples, since, heard, touched, patience, vain: 0, polling: null });
  }

  start() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const line = new WebSocket(`${scheme}//${location.host}${this.socket}?since=${this.since()}`);
    let silence, after = null;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => line.close(), this.patience + SECOND);
    };
    line.addEventListener("open", alive);
    line.addEventListener("message", ({ data }) => {
      alive();
      const frame = JSON.parse(data);
      if (frame.type === "reconnect") after = frame.after_ms;
      if (!["history", "sales", "sample"].includes(frame.type)) return;
      this.vain = 0;
      this.#stopPolling();
      this.touched("live");
      this.heard(frame);
    });
    line.addEventListener("close", ({ code }) => {
      clearTimeout(silence);
      if (code >= REFUSED && code < 4_500) return location.reload();
      this.#again(after);
    });
  }

  /** What was missed, without a socket. */
  async ask(since = this.since()) {
    const answer = await fetch(`${this.samples}?since=${since}`, { headers: { Accept: "application/json" }, cache: "no-store" }).catch(() => null);
    if (!answer?.ok || answer.redirected) return false;
    this.heard(await answer.json());
    return true;
  }

  #again(after) {
    this.vain += 1;
    if (this.vain > VAIN) this.#poll();
    else this.touched("lost");
    const wait = after ?? Math.min(SOONEST * 2 ** this.vain, LATEST) * (0.5 + Math.random());
    setTimeout(() => this.start(), wait);
  }

  #poll() {
    if (this.polling) return;
    const look = async () => this.touched((await this.ask()) ? "polling" : "lost");
    this.polling = setInterval(look, POLL);
    look();
  }

  #stopPolling() {
    clearInterval(this.polling);
    this.polling = null;
  }
}
