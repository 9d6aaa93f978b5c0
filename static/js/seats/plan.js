// The seats of an event, unpacked from the compact list (docs/api.md) into typed arrays.

import { nameOf } from "./labels.js";

export const PITCH = 20; // units between two seats
export const LETTERS = "ahsb";
export const [FREE, HELD, SOLD, BLOCKED] = [0, 1, 2, 3];
export const ACCESSIBLE = 1, COMPANION = 2;
const SIDEWAYS_COST = 3; // arrow keys: weight of the distance across the direction
const SIDE = 0.5; // across by away from the stage: more is to its left or right

export class SeatPlan {
  /** `text`: the list as the server sends it. It is kept, because a worker unpacks it faster than it would get a copy of all this. */
  constructor(text) {
    const body = JSON.parse(text), total = body.states.length;
    this.text = text;
    this.grades = body.grades;
    this.currency = body.currency;
    this.ids = new Float64Array(total);
    this.x = new Float32Array(total);
    this.y = new Float32Array(total);
    this.numbers = new Uint32Array(total);
    this.grade = new Uint8Array(total);
    this.flags = new Uint8Array(total);
    this.state = Uint8Array.from(body.states, (letter) => LETTERS.indexOf(letter));
    this.rowOf = new Uint32Array(total);
    this.rows = [];
    this.sections = [];
    this.byId = new Map();
    for (const section of body.sections) this.#unpack(section);
    this.ids.forEach((id, at) => this.byId.set(id, at));
    this.box = around(this.sections.map((section) => section.box));
    this.stage = Math.max((this.box[2] - this.box[0]) / 16, 16); // its height in the drawing
    this.#count();
  }

