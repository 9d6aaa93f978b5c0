// Pictures of seats in each state, drawn once per size and copied for every seat: much cheaper than paths and letters.

import { ACCESSIBLE, BLOCKED, COMPANION, HELD, SOLD } from "./plan.js";
import { colour, onColour } from "./colours.js";
import { circle, newCanvas, rounded, write } from "./strokes.js";

const MARKS_FROM = 15; // pixels between two seats from which grades have their letters on the seats
const ROOM = 1.15; // of the distance between two seats
const MOST = 32; // pictures on a sheet
const sheets = new Map(); // by size
let sheet = null, ratio = 1;

/** Begin a frame with seats of this size. */
export function prepare(pitch, newRatio) {
  const size = Math.max(Math.round(pitch), 1);
  if (newRatio !== ratio) forget();
  ratio = newRatio;
  if (!sheets.has(size)) sheets.set(size, newSheet(size));
  sheet = sheets.get(size);
}

/** Colours changed. */
export function forget() {
  sheets.clear();
}

function newSheet(size) {
  const cell = Math.ceil(size * ROOM * ratio), canvas = newCanvas(cell * MOST, cell);
  const context = canvas.getContext("2d");
  context.textAlign = "center";
  context.textBaseline = "middle";
  return { size, cell, canvas, context, places: new Map() };
}

/** Copy the picture of a seat, which `drawn` draws the first time, to a point. */
export function stamp(target, key, x, y, drawn) {
  const { cell, canvas, places } = sheet, at = places.get(key) ?? add(key, drawn());
  const left = Math.round(x * ratio - cell / 2) / ratio, top = Math.round(y * ratio - cell / 2) / ratio;
  target.drawImage(canvas, at * cell, 0, cell, cell, left, top, cell / ratio, cell / ratio);
}

function add(key, draw) {
  const { size, cell, canvas, context, places } = sheet;
  if (places.size === MOST) {
    places.clear();
    context.reset();
    [context.textAlign, context.textBaseline, context.weight] = ["center", "middle", 0];
  }
  const at = places.size;
  places.set(key, at);
  context.setTransform(ratio, 0, 0, ratio, at * cell + cell / 2, canvas.height / 2);
  draw(context, size);
  return at;
}

/** A free seat: filled, with its grade's letter; a wheelchair space is a circle with a ring, a companion's seat a circle. */
export const freeSeat = (grade, flags, mark) => (context, size) => {
  const half = size * 0.41;
  context.fillStyle = grade.colour;
  if (flags & ACCESSIBLE) {
    circle(context, 0, 0, half);
    context.fill();
    context.strokeStyle = colour("ink");
    context.lineWidth = Math.max(1.5, size * 0.09);
    context.stroke();
  } else rounded(context, -half, -half, 2 * half, 2 * half, flags & COMPANION ? half : size * 0.2);
  if (size < MARKS_FROM) return;
  context.fillStyle = onColour(grade.colour);
  const letters = flags & ACCESSIBLE && size > 20 ? "♿︎" : mark;
  write(context, letters, 0, 0.5, size * (letters.length > 1 ? 0.36 : 0.46), 700);
};

/** Held: an empty seat; sold: a cross; held back: a point. */
export const takenSeat = (state) => (context, size) => {
  context.strokeStyle = context.fillStyle = colour("line-strong");
  context.lineWidth = Math.max(1, size * 0.07);
  const half = size * 0.3, arm = size * 0.2;
  context.beginPath();
  if (state === HELD) context.roundRect(-half, -half, 2 * half, 2 * half, size * 0.16);
  if (state === SOLD) {
    context.moveTo(-arm, -arm);
    context.lineTo(arm, arm);
    context.moveTo(arm, -arm);
    context.lineTo(-arm, arm);
  }
  if (state === BLOCKED) point(context, size);
  else context.stroke();
};

/** What the filter leaves out. */
export const point = (context, size) => {
  context.fillStyle = colour("line-strong");
  circle(context, 0, 0, Math.max(1, size * 0.08));
  context.fill();
};

/** Chosen seats, and one's own: a disc with a tick. */
export const pickedSeat = (ground, tick) => (context, size) => {
  context.fillStyle = colour(ground);
  circle(context, 0, 0, size * 0.46);
  context.fill();
  context.strokeStyle = colour(tick);
  context.lineWidth = Math.max(1.5, size * 0.1);
  context.beginPath();
  context.moveTo(-size * 0.2, size * 0.01);
  context.lineTo(-size * 0.05, size * 0.16);
  context.lineTo(size * 0.21, -size * 0.15);
  context.stroke();
};
