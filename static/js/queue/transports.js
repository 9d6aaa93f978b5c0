// Three ways to receive frames. Each is opened with a callback for frames and one that is called
// once when the connection is lost, and returns a function that closes it.

const OUTLOOK_EVERY = 30_000;
const TRANSIENT = new Set([
  "unavailable", "queue_unavailable", "server_error", "too_many_requests", "too_many_pages",
]);

/** Whether trying again later may help against this error. */
export const isTransient = (code) => TRANSIENT.has(code);

/** Wrap the callbacks so that nothing is called after the loss or the end of the connection. */
function untilClosed(onFrame, onLost) {
  let closed = false;
  return {
    frame: (frame) => closed || onFrame(frame),
    lost: (code) => {
      if (closed) return;
      closed = true;
      onLost(code);
    },
    close: () => { closed = true; },
  };
}

export function openSocket(urls, onFrame, onLost) {
  const address = new URL(urls.socket, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  if (urls.turn) address.searchParams.set("turn", urls.turn);
  // Browsers can't set a header here; with the token the server need not look the person up.
  const socket = new WebSocket(address, urls.token ? [urls.token] : []);
  const callbacks = untilClosed(onFrame, onLost);
  socket.onmessage = ({ data }) => callbacks.frame(JSON.parse(data));
  socket.onclose = () => callbacks.lost();
  return () => { callbacks.close(); socket.close(); };
}

export function openStream(urls, onFrame, onLost) {
  const source = new EventSource(urls.stream);
  const callbacks = untilClosed(onFrame, onLost);
  source.onmessage = ({ data }) => callbacks.frame(JSON.parse(data));
  // Closed at once: `Connection` decides when to reconnect, not the browser.
  source.onerror = () => { source.close(); callbacks.lost(); };
  return () => { callbacks.close(); source.close(); };
}

/** The first poll is sent after `wait` ms, if the standing is known already. */
export function openPolls(urls, onFrame, onLost, wait = 0) {
  const callbacks = untilClosed(onFrame, onLost);
  let next, nextOutlook;
  async function poll() {
    try {
      const standing = await fetchStanding(urls);
      callbacks.frame(standing);
      next = setTimeout(poll, standing.next_poll_ms);
    } catch (failure) {
      if (failure.retryAfter) {
        next = setTimeout(poll, failure.retryAfter * (1 + Math.random() / 2));
        return;
      }
      clearTimeout(nextOutlook);
      callbacks.lost(failure.code);
    }
  }
  async function pollOutlook() {
    const announcements = await fetchJson(urls.outlook).catch(() => null);
    if (announcements) {
      callbacks.frame({ type: "outlook", ...announcements });
      callbacks.frame({ type: "notice", message: announcements.notice });
    }
    nextOutlook = setTimeout(pollOutlook, OUTLOOK_EVERY * (0.8 + 0.4 * Math.random()));
  }
  if (wait) {
    next = setTimeout(poll, wait);
    nextOutlook = setTimeout(pollOutlook, OUTLOOK_EVERY);
  } else {
    poll();
    pollOutlook();
  }
  return () => { callbacks.close(); clearTimeout(next); clearTimeout(nextOutlook); };
}

/** Fetch the standing, which also keeps the place. The queue token makes the call cheap. */
export async function fetchStanding(urls) {
  const bearer = urls.token ? { Authorization: `Bearer ${urls.token}` } : {};
  try {
    const standing = await fetchJson(urls.turn ? `${urls.poll}?turn=${urls.turn}` : urls.poll, bearer);
    rememberStanding(urls, standing);
    return { type: "standing", ...standing };
  } catch (failure) {
    if (!urls.token || failure.status !== 401) throw failure;
    urls.token = null; // of an earlier place in line: the session cookie identifies the person
    return fetchStanding(urls);
  }
}

/** Keep the token, and the turn of the line that was seen: nothing older is told after it. */
export function rememberStanding(urls, { token, turn }) {
  urls.turn = token || !(turn < urls.turn) ? turn : urls.turn;
  urls.token = token ?? urls.token;
}

async function fetchJson(address, headers = {}) {
  const response = await fetch(address, { headers, cache: "no-store" });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) {
    const code = response.status >= 500 ? "unavailable" : body.code;
    const retryAfter = response.status === 503 ? 1_000 * response.headers.get("Retry-After") : 0;
    throw Object.assign(new Error(code), { code, status: response.status, retryAfter });
  }
  return body;
}
