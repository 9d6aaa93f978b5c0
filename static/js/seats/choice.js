// The seats that were chosen, before they are held.

import { ACCESSIBLE, COMPANION, FREE, LETTERS } from "./house.js";
import { count, has, money, nameOf, say } from "./words.js";

const box = document.getElementById("choice");
const find = (name) => box.querySelector(`[data-${name}]`);

export class Choice {
  #me; #ids = new Set(); #house = null; #changed; #holding = false; #key = ""; #over = false; #kept;

  constructor(me, { event, hold, basket }, changed) {
    this.#me = me;
    this.#changed = changed;
    this.#kept = `chosen:${event}`;
    this.where = { hold, basket };
    if (!me.may_choose || !me.left) return;
    for (const id of JSON.parse(sessionStorage.getItem(this.#kept) ?? "[]").slice(0, me.left)) this.#ids.add(id);
    find("hold-button").addEventListener("click", () => this.#hold());
    box.hidden = false;
  }

  /** Another list: what is not in it can't be chosen, and what was taken meanwhile is said. */
  seen(house) {
    const before = this.#house;
    this.#house = house;
    for (const id of this.#ids) {
      const at = house.byId.get(id);
      if (at === undefined || (!before && house.state[at] !== FREE)) this.#ids.delete(id);
      else if (before?.state[before.byId.get(id)] === FREE) this.lost(at);
    }
    this.show();
  }

  get seats() {
    return [...this.#ids].map((id) => this.#house.byId.get(id));
  }

  get #free() {
    return this.seats.filter((at) => this.#house.state[at] === FREE);
  }

  /** Take a seat, or put it back; gives back what to say. */
  take(at) {
    const id = this.#house.ids[at], seat = this.name(at);
    if (this.#ids.has(id)) return this.#remove(id);
    if (!this.#me.may_choose || this.#over) return say("onlyLooking");
    if (this.#me.own.includes(id)) return say("notFree", { seat, state: say("stateOwn") });
    if (this.#house.state[at] !== FREE) return say("notFree", { seat, state: this.state(at) });
    if (this.#ids.size >= this.#me.left) return this.#warn(this.#me.left ? "enough" : "enoughNone");
    this.#ids.add(id);
    this.#touched();
    return say("added", { seat, sum: this.#sum() });
  }

  /** Somebody took a seat that is chosen here; `at` is its position. */
  lost(at) {
    if (this.#holding || !this.#ids.has(this.#house.ids[at]) || this.#house.state[at] === FREE) return;
    this.alert(say("goneSpoken", { seat: this.name(at) }));
  }

  /** The pass is over: what is chosen stays on the page, and can't be held. */
  end() {
    this.#over = true;
    this.show();
  }

  name(at) {
    const house = this.#house, { name } = house.rows[house.rowOf[at]];
    return say("seat", { section: house.sectionOf(at).title, row: name, number: house.numbers[at] });
  }

  state(at) {
    const house = this.#house, id = house.ids[at];
    if (this.#ids.has(id) && house.state[at] === FREE) return say("stateChosen");
    if (this.#me.own.includes(id)) return say("stateOwn");
    return say(`state${LETTERS[house.state[at]].toUpperCase()}`);
  }

  whole(at) {
    const house = this.#house, grade = house.grades[house.grade[at]], flags = house.flags[at];
    const words = { seat: this.name(at), grade: nameOf(grade), price: money(grade.price, house.currency), state: this.state(at) };
    const more = [flags & ACCESSIBLE && say("wheelchair"), flags & COMPANION && say("companion")].filter(Boolean);
    return [say("seatWhole", words), ...more].join(", ");
  }

  // -- on the page ---------------------------------------------------------------------------------

  show() {
    if (!box || box.hidden || !this.#house) return;
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
    const line = blank.cloneNode(true).firstElementChild, house = this.#house;
    const free = house.state[at] === FREE, name = this.name(at), button = line.querySelector("[data-remove]");
    line.querySelector("[data-name]").textContent = name;
    line.querySelector("[data-price]").textContent = free ? money(house.grades[house.grade[at]].price, house.currency) : say("gone");
    line.toggleAttribute("data-gone", !free);
    button.setAttribute("aria-label", say("remove", { seat: name }));
    button.addEventListener("click", () => this.#changed(this.#remove(house.ids[at])));
    return line;
  }

  #sum() {
    const house = this.#house, free = this.#free;
    if (!free.length) return say("chosenNone");
    const total = money(free.reduce((sum, at) => sum + house.grades[house.grade[at]].price, 0), house.currency);
    return say(free.length === 1 ? "chosenOne" : "chosenMany", { n: count(free.length), total });
  }

  #remove(id) {
    const seat = this.name(this.#house.byId.get(id));
    this.#ids.delete(id);
    this.#touched();
    return say("removed", { seat, sum: this.#sum() });
  }

  #warn(name) {
    const words = say(name, { left: count(this.#me.left), limit: count(this.#me.limit) });
    this.alert(words);
    return "";
  }

  #touched() {
    this.#key = "";
    this.alert("");
    this.#keep();
    this.#changed("");
  }

  #keep() {
    sessionStorage.setItem(this.#kept, JSON.stringify([...this.#ids]));
    this.show();
  }

  // -- holding -------------------------------------------------------------------------------------

  async #hold() {
    const button = find("hold-button"), words = button.textContent;
    this.#key ||= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.#holding = true;
    button.textContent = say("holding");
    this.alert("");
    this.show();
    const refusal = await this.#ask(this.#free.map((at) => this.#house.ids[at]));
    if (refusal === null) return;
    this.#holding = false;
    button.textContent = words;
    this.#refused(refusal);
  }

  /** Null if they are held, and the page turns; else why not. */
  async #ask(seats) {
    const headers = { "Content-Type": "application/json", Accept: "application/json", "Idempotency-Key": this.#key };
    try {
      const answer = await fetch(this.where.hold, { method: "POST", headers, body: JSON.stringify({ seats }) });
      if (answer.ok) {
        sessionStorage.removeItem(this.#kept);
        location.assign(this.where.basket);
        return null;
      }
      return await answer.json();
    } catch {
      return { code: "failed", details: {} };
    }
  }

  #refused({ code, message, details }) {
    if (code !== "failed") this.#key = "";
    const named = (details?.seats ?? []).map((id) => this.#house.byId.get(id)).filter((at) => at !== undefined);
    const seats = named.map((at) => this.name(at)).join("; "), advice = `advice${camel(code)}`;
    let words = [message, has(advice) && say(advice)];
    if (code === "failed") words = [say("failed")];
    if (code === "seat_taken") words = [say("taken", { seats })];
    if (code === "leaves_orphan") words.splice(1, 0, say("alone", { seats }));
    if (code === "seat_taken") for (const at of named) this.#gone(at);
    this.alert(words.filter(Boolean).join(" "));
    this.#keep();
    this.#changed("", code === "leaves_orphan" ? named : []);
    if (code === "not_admitted") document.dispatchEvent(new CustomEvent("pass-over"));
  }

  #gone(at) {
    if (this.#house.state[at] === FREE) this.#house.state[at] = 1;
    this.#ids.delete(this.#house.ids[at]);
  }
}

const camel = (code) => code[0].toUpperCase() + code.slice(1);
