// The overview: every running sale, looked at every few seconds.

import { fill } from "./view.js";

const EVERY = 2_000;
const root = document.querySelector("[data-figures]");

async function look() {
  const answer = await fetch(root.dataset.figures, { headers: { Accept: "application/json" }, cache: "no-store" }).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const { sales } = await answer.json();
  const rows = [...root.querySelectorAll("[data-sale]")], known = new Set(rows.map((row) => row.dataset.sale));
  if (Object.keys(sales).some((event) => !known.has(event))) return location.reload();
  rows.forEach((row) => sales[row.dataset.sale] && fill(row, sales[row.dataset.sale]));
}

setInterval(look, EVERY);
