// Draws the map and its overview on two canvases: in a worker (drawing_worker.js) or, where there can be none, on the page.

import { colour, useColours } from "./colours.js";
import { paintNames } from "./names.js";
import { Overview } from "./overview.js";
import { boxesOf } from "./paint.js";
import { PITCH } from "./plan.js";
import { forget } from "./seat_shapes.js";
import { forgetWidths } from "./strokes.js";
import { Tiles } from "./tiles.js";

export class Drawing {
  #canvas; #context; #overview; #tiles; #plan = null; #scene = {}; #view = null; #size = null; #due = 0; #drawn;

  /** `budget`: see Tiles; `drawn()` is called when all that is in view is drawn for the first time. */
  constructor({ map, overview }, budget, drawn) {
    this.#canvas = map;
    this.#context = map.getContext("2d", { alpha: false });
    this.#overview = new Overview(overview);
    this.#tiles = new Tiles(budget);
    this.#drawn = drawn;
  }

  load(plan, scene) {
    this.#plan = plan;
    this.update(scene);
  }

  /** All of it changed. `scene`: marks, filter, chosen, own, alone. */
  update(scene) {
    this.#scene = scene;
    this.#tiles.invalidate();
    this.recount();
  }

  /** The states of these seats changed. */
  changed(seats) {
    this.#tiles.invalidate((scale) => boxesOf(this.#plan, seats, scale * PITCH));
    this.#nextFrame();
  }

  /** Sections were sold out or came back. */
  recount() {
    this.#overview.invalidate();
    this.#nextFrame();
  }

  /** Colours changed, or a font was loaded. */
  restyle(colours) {
    useColours(colours);
    forget();
    forgetWidths();
    this.update(this.#scene);
  }

  /** `size`: width and height of the map and of the overview, in pixels of the page, and how many pixels of the screen these are. */
  resize(size) {
    this.#size = size;
    this.#nextFrame();
  }

  /** `view`: the camera, the seat that keys choose, the section under the mouse, and whether the map moves. */
  show(view) {
    this.#view = view;
    this.#nextFrame();
  }

  #nextFrame() {
    if (!this.#due && this.#plan && this.#view) this.#due = requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    this.#due = 0;
    this.#fit();
    const scene = { ...this.#scene, ...this.#view, plan: this.#plan }, { isMoving } = this.#view;
    this.#clear();
    const isDrawn = this.#tiles.show(this.#context, scene, isMoving);
    paintNames(this.#context, scene);
    this.#overview.draw(scene);
    if (!isDrawn) return this.#nextFrame();
    this.#drawn?.();
    this.#drawn = null;
  }

  /** In the frame that draws them: a canvas with a new size is empty. */
  #fit() {
    if (!this.#size) return;
    const { width, height, overview, ratio } = this.#size;
    [this.#canvas.width, this.#canvas.height] = [width, height].map((side) => Math.round(side * ratio));
    this.#overview.resize(...overview, ratio);
    this.#size = null;
  }

  #clear() {
    this.#context.setTransform(1, 0, 0, 1, 0, 0);
    this.#context.fillStyle = colour("surface");
    this.#context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
  }
}
