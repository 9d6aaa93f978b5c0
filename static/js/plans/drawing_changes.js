// What can be done to a plan: each function returns new sections and leaves the old ones alone.
export const seatKey = (section, seat) => `${section.code}|${seat.row}|${seat.number}`;

const changed = (sections, code, change) =>
  sections.map((section) => (section.code === code ? change(section) : section));

export function boxOf(section) {
  if (!section.seats) return section;
  const xs = section.seats.map((seat) => seat.x);
  const ys = section.seats.map((seat) => seat.y);
  const [x, y] = [smallest(xs) - 14, smallest(ys) - 14];
  return { x, y, width: largest(xs) + 14 - x, height: largest(ys) + 14 - y };
}

const smallest = (numbers) => numbers.reduce((one, other) => Math.min(one, other), Infinity);
const largest = (numbers) => numbers.reduce((one, other) => Math.max(one, other), -Infinity);

export const moved = (sections, code, dx, dy) =>
  changed(sections, code, (section) =>
    section.seats
      ? { ...section, seats: section.seats.map((seat) => ({ ...seat, x: seat.x + dx, y: seat.y + dy })) }
      : { ...section, x: section.x + dx, y: section.y + dy });

// Around the middle of its box. A standing block has only a box, which turns by quarters.
export const turned = (sections, code, degrees) =>
  changed(sections, code, (section) => {
    const box = boxOf(section);
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (!section.seats) {
      const [width, height] = [section.height, section.width];
      return { ...section, width, height, x: x - width / 2, y: y - height / 2 };
    }
    const angle = (degrees * Math.PI) / 180;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const seats = section.seats.map((seat) => ({
      ...seat,
      x: x + (seat.x - x) * cos - (seat.y - y) * sin,
      y: y + (seat.x - x) * sin + (seat.y - y) * cos,
    }));
    return { ...section, seats };
  });

// From left to right; in a row that was turned upright, from the stage.
const byPlace = (one, other) => Math.round(one.x) - Math.round(other.x) || one.y - other.y;

// Numbers every row of the block anew.
export const numbered = (sections, code, { first, step, reverse, rows }) =>
  changed(sections, code, (section) => {
    if (!section.seats) return section;
    const names = [...new Set(section.seats.map((seat) => seat.row))];
    const numbers = new Map();
    for (const name of names) {
      const row = section.seats.filter((seat) => seat.row === name);
      row.sort((one, other) => (reverse ? byPlace(other, one) : byPlace(one, other)));
      row.forEach((seat, place) => numbers.set(seat, first + place * step));
    }
    const named = (row) => (rows === "keep" ? row : rowName(names.indexOf(row), rows));
    const seats = section.seats.map((seat) => ({ ...seat, row: named(seat.row), number: numbers.get(seat) }));
    return { ...section, seats };
  });

export function rowName(place, style) {
  if (style !== "letters") return String(place + 1);
  let name = "";
  for (let rest = place + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

const changedSeats = (sections, keys, change) =>
  sections.map((section) =>
    section.seats?.some((seat) => keys.has(seatKey(section, seat)))
      ? { ...section, seats: section.seats.map((seat) => (keys.has(seatKey(section, seat)) ? change(seat) : seat)) }
      : section);

export const graded = (sections, keys, grade) =>
  changedSeats(sections, keys, (seat) => ({ ...seat, grade }));

export const placed = (sections, keys, kind) =>
  changedSeats(sections, keys, (seat) => ({
    ...seat, accessible: kind === "accessible", companion: kind === "companion",
  }));

// As the site reads it: whole units.
export function written(sections) {
  const round = (thing) => ({ ...thing, x: Math.round(thing.x), y: Math.round(thing.y) });
  const whole = sections.map((section) =>
    section.seats ? { ...section, seats: section.seats.map(round) } : {
      ...round(section), width: Math.round(section.width), height: Math.round(section.height),
    });
  return JSON.stringify({ sections: whole });
}
