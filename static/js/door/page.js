// Check-in on a phone: asks the server if it can, decides by itself if it can't, and tells later.

import { Book } from "./book.js";
import { keepPage } from "./keeping.js";
import { Scanner } from "./scanner.js";
import { ask, Refused, Unreachable } from "./server.js";
import { signal, wakeSound } from "./signals.js";
import { looksSigned, readSigned } from "./token.js";
import { dismissConflicts, showAnswer, showConflict, showCounts, showLatest, showNet } from "./view.js";
import { clock, say } from "./words.js";

const SAME = 4_000, TELL = 4_000, COUNT = 5_000, BATCH = 50;
const page = document.getElementById("door");
const find = (name) => page.querySelector(`[data-${name}]`);
const event = Number(page.dataset.event), keys = page.dataset.keys.split(" ");
const typed = find("typed"), door = typed.elements.door, undo = find("undo"), book = new Book(event);
let last = { text: "", at: 0 }, isOnline = true, isBusy = false, isTelling = false, isRefused = false;

// -- a code -----------------------------------------------------------------------------------

async function scanned(text) {
  const isSame = text === last.text && performance.now() - last.at < SAME;
  last = isSame ? { text, at: performance.now() } : last;
  if (isBusy || isSame) return;
  isBusy = true;
  try {
    await check(text);
  } finally {
    last = { text, at: performance.now() };
    isBusy = false;
  }
}

async function check(text) {
  const scan = { key: crypto.randomUUID(), text, scanned_at: new Date().toISOString(), offline: false };
  try {
    const [it] = (await send([scan])).check_ins;
    if (it.answer === "VALID") await note(scan);
    tell(it);
  } catch (trouble) {
    if (trouble instanceof Refused) return refuse(trouble);
    reached(false);
    tell(await decide(scan));
  }
}

/** What we let in once we don't let in again, network or not. */
async function note(scan) {
  const claim = looksSigned(scan.text) ? await readSigned(scan.text, keys) : null;
  if (claim) book.see(claim.ticket, scan.key, scan.scanned_at);
}

/** Without a network: our signature, this event, not yet over, and not let in here before. */
async function decide(scan) {
  if (!looksSigned(scan.text)) return unsure();
  const claim = await readSigned(scan.text, keys);
  if (claim === undefined) return unsure();
  if (claim === null) return { answer: "UNKNOWN", message: say("unknown") };
  if (claim.event !== event) return { answer: "WRONG_EVENT", message: say("wrong-event") };
  if (claim.until * 60_000 < Date.now()) return { answer: "VOID", message: say("expired") };
  const seen = book.seenAt(claim.ticket);
  if (seen) return { answer: "USED", message: say("used-here", { when: clock(seen) }) };
  book.see(claim.ticket, scan.key, scan.scanned_at);
  book.add({ ...scan, offline: true });
  showNet(isOnline, book.waiting.length);
  return { answer: "VALID", message: say("valid-offline"), key: scan.key, undo_until: scan.scanned_at };
}

const unsure = () => ({ answer: "UNSURE", message: say("unsure"), seat: say("unsure-advice") });

function tell(it) {
  showAnswer(it);
  showLatest(it);
  signal(it.answer.toLowerCase());
}

function refuse(refusal) {
  const words = [401, 403].includes(refusal.status) ? say("not-allowed") : refusal.message;
  showAnswer({ answer: "UNSURE", message: words });
  signal("unsure");
}

// -- the network ------------------------------------------------------------------------------

async function send(scans) {
  const told = await ask(page.dataset.checkIns, { event, door: door.value, check_ins: scans });
  reached(true);
  isRefused = false;
  showCounts(told.counts);
  return told;
}

function reached(yes) {
  isOnline = yes;
  showNet(isOnline, book.waiting.length);
}

/** Tell what we did without a network; what should not have been is shown until somebody saw it. */
async function tellWaiting() {
  const scans = book.waiting.slice(0, BATCH);
  if (isTelling || !scans.length) return;
  isTelling = true;
  try {
    const { check_ins: told } = await send(scans);
    book.remove(told.map(({ key }) => key));
    for (const it of told) if (it.conflict) showConflict(it);
  } catch (trouble) {
    if (trouble instanceof Unreachable) reached(false);
    else if (!isRefused) refuse(trouble);
    isRefused ||= trouble instanceof Refused;
  } finally {
    isTelling = false;
    showNet(isOnline, book.waiting.length);
  }
}

async function count() {
  if (document.hidden || isBusy) return;
  try {
    showCounts(await ask(page.dataset.counts));
    reached(true);
  } catch (trouble) {
    if (trouble instanceof Unreachable) reached(false);
  }
}

// -- what people press ------------------------------------------------------------------------

async function takeBack(key) {
  const isOurs = book.waiting.some((scan) => scan.key === key);
  book.remove([key]);
  book.forget(key);
  last = { text: "", at: 0 };
  try {
    const it = isOurs ? { answer: "UNSURE", message: say("undone") } : await ask(`${page.dataset.checkIns}${key}/undo/`, {});
    showAnswer({ ...it, answer: "UNSURE" });
    count();
  } catch (trouble) {
    showAnswer({ answer: "UNSURE", message: trouble instanceof Refused ? trouble.message : say("undo-failed") });
  }
  showNet(isOnline, book.waiting.length);
}

function useCamera() {
  const video = find("video"), start = find("start"), stop = find("stop"), words = find("camera-words");
  const scanner = new Scanner(video, page.dataset.decoder, scanned);
  const show = (on) => [video.hidden, stop.hidden, start.hidden] = [!on, !on, on];
  start.addEventListener("click", async () => {
    wakeSound();
    try {
      show(true);
      await scanner.start();
      words.textContent = say("camera-on");
    } catch (trouble) {
      scanner.stop();
      show(false);
      words.textContent = say(trouble.name === "NotAllowedError" ? "camera-denied" : "camera-none");
    }
  });
  stop.addEventListener("click", () => {
    scanner.stop();
    show(false);
    words.textContent = "";
  });
  find("camera").hidden = false;
}

typed.addEventListener("submit", (press) => {
  press.preventDefault();
  wakeSound();
  const code = typed.elements.code;
  last = { text: "", at: 0 };
  if (code.value.trim()) scanned(code.value.trim());
  code.value = "";
  code.focus();
});
undo.addEventListener("submit", (press) => {
  press.preventDefault();
  takeBack(undo.elements.key.value);
});
find("dismiss").addEventListener("click", dismissConflicts);
door.value ||= localStorage.getItem("door:name") ?? "";
door.addEventListener("change", () => localStorage.setItem("door:name", door.value));
if (navigator.mediaDevices?.getUserMedia) useCamera();
window.addEventListener("online", tellWaiting);
window.addEventListener("offline", () => reached(false));
setInterval(tellWaiting, TELL);
setInterval(count, COUNT);
showNet(isOnline, book.waiting.length);
tellWaiting();
keepPage(page.dataset.worker, page.dataset.decoder);
