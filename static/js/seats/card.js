// The card beside the map: the seat or section that is pointed at or has the focus.

import { count, money, nameOf, say } from "./labels.js";

export class Card {
  #choice; #views; #find; #shown = null;

  /** `views` has the address of a picture of the view for some sections, by their code. */
  constructor(box, choice, views) {
    this.#choice = choice;
    this.#views = views;
    this.#find = (name) => box.querySelector(`[data-card-${name}]`);
  }

  seat(plan, at) {
    const grade = plan.grades[plan.grade[at]], section = plan.sectionOf(at), { row, rows, side } = plan.whereIs(at);
    const where = [say("viewRow", { row, rows }), say(`view${side}`), ...this.#choice.extras(at)].join(" · ");
    this.#show({ section, grade, title: this.#choice.name(at), price: money(grade.price, plan.currency), where, state: this.#choice.state(at) });
  }

  section(plan, section, left) {
    const grades = section.grades.map((grade) => plan.grades[grade]);
    const price = grades.map((grade) => `${nameOf(grade)} ${money(grade.price, plan.currency)}`).join(" · ");
    const state = say("section", { name: section.code, left: count(left), total: count(plan.total(section)) });
    this.#show({ section, title: section.title, price, where: "", state });
  }

  #show({ section, grade, title, price, where, state }) {
    this.#find("hint").hidden = true;
    this.#find("facts").hidden = false;
    this.#find("title").textContent = title;
    this.#find("price").textContent = grade ? `${nameOf(grade)} ${price}` : price;
    this.#find("where").textContent = where;
    this.#find("state").textContent = state;
    if (this.#shown !== section.code) this.#view(section);
    this.#shown = section.code;
  }

  #view(section) {
    const image = this.#find("view"), address = this.#views[section.code];
    image.hidden = !address;
    if (!address) return image.removeAttribute("src");
    image.src = address;
    image.alt = say("viewFrom", { section: section.title });
  }
}
