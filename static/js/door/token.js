// Reads and verifies a QR code offline (docs/tickets.md).

const PREFIX = "qt_", SIGNATURE = 64, LONGEST = 200;
const CONTEXT = new TextEncoder().encode("ticket 1:");
const NAMES = ["ticket", "event", "seat", "serial", "until"];

export const looksSigned = (text) => text.startsWith(PREFIX);

/** The content of the code; null: invalid signature; undefined: this browser cannot verify. */
export async function readSigned(text, keys) {
  const raw = text.length <= LONGEST ? bytes(text.slice(PREFIX.length)) : null;
  if (!raw || raw.length <= SIGNATURE) return null;
  const payload = raw.slice(0, -SIGNATURE), signature = raw.slice(-SIGNATURE);
  const message = new Uint8Array([...CONTEXT, ...payload]);
  try {
    for (const key of keys) {
      if (await isSigned(key, signature, message)) return unpack(payload);
    }
  } catch {
    return undefined;
  }
  return null;
}

async function isSigned(key, signature, message) {
  const known = await crypto.subtle.importKey("raw", bytes(key), { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, known, signature, message);
}

/** Seven bits a byte, the lowest first. */
function unpack(payload) {
  const numbers = [];
  let number = 0, factor = 1;
  for (const byte of payload) {
    number += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) {
      numbers.push(number);
      number = 0;
      factor = 1;
    }
  }
  if (numbers.length !== NAMES.length) return null;
  return Object.fromEntries(NAMES.map((name, n) => [name, numbers[n]]));
}

function bytes(text) {
  try {
    const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
