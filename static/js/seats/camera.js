// The visible part of the plan: `scale` pixels per unit, with (x, y) in the top left corner.

import { PITCH } from "./plan.js";

const CLOSEST = 44; // pixels between two seats, at most
const GLIDE = 260; // ms
const AROUND = 0.06; // margin around a section
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Camera {
  scale = 1; x = 0; y = 0; width = 1; height = 1;
  #plan = [0, 0, 1, 1]; #moved; #glide = 0;

  constructor(moved) {
    this.#moved = moved;
  }

  /** Pixels between two seats. */
  get pitch() {
    return this.scale * PITCH;
  }

  get least() {
    return this.#scaleFor(this.#plan, 0.04);
  }

  get isWhole() {
    return this.scale <= this.least * 1.02;
  }

  resize(width, height) {
    const whole = this.isWhole || this.width === 1, middle = this.toWorld(this.width / 2, this.height / 2);
    [this.width, this.height] = [width, height];
    if (whole) return this.#put(this.#goal(this.#plan, 0.04));
    this.#put({ scale: this.scale, x: middle[0] - width / 2 / this.scale, y: middle[1] - height / 2 / this.scale });
  }

  see(plan) {
    this.#plan = plan;
    this.#put(this.#goal(plan, 0.04));
  }

  /** The plan changed; keep the visible part. */
  keep(plan) {
    this.#plan = plan;
    this.#put(this);
  }

  whole() {
    this.#glideTo(this.#goal(this.#plan, 0.04));
  }

  show(box) {
    this.#glideTo(this.#goal(box, AROUND));
  }

  /** The scale at which `show` shows this box. */
  scaleOf(box) {
    return this.#clampScale(this.#scaleFor(box, AROUND));
  }

  /** Move this point to the middle. */
  centre(x, y) {
    this.#put({ scale: this.scale, x: x - this.width / 2 / this.scale, y: y - this.height / 2 / this.scale });
  }

  /** What can be shown at all: the box of the plan, its stage included. */
  get plan() {
    return this.#plan;
  }

  zoom(factor, px = this.width / 2, py = this.height / 2, soft = false) {
    const [x, y] = this.toWorld(px, py), scale = this.#clampScale(this.scale * factor);
    const goal = { scale, x: x - px / scale, y: y - py / scale };
    return soft ? this.#glideTo(goal) : this.#put(goal);
  }

  /** Zoom until two seats are `pitch` pixels apart, with this point in the middle. */
  closer(pitch, x, y) {
    const scale = this.#clampScale(pitch / PITCH);
    this.#glideTo({ scale, x: x - this.width / 2 / scale, y: y - this.height / 2 / scale });
  }

  pan(dx, dy) {
    this.#put({ scale: this.scale, x: this.x - dx / this.scale, y: this.y - dy / this.scale });
  }

  /** For a drawing in another thread. */
  get parts() {
    const { scale, x, y, width, height, pitch, plan } = this;
    return { scale, x, y, width, height, pitch, plan };
  }

  toWorld(px, py) {
    return [this.x + px / this.scale, this.y + py / this.scale];
  }

  #scaleFor(box, margin) {
    const wide = box[2] - box[0] || 1, high = box[3] - box[1] || 1;
    return Math.min(this.width / wide, this.height / high) * (1 - 2 * margin);
  }

  #goal(box, margin) {
    const scale = this.#clampScale(this.#scaleFor(box, margin));
    const x = (box[0] + box[2]) / 2 - this.width / 2 / scale, y = (box[1] + box[3]) / 2 - this.height / 2 / scale;
    return { scale, x, y };
  }

  #clampScale(scale) {
    return Math.max(Math.min(scale, CLOSEST / PITCH), this.least);
  }

  /** Keeps part of the plan in view. */
  #put({ scale, x, y }) {
    cancelAnimationFrame(this.#glide);
    this.scale = this.#clampScale(scale);
    this.x = within(x, this.#plan[0], this.#plan[2], this.width / this.scale);
    this.y = within(y, this.#plan[1], this.#plan[3], this.height / this.scale);
    this.#moved();
  }

  #glideTo(goal) {
    if (still.matches || document.hidden) return this.#put(goal);
    const from = { scale: this.scale, x: this.x, y: this.y }, begun = performance.now();
    const step = (now) => {
      const part = Math.min((now - begun) / GLIDE, 1), soft = 1 - (1 - part) ** 3;
      const scale = from.scale * (goal.scale / from.scale) ** soft;
      const mix = goal.scale === from.scale ? soft : (1 / from.scale - 1 / scale) / (1 / from.scale - 1 / goal.scale);
      this.#put({ scale, x: from.x + (goal.x - from.x) * mix, y: from.y + (goal.y - from.y) * mix });
      if (part < 1) this.#glide = requestAnimationFrame(step);
    };
    cancelAnimationFrame(this.#glide);
    this.#glide = requestAnimationFrame(step);
  }
}

function within(start, low, high, length) {
  const slack = Math.min(length * 0.5, 200);
  if (high - low < length) return Math.max(Math.min(start, low), high - length);
  return Math.max(Math.min(start, high - length + slack), low - slack);
}
