// The plan as SVG: a group for each block that can be focused, with a circle for each seat.
import { boxOf, seatKey } from "./drawing_changes.js";

const SVG = "http://www.w3.org/2000/svg";
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a00", "#666666"];

export const gradesOf = (sections) => [
  ...new Set(sections.flatMap((section) => section.seats?.map((seat) => seat.grade) ?? [section.grade])),
];

function element(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function drawSeat(section, seat, colours) {
  const key = seatKey(section, seat);
  const title = element("title", {}, `${section.code} ${seat.row}-${seat.number} ${seat.grade}`);
  const look = { cx: seat.x, cy: seat.y, r: 7, fill: colours.get(seat.grade), "data-key": key, class: "plan-seat" };
  if (seat.accessible) look.class += " is-accessible";
  if (seat.companion) look.class += " is-companion";
  return element("circle", look, title);
}

function drawBlock(section, colours, words) {
  const { x, y, width, height } = boxOf(section);
  const count = section.seats?.length ?? section.capacity;
  return element(
    "g",
    { class: "plan-block", tabindex: 0, role: "button", "data-code": section.code,
      "aria-label": `${words.block} ${section.code}, ${count} ${words.seats}` },
    element("rect", { x, y, width, height, rx: 6, class: "plan-block-box" }),
    element("text", { x: x + width / 2, y: y - 8, "text-anchor": "middle", class: "plan-block-name" }, section.code),
    ...(section.seats ?? []).map((seat) => drawSeat(section, seat, colours)));
}

// Keeps the focus on the block that had it.
export function draw(svg, sections, words) {
  const focused = svg.contains(document.activeElement) ? document.activeElement.dataset.code : null;
  const colours = new Map(gradesOf(sections).map((grade, n) => [grade, COLOURS[n % COLOURS.length]]));
  const boxes = sections.map(boxOf);
  const left = Math.min(...boxes.map((box) => box.x)) - 40;
  const top = Math.min(0, ...boxes.map((box) => box.y)) - 70;
  const right = Math.max(...boxes.map((box) => box.x + box.width)) + 40;
  const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + 40;
  svg.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
  const stage = element(
    "text", { x: (left + right) / 2, y: top + 35, "text-anchor": "middle", class: "plan-stage" }, words.stage);
  svg.replaceChildren(stage, ...sections.map((section) => drawBlock(section, colours, words)));
  if (focused) svg.querySelector(`[data-code="${CSS.escape(focused)}"]`)?.focus();
}
