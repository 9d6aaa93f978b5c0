// The server's clock, as far as this browser can know it.

const AGAIN_AFTER = 5 * 60_000;

let base = { server: Date.now(), here: performance.now() };

/** Milliseconds since 1970 by the server; the device's own clock plays no part. */
export function serverNow() {
  return base.server + (performance.now() - base.here);
}

/** Start from the time at which the server wrote the page, then ask for a better one. */
export function startClock(writtenAt) {
  base = { server: Date.parse(writtenAt), here: performance.now() };
  sync();
  setInterval(sync, AGAIN_AFTER);
  document.addEventListener("visibilitychange", () => document.hidden || sync());
}

/** The answer was on its way for half of the round trip. */
async function sync() {
  const sent = performance.now();
  try {
    const answer = await fetch("/healthz", { cache: "no-store" });
    const { time } = await answer.json();
    const here = performance.now();
    base = { server: Date.parse(time) + (here - sent) / 2, here };
  } catch {
    // Offline: the last known time runs on, and the next look asks again.
  }
}
