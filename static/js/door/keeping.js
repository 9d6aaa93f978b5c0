// Registers the service worker, so that the page can be reloaded without a network.

/** Best effort: not every browser can, and it needs HTTPS. */
export async function keepPage(worker, ...more) {
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(worker, { scope: "/door/" });
    const { active } = await navigator.serviceWorker.ready;
    const parts = performance.getEntriesByType("resource").map(({ name }) => name);
    const styles = [...document.querySelectorAll("link[rel=stylesheet], link[rel=icon]")].map(({ href }) => href);
    active.postMessage({ keep: [location.href, ...more, ...styles, ...parts] });
  } catch {
    return;
  }
}
