// Which seats are shown: some price grades only, or free seats only.

import { FREE } from "./plan.js";
import { count, say } from "./labels.js";

export class Filter {
  plan = null;
  #grades; #freeOnly;

  constructor({ grades, freeOnly } = {}) {
    this.#grades = new Set(grades);
    this.#freeOnly = freeOnly ?? false;
  }

  /** For a filter of another thread. */
  get parts() {
    return { grades: [...this.#grades], freeOnly: this.#freeOnly };
  }

  toggleFreeOnly() {
    this.#freeOnly = !this.#freeOnly;
  }

  toggleGrade(grade) {
    if (!this.#grades.delete(grade)) this.#grades.add(grade);
  }

  hasGrade(grade) {
    return !this.#grades.size || this.#grades.has(grade);
  }

  passes = (at) => this.hasGrade(this.plan.grade[at]) && (!this.#freeOnly || this.plan.state[at] === FREE);

  /** How many seats of a section are free and pass. */
  left(section) {
    return this.plan.left(section, section.grades.filter((grade) => this.hasGrade(grade)));
  }
}

export function followFilterButtons(box, filter, changed) {
  box.addEventListener("click", ({ target }) => {
    const button = target.closest("[aria-pressed]");
    if (!button) return;
    button.setAttribute("aria-pressed", button.getAttribute("aria-pressed") !== "true");
    if ("grade" in button.dataset) filter.toggleGrade(Number(button.dataset.grade));
    else filter.toggleFreeOnly();
    changed();
  });
}

/** Write how many seats of each grade are free. */
export function showCounts(box, { sections }) {
  for (const button of box.querySelectorAll("[data-grade]")) {
    const grade = Number(button.dataset.grade), left = sections.reduce((sum, { free }) => sum + free[grade], 0);
    button.querySelector("[data-left]").textContent = say("gradeLeft", { n: count(left) });
  }
}
