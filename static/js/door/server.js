// Calls the server with a short timeout, as people are waiting at the door.

const TIMEOUT = 3_000;

/** No answer in time, or a server error: the phone decides offline. */
export class Unreachable extends Error {}
export class Refused extends Error {
  constructor(status, { message } = {}) {
    super(message);
    this.status = status;
  }
}

export async function ask(address, body) {
  const options = { signal: AbortSignal.timeout(TIMEOUT), headers: { Accept: "application/json" } };
  if (body !== undefined) {
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
    options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetch(address, options).catch(() => { throw new Unreachable(); });
  if (answer.status >= 500 || answer.status === 429) throw new Unreachable();
  const result = await answer.json().catch(() => { throw new Unreachable(); });
  if (!answer.ok) throw new Refused(answer.status, result);
  return result;
}
