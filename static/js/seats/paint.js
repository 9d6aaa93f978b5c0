// Draws a part of the plan: sections when zoomed out, seats when zoomed in.

import { FREE, PITCH } from "./plan.js";
import { count, say } from "./labels.js";
import { colour } from "./colours.js";
import { prepareTexts, rounded, write } from "./strokes.js";
import { freeSeat, pickedSeat, point, prepare, stamp, takenSeat } from "./seat_shapes.js";

const SEATS_FROM = 4.5; // pixels between two seats from which seats are drawn
const SHAPES_FROM = 11;

/** Draw sections and seats. `scene`: plan, camera, marks, filter, chosen, own, alone, ratio. */
export function paint(context, scene) {
  const { plan, camera, ratio } = scene, at = { ...viewOf(scene), context };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  prepareTexts(context);
  context.fillStyle = colour("surface");
  context.fillRect(0, 0, camera.width, camera.height);
  stage(at);
  const shown = plan.sections.filter(({ box }) => meet(box, at.seen));
  for (const section of shown) if (!isNear(section, camera)) block(at, section);
  const seated = shown.filter((section) => isNear(section, camera));
  if (camera.pitch < SHAPES_FROM) dots(at, seated);
  else shapes(at, seated);
}

/** The scene with what is seen of the plan, and how its places are found in the view. */
export function viewOf(scene) {
  const { scale, x, y, width, height } = scene.camera, seen = [x, y, x + width / scale, y + height / scale];
  return { ...scene, seen, px: (wx) => (wx - x) * scale, py: (wy) => (wy - y) * scale };
}

/** Whether the seats of a section are drawn, not only its outline. */
export const isNear = (section, { pitch }) => section.kind !== "standing" && pitch >= SEATS_FROM;

/** Where the drawing changes with the state of these seats: there, or from afar in their whole sections. */
export function boxesOf(plan, seats, pitch) {
  if (pitch < SEATS_FROM) return [...new Set(seats.map((seat) => plan.sectionOf(seat)))].map(({ box }) => box);
  return seats.map((seat) => [plan.x[seat] - PITCH, plan.y[seat] - PITCH, plan.x[seat] + PITCH, plan.y[seat] + PITCH]);
}

export const meet = (a, b) => a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];

function stage({ context, plan, px, py, camera }) {
  const [left, top, right] = plan.box, wide = Math.max((right - left) / 2, 120), high = plan.stage;
  const middle = (left + right) / 2, from = px(middle - wide / 2), over = py(top - high * 1.6);
  context.fillStyle = colour("ink");
  rounded(context, from, over, wide * camera.scale, high * camera.scale, Math.min(8, high * camera.scale / 3));
  context.fillStyle = colour("surface");
  write(context, say("stage"), px(middle), over + high * camera.scale / 2, Math.min(high * camera.scale * 0.55, 22), 700);
}

// -- from afar -------------------------------------------------------------------------------------

/** A section: its code, the letters of its grades, and how many seats are free. */
function block(at, section) {
  const { context, plan, camera, filter, px, py } = at, [left, top, right, bottom] = section.box;
  const x = px(left), y = py(top), wide = (right - left) * camera.scale, high = (bottom - top) * camera.scale;
  const total = plan.total(section), free = filter.left(section);
  const colours = section.grades.map((grade) => plan.grades[grade].colour);
  context.fillStyle = colour(free ? "surface" : "sunken");
  rounded(context, x, y, wide, high, Math.min(8, wide / 6, high / 6));
  context.globalAlpha = 0.32;
  const level = total ? high * free / total : 0;
  stripes(context, colours, x, y + high - level, wide, level);
  context.globalAlpha = 1;
  stripes(context, colours, x, y, wide, Math.max(3, Math.min(6, high / 10)));
  context.strokeStyle = colour("line-strong");
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
  const text = Math.min(high * 0.36, wide / (0.72 * Math.max(section.code.length, 3)), 26);
  if (text < 7) return;
  context.fillStyle = colour(free ? "ink" : "ink-soft");
  const isWanted = section.grades.some((grade) => filter.hasGrade(grade)), lines = isWanted && text > 9 ? text * 0.42 : 0;
  write(context, section.code, x + wide / 2, y + high / 2 - lines, text, 700);
  if (lines) write(context, `${letters(at, section)} ${count(free)}`, x + wide / 2, y + high / 2 + text * 0.62, text * 0.62, 500);
}

