// Registers the service worker, so that the page can be reloaded without a network.

/** Best effort: not every browser can, and it needs HTTPS. The worker's folder is its scope. */
export async function keepPage(worker, ...more) {
  if (!navigator.serviceWorker) return;
  try {
    const registered = await navigator.serviceWorker.register(worker);
    await navigator.serviceWorker.ready;
    const { active } = registered;
    const parts = performance.getEntriesByType("resource").map(({ name }) => name);
    const styles = [...document.querySelectorAll("link[rel=stylesheet], link[rel=icon]")].map(({ href }) => href);
    active.postMessage({ keep: [location.href, ...more, ...styles, ...parts] });
  } catch {
    return;
  }
}
