// Keeps the door's page on the phone, so that it opens again where there is no network.
// It answers for /door/ alone, only when the server does not, and forgets all when the server refuses.

const SHELF = "door", PATIENCE = 4_000;
const PAGE = /^\/door\/\d+\/$/, FILES = "/static/";
const pathOf = (address) => new URL(address, location.href).pathname;
const isPage = (address) => PAGE.test(pathOf(address));
const isOurs = (address) => new URL(address, location.href).origin === location.origin && (isPage(address) || pathOf(address).startsWith(FILES));

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && isOurs(request.url)) event.respondWith(answer(request));
});

/** The first visit was over before we were there: the page says what it is made of. */
self.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keepAll(event.data.keep.filter(isOurs)));
});

/** What the server says counts; what is kept is for when it says nothing, or only that it can't. */
async function answer(request) {
  const shelf = await caches.open(SHELF), kept = await shelf.match(pathOf(request.url), { ignoreVary: true });
  const asked = fetchAndKeep(request);
  if (!kept) return asked;
  const sound = asked.then((told) => (told.status >= 500 ? kept : told)).catch(() => kept);
  return Promise.race([sound, later(PATIENCE).then(() => kept)]);
}

async function fetchAndKeep(request) {
  const told = await fetch(request);
  if (told.ok && !told.redirected) await (await caches.open(SHELF)).put(pathOf(request.url), told.clone());
  else if (isPage(request.url) && told.status < 500) await caches.delete(SHELF); // logged out, or not allowed any more
  return told;
}

/** Files of an earlier release are not kept any longer. */
async function keepAll(addresses) {
  const wanted = new Set(addresses.map(pathOf)), shelf = await caches.open(SHELF);
  for (const { url } of await shelf.keys()) if (!isPage(url) && !wanted.has(pathOf(url))) await shelf.delete(url);
  const missing = [];
  for (const path of wanted) if (!(await shelf.match(path, { ignoreVary: true }))) missing.push(path);
  await Promise.allSettled(missing.map((path) => fetchAndKeep(new Request(path, { credentials: "same-origin" }))));
}

const later = (ms) => new Promise((done) => { setTimeout(done, ms); });
