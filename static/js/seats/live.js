// Keeps the house true: the whole list now and then, and what changes in between as it happens.

const RECENT = 20_000; // a list that was built before this may lack what was told since
const OFTEN = 4_000, SELDOM = 120_000;
const TRIES = 2; // in a row, before asking takes over
const SHORTEST = 1_000, LONGEST = 30_000;
const SOON = 3_000;
const spread = (ms) => ms * (0.8 + 0.4 * Math.random());

export class Live {
  #where; #ears; #tag = ""; #told = []; #socket = null; #vain = 0; #over = false; #timers = {}; #due = 0; #loading = null;

  /** `loaded` gets a new list, `changed` what changed; `touched` how we are in touch. */
  constructor(where, ears) {
    this.#where = where;
    this.#ears = ears;
  }

  start() {
    this.#connect();
    document.addEventListener("visibilitychange", () => document.hidden || this.#wake());
    window.addEventListener("online", () => this.#wake());
    return this.#load();
  }

  /** The list, if it is another one than we have; then what was told since it was built. */
  #load() {
    this.#loading ??= this.#fetch().catch(() => null).then((body) => {
      this.#loading = null;
      this.#after("list", spread(this.#isPolling ? OFTEN : SELDOM), () => document.hidden || this.#load());
      if (!body) return;
      this.#ears.loaded(body);
      this.#told = this.#told.filter(({ at }) => at > performance.now() - RECENT);
      for (const { changes } of this.#told) this.#ears.changed(changes);
    });
    return this.#loading;
  }

  async #fetch() {
    const again = this.#tag ? { headers: { "If-None-Match": this.#tag }, cache: "no-store" } : {};
    const answer = await fetch(this.#where.list, again);
    if (answer.status === 404) this.#over = true;
    if (!answer.ok) return null;
    this.#tag = answer.headers.get("ETag") ?? "";
    return answer.json();
  }

  #connect() {
    if (this.#over || !("WebSocket" in window)) return this.#lose();
    const address = new URL(this.#where.socket, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = this.#socket = new WebSocket(address);
    socket.onmessage = ({ data }) => socket === this.#socket && this.#hear(JSON.parse(data));
    socket.onclose = () => socket === this.#socket && this.#lose();
  }

  #hear(frame) {
    if (frame.type === "reconnect") return this.#again(frame.after_ms);
    if (frame.type === "error") return frame.code === "not_found" ? (this.#over = true) : undefined;
    if (frame.type === "refresh") return this.#loadWithin(Math.random() * SOON);
    if (frame.type !== "seats") return;
    const was = this.#vain;
    this.#vain = 0;
    this.#ears.touched("live");
    this.#told.push({ at: performance.now(), changes: frame.changes });
    if (was) this.#load(); // there was a gap
    if (this.#ears.changed(frame.changes)) this.#loadWithin(SOON + Math.random() * SOON);
  }

  /** In a busy sale there is always news: it must not put the list off. */
  #loadWithin(ms) {
    if (this.#due < performance.now() || this.#due > performance.now() + ms) this.#after("list", ms, () => this.#load());
  }

  #lose() {
    this.#vain += 1;
    if (this.#isPolling) {
      this.#ears.touched("checking", OFTEN / 1000);
      this.#after("list", spread(OFTEN), () => document.hidden || this.#load());
    } else this.#ears.touched("reconnecting");
    if (!this.#over) this.#again(Math.min(SHORTEST * 2 ** this.#vain, LONGEST) * (0.5 + Math.random() / 2));
  }

  get #isPolling() {
    return this.#vain >= TRIES;
  }

  #again(ms) {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#vain ||= 1;
    this.#after("socket", ms, () => this.#connect());
  }

  /** Somebody just turned to the page: it may have slept. */
  #wake() {
    this.#load();
    if (this.#socket?.readyState !== WebSocket.OPEN) this.#again(0);
  }

  #after(name, ms, act) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(act, ms);
    if (name === "list") this.#due = performance.now() + ms;
  }
}
