// The map: when it is drawn, and what pointing, tapping and keys do.

import { Camera } from "./camera.js";
import { pageColours, readColours } from "./colours.js";
import { Drawing } from "./drawing.js";
import { followButtons, followKeys, followPointers } from "./gestures.js";
import { followOverview } from "./overview.js";
import { PITCH } from "./plan.js";
import { isSupported, RemoteDrawing } from "./remote_drawing.js";

const TOUCHABLE = 17; // pixels between two seats that a finger can tell apart
const READABLE = 27;
const FINGER = 22; // pixels around a tap in which a seat is found
const BESIDE = 10; // pixels around a small section that belong to it
const SHARPEST = 2;
const REST = 120; // ms without movement until everything is drawn at its exact scale
const BUDGET = { moving: 2, resting: 2 }; // ms of a frame for new tiles, where the page itself draws

export class SeatMap {
  plan = null;
  chosen = new Set(); // indexes of seats
  own = new Set(); // ids
  alone = new Set();
  #view; #size = ""; #camera; #drawing; #marks; #filter; #tell; #cursor = -1; #hovered = null; #focused = false; #resting = 0; #isMoving = false; #overview;

  /** Callbacks: taken(at) for a tapped seat, met(at) for the seat under the cursor, pointed(at, section) for what is
   * under the mouse, grew(seats) when a tap zoomed: whether seats can be tapped now, stood(section), drawn() when it is seen. */
  constructor(box, { marks, own, filter, tell }) {
    this.#view = box.querySelector("#map-view");
    this.#overview = box.querySelector("[data-overview]");
    this.#marks = marks;
    this.#filter = filter;
    this.#tell = tell;
    this.own = new Set(own);
    this.#camera = new Camera(() => this.#moved());
    this.#drawing = isSupported ? this.#startWorker(box.dataset.worker) : this.#drawHere();
    this.#restyle();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#restyle());
    document.fonts.addEventListener("loadingdone", () => this.#restyle());
    const [tapped, doubled, hovered] = [this.#tapped, this.#doubled, this.#hover].map((act) => act.bind(this));
    followPointers(this.#view, this.#camera, { tapped, doubled, hovered });
    followKeys(this.#view, this.#camera, { go: (way) => this.#go(way), take: () => this.#take(), home: () => this.#camera.whole() });
    followButtons(box, this.#camera);
    followOverview(this.#overview, this.#camera);
    for (const name of ["focus", "blur"]) this.#view.addEventListener(name, () => {
      this.#focused = name === "focus" && this.#view.matches(":focus-visible");
      this.#look();
    });
    new ResizeObserver(() => this.#fit()).observe(this.#view);
  }

  #startWorker(address) {
    return new RemoteDrawing(address, this.#canvases, { drawn: this.#tell.drawn, failed: () => this.#replaceDrawing() });
  }

  #drawHere() {
    return new Drawing(this.#canvases, BUDGET, this.#tell.drawn);
  }

  get #canvases() {
    return { map: this.#view.querySelector("canvas"), overview: this.#overview.querySelector("canvas") };
  }

  /** The worker failed: draw here, on new canvases, because those that it has can't be taken back. */
  #replaceDrawing() {
    for (const canvas of Object.values(this.#canvases)) canvas.replaceWith(canvas.cloneNode());
    this.#drawing = this.#drawHere();
    this.#restyle();
    this.#size = "";
    if (!this.plan) return;
    this.#drawing.load(this.plan, this.#scene);
    this.#fit();
  }

  #restyle() {
    readColours();
    this.#drawing.restyle(pageColours());
  }

  show(plan) {
    const first = this.plan === null, cursorId = first ? null : this.plan.ids[this.#cursor];
    const seen = [plan.box[0], plan.box[1] - plan.stage * 1.8, plan.box[2], plan.box[3]];
    this.plan = plan;
    this.#drawing.load(plan, this.#scene);
    this.#cursor = plan.byId.get(cursorId) ?? -1;
    this.#hovered = null;
    if (!first) return this.#camera.keep(seen);
    this.#camera.see(seen);
    this.#fit();
  }

  /** Bring a seat into view, large enough to read. */
  point(at) {
    this.#cursor = at;
    this.#camera.closer(Math.max(this.#camera.pitch, READABLE), this.plan.x[at], this.plan.y[at]);
  }

  /** The drawing changed: all of it, or only the states of these seats. */
  draw(seats = null) {
    if (seats) this.#drawing.changed(seats);
    else if (this.plan) this.#drawing.update(this.#scene);
  }

  get #scene() {
    const { chosen, own, alone } = this;
    return { marks: this.#marks, filter: this.#filter, chosen, own, alone };
  }

  /** Sections were sold out or came back. */
  drawOverview() {
    this.#drawing.recount();
  }

  /** The next frame shows what the camera sees. */
  #look() {
    const cursor = this.#focused ? this.#cursor : -1, hovered = this.#hovered?.at ?? -1;
    this.#drawing.show({ camera: this.#camera.parts, ratio: this.#ratio, cursor, hovered, isMoving: this.#isMoving });
  }

  get #ratio() {
    return Math.min(devicePixelRatio, SHARPEST);
  }

  /** Give the drawing the size of the view, if it has another one. */
  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#view, ratio = this.#ratio, size = `${width} ${height} ${ratio}`;
    if (!width || size === this.#size) return;
    this.#size = size;
    this.#drawing.resize({ width, height, ratio, overview: [this.#overview.clientWidth, this.#overview.clientHeight] });
    this.#camera.resize(width, height);
    this.#rest();
  }

  #moved() {
    this.#view.toggleAttribute("data-near", !this.#camera.isWhole); // then fingers move the map, not the page
    this.#isMoving = true;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rest(), REST);
    this.#look();
  }

  /** The next frame draws everything in view at its exact scale. */
  #rest() {
    clearTimeout(this.#resting);
    this.#isMoving = false;
    this.#look();
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
    this.#look();
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
    this.#look();
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
