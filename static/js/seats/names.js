// What is drawn over the tiles in each frame: names of rows and sections, which stay in view, the focus, and the section under the mouse.

import { colour } from "./colours.js";
import { begin, isNear, letters, meet } from "./paint.js";
import { circle, rounded, widthOf, write } from "./strokes.js";

const ROWS_FROM = 15; // pixels between two seats from which rows are named
const EDGE = 13, TOP = 14; // where the names of rows and sections stay when their place is out of sight

/** `scene` has a cursor (a seat) and a hovered section, too. */
export function paintNames(context, scene) {
  const { plan, camera, cursor, hovered } = scene, at = begin(context, scene);
  const seated = plan.sections.filter((section) => isNear(section, camera) && meet(section.box, at.seen));
  if (camera.pitch >= ROWS_FROM) for (const section of seated) rowNames(at, section);
  for (const section of seated) title(at, section);
  if (hovered && !isNear(hovered, camera)) outline(at, hovered);
  if (cursor >= 0) ring(at, cursor);
}

function outline({ context, camera, px, py }, { box: [left, top, right, bottom] }) {
  context.strokeStyle = colour("focus");
  context.lineWidth = 3;
  context.strokeRect(px(left) + 0.5, py(top) + 0.5, (right - left) * camera.scale - 1, (bottom - top) * camera.scale - 1);
}

function ring({ context, plan, camera, px, py }, seat) {
  const size = Math.max(camera.pitch, 10);
  context.strokeStyle = colour("focus");
  context.lineWidth = 3;
  circle(context, px(plan.x[seat]), py(plan.y[seat]), size * 0.62);
  context.stroke();
}

/** The rows' names left of their first seats; at the edge of the view where those are out of sight. */
function rowNames({ context, plan, camera, seen, px, py }, section) {
  const size = camera.pitch, text = Math.min(size * 0.5, 14);
  for (let row = section.firstRow; row < section.lastRow; row++) {
    const { box, from, to, name } = plan.rows[row];
    if (!meet(box, seen) || px(box[2]) < 2 * EDGE + size) continue;
    const own = px(box[0]) - size * 0.35, x = Math.max(own, EDGE);
    let seat = from;
    while (seat < to - 1 && px(plan.x[seat]) < EDGE) seat += 1;
    if (x !== own) behind(context, x, py(plan.y[seat]), 2 * EDGE, size + 1, 0);
    context.fillStyle = colour("ink-soft");
    write(context, name, x, py(plan.y[seat]), text, 700);
  }
}

/** The section's name above it, or at the top of the view; its code where the name is too long. */
function title(at, section) {
  const { context, px, py, camera } = at, [left, top, right, bottom] = section.box;
  const text = Math.min(Math.max(camera.pitch * 0.7, 10), 15), own = py(top) - text * 0.7, y = Math.max(own, TOP);
  const from = Math.max(px(left), 0), to = Math.min(px(right), camera.width);
  if (py(bottom) < 2 * TOP || to - from < 3 * text) return;
  const long = `${section.title} · ${letters(at, section)}`, words = widthOf(context, long, text, 700) < to - from ? long : section.code;
  if (y !== own) behind(context, (from + to) / 2, y, widthOf(context, words, text, 700) + 16, text + 10);
  context.fillStyle = colour(y === own ? "ink-soft" : "ink");
  write(context, words, (from + to) / 2, y, text, 700);
}

function behind(context, x, y, wide, high, corner = 6) {
  context.fillStyle = colour("surface");
  rounded(context, x - wide / 2, y - high / 2, wide, high, corner);
}
