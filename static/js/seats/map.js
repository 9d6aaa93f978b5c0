// The map: what is drawn when, and what a touch of it means.

import { Camera, PITCH } from "./camera.js";
import { followButtons, followKeys, followPointers } from "./gestures.js";
import { paint, readColours } from "./paint.js";

const TOUCHABLE = 17; // pixels between two seats that a finger can tell apart
const READABLE = 27;
const FINGER = 22; // pixels around a touch in which a seat is meant
const SHARPEST = 2;

export class SeatMap {
  house = null;
  chosen = new Set(); // positions in the house
  own = new Set(); // ids
  alone = new Set();
  #view; #canvas; #context; #camera; #marks; #tell; #cursor = -1; #due = 0; #focused = false;

  /** `tell` has taken(at), met(at) for the seat under the cursor, and grew() when a touch zoomed. */
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

  show(house) {
    const first = this.house === null, cursorId = first ? null : this.house.ids[this.#cursor];
    house.stage = Math.max((house.box[2] - house.box[0]) / 16, 16);
    const seen = [house.box[0], house.box[1] - house.stage * 1.8, house.box[2], house.box[3]];
    this.house = house;
    this.#cursor = house.byId.get(cursorId) ?? -1;
    if (!first) return this.#camera.keep(seen);
    this.#resize();
    this.#camera.see(seen);
  }

  /** Bring a seat into view, near enough to be seen. */
  point(at) {
    this.#cursor = at;
    this.#camera.closer(Math.max(this.#camera.pitch, READABLE), this.house.x[at], this.house.y[at]);
  }

  draw() {
    if (this.#due || !this.house) return;
    this.#due = requestAnimationFrame(() => {
      this.#due = 0;
      this.paintNow();
    });
  }

  paintNow() {
    const cursor = this.#focused ? this.#cursor : -1;
    const { house, chosen, own, alone } = this;
    paint(this.#context, { house, camera: this.#camera, marks: this.#marks, chosen, own, alone, cursor, ratio: this.#ratio });
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
    if (this.house) this.paintNow();
  }

  #moved() {
    this.#view.toggleAttribute("data-near", !this.#camera.isWhole); // then fingers move the map, not the page
    this.draw();
  }

  #tapped(px, py) {
    const camera = this.#camera, [x, y] = camera.toWorld(px, py);
    if (camera.pitch < TOUCHABLE) return this.#enter(x, y);
    const at = this.house.nearest(x, y, Math.min(FINGER / camera.scale, PITCH));
    if (at < 0) return;
    this.#cursor = at;
    this.#tell.taken(at);
  }

  /** Too far away to mean a seat: come closer; to the whole section first, if that is near enough. */
  #enter(x, y) {
    const section = this.house.sectionAt(x, y), camera = this.#camera;
    if (section?.kind === "standing") return this.#tell.stood(section);
    if (section) {
      const fits = Math.min(camera.width / (section.box[2] - section.box[0]), camera.height / (section.box[3] - section.box[1]));
      if (fits * PITCH * 0.88 >= TOUCHABLE) camera.show(section.box);
      else camera.closer(READABLE, x, y);
    } else camera.zoom(2.5, ...[(x - camera.x) * camera.scale, (y - camera.y) * camera.scale], true);
    this.#tell.grew();
  }

  #go(way) {
    const at = this.#cursor < 0 ? this.house.first() : this.house.next(this.#cursor, way);
    this.#focused = true;
    this.point(at);
    this.#tell.met(at);
  }

  #take() {
    if (this.#cursor < 0) return this.#go([0, 0]);
    this.#tell.taken(this.#cursor);
  }
}
