// Previews what new knob values would mean, while they are typed.

const DELAY = 300;

export function previewKnobs(form, address, place) {
  let timer = null, latest = 0;
  const ask = async () => {
    const mine = (latest += 1), query = new URLSearchParams(new FormData(form));
    query.delete("csrfmiddlewaretoken");
    const answer = await fetch(`${address}?${query}`, { headers: { Accept: "application/json" } }).catch(() => null);
    if (!answer?.ok || answer.redirected || mine !== latest) return;
    const { words, warnings, errors } = await answer.json();
    const invalid = Object.entries(errors).map(([name, messages]) => `${label(form, name)}: ${messages.join(" ")}`);
    place.replaceChildren(...words.map((text) => paragraph(text)), ...[...warnings, ...invalid].map((text) => paragraph(text, "queue-warning")));
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, DELAY);
  });
}

function label(form, name) {
  return form.elements[name]?.labels?.[0]?.textContent.replace(/:$/, "") ?? name;
}

function paragraph(text, className = "") {
  const element = document.createElement("p");
  element.textContent = text;
  element.className = className;
  return element;
}
