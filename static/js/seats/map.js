// The map: when it is drawn, and what a tap does.

import { Camera, PITCH } from "./camera.js";
import { followButtons, followKeys, followPointers } from "./gestures.js";
import { paint, readColours } from "./paint.js";

const TOUCHABLE = 17; // pixels between two seats that a finger can tell apart
const READABLE = 27;
const FINGER = 22; // pixels around a tap in which a seat is found
const SHARPEST = 2;

export class SeatMap {
  plan = null;
  chosen = new Set(); // indexes of seats
  own = new Set(); // ids
  alone = new Set();
  #view; #canvas; #context; #camera; #marks; #tell; #cursor = -1; #due = 0; #focused = false;

  /** Callbacks: taken(at) for a tapped seat, met(at) for the seat under the cursor, grew() when a tap zoomed. */
  constructor(box, { marks, own, tell }) {
    this.#view = box.querySelector("#map-view");
    this.#canvas = box.querySelector("canvas");
    this.#context = this.#canvas.getContext("2d", { alpha: false });
    this.#marks = marks;
    this.#tell = tell;
    this.own = new Set(own);
    this.#camera = new Camera(() => this.#moved());
    readColours();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      readColours();
      this.draw();
    });
    followPointers(this.#view, this.#camera, (x, y) => this.#tapped(x, y));
    followKeys(this.#view, this.#camera, { go: (way) => this.#go(way), take: () => this.#take(), home: () => this.#camera.whole() });
    followButtons(box, this.#camera);
    for (const name of ["focus", "blur"]) this.#view.addEventListener(name, () => {
      this.#focused = name === "focus" && this.#view.matches(":focus-visible");
      this.draw();
    });
    new ResizeObserver(() => this.#resize()).observe(this.#view);
  }

  show(plan) {
    const first = this.plan === null, cursorId = first ? null : this.plan.ids[this.#cursor];
    plan.stage = Math.max((plan.box[2] - plan.box[0]) / 16, 16);
    const seen = [plan.box[0], plan.box[1] - plan.stage * 1.8, plan.box[2], plan.box[3]];
    this.plan = plan;
    this.#cursor = plan.byId.get(cursorId) ?? -1;
    if (!first) return this.#camera.keep(seen);
    this.#resize();
    this.#camera.see(seen);
  }

  /** Bring a seat into view, large enough to read. */
  point(at) {
    this.#cursor = at;
    this.#camera.closer(Math.max(this.#camera.pitch, READABLE), this.plan.x[at], this.plan.y[at]);
  }

  draw() {
    if (this.#due || !this.plan) return;
    this.#due = requestAnimationFrame(() => {
      this.#due = 0;
      this.paintNow();
    });
  }

  paintNow() {
    const cursor = this.#focused ? this.#cursor : -1;
    const { plan, chosen, own, alone } = this;
    paint(this.#context, { plan, camera: this.#camera, marks: this.#marks, chosen, own, alone, cursor, ratio: this.#ratio });
  }

  get #ratio() {
    return Math.min(devicePixelRatio, SHARPEST);
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#view;
    if (!width) return;
    this.#canvas.width = Math.round(width * this.#ratio);
    this.#canvas.height = Math.round(height * this.#ratio);
    this.#camera.resize(width, height);
    if (this.plan) this.paintNow();
  }

  #moved() {
    this.#view.toggleAttribute("data-near", !this.#camera.isWhole); // then fingers move the map, not the page
    this.draw();
  }

  #tapped(px, py) {
    const camera = this.#camera, [x, y] = camera.toWorld(px, py);
    if (camera.pitch < TOUCHABLE) return this.#enter(x, y);
    const at = this.plan.nearest(x, y, Math.min(FINGER / camera.scale, PITCH));
    if (at < 0) return;
    this.#cursor = at;
    this.#tell.taken(at);
  }

  /** Too far away to mean a seat: come closer; to the whole section first, if that is near enough. */
  #enter(x, y) {
    const section = this.plan.sectionAt(x, y), camera = this.#camera;
    if (section?.kind === "standing") return this.#tell.stood(section);
    if (section) {
      const fits = Math.min(camera.width / (section.box[2] - section.box[0]), camera.height / (section.box[3] - section.box[1]));
      if (fits * PITCH * 0.88 >= TOUCHABLE) camera.show(section.box);
      else camera.closer(READABLE, x, y);
    } else camera.zoom(2.5, ...[(x - camera.x) * camera.scale, (y - camera.y) * camera.scale], true);
    this.#tell.grew();
  }

  #go(way) {
    const at = this.#cursor < 0 ? this.plan.first() : this.plan.next(this.#cursor, way);
    this.#focused = true;
    this.point(at);
    this.#tell.met(at);
  }

  #take() {
    if (this.#cursor < 0) return this.#go([0, 0]);
    this.#tell.taken(this.#cursor);
  }
}
