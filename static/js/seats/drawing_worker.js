// The worker that draws the map, so that no frame of the page waits for it. It has copies of what is drawn.

import { Drawing } from "./drawing.js";
import { Filter } from "./filter.js";
import { say, useLabels } from "./labels.js";
import { SeatPlan } from "./plan.js";
import { FONT } from "./strokes.js";

const BUDGET = { moving: 2, resting: 12 }; // ms of a frame for new tiles
const PATIENCE = 1_000; // ms for the font, then texts have another one: the map is empty until then
let drawing = null, plan = null, done = Promise.resolve();

const acts = {
  start({ canvases, labels, fonts }) {
    drawing = new Drawing(canvases, BUDGET, () => postMessage("drawn"));
    useLabels(labels);
    for (const { family, source, ...rest } of fonts) self.fonts.add(new FontFace(family, source, rest));
    loadFont(`${say("stage")}0123456789`); // while the list is on its way
  },

  async load(text) {
    plan = new SeatPlan(text);
    const names = [...plan.sections.flatMap(({ code, title }) => [code, title]), ...plan.grades.map(({ code }) => code), ...plan.rows.map(({ name }) => name)];
    await Promise.race([loadFont([...new Set(names.join(""))].join("")), new Promise((go) => setTimeout(go, PATIENCE))]);
  },

  update({ scene, states }) {
    states.forEach((state, at) => plan.put(at, state));
    drawing.load(plan, { ...scene, filter: Object.assign(new Filter(scene.filter), { plan }) });
  },

  changed({ seats, states }) {
    seats.forEach((at, turn) => plan.put(at, states[turn]));
    drawing.changed(seats);
  },

  recount: () => drawing.recount(),
  restyle: (colours) => drawing.restyle(colours),
  resize: (size) => drawing.resize(size),
  show: (view) => drawing.show(view),
};

addEventListener("message", ({ data: [name, value] }) => { done = done.then(() => acts[name](value)).catch(reportError); });

/** The parts of the font that have these letters. A text that is written before keeps its other font in Chromium's workers. */
const loadFont = (letters) => self.fonts.load(`700 16px ${FONT}`, letters).catch(() => null);
