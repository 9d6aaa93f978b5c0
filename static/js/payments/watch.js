// Reloads the page once the state of its payment has changed: a websocket pushes it, and the page
// polls with growing pauses in case nothing is pushed.

const LONGEST = 15_000, GROWTH = 1.5, GONE = [401, 403, 404];
const box = document.querySelector("[data-watch]");
let pause = Number(box.dataset.first), next = setTimeout(poll, pause), over = false;

function reload() {
  if (over) return;
  over = true;
  location.reload();
}

function listen() {
  if (!("WebSocket" in window)) return;
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}${box.dataset.socket}`);
  socket.addEventListener("message", ({ data }) => {
    const { type, state } = JSON.parse(data);
    if (type !== "payment") return;
    if (state !== box.dataset.state) return reload();
    pause = LONGEST; // it is live: polls are only a fallback
  });
}

async function poll() {
  clearTimeout(next);
  if (over) return;
  if (await hasChanged()) return reload();
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

listen();
document.addEventListener("visibilitychange", () => document.hidden || poll());
window.addEventListener("pageshow", ({ persisted }) => { if (persisted) poll(); });
