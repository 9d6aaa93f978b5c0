// Offline check-ins that were not sent yet, and tickets this phone let in; kept in localStorage.

const KEPT = 36 * 3600_000;

export class Book {
  #waiting; #seen;

  constructor(event) {
    this.#waiting = `door:${event}:waiting`;
    this.#seen = `door:${event}:seen`;
  }

  get waiting() {
    return read(this.#waiting, []);
  }

  add(scan) {
    write(this.#waiting, [...this.waiting, scan]);
  }

  remove(keys) {
    write(this.#waiting, this.waiting.filter(({ key }) => !keys.includes(key)));
  }

  /** When this phone let this ticket in, or null. */
  seenAt(ticket) {
    return read(this.#seen, {})[ticket]?.at ?? null;
  }

  see(ticket, key, at) {
    const recent = Object.entries(read(this.#seen, {})).filter(([, it]) => Date.parse(it.at) > Date.now() - KEPT);
    write(this.#seen, { ...Object.fromEntries(recent), [ticket]: { key, at } });
  }

  forget(forgotten) {
    const left = Object.entries(read(this.#seen, {})).filter(([, { key }]) => key !== forgotten);
    write(this.#seen, Object.fromEntries(left));
  }
}

function read(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function write(name, value) {
  localStorage.setItem(name, JSON.stringify(value));
}
