// While a comparison runs, loads its page again every two seconds and shows what changed.

const EVERY = 2_000;

async function refresh() {
  const place = document.querySelector("[data-progress]");
  if (!place || !("runs" in place.dataset)) return;
  const answer = await fetch(location.pathname, { cache: "no-store" }).catch(() => null);
  if (answer?.ok && !answer.redirected) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-progress]");
    if (fresh) place.replaceWith(fresh);
  }
  setTimeout(refresh, EVERY);
}

setTimeout(refresh, EVERY);
