// The samples of a sale that this page knows: every second of the last half hour, and one row per
// ten seconds for the whole sale. Keyed by second, so that receiving a sample twice changes nothing.

const MAX_SECONDS = 1_800, STEP = 10;

export class SampleHistory {
  constructor() {
    this.fields = [];
    this.seconds = new Map();
    this.whole = new Map();
    this.last = 0;
  }

  /** Adds a history frame of the server. */
  add({ fields, seconds, whole }) {
    this.fields = fields;
    whole.forEach((row) => this.whole.set(row[0], row));
    seconds.forEach((row) => this.#put(row));
  }

  /** Adds the newest sample. Returns the second to ask from if samples before it are missing, else null. */
  append(figures) {
    const known = this.last, missed = known && (figures.previous ?? 0) > known;
    if (this.fields.length) this.#put(this.fields.map((name) => figures[name] ?? 0));
    return missed ? known : null;
  }

  #put(row) {
    this.seconds.set(row[0], row);
    this.last = Math.max(this.last, row[0]);
    const slot = row[0] - (row[0] % STEP);
    if (!this.whole.has(slot)) this.whole.set(slot, [slot, ...row.slice(1)]);
    if (this.seconds.size > MAX_SECONDS) this.seconds.delete(this.seconds.keys().next().value);
  }

  /** Rows of the last `span` seconds (0: the whole sale), by the second where known. */
  rows(span) {
    const all = [...this.whole.values()].sort(bySecond);
    if (!span) return all;
    const fine = [...this.seconds.values()].sort(bySecond), oldest = fine[0]?.[0] ?? Infinity;
    return [...all.filter(([second]) => second < oldest), ...fine].filter(([second]) => second > this.last - span);
  }

  /** Columns for a chart: the times, and one list per field name. */
  columns(span, names) {
    const rows = this.rows(span), at = names.map((name) => this.fields.indexOf(name));
    return [rows.map(([second]) => second), ...at.map((index) => rows.map((row) => row[index]))];
  }

  /** The last row of each of the last `count` minutes, newest first. */
  minutes(count) {
    const byMinute = new Map(this.rows(0).concat(this.rows(MAX_SECONDS)).map((row) => [Math.floor(row[0] / 60), row]));
    return [...byMinute.entries()].sort(([a], [b]) => b - a).slice(0, count).map(([, row]) => row);
  }

  value(row, name) {
    return row[this.fields.indexOf(name)];
  }
}

const bySecond = (one, other) => one[0] - other[0];
