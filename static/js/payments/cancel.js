// Ticking a seat shows its fee and refund at once; the server counts.
const formOf = (page) => page.querySelector("[data-sums]")?.closest("form");
const form = formOf(document);
const button = form?.querySelector("[data-recount]");
let latest = 0;

async function recount() {
  const mine = ++latest;
  const query = new URLSearchParams({ choose: "1" });
  for (const box of form.querySelectorAll("[name=seats]:checked")) query.append("seats", box.value);
  const danger = form.querySelector(".button--danger");
  if (danger) danger.disabled = true; // until it names the fee of these seats
  const response = await fetch(`?${query}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (mine !== latest) return;
  const fresh = formOf(page);
  if (!response.ok || !fresh) return location.reload();
  form.querySelector("[data-sums]").innerHTML = fresh.querySelector("[data-sums]").innerHTML;
  form.elements.fee.value = fresh.elements.fee.value;
}

if (button) {
  button.hidden = true;
  form.addEventListener("change", () => recount().catch(() => (button.hidden = false)));
}