  /** Free places of each section by grade, kept current so that no frame has to count seats. */
  #count() {
    for (const section of this.sections) {
      section.free = this.grades.map(() => 0);
      for (const { grade, left } of section.standing) section.free[grade] = left;
      for (let at = section.from; at < section.to; at++) if (this.state[at] === FREE) section.free[this.grade[at]] += 1;
      section.grades = section.kind === "standing"
        ? section.standing.map(({ grade }) => grade) : [...new Set(this.grade.subarray(section.from, section.to))].sort((a, b) => a - b);
    }
  }

  #unpack(section) {
    const first = this.rows.length, from = this.rows.at(-1)?.to ?? 0;
    const it = { ...section, at: this.sections.length, title: nameOf(section), firstRow: first, from };
    for (const row of section.rows) this.#unpackRow(row, it);
    it.lastRow = this.rows.length;
    it.to = this.rows.at(-1)?.to ?? 0;
    if (it.to > it.from) it.box = around([toBox(section.box), ...this.rows.slice(first).map((row) => row.box)]);
    else it.box = toBox(section.box);
    this.sections.push(it);
  }

  #unpackRow(row, section) {
    const from = this.rows.at(-1)?.to ?? 0, ids = unfold(row.ids), to = from + ids.length;
    this.ids.set(ids, from);
    this.x.set(unfold(row.x), from);
    this.y.set(unfold(row.y), from);
    this.numbers.set(unfold(row.numbers), from);
    this.grade.set(unfold(row.grades), from);
    for (const at of row.accessible ?? []) this.flags[from + at] |= ACCESSIBLE;
    for (const at of row.companion ?? []) this.flags[from + at] |= COMPANION;
    this.rowOf.fill(this.rows.length, from, to);
    this.rows.push({ name: row.row, section: section.at, from, to, box: this.#boxOf(from, to) });
  }

  #boxOf(from, to) {
    const box = [Infinity, Infinity, -Infinity, -Infinity];
    for (let at = from; at < to; at++) {
      box[0] = Math.min(box[0], this.x[at] - 10);
      box[1] = Math.min(box[1], this.y[at] - 10);
      box[2] = Math.max(box[2], this.x[at] + 10);
      box[3] = Math.max(box[3], this.y[at] + 10);
    }
    return box;
  }

  /** Apply state changes; returns whether some seats are not in the list. */
  apply(changes, changed = () => {}) {
    let unknown = false;
    for (const [letter, ids] of Object.entries(changes)) {
      const state = LETTERS.indexOf(letter);
      for (const id of ids) {
        const at = this.byId.get(id);
        if (at === undefined) unknown = true;
        else if (this.state[at] !== state) {
          this.put(at, state);
          changed(at);
        }
      }
    }
    return unknown;
  }

  put(at, state) {
    const { free } = this.sectionOf(at);
    free[this.grade[at]] += (state === FREE) - (this.state[at] === FREE);
    this.state[at] = state;
  }

  sectionOf(at) {
    return this.sections[this.rows[this.rowOf[at]].section];
  }

  left(section, grades = section.grades) {
    return grades.reduce((sum, grade) => sum + section.free[grade], 0);
  }

  total(section) {
    return section.kind === "standing" ? section.standing.reduce((sum, one) => sum + one.total, 0) : section.to - section.from;
  }

  /** The seat nearest to a point within a distance, or -1. */
  nearest(x, y, within) {
    let best = -1, least = within * within;
    for (const row of this.rows) {
      if (x < row.box[0] - within || x > row.box[2] + within || y < row.box[1] - within || y > row.box[3] + within) continue;
      for (let at = row.from; at < row.to; at++) {
        const far = (this.x[at] - x) ** 2 + (this.y[at] - y) ** 2;
        if (far < least) [best, least] = [at, far];
      }
    }
    return best;
  }

  /** The next seat in a direction that passes the filter, or this one if it is the last. */
  next(at, [dx, dy], passes) {
    let best = at, least = Infinity;
    for (let other = 0; other < this.ids.length; other++) {
      const right = this.x[other] - this.x[at], down = this.y[other] - this.y[at];
      const along = right * dx + down * dy, across = Math.abs(right * dy) + Math.abs(down * dx);
      const cost = along + SIDEWAYS_COST * across;
      if (along > 0 && cost < least && passes(other)) [best, least] = [other, cost];
    }
    return best;
  }

  /** The first seat for arrow keys: the free one nearest to the middle of the stage. */
  first(passes) {
    const middle = (this.box[0] + this.box[2]) / 2;
    let best = 0, least = Infinity;
    for (let at = 0; at < this.ids.length; at++) {
      const far = Math.abs(this.x[at] - middle) + (this.y[at] - this.box[1]);
      if (this.state[at] === FREE && far < least && passes(at)) [best, least] = [at, far];
    }
    return best;
  }

  /** The section at a point, or the nearest one within a distance. */
  sectionAt(x, y, within = 0) {
    const far = ({ box }) => Math.hypot(Math.max(box[0] - x, x - box[2], 0), Math.max(box[1] - y, y - box[3], 0));
    const near = this.sections.filter((section) => far(section) <= within);
    return near.sort((a, b) => far(a) - far(b))[0];
  }

  /** Where a seat is as seen from the stage: which row of how many, and on which side. */
  whereIs(at) {
    const section = this.sectionOf(at), own = this.rows[this.rowOf[at]], rows = this.rows.slice(section.firstRow, section.lastRow);
    const row = 1 + rows.filter(({ box }) => box[1] + box[3] < own.box[1] + own.box[3]).length;
    const across = this.x[at] - (this.box[0] + this.box[2]) / 2, away = this.y[at] - this.box[1] + this.stage;
    const side = Math.abs(across) < SIDE * away ? "Middle" : across < 0 ? "Left" : "Right";
    return { row, rows: rows.length, side };
  }
}

function unfold(steps) {
  const values = [steps[0]];
  for (let at = 1; at < steps.length; at++) {
    const [step, times] = Array.isArray(steps[at]) ? steps[at] : [steps[at], 1];
    for (let i = 0; i < times; i++) values.push(values[values.length - 1] + step);
  }
  return values;
}

const toBox = ([x, y, width, height]) => [x, y, x + width, y + height];

function around(boxes) {
  return boxes.reduce((all, box) => [
    Math.min(all[0], box[0]), Math.min(all[1], box[1]), Math.max(all[2], box[2]), Math.max(all[3], box[3]),
  ], [Infinity, Infinity, -Infinity, -Infinity]);
}
