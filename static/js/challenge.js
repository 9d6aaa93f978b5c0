// Challenges: the browser works for a moment before it may go on. ALTCHA's widget shows it, also to screen
// readers; a provider's widget (Turnstile, hCaptcha) takes its place where the site says so.

const files = () => document.getElementById("challenge-files").dataset;
let widgetLoaded = null;

/** Solve a challenge below an element; the text to send with the next try. */
export async function solve(below, challenge) {
  const place = document.createElement("div");
  below.after(place);
  try {
    return await (challenge.kind === "proof_of_work" ? work(place, challenge.proof_of_work) : ask(place, challenge));
  } finally {
    place.remove();
  }
}

async function work(place, challenge) {
  if (!globalThis.crypto?.subtle) throw new Error("no crypto.subtle");
  await (widgetLoaded ??= loadWidget());
  const widget = document.createElement("altcha-widget");
  const options = { hideFooter: true, hideLogo: true, humanInteractionSignature: false, minDuration: 0 };
  widget.setAttribute("auto", "onload");
  widget.setAttribute("language", document.documentElement.lang);
  widget.setAttribute("configuration", JSON.stringify(options));
  widget.setAttribute("challenge", JSON.stringify(challenge));
  const solved = new Promise((resolve, reject) => {
    widget.addEventListener("statechange", ({ detail }) => {
      if (detail.state === "verified") resolve(detail.payload);
      if (detail.state === "error" || detail.state === "expired") reject(new Error(detail.state));
    });
  });
  place.append(widget);
  return solved;
}

async function loadWidget() {
  const { widget, worker, css, ko } = files();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = css;
  document.head.append(link);
  await import(widget);
  if (document.documentElement.lang === "ko") await import(ko);
  globalThis.$altcha.algorithms.set("PBKDF2/SHA-256", () => new Worker(worker));
}

async function ask(place, { kind, script, site_key: sitekey }) {
  if (!globalThis[kind]) await loadScript(script);
  return new Promise((resolve, reject) => {
    globalThis[kind].render(place, {
      sitekey,
      callback: (token) => resolve(`provider:${token}`),
      "error-callback": reject,
    });
  });
}

function loadScript(src) {
  return new Promise((resolve, reject) => {
    const element = document.createElement("script");
    Object.assign(element, { src, onload: resolve, onerror: reject });
    document.head.append(element);
  });
}

/** Forms that came back with a challenge: solved and sent at once. Without that, one waits and sends them. */
for (const form of document.querySelectorAll("form[data-challenge]")) {
  const works = form.querySelector("[data-challenge-works]"), waits = form.querySelector("[data-challenge-waits]");
  const show = (isWorking) => {
    works.hidden = !isWorking;
    waits.hidden = isWorking;
  };
  show(true);
  solve(works, JSON.parse(form.dataset.challenge)).then(
    (solution) => {
      form.elements.solution.value = solution;
      form.submit();
    },
    () => show(false),
  );
}
