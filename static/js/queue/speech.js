// What screen readers hear: news at once, numbers at most every half minute.

const SELDOM = 30_000;
const place = document.getElementById("line-spoken");
let last = -Infinity;

export function announce(words) {
  last = performance.now();
  place.textContent = words;
}

export function mention(words) {
  if (performance.now() - last >= SELDOM) announce(words());
}
