// Which seats are shown: some price grades only, or free seats only.

import { FREE } from "./plan.js";
import { count, say } from "./labels.js";

export class Filter {
  #box; #plan = null; #grades = new Set(); #freeOnly = false;

  constructor(box, changed) {
    this.#box = box;
    box.addEventListener("click", ({ target }) => {
      const button = target.closest("[aria-pressed]");
      if (!button) return;
      this.#press(button);
      changed();
    });
  }

  #press(button) {
    const isOn = button.getAttribute("aria-pressed") !== "true", grade = Number(button.dataset.grade);
    button.setAttribute("aria-pressed", isOn);
    if (!("grade" in button.dataset)) this.#freeOnly = isOn;
    else if (isOn) this.#grades.add(grade);
    else this.#grades.delete(grade);
  }

  /** Write how many seats of each grade are free. */
  show(plan) {
    this.#plan = plan;
    for (const button of this.#box.querySelectorAll("[data-grade]")) {
      const grade = Number(button.dataset.grade), left = plan.sections.reduce((sum, { free }) => sum + free[grade], 0);
      button.querySelector("[data-left]").textContent = say("gradeLeft", { n: count(left) });
    }
  }

  hasGrade(grade) {
    return !this.#grades.size || this.#grades.has(grade);
  }

  passes = (at) => this.hasGrade(this.#plan.grade[at]) && (!this.#freeOnly || this.#plan.state[at] === FREE);

  /** How many seats of a section are free and pass. */
  left(section) {
    return this.#plan.left(section, section.grades.filter((grade) => this.hasGrade(grade)));
  }
}
