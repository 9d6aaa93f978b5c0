// The map: when it is drawn, and what pointing, tapping and keys do.

import { Camera, PITCH } from "./camera.js";
import { readColours } from "./colours.js";
import { followButtons, followKeys, followPointers } from "./gestures.js";
import { Minimap } from "./minimap.js";
import { EdgeNames, paintNames } from "./names.js";
import { boxesOf, isNear, paint } from "./paint.js";
import { forget } from "./seat_shapes.js";
import { forgetWidths } from "./strokes.js";
import { Tiles } from "./tiles.js";

const TOUCHABLE = 17; // pixels between two seats that a finger can tell apart
const READABLE = 27;
const FINGER = 22; // pixels around a tap in which a seat is found
const BESIDE = 10; // pixels around a small section that belong to it
const SHARPEST = 2;
const REST = 120; // ms without movement until everything is drawn at its exact scale

export class SeatMap {
  plan = null;
  chosen = new Set(); // indexes of seats
  own = new Set(); // ids
  alone = new Set();
  #view; #size = ""; #names; #camera; #minimap; #marks; #filter; #tell; #cursor = -1; #hovered = null; #due = 0; #focused = false; #tiles; #resting = 0; #isMoving = false;

  /** Callbacks: taken(at) for a tapped seat, met(at) for the seat under the cursor, pointed(at, section) for what is
   * under the mouse, grew(seats) when a tap zoomed: whether seats can be tapped now, stood(section). */
  constructor(box, { marks, own, filter, tell }) {
    this.#view = box.querySelector("#map-view");
    this.#names = new EdgeNames(this.#view);
    this.#tiles = new Tiles(this.#view.querySelector("[data-tiles]"), (...to) => [paint, paintNames].forEach((act) => act(...to)));
    this.#marks = marks;
    this.#filter = filter;
    this.#tell = tell;
    this.own = new Set(own);
    this.#camera = new Camera(() => this.#moved());
    this.#minimap = new Minimap(box.querySelector("[data-minimap]"), this.#camera);
    readColours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      readColours();
      forget();
      this.draw();
    });
    document.fonts.addEventListener("loadingdone", () => {
      forget();
      forgetWidths();
      this.draw();
    });
    const [tapped, doubled, hovered] = [this.#tapped, this.#doubled, this.#hover].map((act) => act.bind(this));
    followPointers(this.#view, this.#camera, { tapped, doubled, hovered });
    followKeys(this.#view, this.#camera, { go: (way) => this.#go(way), take: () => this.#take(), home: () => this.#camera.whole() });
    followButtons(box, this.#camera);
    for (const name of ["focus", "blur"]) this.#view.addEventListener(name, () => {
      this.#focused = name === "focus" && this.#view.matches(":focus-visible");
      this.#nextFrame();
    });
    new ResizeObserver(() => this.#resize()).observe(this.#view);
  }

  show(plan) {
    const first = this.plan === null, cursorId = first ? null : this.plan.ids[this.#cursor];
    const seen = [plan.box[0], plan.box[1] - plan.stage * 1.8, plan.box[2], plan.box[3]];
    this.plan = plan;
    this.#cursor = plan.byId.get(cursorId) ?? -1;
    this.#hovered = null;
    this.draw();
    if (!first) return this.#camera.keep(seen);
    this.#camera.see(seen);
    this.#fit(); // the next frame paints
  }

  /** Bring a seat into view, large enough to read. */
  point(at) {
    this.#cursor = at;
    this.#camera.closer(Math.max(this.#camera.pitch, READABLE), this.plan.x[at], this.plan.y[at]);
  }

  /** The drawing changed: all of it, or only the states of these seats. */
  draw(seats = null) {
    this.#tiles.invalidate(seats && ((scale) => boxesOf(this.plan, seats, scale * PITCH)));
    this.#nextFrame();
    if (seats) return;
    this.#names.invalidate();
    this.drawOverview();
  }

  /** Sections were sold out or came back. */
  drawOverview() {
    this.#minimap.invalidate();
    this.#nextFrame();
  }

  #nextFrame() {
    if (this.#due || !this.plan) return;
    this.#due = requestAnimationFrame(() => {
      this.#due = 0;
      this.paintNow();
    });
  }

  paintNow() {
    const { plan, chosen, own, alone } = this, filter = this.#filter;
    const scene = { plan, camera: this.#camera, marks: this.#marks, filter, chosen, own, alone, ratio: this.#ratio };
    if (this.#tiles.show(scene, this.#isMoving)) this.#nextFrame();
    this.#names.draw(scene);
    this.#minimap.draw(plan, filter);
    this.#markHovered();
    this.#markCursor();
  }

  /** The section under the mouse, while its seats are not drawn. */
  #markHovered() {
    const isShown = this.#hovered && !isNear(this.#hovered, this.#camera);
    this.#mark("[data-hovered]", isShown ? this.#hovered.box : null);
  }

  /** The seat that keys choose. */
  #markCursor() {
    const { x, y } = this.plan, at = this.#cursor, half = Math.max(PITCH, 10 / this.#camera.scale) * 0.62 + 1.5 / this.#camera.scale;
    this.#mark("[data-cursor]", this.#focused && at >= 0 ? [x[at] - half, y[at] - half, x[at] + half, y[at] + half] : null);
  }

  /** Put an element around a box of the plan. */
  #mark(name, box) {
    const element = this.#view.querySelector(name), { x, y, scale } = this.#camera;
    if (element.hidden !== !box) element.hidden = !box;
    if (!box) return;
    element.style.transform = `translate(${(box[0] - x) * scale}px, ${(box[1] - y) * scale}px)`;
    [element.style.width, element.style.height] = [box[2] - box[0], box[3] - box[1]].map((side) => `${side * scale}px`);
  }

  get #ratio() {
    return Math.min(devicePixelRatio, SHARPEST);
  }

  #resize() {
    if (this.#fit() && this.plan) this.paintNow();
  }

  /** Give the canvas the size of the view; returns whether it had another one. */
  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#view, size = `${width} ${height} ${this.#ratio}`;
    if (!width || size === this.#size) return false;
    this.#size = size;
    this.#tiles.resize(width, height, this.#ratio);
    this.#names.resize(height, this.#ratio);
    this.#minimap.resize(this.#ratio);
    this.#camera.resize(width, height);
    this.#rest();
    return true;
  }

  #moved() {
    this.#view.toggleAttribute("data-near", !this.#camera.isWhole); // then fingers move the map, not the page
    this.#isMoving = true;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rest(), REST);
    this.#nextFrame();
  }

  /** The next frame draws everything in view at its exact scale. */
  #rest() {
    clearTimeout(this.#resting);
    this.#isMoving = false;
    this.#nextFrame();
  }

  #seatAt(px, py) {
    const camera = this.#camera;
    return this.plan.nearest(...camera.toWorld(px, py), Math.min(FINGER / camera.scale, PITCH));
  }

  #sectionAt(px, py) {
    return this.plan.sectionAt(...this.#camera.toWorld(px, py), BESIDE / this.#camera.scale);
  }

  #tapped(px, py) {
    if (this.#camera.pitch < TOUCHABLE) return this.#enter(px, py);
    const at = this.#seatAt(px, py), section = at < 0 && this.#sectionAt(px, py);
    if (section?.kind === "standing") return this.#tell.stood(section);
    if (at < 0) return;
    this.#cursor = at;
    this.#tell.taken(at);
  }

  /** On a seat the first tap has chosen it; elsewhere in a section come closer. */
  #doubled(px, py) {
    const isSeat = this.#camera.pitch >= TOUCHABLE && this.#seatAt(px, py) >= 0;
    if (!isSeat && this.#sectionAt(px, py)) this.#camera.zoom(2, px, py, true);
  }

  /** Too far away to mean a seat: show the whole section, then come closer. Beside the sections nothing happens. */
  #enter(px, py) {
    const section = this.#sectionAt(px, py), camera = this.#camera;
    if (!section) return;
    if (section.kind === "standing") return this.#tell.stood(section);
    const fits = camera.scaleOf(section.box), isFitting = camera.scale > fits * 0.8;
    if (isFitting) camera.closer(READABLE, ...camera.toWorld(px, py));
    else camera.show(section.box);
    this.#tell.pointed(-1, section);
    this.#tell.grew(isFitting || fits * PITCH >= TOUCHABLE);
  }

  /** What is under the mouse, or null if it left the map. */
  #hover(px, py) {
    if (!this.plan) return;
    const at = px === null || this.#camera.pitch < TOUCHABLE ? -1 : this.#seatAt(px, py);
    const section = px === null || at >= 0 ? null : this.#sectionAt(px, py) ?? null;
    if (at >= 0 || section) this.#tell.pointed(at, section);
    if (this.#hovered === section) return;
    this.#hovered = section;
    this.#nextFrame();
  }

  #go(way) {
    const at = this.#cursor < 0 ? this.plan.first(this.#filter.passes) : this.plan.next(this.#cursor, way, this.#filter.passes);
    this.#focused = true;
    this.point(at);
    this.#tell.met(at);
  }

  #take() {
    if (this.#cursor < 0) return this.#go([0, 0]);
    this.#tell.taken(this.#cursor);
  }
}
