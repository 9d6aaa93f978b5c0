// Joining without a page in between. In a rush the browser solves a challenge first; whatever goes wrong, the
// form is sent as if there were no script.

import { solve } from "../challenge.js";
import { label } from "./labels.js";
import { announce } from "./screen_reader.js";

const TRIES = 4;

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-join]");
  if (!form) return;
  event.preventDefault();
  if (form.dataset.joining) return;
  form.dataset.joining = "1";
  join(form).catch(() => form.submit());
});

// Who comes back by the browser's button finds the page as it was left.
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-join]")) delete form.dataset.joining;
});

async function join(form) {
  let solution = "";
  for (let tried = 0; tried < TRIES; tried += 1) {
    const headers = { Accept: "application/json", ...(solution && { "Challenge-Solution": solution }) };
    const response = await fetch(form.dataset.join, { method: "POST", headers });
    const body = await response.json();
    if (response.ok) return location.assign(body.state === "ADMITTED" ? body.go_to : form.action);
    if (body.code !== "challenge_required") break;
    announce(label("spokenChallenge"));
    solution = await solve(form, body.details.challenge);
  }
  form.submit(); // the page explains the refusal
}
