// A drawing in a worker: has the methods of Drawing, and sends what they are given.

import { pageLabels } from "./labels.js";

export class RemoteDrawing {
  #worker; #plan = null; #view = null;

  /** `drawn()` as in Drawing; `failed()`: the worker can't be used, and its canvases neither. */
  constructor(address, canvases, { drawn, failed }) {
    this.#worker = new Worker(address, { type: "module", name: "seat map" });
    this.#worker.addEventListener("message", drawn);
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#worker.terminate();
      failed();
    });
    const [map, overview] = [canvases.map, canvases.overview].map((canvas) => canvas.transferControlToOffscreen());
    this.#send("start", { canvases: { map, overview }, labels: pageLabels(), fonts: fontFaces() }, [map, overview]);
  }

  load(plan, scene) {
    this.#plan = plan;
    this.#send("load", plan.text);
    this.update(scene);
  }

  update(scene) {
    this.#send("update", { scene: { ...scene, filter: scene.filter.parts }, states: this.#plan.state });
  }

  changed(seats) {
    this.#send("changed", { seats, states: seats.map((at) => this.#plan.state[at]) });
  }

  recount() {
    this.#send("recount");
  }

  restyle(colours) {
    this.#send("restyle", colours);
  }

  resize(size) {
    this.#send("resize", size);
  }

  /** Once a frame. */
  show(view) {
    if (!this.#view) requestAnimationFrame(() => {
      this.#send("show", this.#view);
      this.#view = null;
    });
    this.#view = view;
  }

  #send(name, value, transferred = []) {
    this.#worker.postMessage([name, value], transferred);
  }
}

/** Whether a worker can draw on a page's canvas: not in Safari before 16.4. */
export const isSupported = "transferControlToOffscreen" in HTMLCanvasElement.prototype;

/** The font faces of our style sheets: a worker has none. Those of browser extensions can't be read. */
function fontFaces() {
  return [...document.styleSheets].filter(({ href }) => href?.startsWith(`${location.origin}/`)).flatMap(({ href, cssRules }) => [...cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map(({ style }) => ({
    family: style.getPropertyValue("font-family").replaceAll('"', ""),
    source: style.getPropertyValue("src").replace(/url\("([^"]+)"\)/g, (_, url) => `url("${new URL(url, href)}")`),
    weight: style.getPropertyValue("font-weight"),
    unicodeRange: style.getPropertyValue("unicode-range"),
  })));
}
