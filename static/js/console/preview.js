// What the knobs would mean, while they are being turned.

const PAUSE = 300;

export function previewKnobs(form, address, place) {
  let timer = null, turn = 0;
  const ask = async () => {
    const mine = (turn += 1), asked = new URLSearchParams(new FormData(form));
    asked.delete("csrfmiddlewaretoken");
    const answer = await fetch(`${address}?${asked}`, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok || answer.redirected || mine !== turn) return;
    const { words, warnings, errors } = await answer.json();
    const wrong = Object.entries(errors).map(([name, told]) => `${label(form, name)}: ${told.join(" ")}`);
    place.replaceChildren(...words.map((text) => line(text)), ...[...warnings, ...wrong].map((text) => line(text, "queue-warning")));
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
}

function label(form, name) {
  return form.elements[name]?.labels?.[0]?.textContent.replace(/:$/, "") ?? name;
}

function line(text, className = "") {
  const made = document.createElement("p");
  made.textContent = text;
  made.className = className;
  return made;
}
