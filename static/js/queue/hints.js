// Shows the hints one after the other. Somebody who prefers reduced motion sees them as a list. No hint is ever
// hidden from screen readers and none is announced: they read a list in which nothing changes.

const INTERVAL = 12_000;
const box = document.querySelector("[data-hints]");
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

let current = 0, paused = false, touched = false, timer = 0;
const hints = () => [...box.querySelectorAll("[data-hints-list] > li")];

function show(index) {
  const all = hints();
  current = (index + all.length) % all.length;
  all.forEach((hint, at) => hint.toggleAttribute("data-current", at === current));
  box.querySelector("[data-hints-count]").textContent = `${current + 1} / ${all.length}`;
}

function step(by) {
  box.toggleAttribute("data-fading", true);
  show(current + by);
}

function restart() {
  clearInterval(timer);
  timer = setInterval(() => {
    if (!paused && !touched && !document.hidden) step(1);
  }, INTERVAL);
}

/** Rotate, or show the whole list. */
function arrange() {
  const rotates = !reducedMotion.matches && hints().length > 1;
  box.toggleAttribute("data-rotating", rotates);
  box.removeAttribute("data-fading");
  box.querySelector("[data-hints-controls]").hidden = !rotates;
  clearInterval(timer);
  if (!rotates) return;
  show(current);
  restart();
}

function onClick({ target }) {
  const button = target.closest("button");
  if (button?.dataset.hintsStep) {
    step(Number(button.dataset.hintsStep));
    restart();
  } else if (button?.hasAttribute("data-hints-pause")) {
    paused = !paused;
    button.setAttribute("aria-pressed", String(paused));
  }
}

/** A hint in which something is focused is shown, and nothing moves until the focus has left. */
function onFocus({ target }) {
  touched = true;
  const at = hints().findIndex((hint) => hint.contains(target));
  if (at >= 0) show(at);
}

if (box) {
  box.addEventListener("click", onClick);
  box.addEventListener("focusin", onFocus);
  box.addEventListener("focusout", ({ relatedTarget }) => { touched = box.contains(relatedTarget); });
  box.addEventListener("pointerenter", () => { touched = true; });
  box.addEventListener("pointerleave", () => { touched = box.contains(document.activeElement); });
  reducedMotion.addEventListener("change", arrange);
  arrange();
}
