// Talks to the server: soon or not at all, since people stand in front of the door.

const PATIENCE = 3_000;

/** Nobody answered in time, or the server is in trouble: the door decides by itself. */
export class Unreachable extends Error {}
export class Refused extends Error {
  constructor(status, { message } = {}) {
    super(message);
    this.status = status;
  }
}

export async function ask(address, body) {
  const options = { signal: AbortSignal.timeout(PATIENCE), headers: { Accept: "application/json" } };
  if (body !== undefined) {
    Object.assign(options, { method: "POST", body: JSON.stringify(body) });
    options.headers["Content-Type"] = "application/json";
  }
  const answer = await fetch(address, options).catch(() => { throw new Unreachable(); });
  if (answer.status >= 500 || answer.status === 429) throw new Unreachable();
  const told = await answer.json().catch(() => { throw new Unreachable(); });
  if (!answer.ok) throw new Refused(answer.status, told);
  return told;
}
