// Shows the answer, the latest check-ins, conflicts and counts.

import { say } from "./labels.js";

const MOST = 8;
const page = document.getElementById("door");
const find = (name) => page.querySelector(`[data-${name}]`);
const panel = find("answer"), undo = find("undo"), anyway = find("anyway"), recent = find("recent"), conflicts = find("conflicts");

export function showAnswer(it) {
  panel.hidden = false;
  panel.className = `answer answer--${it.answer.toLowerCase()}`;
  const number = it.entry_number ? say("entry-number", { number: it.entry_number }) : "";
  const parts = { message: it.message, number, seat: it.seat ?? "", who: [it.name, it.grade].filter(Boolean).join(" · ") };
  for (const [name, words] of Object.entries(parts)) panel.querySelector(`[data-part="${name}"]`).textContent = words;
  anyway.hidden = it.answer !== "NOT_YET";
  anyway.elements.code.value = it.text ?? "";
  undo.hidden = !it.undo_until;
  undo.elements.key.value = it.key ?? "";
  panel.scrollIntoView({ block: "nearest" });
}

export function showLatest(it) {
  recent.prepend(line(it, it.message));
  while (recent.children.length > MOST) recent.lastElementChild.remove();
}

export function showConflict(it) {
  find("conflict-list").prepend(line(it, say("conflict", { what: it.message })));
  conflicts.hidden = false;
}

export function dismissConflicts() {
  find("conflict-list").replaceChildren();
  conflicts.hidden = true;
}

export function showCounts({ inside, expected, sections }) {
  find("inside").textContent = say("inside", { inside, expected });
  for (const part of sections) {
    const cells = page.querySelectorAll(`[data-section="${CSS.escape(part.section)}"] td`);
    if (cells.length) [cells[0].textContent, cells[1].textContent] = [part.inside, part.expected];
  }
}

export function showNet(isOnline, waiting) {
  const queue = waiting ? say(waiting === 1 ? "waiting-one" : "waiting-many", { n: waiting }) : "";
  find("net").textContent = [say(isOnline ? "online" : "offline"), queue].filter(Boolean).join(" · ");
}

function line(it, words) {
  const item = document.createElement("li"), what = document.createElement("strong"), whose = document.createElement("span");
  item.className = `door__one door__one--${it.answer.toLowerCase()}`;
  what.textContent = words;
  whose.className = "soft small";
  whose.textContent = [it.seat, it.name].filter(Boolean).join(" · ");
  item.append(what, " ", whose);
  return item;
}
