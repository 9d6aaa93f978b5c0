// Draws the plan again while its sections are typed in: the answer to "Preview", without a reload.
const PAUSE_MS = 400;
const form = document.querySelector("[data-live-preview]");
const preview = form.querySelector("[data-preview]");
let timer = 0;
let latest = 0;

async function draw() {
  const number = ++latest;
  const data = new FormData(form);
  data.append("preview", "1");
  try {
    const answer = await fetch(form.action, { method: "POST", body: data });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const drawn = page.querySelector("[data-preview]");
    if (number === latest && drawn) preview.replaceChildren(...drawn.childNodes);
  } catch {
    // No connection: the button still works when there is one again.
  }
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(draw, PAUSE_MS);
});
