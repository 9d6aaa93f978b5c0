// Names of rows and sections: in the drawing at their own places, and along the edges of the view where those are out of sight.

import { colour } from "./colours.js";
import { isNear, letters, meet, viewOf } from "./paint.js";
import { prepareTexts, widthOf, write } from "./strokes.js";

const ROWS_FROM = 15; // pixels between two seats from which rows are named
const EDGE = 13, TOP = 14; // where the names stay, from the left and from the top
const TITLE = 14; // pixels of titles at the edge, as in seats.css
const AWAY = -9999;
const APART = 300; // pixels between the titles of a wide section
const BEFORE = [60, 80]; // units left of and above a section in which its names are

/** Draw the names that are at their own places in this part of the plan. */
export function paintNames(context, scene) {
  const at = { ...viewOf(scene), context }, { plan, camera, seen: [left, top, right, bottom] } = at, seen = [left, top, right + BEFORE[0], bottom + BEFORE[1]];
  for (const section of plan.sections) {
    if (!isNear(section, camera) || !meet(section.box, seen)) continue;
    if (camera.pitch >= ROWS_FROM) rowNames(at, section, seen);
    title(at, section);
  }
}

/** The rows' names, left of their first seats. */
function rowNames({ context, plan, camera, px, py }, section, seen) {
  context.fillStyle = colour("ink-soft");
  for (let row = section.firstRow; row < section.lastRow; row++) {
    const { box, from, name } = plan.rows[row];
    if (box[0] > seen[0] && meet(box, seen)) write(context, name, px(rowPlace(box)), py(plan.y[from]), rowText(camera), 700);
  }
}

const rowPlace = (box) => box[0] - 7;
const rowText = ({ pitch }) => Math.min(pitch * 0.5, 14);
const titleText = ({ pitch }) => Math.min(Math.max(pitch * 0.7, 10), 15);

/** The section's name above it, more than once if it is wide; its code where the name is too long. */
function title(at, section) {
  const { context, camera, px, py } = at, [left, top, right] = section.box, text = titleText(camera);
  const wide = (right - left) * camera.scale, times = Math.max(1, Math.floor(wide / APART));
  if (wide < 3 * text) return;
  context.fillStyle = colour("ink-soft");
  for (let time = 0; time < times; time++) {
    write(context, words(at, section, text, wide / times), px(left) + wide * (time + 0.5) / times, py(top) - text * 0.7, text, 700);
  }
}

function words(at, section, text, room) {
  const long = `${section.title} · ${letters(at, section)}`;
  return widthOf(at.context, long, text, 700) < room ? long : section.code;
}

/** The names along the edges. Titles are elements, which the compositor moves; rows are many, and share a narrow canvas. */
export class EdgeNames {
  #rows; #titles; #context; #ratio = 1; #shown = "";

  constructor(view) {
    this.#rows = view.querySelector("[data-row-names]");
    this.#titles = view.querySelector("[data-titles]");
    this.#context = this.#rows.getContext("2d");
  }

  resize(height, ratio) {
    this.#ratio = ratio;
    [this.#rows.width, this.#rows.height] = [2 * EDGE, height].map((side) => Math.round(side * ratio));
    [this.#rows.style.width, this.#rows.style.height] = [2 * EDGE, height].map((side) => `${side}px`);
    this.#context.scale(ratio, ratio);
    prepareTexts(this.#context);
    this.#shown = "";
  }

  /** Something else than the names changed: colours, or the font. */
  invalidate() {
    this.#shown = null;
  }

  draw(scene) {
    const { plan, camera } = scene, at = { ...viewOf(scene), context: this.#context };
    const seated = plan.sections.filter((section) => isNear(section, camera) && meet(section.box, at.seen));
    this.#drawRows(camera.pitch < ROWS_FROM ? [] : seated.flatMap((section) => rowsAtEdge(at, section)), camera);
    this.#placeTitles(seated.flatMap((section) => titleAtEdge(at, section)));
  }

  /** Draw these rows, unless they are there already. */
  #drawRows(rows, camera) {
    const context = this.#context, high = camera.pitch + 1, shown = rows.map(({ name, y }) => `${name} ${Math.round(y * this.#ratio)}`).join();
    if (shown === this.#shown) return;
    this.#shown = shown;
    context.clearRect(0, 0, this.#rows.width, this.#rows.height);
    context.fillStyle = colour("surface");
    for (const { y } of rows) context.fillRect(0, y - high / 2, 2 * EDGE, high);
    context.fillStyle = colour("ink-soft");
    for (const { name, y } of rows) write(context, name, EDGE, y, rowText(camera), 700);
  }

  #placeTitles(titles) {
    const elements = [...this.#titles.children];
    while (elements.length < titles.length) elements.push(this.#titles.appendChild(document.createElement("span")));
    elements.forEach((element, at) => {
      const { words = element.textContent, x = AWAY } = titles[at] ?? {};
      if (element.textContent !== words) element.textContent = words;
      element.style.transform = `translate(${x}px) translate(-50%)`;
    });
  }
}

function rowsAtEdge({ plan, camera, seen, px, py }, section) {
  const found = [];
  for (let row = section.firstRow; row < section.lastRow; row++) {
    const { box, from, to, name } = plan.rows[row];
    if (!meet(box, seen) || px(rowPlace(box)) >= EDGE || px(box[2]) < 2 * EDGE + camera.pitch) continue;
    let seat = from;
    while (seat < to - 1 && px(plan.x[seat]) < EDGE) seat += 1;
    found.push({ name, y: py(plan.y[seat]) });
  }
  return found;
}

/** In the middle of what is seen of the section. */
function titleAtEdge(at, section) {
  const { camera, px, py } = at, [left, top, right, bottom] = section.box, own = py(top) - titleText(camera) * 0.7;
  const from = Math.max(px(left), 0), to = Math.min(px(right), camera.width);
  if (own >= TOP || py(bottom) < 2 * TOP || to - from < 3 * TITLE) return [];
  return [{ words: words(at, section, TITLE, to - from - TITLE), x: (from + to) / 2 }];
}
