// The whole plan in small, with the visible part as a window; a click or drag moves it.

import { colour } from "./colours.js";

export class Minimap {
  #canvas; #context; #camera; #ratio = 1; #size = [1, 1]; #picture = document.createElement("canvas"); #isDrawn = false;

  constructor(canvas, camera) {
    this.#canvas = canvas;
    this.#camera = camera;
    this.#context = canvas.getContext("2d", { alpha: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#go(event);
    });
    canvas.addEventListener("pointermove", (event) => canvas.hasPointerCapture(event.pointerId) && this.#go(event));
  }

  resize(ratio) {
    const { clientWidth: width, clientHeight: height } = this.#canvas; // kept: asking in each frame costs a layout
    [this.#ratio, this.#size] = [ratio, [width, height]];
    [this.#canvas.width, this.#canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.invalidate();
  }

  /** Something in the drawing changed. */
  invalidate() {
    this.#isDrawn = false;
  }

  draw(plan, filter) {
    const context = this.#context, { scale, left, top } = this.#fit(), zoom = this.#ratio * scale;
    const place = [zoom, 0, 0, zoom, this.#ratio * left, this.#ratio * top];
    if (!this.#isDrawn) this.#drawPlan(plan, filter, place);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#picture, 0, 0);
    context.setTransform(...place);
    context.strokeStyle = colour("focus");
    context.lineWidth = 2 / scale;
    context.strokeRect(...this.#window(this.#camera));
  }

  /** Draw the plan once; frames copy it. */
  #drawPlan(plan, filter, place) {
    const context = this.#picture.getContext("2d", { alpha: false }), [left, top, right] = plan.box, wide = (right - left) / 2;
    [this.#picture.width, this.#picture.height] = [this.#canvas.width, this.#canvas.height];
    context.fillStyle = colour("surface");
    context.fillRect(0, 0, this.#picture.width, this.#picture.height);
    context.setTransform(...place);
    context.fillStyle = colour("ink");
    context.fillRect(left + wide / 2, top - plan.stage * 1.6, wide, plan.stage);
    for (const section of plan.sections) {
      const [x, y, right, bottom] = section.box;
      context.fillStyle = colour(filter.left(section) ? "line-strong" : "line");
      context.fillRect(x, y, right - x, bottom - y);
    }
    this.#isDrawn = true;
  }

  /** The visible part, inside the plan. */
  #window({ x, y, scale, width, height, plan }) {
    const left = Math.max(x, plan[0]), top = Math.max(y, plan[1]);
    return [left, top, Math.min(x + width / scale, plan[2]) - left, Math.min(y + height / scale, plan[3]) - top];
  }

  #fit() {
    const [x, y, right, bottom] = this.#camera.plan, [width, height] = this.#size;
    const scale = Math.min((width - 4) / (right - x), (height - 4) / (bottom - y));
    return { scale, left: width / 2 - (x + right) / 2 * scale, top: height / 2 - (y + bottom) / 2 * scale };
  }

  #go({ offsetX, offsetY }) {
    const { scale, left, top } = this.#fit();
    this.#camera.centre((offsetX - left) / scale, (offsetY - top) / scale);
  }
}
