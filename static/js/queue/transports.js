// Three ways to hear from the server. Each is opened with what to call when something is heard and,
// once, when the connection is lost; and gives back how to close it.

const OUTLOOK_EVERY = 30_000;
const PASSING = new Set(["unavailable", "queue_unavailable", "server_error", "too_many_requests"]);

/** Whether waiting helps against this refusal. */
export const isPassing = (code) => PASSING.has(code);

function once(heard, lost) {
  let over = false;
  return {
    heard: (frame) => over || heard(frame),
    lost: (code) => {
      if (over) return;
      over = true;
      lost(code);
    },
    end: () => { over = true; },
  };
}

export function openSocket(where, heard, lost) {
  const address = new URL(where.socket, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  const ears = once(heard, lost);
  socket.onmessage = ({ data }) => ears.heard(JSON.parse(data));
  socket.onclose = () => ears.lost();
  return () => { ears.end(); socket.close(); };
}

export function openStream(where, heard, lost) {
  const source = new EventSource(where.stream);
  const ears = once(heard, lost);
  source.onmessage = ({ data }) => ears.heard(JSON.parse(data));
  source.onerror = () => { source.close(); ears.lost(); }; // we wait as long as we think right
  return () => { ears.end(); source.close(); };
}

export function openPolls(where, heard, lost) {
  const ears = once(heard, lost);
  let next, nextOutlook;
  async function poll() {
    try {
      const standing = await askStanding(where);
      ears.heard(standing);
      next = setTimeout(poll, standing.next_poll_ms);
    } catch (failure) {
      clearTimeout(nextOutlook);
      ears.lost(failure.code);
    }
  }
  async function outlook() {
    const news = await ask(where.outlook).catch(() => null);
    if (news) {
      ears.heard({ type: "outlook", ...news });
      ears.heard({ type: "notice", message: news.notice });
    }
    nextOutlook = setTimeout(outlook, OUTLOOK_EVERY * (0.8 + 0.4 * Math.random()));
  }
  poll();
  outlook();
  return () => { ears.end(); clearTimeout(next); clearTimeout(nextOutlook); };
}

/** One look, also the sign of life that keeps the place. The queue token makes it cheap. */
export async function askStanding(where) {
  const bearer = where.token ? { Authorization: `Bearer ${where.token}` } : {};
  try {
    const standing = await ask(where.poll, bearer);
    where.token = standing.token ?? where.token;
    return { type: "standing", ...standing };
  } catch (failure) {
    if (!where.token || failure.status !== 401) throw failure;
    where.token = null; // of an earlier stay: the session knows better
    return askStanding(where);
  }
}

async function ask(address, headers = {}) {
  const answer = await fetch(address, { headers, cache: "no-store" });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const code = answer.status >= 500 ? "unavailable" : body.code;
    throw Object.assign(new Error(code), { code, status: answer.status });
  }
  return body;
}
