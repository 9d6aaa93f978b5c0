// The whole plan in small, with the visible part as a window; a click or drag moves it.

import { colour } from "./colours.js";

const BORDER = 2; // pixels

/** The window's four edges are elements of one pixel, scaled: nothing is laid out or drawn when it moves. */
export class Minimap {
  #canvas; #context; #camera; #ratio = 1; #size = [1, 1]; #edges; #isDrawn = false;

  constructor(box, camera) {
    const canvas = this.#canvas = box.querySelector("canvas");
    this.#edges = box.querySelectorAll("i");
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
    if (!this.#isDrawn) this.#drawPlan(plan, filter);
    const { scale, left, top } = this.#fit(), [x, y, width, height] = this.#visible(this.#camera);
    const [from, over, wide, high] = [left + x * scale, top + y * scale, width * scale, height * scale];
    const edges = [[from, over, wide, BORDER], [from, over + high - BORDER, wide, BORDER], [from, over, BORDER, high], [from + wide - BORDER, over, BORDER, high]];
    edges.forEach(([x, y, wide, high], at) => { this.#edges[at].style.transform = `translate(${x}px, ${y}px) scale(${wide}, ${high})`; });
  }

  #drawPlan(plan, filter) {
    const context = this.#context, { scale, left: dx, top: dy } = this.#fit(), zoom = this.#ratio * scale, [left, top, right] = plan.box, wide = (right - left) / 2;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = colour("surface");
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.setTransform(zoom, 0, 0, zoom, this.#ratio * dx, this.#ratio * dy);
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
  #visible({ x, y, scale, width, height, plan }) {
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
