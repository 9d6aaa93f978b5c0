// Looks what became of a payment, less and less often, and shows the page anew once it is known.

const LONGEST = 15_000, GROWTH = 1.5, GONE = [401, 403, 404];
const box = document.querySelector("[data-watch]");
let pause = Number(box.dataset.first), next = setTimeout(look, pause), over = false;

async function look() {
  clearTimeout(next);
  if (over) return;
  if (await isNews()) {
    over = true;
    return location.reload();
  }
  pause = Math.min(pause * GROWTH, LONGEST);
  next = setTimeout(look, pause);
}

async function isNews() {
  try {
    const answer = await fetch(box.dataset.watch, { cache: "no-store" });
    if (!answer.ok) return GONE.includes(answer.status);
    const { state } = await answer.json();
    return state !== box.dataset.state;
  } catch {
    return false; // offline: the next look may tell
  }
}

document.addEventListener("visibilitychange", () => document.hidden || look());
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) look(); });
