// Keeps the seats current: the whole list now and then, and changes in between as they happen.

const RECENT = 20_000; // changes newer than this may be missing from a loaded list
const POLL = 4_000, RELOAD = 120_000;
const MAX_FAILURES = 2; // in a row, before polling takes over
const SHORTEST = 1_000, LONGEST = 30_000;
const SOON = 3_000;
const spread = (ms) => ms * (0.8 + 0.4 * Math.random());

export class Live {
  #where; #listener; #tag = ""; #recent = []; #socket = null; #failures = 0; #over = false; #timers = {}; #due = 0; #loading = null; #listedAt = 0; #isFirst = false;

  /** The listener's `loaded` gets a new list, `changed` state changes, `requestChanged` an own hold request, `passMoved` which browser has the pass, `connectionChanged` the connection state. */
  constructor(where, listener) {
    this.#where = where;
    this.#listener = listener;
  }

  start() {
    this.#connect();
    document.addEventListener("visibilitychange", () => document.hidden || this.#resume());
    window.addEventListener("online", () => this.#resume());
    return this.#load();
  }

  /** Load the list if it changed, then apply recent changes on top. */
  #load() {
    this.#loading ??= this.#fetch().catch(() => null).then(async (text) => {
      this.#loading = null;
      this.#after("list", spread(this.#isPolling ? POLL : RELOAD), () => document.hidden || this.#load());
      if (!text) return;
      await this.#listener.loaded(text);
      this.#recent = this.#recent.filter(({ at }) => at > performance.now() - RECENT);
      for (const { changes } of this.#recent) this.#listener.changed(changes);
    });
    return this.#loading;
  }

  async #fetch() {
    const began = performance.now();
    const options = this.#tag ? { headers: { "If-None-Match": this.#tag }, cache: "no-store" } : {};
    const answer = await fetch(this.#where.list, options);
    if (answer.status === 404) this.#over = true;
    if (answer.ok || answer.status === 304) this.#listedAt = began;
    if (!answer.ok) return null;
    this.#tag = answer.headers.get("ETag") ?? "";
    return answer.text();
  }

  #connect() {
    if (this.#over || !("WebSocket" in window)) return this.#disconnected();
    const address = new URL(this.#where.socket, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = this.#socket = new WebSocket(address);
    this.#isFirst = true;
    socket.onmessage = ({ data }) => socket === this.#socket && this.#receive(JSON.parse(data));
    socket.onclose = () => socket === this.#socket && this.#disconnected();
  }

  #receive(frame) {
    if (frame.type === "reconnect") return this.#reconnect(frame.after_ms);
    if (frame.type === "error") return frame.code === "not_found" ? (this.#over = true) : undefined;
    if (frame.type === "refresh") return this.#loadWithin(Math.random() * SOON);
    if (frame.type === "pass") return this.#listener.passMoved(frame);
    if (frame.type === "RESERVATION_STATUS") return this.#listener.requestChanged(frame);
    if (frame.type !== "seats") return;
    const isOld = this.#isFirst && this.#listedAt && performance.now() > this.#listedAt + RECENT / 2;
    const isGap = this.#failures || isOld;
    this.#failures = 0;
    this.#isFirst = false;
    this.#listener.connectionChanged("live");
    this.#recent.push({ at: performance.now(), changes: frame.changes });
    if (isGap) this.#load(); // the first frame has recent changes only, and the list is older
    if (this.#listener.changed(frame.changes)) this.#loadWithin(SOON + Math.random() * SOON);
  }

  /** Constant changes in a busy sale must not postpone the reload. */
  #loadWithin(ms) {
    if (this.#due < performance.now() || this.#due > performance.now() + ms) this.#after("list", ms, () => this.#load());
  }

  #disconnected() {
    this.#failures += 1;
    if (this.#isPolling) {
      this.#listener.connectionChanged("checking", POLL / 1000);
      this.#after("list", spread(POLL), () => document.hidden || this.#load());
    } else this.#listener.connectionChanged("reconnecting");
    if (!this.#over) this.#reconnect(Math.min(SHORTEST * 2 ** this.#failures, LONGEST) * (0.5 + Math.random() / 2));
  }

  get #isPolling() {
    return this.#failures >= MAX_FAILURES;
  }

  #reconnect(ms) {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#failures ||= 1;
    this.#after("socket", ms, () => this.#connect());
  }

  /** The page became visible or the network is back. */
  #resume() {
    this.#load();
    if (this.#socket?.readyState !== WebSocket.OPEN) this.#reconnect(0);
  }

  #after(name, ms, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, ms);
    if (name === "list") this.#due = performance.now() + ms;
  }
}
