// The page looks again by itself, while somebody looks at it and does nothing else.

const { again } = document.querySelector("[data-again]").dataset;

setInterval(() => {
  const busy = document.activeElement?.closest("form");
  if (document.visibilityState === "visible" && !busy) location.reload();
}, Number(again) * 1000 * (0.9 + 0.2 * Math.random()));
