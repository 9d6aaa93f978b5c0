// Service worker of /door/ and of /tickets/: caches pages and their files, so that they reload without
// a network. It serves them only if the server does not answer, and clears the cache if it refuses.

const TIMEOUT = 4_000, FILES = "/static/";
const SCOPE = new URL("./", location.href).pathname, CACHE = SCOPE.replaceAll("/", "");
const PAGE = { door: /^\/door\/\d+\/$/, tickets: /^\/tickets\/(orders\/[\w-]+\/)?$/ }[CACHE];
const pathOf = (address) => new URL(address, location.href).pathname;
const isPage = (address) => PAGE.test(pathOf(address));
const isOurs = (address) => new URL(address, location.href).origin === location.origin && (isPage(address) || pathOf(address).startsWith(FILES));

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && isOurs(request.url)) event.respondWith(answer(request));
});

/** The page loaded before this worker was active, so it lists the files to cache. */
self.addEventListener("message", (event) => {
  if (Array.isArray(event.data?.keep)) event.waitUntil(keepAll(event.data.keep.filter(isOurs)));
});

/** The server's answer wins; the cache is for timeouts and server errors. */
async function answer(request) {
  const cache = await caches.open(CACHE), kept = await cache.match(pathOf(request.url), { ignoreVary: true });
  const asked = fetchAndKeep(request);
  if (!kept) return asked;
  const sound = asked.then((response) => (response.status >= 500 ? kept : response)).catch(() => kept);
  return Promise.race([sound, later(TIMEOUT).then(() => kept)]);
}

async function fetchAndKeep(request) {
  const response = await fetch(request);
  if (response.ok && !response.redirected) await (await caches.open(CACHE)).put(pathOf(request.url), response.clone());
  else if (isPage(request.url) && response.status < 500) await caches.delete(CACHE); // logged out or not allowed
  return response;
}

/** Also removes files of an earlier release, and what the list of all pages does not name: another person's. */
async function keepAll(addresses) {
  const wanted = new Set(addresses.map(pathOf)), cache = await caches.open(CACHE), isList = wanted.has(SCOPE);
  for (const { url } of await cache.keys()) if ((isList || !isPage(url)) && !wanted.has(pathOf(url))) await cache.delete(url);
  const missing = [];
  for (const path of wanted) if (!(await cache.match(path, { ignoreVary: true }))) missing.push(path);
  await Promise.allSettled(missing.map((path) => fetchAndKeep(new Request(path, { credentials: "same-origin" }))));
}

const later = (ms) => new Promise((done) => { setTimeout(done, ms); });
