// What is drawn over the tiles in each frame: names of rows and sections, which stay in view, the focus, and the section under the mouse.

import { colour } from "./colours.js";
import { isNear, letters, meet, viewOf } from "./paint.js";
import { circle, prepareTexts, rounded, widthOf, write } from "./strokes.js";

const ROWS_FROM = 15; // pixels between two seats from which rows are named
const EDGE = 13, TOP = 14; // where the names of rows and sections stay when their place is out of sight
const ROOM = 8; // pixels left and right of a title

/** `scene` has a cursor (a seat) and a hovered section, too. */
export function paintNames(context, scene) {
  const { plan, camera, cursor, hovered, ratio } = scene, at = { ...viewOf(scene), context };
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  prepareTexts(context);
  const [left, top, right, bottom] = at.seen, seen = [left, top, right + 60, bottom + 80]; // names are left of their rows and above their sections
  const seated = plan.sections.filter((section) => isNear(section, camera) && meet(section.box, seen));
  if (camera.pitch >= ROWS_FROM) for (const section of seated) rowNames(at, section, seen);
  for (const section of seated) title(at, section);
  if (hovered >= 0 && !isNear(plan.sections[hovered], camera)) outline(at, plan.sections[hovered]);
  if (cursor >= 0) ring(at, cursor);
}

function outline({ context, camera, px, py }, { box: [left, top, right, bottom] }) {
  context.strokeStyle = colour("focus");
  context.lineWidth = 3;
  context.strokeRect(px(left) + 1.5, py(top) + 1.5, (right - left) * camera.scale - 3, (bottom - top) * camera.scale - 3);
}

function ring({ context, plan, camera, px, py }, seat) {
  context.strokeStyle = colour("focus");
  context.lineWidth = 3;
  circle(context, px(plan.x[seat]), py(plan.y[seat]), Math.max(camera.pitch, 10) * 0.62);
  context.stroke();
}

/** The rows' names left of their first seats; at the edge of the view where those are out of sight. */
function rowNames({ context, plan, camera, px, py }, section, seen) {
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

/** The section's name above it, or at the top of the view; in the middle of what is seen of it, and its code where the name is too long. */
function title(at, section) {
  const { context, px, py, camera } = at, [left, top, right, bottom] = section.box;
  const text = Math.min(Math.max(camera.pitch * 0.7, 10), 15), own = py(top) - text * 0.7, y = Math.max(own, TOP);
  const from = Math.max(px(left), 0), to = Math.min(px(right), camera.width);
  if (py(bottom) < 2 * TOP || to - from < 3 * text) return;
  const long = `${section.title} · ${letters(at, section)}`, room = to - from - 2 * ROOM;
  const words = widthOf(context, long, text, 700) < room ? long : section.code, wide = widthOf(context, words, text, 700);
  if (wide > to - from) return;
  if (y !== own) behind(context, (from + to) / 2, y, wide + 2 * ROOM, text + 10);
  context.fillStyle = colour(y === own ? "ink-soft" : "ink");
  write(context, words, (from + to) / 2, y, text, 700);
}

function behind(context, x, y, wide, high, corner = 6) {
  context.fillStyle = colour("surface");
  rounded(context, x - wide / 2, y - high / 2, wide, high, corner);
}
