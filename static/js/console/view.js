// Writes the figures of a sample into the page.

import { count, duration, label, money, rate } from "./format.js";

const RATES = new Set(["joins", "admissions"]);
const SILENT = 15, LATE_TICK = 5;

/** The figure as text. */
export function figure(name, figures) {
  const value = figures[name];
  if (RATES.has(name)) return rate(value);
  switch (name) {
    case "asked": return value ? rate(value) : "∞";
    case "empty_in": return duration(value);
    case "money": return money(value, figures.currency);
    case "breaker": return value ? label(`breaker-${value}`) : "–";
    case "tick_age": return value === null ? "–" : label("ago", { n: rate(value) });
    case "redis_ms": case "database_ms": return `${rate(value)} ms`;
    case "page_ms": return value === null || value === undefined ? "–" : `${count(value)} ms`;
    case "pilot": return value ? label(`pilot-${value[0] || "new"}`, { a: count(value[1]), b: count(value[2]) }) : label("pilot-off");
    default: return count(value);
  }
}

export function fill(root, figures) {
  for (const place of root.querySelectorAll("[data-figure]")) {
    const name = place.dataset.figure;
    write(place, figure(name, figures));
    place.classList.toggle("console-bad", isBad(name, figures));
  }
  for (const badge of root.querySelectorAll("[data-state]")) {
    badge.className = `state queue-${figures.state}`;
    write(badge, label(`state-${figures.state}`));
  }
}

export function fillSeats(root, seats) {
  for (const grade of seats) {
    const row = root.querySelector(`[data-grade="${CSS.escape(grade.code)}"]`);
    row?.querySelectorAll("[data-seats]").forEach((cell) => write(cell, count(grade[cell.dataset.seats])));
  }
}

export function fillLanes(root, lanes) {
  for (const lane of lanes) {
    const row = root.querySelector(`[data-lane="${lane.lane}"]`);
    row?.querySelectorAll("[data-people]").forEach((cell) => write(cell, count(lane[cell.dataset.people])));
    row?.querySelectorAll("[data-share]").forEach((cell) => write(cell, `${Math.round(100 * lane[cell.dataset.share])} %`));
  }
}

export function fillProcesses(body, processes) {
  if (!processes.length) return;
  body.replaceChildren(...processes.map(([kind, host, pid, age]) => {
    const row = document.createElement("tr"), name = document.createElement("th"), cell = document.createElement("td");
    const where = document.createElement("small");
    name.scope = "row";
    where.textContent = `${host} ${pid}`;
    name.append(`${kind} `, where);
    cell.textContent = label(age > SILENT ? "silent" : "ago", { n: Math.round(age) });
    cell.classList.toggle("console-bad", age > SILENT);
    row.append(name, cell);
    return row;
  }));
}

function isBad(name, figures) {
  if (name === "failing") return figures.failing > 0;
  if (name === "breaker") return figures.breaker !== "closed";
  if (name === "tick_age") return figures.tick_age === null || figures.tick_age > LATE_TICK;
  return false;
}

export function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}
