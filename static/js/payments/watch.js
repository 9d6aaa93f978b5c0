// Polls the state of a payment with growing pauses, and reloads the page once it has changed.

const LONGEST = 15_000, GROWTH = 1.5, GONE = [401, 403, 404];
const box = document.querySelector("[data-watch]");
let pause = Number(box.dataset.first), next = setTimeout(poll, pause), over = false;

async function poll() {
  clearTimeout(next);
  if (over) return;
  if (await hasChanged()) {
    over = true;
    return location.reload();
  }
  pause = Math.min(pause * GROWTH, LONGEST);
  next = setTimeout(poll, pause);
}

async function hasChanged() {
  try {
    const answer = await fetch(box.dataset.watch, { cache: "no-store" });
    if (!answer.ok) return GONE.includes(answer.status);
    const { state } = await answer.json();
    return state !== box.dataset.state;
  } catch {
    return false; // offline: try again
  }
}

document.addEventListener("visibilitychange", () => document.hidden || poll());
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) poll(); });
