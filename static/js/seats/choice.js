// The chosen seats, before they are held.

import { ACCESSIBLE, COMPANION, FREE, HELD, LETTERS } from "./plan.js";
import { clockTime, count, has, money, nameOf, say } from "./labels.js";
import { Waiting } from "./waiting.js";

const box = document.getElementById("choice");
const find = (name) => box.querySelector(`[data-${name}]`);

export class Choice {
  #me; #ids = new Set(); #plan = null; #changed; #holding = false; #key = ""; #over = false; #kept; #similar = null;

  constructor(me, { event, hold, basket, request }, changed) {
    this.#me = me;
    this.#changed = changed;
    this.#kept = `chosen:${event}`;
    this.where = { hold, basket };
    this.waiting = new Waiting(request, box && find("waiting"));
    if (!me.may_choose || !me.left) return;
    for (const id of JSON.parse(sessionStorage.getItem(this.#kept) ?? "[]").slice(0, me.left)) this.#ids.add(id);
    find("hold-button").addEventListener("click", () => this.#hold({ seats: this.#free.map((at) => this.#plan.ids[at]) }));
    find("similar-button").addEventListener("click", () => this.#hold({ best: this.#similar }));
    box.hidden = false;
  }

  /** A new seat list: drop seats that are not in it, announce those taken meanwhile. */
  seen(plan) {
    const before = this.#plan;
    this.#plan = plan;
    for (const id of this.#ids) {
      const at = plan.byId.get(id);
      if (at === undefined || (!before && plan.state[at] !== FREE)) this.#ids.delete(id);
      else if (before?.state[before.byId.get(id)] === FREE) this.lost(at);
    }
    this.show();
  }

  get seats() {
    return [...this.#ids].map((id) => this.#plan.byId.get(id));
  }

  get #free() {
    return this.seats.filter((at) => this.#plan.state[at] === FREE);
  }

  /** Choose a seat, or remove it; returns the text to announce. */
  take(at) {
    const id = this.#plan.ids[at], seat = this.name(at);
    if (this.#ids.has(id)) return this.#remove(id);
    if (!this.#me.may_choose || this.#over) return say("onlyLooking");
    if (this.#me.own.includes(id)) return say("notFree", { seat, state: say("stateOwn") });
    if (this.#plan.state[at] !== FREE) return say("notFree", { seat, state: this.state(at) });
    if (this.#ids.size >= this.#me.left) return this.#warn(this.#me.left ? "enough" : "enoughNone");
    this.#ids.add(id);
    this.#selectionChanged();
    return say("added", { seat, sum: this.#sum() });
  }

  /** Somebody else took a chosen seat; `at` is its index. */
  lost(at) {
    if (this.#holding || !this.#ids.has(this.#plan.ids[at]) || this.#plan.state[at] === FREE) return;
    this.alert(say("goneSpoken", { seat: this.name(at) }));
  }

  /** The pass ended or is elsewhere: the choice stays visible, but cannot be held. */
  end() {
    this.#over = true;
    this.show();
  }

  name(at) {
    const plan = this.#plan, { name } = plan.rows[plan.rowOf[at]];
    return say("seat", { section: plan.sectionOf(at).title, row: name, number: plan.numbers[at] });
  }

  state(at) {
    const plan = this.#plan, id = plan.ids[at];
    if (this.#ids.has(id) && plan.state[at] === FREE) return say("stateChosen");
    if (this.#me.own.includes(id)) return say("stateOwn");
    return say(`state${LETTERS[plan.state[at]].toUpperCase()}`);
  }

  whole(at) {
    const plan = this.#plan, grade = plan.grades[plan.grade[at]];
    const words = { seat: this.name(at), grade: nameOf(grade), price: money(grade.price, plan.currency), state: this.state(at) };
    return [say("seatWhole", words), ...this.extras(at)].join(", ");
  }

  extras(at) {
    const flags = this.#plan.flags[at];
    return [flags & ACCESSIBLE && say("wheelchair"), flags & COMPANION && say("companion")].filter(Boolean);
  }

  // -- on the page ---------------------------------------------------------------------------------

  show() {
    if (!box || box.hidden || !this.#plan) return;
    const list = find("chosen"), blank = document.getElementById("chosen-seat").content;
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...this.seats.map((at) => this.#line(blank, at)));
    if (focused) (list.querySelector("button") ?? find("hold-button")).focus();
    find("sum").textContent = this.#sum();
    const button = find("hold-button"), none = this.#free.length === 0;
    button.disabled = none || this.#holding || this.#over;
    box.toggleAttribute("data-empty", this.#ids.size === 0);
  }

  alert(words) {
    find("alert").textContent = words;
  }

  #line(blank, at) {
    const line = blank.cloneNode(true).firstElementChild, plan = this.#plan;
    const free = plan.state[at] === FREE, name = this.name(at), button = line.querySelector("[data-remove]");
    line.querySelector("[data-name]").textContent = name;
    line.querySelector("[data-price]").textContent = free ? money(plan.grades[plan.grade[at]].price, plan.currency) : say("gone");
    line.toggleAttribute("data-gone", !free);
    button.setAttribute("aria-label", say("remove", { seat: name }));
    button.addEventListener("click", () => this.#changed(this.#remove(plan.ids[at])));
    return line;
  }

  #sum() {
    const plan = this.#plan, free = this.#free;
    if (!free.length) return this.#me.left ? say("chosenNone") : say("enoughNone", { limit: count(this.#me.limit) });
    const total = money(free.reduce((sum, at) => sum + plan.grades[plan.grade[at]].price, 0), plan.currency);
    return say(free.length === 1 ? "chosenOne" : "chosenMany", { n: count(free.length), total });
  }

  #remove(id) {
    const seat = this.name(this.#plan.byId.get(id));
    this.#ids.delete(id);
    this.#selectionChanged();
    return say("removed", { seat, sum: this.#sum() });
  }

  #warn(name) {
    const words = say(name, { left: count(this.#me.left), limit: count(this.#me.limit) });
    this.alert(words);
    return "";
  }

  #selectionChanged() {
    this.#key = "";
    this.#offer(null);
    this.alert("");
    this.#keep();
    this.#changed("");
  }

  #keep() {
    sessionStorage.setItem(this.#kept, JSON.stringify([...this.#ids]));
    this.show();
  }

  // -- holding -------------------------------------------------------------------------------------

  async #hold(wish) {
    const button = find("hold-button"), words = button.textContent;
    this.#key ||= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#holding = true;
    button.textContent = say("holding");
    this.alert("");
    this.#offer(null);
    this.show();
    const refusal = await this.#ask(wish);
    if (refusal === null) return;
    this.#holding = false;
    button.textContent = words;
    this.#refused(refusal, wish);
  }

  /** Null if the seats are held and the basket opens; otherwise the refusal. */
  async #ask(wish) {
    const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": this.#key };
    try {
      const answer = await fetch(`${this.where.hold}?mode=auto`, { method: "POST", headers, body: JSON.stringify(wish) });
      if (!answer.ok) return await answer.json();
      if (answer.status === 202) {
        const request = await this.waiting.end(await answer.json());
        if (request?.state !== "SUCCESS") return request?.refusal ?? FAILED;
      }
      sessionStorage.removeItem(this.#kept);
      location.assign(this.where.basket);
      return null;
    } catch {
      return FAILED;
    }
  }

  /** As many seats of the same grade together, chosen by the server: losers do not collide again. */
  #offer(lost, quantity) {
    const plan = this.#plan, at = plan?.byId.get(lost), grade = at !== undefined ? plan.grades[plan.grade[at]] : null;
    const left = grade ? plan.ids.reduce((sum, _, one) => sum + (plan.state[one] === FREE && plan.grade[one] === plan.grade[at]), 0) : 0;
    this.#similar = grade && left >= quantity ? { grade: grade.code, quantity } : null;
    find("similar").hidden = !this.#similar;
    if (!this.#similar) return;
    const total = money(grade.price * quantity, plan.currency);
    find("similar-seats").textContent = say(quantity === 1 ? "similarOne" : "similarMany", { n: count(quantity), grade: nameOf(grade), total });
  }

  /** The seat with why it can't be had, and when it may be free again. */
  #why({ seat, why, until }) {
    const at = this.#plan.byId.get(seat);
    if (at === undefined) return "";
    const name = this.name(at);
    return until ? say("whyUntil", { seat: name, time: clockTime(until) }) : say(`why${camel(why)}`, { seat: name });
  }

  #refused({ code, message, details }, wish) {
    if (code !== "failed") this.#key = "";
    const named = (details?.seats ?? []).map((id) => this.#plan.byId.get(id)).filter((at) => at !== undefined);
    const reasons = details?.taken?.map((one) => this.#why(one)).filter(Boolean);
    const seats = (reasons ?? named.map((at) => this.name(at))).join("; "), advice = `advice${camel(code)}`;
    let words = [message, has(advice) && say(advice)];
    if (code === "failed") words = [say("failed")];
    if (code === "seat_taken") words = [say("taken", { seats })];
    if (code === "leaves_orphan") words.splice(1, 0, say("alone", { seats }));
    if (code === "seat_taken") for (const at of named) this.#gone(at);
    this.alert(words.filter(Boolean).join(" "));
    this.#keep();
    this.#changed("", code === "leaves_orphan" ? named : []);
    if (code === "seat_taken" && wish.seats) this.#offer(details.seats[0], wish.seats.length);
    if (code === "identity_not_verified") location.assign(`/verify/?event=${details.event}`);
    if (code === "not_admitted") document.dispatchEvent(new CustomEvent("pass-over"));
    if (code === "pass_elsewhere") document.dispatchEvent(new CustomEvent("pass-moved"));
  }

  #gone(at) {
    if (this.#plan.state[at] === FREE) this.#plan.put(at, HELD);
    this.#ids.delete(this.#plan.ids[at]);
  }
}

const FAILED = { code: "failed", details: {} };
const camel = (code) => code[0].toUpperCase() + code.slice(1);
