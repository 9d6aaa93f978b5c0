// Touch, mouse and keyboard on the map.

const TAP_MS = 400, TAP_PX = 8;
const DOUBLE_MS = 300, DOUBLE_PX = 24;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 1.5;

/** Drag to move, two fingers or the wheel to zoom, a short touch to tap, a second one at once to double-tap. */
export function followPointers(view, camera, { tapped, doubled, hovered }) {
  const fingers = new Map();
  let began = 0, travelled = 0, apart = 0, lastTap = { at: -Infinity, x: 0, y: 0 };

  view.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, spot(event));
    if (fingers.size === 1) [began, travelled] = [event.timeStamp, 0];
    apart = spread();
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return event.pointerType === "mouse" && hovered(...spot(event));
    const now = spot(event), [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    fingers.set(event.pointerId, now);
    travelled += Math.hypot(dx, dy);
    if (fingers.size === 1 && travelled > TAP_PX) camera.pan(dx, dy);
    if (fingers.size === 2) pinch(dx / 2, dy / 2);
  });
  for (const name of ["pointerup", "pointercancel"]) view.addEventListener(name, end);
  view.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hovered(null));
  view.addEventListener("wheel", (event) => {
    if (event.deltaY > 0 && camera.isWhole) return; // zoomed out already: let the page scroll
    event.preventDefault();
    const speed = event.ctrlKey ? 0.01 : event.deltaMode ? 0.05 : 0.002;
    camera.zoom(Math.exp(-event.deltaY * speed), ...spot(event));
  }, { passive: false });

  function end(event) {
    const last = fingers.get(event.pointerId), alone = fingers.size === 1;
    fingers.delete(event.pointerId);
    apart = spread();
    const short = event.timeStamp - began < TAP_MS && travelled <= TAP_PX;
    if (event.type === "pointerup" && last && alone && short && event.button === 0) tap(event.timeStamp, ...last);
  }

  function tap(at, x, y) {
    const again = at - lastTap.at < DOUBLE_MS && Math.hypot(x - lastTap.x, y - lastTap.y) < DOUBLE_PX;
    lastTap = { at: again ? -Infinity : at, x, y };
    if (again) doubled(x, y);
    else tapped(x, y);
  }

  function pinch(dx, dy) {
    const now = spread(), [a, b] = [...fingers.values()];
    camera.pan(dx, dy);
    if (apart) camera.zoom(now / apart, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    apart = now;
  }

  function spread() {
    if (fingers.size !== 2) return 0;
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  }

  function spot(event) {
    const box = view.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

/** Arrow keys move between seats; Enter or Space chooses one. */
export function followKeys(view, camera, { go, take, home }) {
  view.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = {
      Enter: take, " ": take, Escape: home, Home: home,
      "+": () => camera.zoom(STEP), "=": () => camera.zoom(STEP), "-": () => camera.zoom(1 / STEP),
    }[event.key] ?? (ARROWS[event.key] && (() => go(ARROWS[event.key])));
    if (!act) return;
    event.preventDefault();
    act();
  });
}

export function followButtons(box, camera) {
  const acts = {
    in: () => camera.zoom(2, undefined, undefined, true), out: () => camera.zoom(0.5, undefined, undefined, true), all: () => camera.whole(),
  };
  for (const button of box.querySelectorAll("[data-zoom]")) button.addEventListener("click", acts[button.dataset.zoom]);
}
