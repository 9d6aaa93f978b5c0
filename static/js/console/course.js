// The course of a sale as this page knows it: every second of the last half hour, and ten seconds a
// point for the whole. Kept by second, so that hearing something twice changes nothing.

const KEPT = 1_800, STEP = 10;

export class Course {
  constructor() {
    this.fields = [];
    this.seconds = new Map();
    this.whole = new Map();
    this.last = 0;
  }

  /** What the server looked up for us. */
  add({ fields, seconds, whole }) {
    this.fields = fields;
    whole.forEach((row) => this.whole.set(row[0], row));
    seconds.forEach((row) => this.#put(row));
  }

  /** The newest sample. If some before it went unheard, answers since when to ask for them. */
  follow(figures) {
    const known = this.last, missed = known && (figures.previous ?? 0) > known;
    if (this.fields.length) this.#put(this.fields.map((name) => figures[name] ?? 0));
    return missed ? known : null;
  }

  #put(row) {
    this.seconds.set(row[0], row);
    this.last = Math.max(this.last, row[0]);
    const slot = row[0] - (row[0] % STEP);
    if (!this.whole.has(slot)) this.whole.set(slot, [slot, ...row.slice(1)]);
    if (this.seconds.size > KEPT) this.seconds.delete(this.seconds.keys().next().value);
  }

  /** Rows of the last `span` seconds, or of everything if 0; seconds where there are any. */
  rows(span) {
    const all = [...this.whole.values()].sort(bySecond);
    if (!span) return all;
    const fine = [...this.seconds.values()].sort(bySecond), oldest = fine[0]?.[0] ?? Infinity;
    return [...all.filter(([second]) => second < oldest), ...fine].filter(([second]) => second > this.last - span);
  }

  /** Columns for a chart: the times, and one list for each name. */
  columns(span, names) {
    const rows = this.rows(span), at = names.map((name) => this.fields.indexOf(name));
    return [rows.map(([second]) => second), ...at.map((index) => rows.map((row) => row[index]))];
  }

  /** The last row of each of the last minutes, newest first. */
  minutes(most) {
    const byMinute = new Map(this.rows(0).concat(this.rows(KEPT)).map((row) => [Math.floor(row[0] / 60), row]));
    return [...byMinute.entries()].sort(([a], [b]) => b - a).slice(0, most).map(([, row]) => row);
  }

  value(row, name) {
    return row[this.fields.indexOf(name)];
  }
}

const bySecond = (one, other) => one[0] - other[0];
