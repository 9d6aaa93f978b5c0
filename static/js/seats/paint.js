// Draws the visible part of the plan: sections when zoomed out, seats when zoomed in.

import { ACCESSIBLE, BLOCKED, COMPANION, FREE, HELD, SOLD } from "./plan.js";
import { count, say } from "./labels.js";

const SEATS_FROM = 4.5; // pixels between two seats from which seats are drawn
const SHAPES_FROM = 11;
const MARKS_FROM = 15;
const FONT = "Pretendard Variable, sans-serif";

let ink = {};
let font = "";

/** The page's own colours, which follow light and dark. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["ink", "ink-soft", "surface", "sunken", "line", "line-strong", "brand", "on-brand", "focus", "warn"];
  ink = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

export function paint(context, { plan, camera, marks, chosen, own, alone, cursor, ratio }) {
  const { scale, x, y, width, height } = camera;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textAlign = "center";
  context.textBaseline = "middle";
  font = "";
  context.fillStyle = ink.surface;
  context.fillRect(0, 0, width, height);
  const seen = [x, y, x + width / scale, y + height / scale];
  const at = { context, plan, camera, marks, chosen, own, alone, seen, px: (wx) => (wx - x) * scale, py: (wy) => (wy - y) * scale };
  stage(at);
  for (const section of plan.sections) {
    if (!meet(section.box, seen)) continue;
    if (section.kind === "standing" || camera.pitch < SEATS_FROM) block(at, section);
    else seats(at, section);
  }
  if (cursor >= 0) ring(at, cursor);
}

const meet = (a, b) => a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];

function stage({ context, plan, px, py, camera }) {
  const [left, top, right] = plan.box, wide = Math.max((right - left) / 2, 120), high = plan.stage;
  const middle = (left + right) / 2, from = px(middle - wide / 2), over = py(top - high * 1.6);
  context.fillStyle = ink.ink;
  rounded(context, from, over, wide * camera.scale, high * camera.scale, Math.min(8, high * camera.scale / 3));
  context.fillStyle = ink.surface;
  write(context, say("stage"), px(middle), over + high * camera.scale / 2, Math.min(high * camera.scale * 0.55, 22), 700);
}

// -- from afar -------------------------------------------------------------------------------------

function block({ context, plan, camera, px, py }, section) {
  const [left, top, right, bottom] = section.box;
  const x = px(left), y = py(top), wide = (right - left) * camera.scale, high = (bottom - top) * camera.scale;
  const total = plan.total(section), free = plan.left(section), colours = coloursOf(plan, section);
  const corner = Math.min(8, wide / 6, high / 6);
  context.fillStyle = free ? ink.surface : ink.sunken;
  rounded(context, x, y, wide, high, corner);
  context.globalAlpha = 0.32;
  const level = total ? high * free / total : 0;
  stripes(context, colours, x, y + high - level, wide, level);
  context.globalAlpha = 1;
  stripes(context, colours, x, y, wide, Math.max(3, Math.min(6, high / 10)));
  context.strokeStyle = ink["line-strong"];
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  const text = Math.min(high * 0.36, wide / (0.72 * Math.max(section.code.length, 3)), 26);
  if (text < 7) return;
  context.fillStyle = free ? ink.ink : ink["ink-soft"];
  const lines = text > 9 ? text * 0.42 : 0;
  write(context, section.code, x + wide / 2, y + high / 2 - lines, text, 750);
  if (lines) write(context, count(free), x + wide / 2, y + high / 2 + text * 0.62, text * 0.68, 500);
}

function stripes(context, colours, x, y, wide, high) {
  colours.forEach((colour, turn) => {
    context.fillStyle = colour;
    context.fillRect(x + wide * turn / colours.length, y, wide / colours.length, high);
  });
}

function coloursOf(plan, section) {
  if (!section.colours) {
    const grades = section.kind === "standing"
      ? section.standing.map((one) => one.grade) : [...new Set(plan.grade.subarray(section.from, section.to))];
    section.colours = grades.sort((a, b) => a - b).map((grade) => plan.grades[grade].colour);
  }
  return section.colours;
}

// -- from near -------------------------------------------------------------------------------------

function seats(at, section) {
  const { context, plan, camera, px, py, seen } = at, size = camera.pitch;
  const far = size < SHAPES_FROM, margin = 20;
  for (let row = section.firstRow; row < section.lastRow; row++) {
    const { box, from, to, name } = plan.rows[row];
    if (!meet(box, seen)) continue;
    for (let seat = from; seat < to; seat++) {
      const wx = plan.x[seat], wy = plan.y[seat];
      if (wx < seen[0] - margin || wx > seen[2] + margin || wy < seen[1] - margin || wy > seen[3] + margin) continue;
      if (far) dot(at, seat, px(wx), py(wy), size);
      else shape(at, seat, px(wx), py(wy), size);
    }
    if (size >= MARKS_FROM) rowName(context, name, px(box[0]) - size * 0.35, py((plan.y[from])), size);
  }
  title(at, section);
}

function dot({ context, plan, chosen, own }, seat, x, y, size) {
  const half = size * 0.36, state = plan.state[seat];
  if (chosen.has(seat) || own.has(plan.ids[seat])) {
    context.fillStyle = ink.ink;
    context.fillRect(x - half - 1, y - half - 1, 2 * half + 2, 2 * half + 2);
  } else if (state === FREE) {
    context.fillStyle = plan.grades[plan.grade[seat]].colour;
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
  } else {
    context.fillStyle = ink.line;
    context.fillRect(x - half / 2, y - half / 2, half, half);
  }
}

function shape(at, seat, x, y, size) {
  const { context, plan, chosen, own, alone } = at, state = plan.state[seat];
  if (chosen.has(seat)) return picked(context, x, y, size, ink.ink, ink.surface);
  if (own.has(plan.ids[seat])) return picked(context, x, y, size, ink.brand, ink["on-brand"]);
  if (state === FREE) free(at, seat, x, y, size);
  else taken(context, state, x, y, size);
  if (alone.has(seat)) {
    context.strokeStyle = ink.warn;
    context.lineWidth = 2.5;
    context.strokeRect(x - size * 0.45, y - size * 0.45, size * 0.9, size * 0.9);
  }
}

function free({ context, plan, marks }, seat, x, y, size) {
  const grade = plan.grade[seat], colour = plan.grades[grade].colour, flags = plan.flags[seat], half = size * 0.41;
  context.fillStyle = colour;
  if (flags & ACCESSIBLE) {
    circle(context, x, y, half);
    context.fill();
    context.strokeStyle = ink.ink;
    context.lineWidth = Math.max(1.5, size * 0.09);
    context.stroke();
  } else rounded(context, x - half, y - half, 2 * half, 2 * half, flags & COMPANION ? half : size * 0.2);
  if (size < MARKS_FROM) return;
  context.fillStyle = onColour(colour);
  const mark = flags & ACCESSIBLE && size > 20 ? "♿︎" : marks[grade];
  write(context, mark, x, y + 0.5, size * (mark.length > 1 ? 0.36 : 0.46), 700);
}

function taken(context, state, x, y, size) {
  context.strokeStyle = context.fillStyle = ink["line-strong"];
  context.lineWidth = Math.max(1, size * 0.07);
  const half = size * 0.3;
  if (state === HELD) {
    context.beginPath();
    context.roundRect(x - half, y - half, 2 * half, 2 * half, size * 0.16);
    context.stroke();
  } else if (state === SOLD) {
    const arm = size * 0.2;
    context.beginPath();
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x + arm, y - arm);
    context.lineTo(x - arm, y + arm);
    context.stroke();
  } else if (state === BLOCKED) {
    circle(context, x, y, Math.max(1, size * 0.08));
    context.fill();
  }
}

/** Chosen seats, and one's own: a disc with a tick. */
function picked(context, x, y, size, ground, tick) {
  context.fillStyle = ground;
  circle(context, x, y, size * 0.46);
  context.fill();
  context.strokeStyle = tick;
  context.lineWidth = Math.max(1.5, size * 0.1);
  context.beginPath();
  context.moveTo(x - size * 0.2, y + size * 0.01);
  context.lineTo(x - size * 0.05, y + size * 0.16);
  context.lineTo(x + size * 0.21, y - size * 0.15);
  context.stroke();
}