export const letters = ({ marks }, section) => section.grades.map((grade) => marks[grade]).join("·");

function stripes(context, colours, x, y, wide, high) {
  colours.forEach((ground, turn) => {
    context.fillStyle = ground;
    context.fillRect(x + wide * turn / colours.length, y, wide / colours.length, high);
  });
}

// -- from near -------------------------------------------------------------------------------------

/** Calls back for every visible seat: its index and its place in pixels. */
function eachSeat({ plan, seen, px, py }, section, act) {
  const margin = 20;
  for (let row = section.firstRow; row < section.lastRow; row++) {
    const { box, from, to } = plan.rows[row];
    if (!meet(box, seen)) continue;
    for (let seat = from; seat < to; seat++) {
      const wx = plan.x[seat], wy = plan.y[seat];
      if (wx < seen[0] - margin || wx > seen[2] + margin || wy < seen[1] - margin || wy > seen[3] + margin) continue;
      act(seat, px(wx), py(wy));
    }
  }
}

/** Seats too small for shapes: large squares are free, small ones are not, the largest are chosen. One colour after the other. */
function dots(at, sections) {
  const { context, plan, camera, chosen, own, filter } = at, half = camera.pitch * 0.36;
  const taken = plan.grades.length, picked = taken + 1, batches = Array.from({ length: picked + 1 }, () => []);
  for (const section of sections) {
    eachSeat(at, section, (seat, x, y) => {
      if (chosen.has(seat) || own.has(plan.ids[seat])) batches[picked].push(x, y);
      else if (plan.state[seat] === FREE && filter.passes(seat)) batches[plan.grade[seat]].push(x, y);
      else batches[taken].push(x, y);
    });
  }
  const sizes = batches.map(() => half);
  [sizes[taken], sizes[picked]] = [half / 2, half + 1];
  batches.forEach((spots, batch) => {
    context.fillStyle = plan.grades[batch]?.colour ?? colour(batch === taken ? "line" : "ink");
    const size = sizes[batch];
    for (let spot = 0; spot < spots.length; spot += 2) context.fillRect(spots[spot] - size, spots[spot + 1] - size, 2 * size, 2 * size);
  });
}

function shapes(at, sections) {
  const { context, camera, ratio, alone } = at;
  prepare(camera.pitch, ratio);
  for (const section of sections) eachSeat(at, section, (seat, x, y) => shape(at, seat, x, y));
  context.strokeStyle = colour("warn");
  context.lineWidth = 2.5;
  const size = camera.pitch * 0.9;
  for (const seat of alone) context.strokeRect(at.px(at.plan.x[seat]) - size / 2, at.py(at.plan.y[seat]) - size / 2, size, size);
}

function shape({ context, plan, chosen, own, filter, marks }, seat, x, y) {
  const state = plan.state[seat], grade = plan.grade[seat], flags = plan.flags[seat];
  if (chosen.has(seat)) stamp(context, "chosen", x, y, () => pickedSeat("ink", "surface"));
  else if (own.has(plan.ids[seat])) stamp(context, "own", x, y, () => pickedSeat("brand", "on-brand"));
  else if (!filter.passes(seat)) stamp(context, "out", x, y, () => point);
  else if (state === FREE) stamp(context, 4 * grade + flags, x, y, () => freeSeat(plan.grades[grade], flags, marks[grade]));
  else stamp(context, -state, x, y, () => takenSeat(state));
}
