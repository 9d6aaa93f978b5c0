// Tickets at the door: kept for the way there without a network, and the screen stays on.
import { keepPage } from "./keep_page.js";

const page = document.querySelector("[data-tickets]");
const links = [...page.querySelectorAll("a[data-keep]")].map(({ href }) => href);
keepPage(page.dataset.tickets, ...links);

/** Nobody who logs out leaves tickets on this device. */
document.querySelector("form[action$='log-out/']")?.addEventListener("submit", () => caches?.delete("tickets"));

async function stayOn() {
  if (document.visibilityState !== "visible" || !page.querySelector(".pass")) return;
  await navigator.wakeLock?.request("screen").catch(() => null); // not on a low battery
}

document.addEventListener("visibilitychange", stayOn);
stayOn();