function ring({ context, plan, camera, px, py }, seat) {
  const size = Math.max(camera.pitch, 10);
  context.strokeStyle = ink.focus;
  context.lineWidth = 3;
  circle(context, px(plan.x[seat]), py(plan.y[seat]), size * 0.62);
  context.stroke();
}

function rowName(context, name, x, y, size) {
  context.fillStyle = ink["ink-soft"];
  write(context, name, x, y, Math.min(size * 0.5, 14), 600);
}

function title({ context, px, py, camera }, section) {
  const [left, top, right] = section.box, text = Math.min(Math.max(camera.pitch * 0.7, 10), 16);
  context.fillStyle = ink["ink-soft"];
  write(context, section.title, px((left + right) / 2), py(top) - text * 0.7, text, 700);
}

// -- strokes ---------------------------------------------------------------------------------------

function circle(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

function rounded(context, x, y, wide, high, corner) {
  context.beginPath();
  context.roundRect(x, y, wide, high, corner);
  context.fill();
}

function write(context, words, x, y, size, weight) {
  const wanted = `${weight} ${size.toFixed(1)}px ${FONT}`;
  if (wanted !== font) context.font = font = wanted; // setting a font costs more than drawing a seat
  context.fillText(words, x, y);
}

const known = new Map();

/** Black or white, whichever has more contrast on a grade's colour. */
function onColour(colour) {
  if (!known.has(colour)) {
    const [red, green, blue] = [1, 3, 5].map((at) => {
      const part = parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    known.set(colour, 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff");
  }
  return known.get(colour);
}
