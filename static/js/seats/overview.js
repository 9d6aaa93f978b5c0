// The whole plan in small, with the visible part as a window; a click or drag moves it.

import { colour } from "./colours.js";
import { newCanvas } from "./strokes.js";

/** Draws it. */
export class Overview {
  #canvas; #context; #picture = newCanvas(1, 1); #isDrawn = false;

  constructor(canvas) {
    this.#canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  resize(width, height, ratio) {
    for (const canvas of [this.#canvas, this.#picture]) [canvas.width, canvas.height] = [width, height].map((side) => Math.round(side * ratio));
    this.invalidate();
  }

  /** Something in the drawing changed. */
  invalidate() {
    this.#isDrawn = false;
  }

  draw({ plan, filter, camera, ratio }) {
    const context = this.#context, { scale, left, top } = fit(camera.plan, this.#canvas.width / ratio, this.#canvas.height / ratio);
    const place = [scale, 0, 0, scale, left, top].map((part) => part * ratio);
    if (!this.#isDrawn) this.#drawPlan(plan, filter, place);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.#picture, 0, 0);
    context.setTransform(...place);
    context.strokeStyle = colour("focus");
    context.lineWidth = 2 / scale;
    context.strokeRect(...visible(camera));
  }

  /** Draw the plan once; frames copy it. */
  #drawPlan(plan, filter, place) {
    const context = this.#picture.getContext("2d", { alpha: false }), [left, top, right] = plan.box, wide = (right - left) / 2;
    context.setTransform(1, 0, 0, 1, 0, 0);
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
}

/** Lets a click or drag in its element move the visible part. */
export function followOverview(box, camera) {
  function go({ offsetX, offsetY }) {
    const { scale, left, top } = fit(camera.plan, box.clientWidth, box.clientHeight);
    camera.centre((offsetX - left) / scale, (offsetY - top) / scale);
  }
  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    go(event);
  });
  box.addEventListener("pointermove", (event) => box.hasPointerCapture(event.pointerId) && go(event));
}

/** The visible part, inside the plan. */
function visible({ x, y, scale, width, height, plan }) {
  const left = Math.max(x, plan[0]), top = Math.max(y, plan[1]);
  return [left, top, Math.min(x + width / scale, plan[2]) - left, Math.min(y + height / scale, plan[3]) - top];
}

function fit([x, y, right, bottom], width, height) {
  const scale = Math.min((width - 4) / (right - x), (height - 4) / (bottom - y));
  return { scale, left: width / 2 - (x + right) / 2 * scale, top: height / 2 - (y + bottom) / 2 * scale };
}
