// The live region for screen readers: important messages at once, counts at most every 30 seconds.

const COUNT_INTERVAL = 30_000;
const region = document.getElementById("line-spoken");
let lastAt = -Infinity;

export function announce(text) {
  lastAt = performance.now();
  region.textContent = text;
}

/** Announce the text that `makeText` returns, unless something was announced a moment ago. */
export function announceIfQuiet(makeText) {
  if (performance.now() - lastAt >= COUNT_INTERVAL) announce(makeText());
}
