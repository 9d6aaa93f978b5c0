// Reloads the page periodically while it is visible and no form has the focus.

const { again } = document.querySelector("[data-again]").dataset;

setInterval(() => {
  const busy = document.activeElement?.closest("form");
  if (document.visibilityState === "visible" && !busy) location.reload();
}, Number(again) * 1000 * (0.9 + 0.2 * Math.random()));
