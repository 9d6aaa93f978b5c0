// The editor of a seat plan: what is chosen, what is done to it, and what was before.
import { draw, gradesOf } from "./drawing.js";
import * as change from "./drawing_changes.js";

const root = document.querySelector("[data-plan-editor]");
const svg = root.querySelector("[data-drawing]");
const field = (id) => root.querySelector(`#${id}`);
const say = (name, text) => { root.querySelector(`[data-${name}]`).textContent = text; };
const STEP = 10;
const TURN = 15;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let sections = [];
let selected = new Set();
let isSaving = false;
const before = [];

const current = () => sections.find((section) => section.code === field("block").value);

function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, label]) => new Option(label, value)));
  if (values.some(([value]) => value === chosen)) select.value = chosen;
}

function showBlock() {
  const rows = [...new Set(current()?.seats?.map((seat) => seat.row) ?? [])];
  options(field("row"), [["", root.dataset.all], ...rows.map((row) => [row, row])], field("row").value);
  for (const block of svg.querySelectorAll("[data-code]")) {
    block.setAttribute("aria-pressed", block.dataset.code === field("block").value);
  }
}

function showSelection() {
  for (const seat of svg.querySelectorAll("[data-key]")) {
    seat.classList.toggle("is-selected", selected.has(seat.dataset.key));
  }
  say("status", `${root.dataset.selected} ${selected.size}`);
}

function show() {
  draw(svg, sections, root.dataset);
  options(field("block"), sections.map((section) => [section.code, section.code]), field("block").value);
  options(field("grades"), gradesOf(sections).map((grade) => [grade, grade]));
  root.querySelector("[data-do=undo]").disabled = before.length === 0;
  showBlock();
  showSelection();
}

function apply(next) {
  if (!sections.length) return; // not loaded yet
  before.push({ sections, selected });
  sections = next;
  const keys = new Set(sections.flatMap((one) => one.seats?.map((seat) => change.seatKey(one, seat)) ?? []));
  selected = new Set([...selected].filter((key) => keys.has(key)));
  say("problem", "");
  show();
}

function undo() {
  if (before.length) ({ sections, selected } = before.pop());
  show();
}

function choose(code) {
  field("block").value = code;
  showBlock();
}

function select(keys, adds) {
  selected = new Set([...(adds ? selected : []), ...keys]);
  showSelection();
}

const number = (id) => Number.parseInt(field(id).value, 10);

const ACTIONS = {
  undo,
  clear: () => select([], false),
  grade: () => field("grade").value.trim() && apply(change.graded(sections, selected, field("grade").value.trim())),
  number: () => apply(change.numbered(sections, field("block").value, {
    first: number("first") || 1, step: number("step") || 1,
    reverse: field("direction").value === "left", rows: field("rows").value,
  })),
  select: () => {
    const [row, from, to] = [field("row").value, number("from") || 0, number("to") || Infinity];
    const seats = current()?.seats ?? [];
    const chosen = seats.filter((seat) => (!row || seat.row === row) && seat.number >= from && seat.number <= to);
    select(chosen.map((seat) => change.seatKey(current(), seat)), true);
  },
  save,
};

async function save() {
  if (isSaving || !sections.length) return;
  isSaving = true;
  const data = new FormData();
  data.append("csrfmiddlewaretoken", root.querySelector("[name=csrfmiddlewaretoken]").value);
  data.append("revision", root.dataset.revision);
  data.append("plan", new Blob([change.written(sections)], { type: "application/json" }), "plan.json");
  try {
    const answer = await fetch(location.href, { method: "POST", body: data, headers: { Accept: "application/json" } });
    const body = await answer.json();
    if (answer.ok) return location.assign(body.url);
    say("problem", [body.message, ...(body.details?.problems ?? []).slice(0, 5).map((one) => one.words)].join(" "));
  } catch {
    say("problem", root.dataset.lost);
  }
  isSaving = false;
}

addEventListener("pageshow", () => { isSaving = false; }); // shown again by the back button

root.addEventListener("click", (event) => {
  const { do: action, move, turn, place } = event.target.dataset;
  const block = field("block").value;
  if (action) ACTIONS[action]();
  else if (move) apply(change.moved(sections, block, ...move.split(" ").map(Number)));
  else if (turn) apply(change.turned(sections, block, Number(turn)));
  else if (place !== undefined) apply(change.placed(sections, selected, place));
});

field("block").addEventListener("change", showBlock);

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.target.matches("input")) {
    event.preventDefault();
    undo();
  }
});

svg.addEventListener("keydown", (event) => {
  const code = event.target.dataset.code;
  if (!code || event.ctrlKey || event.metaKey) return;
  const size = event.shiftKey ? 1 : STEP;
  if (event.key in ARROWS) apply(change.moved(sections, code, ...ARROWS[event.key].map((one) => one * size)));
  else if (event.key === "[" || event.key === "]") apply(change.turned(sections, code, event.key === "]" ? TURN : -TURN));
  else if (event.key === "Enter" || event.key === " ") choose(code);
  else return;
  event.preventDefault();
});

// -- pointer: a seat is selected, a block is dragged, and a box selects what is in it

function inPlan(event) {
  const point = new DOMPoint(event.clientX, event.clientY);
  return point.matrixTransform(svg.getScreenCTM().inverse());
}

svg.addEventListener("pointerdown", (event) => {
  const seat = event.target.closest("[data-key]");
  if (seat) return select([seat.dataset.key], event.shiftKey);
  const block = event.target.closest("[data-code]");
  const start = inPlan(event);
  svg.setPointerCapture(event.pointerId);
  if (block) drag(block, start);
  else drawBox(start, event.shiftKey);
});

function until(moves, ends) {
  const finish = (event) => {
    svg.removeEventListener("pointermove", moves);
    ends(event);
  };
  svg.addEventListener("pointermove", moves);
  svg.addEventListener("pointerup", finish, { once: true });
}

function drag(block, start) {
  const by = (event) => {
    const now = inPlan(event);
    return [Math.round(now.x - start.x), Math.round(now.y - start.y)];
  };
  choose(block.dataset.code);
  until(
    (event) => block.setAttribute("transform", `translate(${by(event).join(" ")})`),
    (event) => {
      const [dx, dy] = by(event);
      if (dx || dy) apply(change.moved(sections, block.dataset.code, dx, dy));
      else block.removeAttribute("transform");
    });
}

function drawBox(start, adds) {
  const box = document.createElementNS(svg.namespaceURI, "rect");
  box.setAttribute("class", "plan-selection");
  svg.append(box);
  const ends = (event) => {
    const now = inPlan(event);
    return { left: Math.min(start.x, now.x), top: Math.min(start.y, now.y),
      right: Math.max(start.x, now.x), bottom: Math.max(start.y, now.y) };
  };
  until(
    (event) => {
      const { left, top, right, bottom } = ends(event);
      const look = { x: left, y: top, width: right - left, height: bottom - top };
      for (const [name, value] of Object.entries(look)) box.setAttribute(name, value);
    },
    (event) => {
      const { left, top, right, bottom } = ends(event);
      box.remove();
      const inside = (seat) => seat.x >= left && seat.x <= right && seat.y >= top && seat.y <= bottom;
      select(sections.flatMap((one) => (one.seats ?? []).filter(inside).map((seat) => change.seatKey(one, seat))), adds);
    });
}

({ sections } = await (await fetch(root.dataset.source)).json());
show();
