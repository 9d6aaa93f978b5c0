// Check-in on a phone: by the server if it answers, otherwise offline and sent later.

import { Book } from "./book.js";
import { keepPage } from "../keep_page.js";
import { Scanner } from "./scanner.js";
import { ask, Refused, Unreachable } from "./server.js";
import { signal, wakeSound } from "./signals.js";
import { looksSigned, readSigned } from "./token.js";
import { dismissConflicts, showAnswer, showConflict, showCounts, showLatest, showNet } from "./view.js";
import { clock, say } from "./labels.js";

const SAME = 4_000, SEND = 4_000, COUNT = 5_000, BATCH = 50;
const page = document.getElementById("door");
const find = (name) => page.querySelector(`[data-${name}]`);
const event = Number(page.dataset.event), keys = page.dataset.keys.split(" ");
const typed = find("typed"), door = typed.elements.door, undo = find("undo"), book = new Book(event);
let last = { text: "", at: 0 }, isOnline = true, isBusy = false, isSending = false, isRefused = false;

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

async function check(text, anyway = false) {
  const scan = { key: crypto.randomUUID(), text, scanned_at: new Date().toISOString(), offline: false, anyway };
  try {
    const [it] = (await send([scan])).check_ins;
    if (it.answer === "VALID") await remember(scan);
    showResult({ ...it, text });
  } catch (trouble) {
    if (trouble instanceof Refused) return refuse(trouble);
    reached(false);
    showResult({ ...(await decide(scan)), text });
  }
}

/** Remember a ticket that was let in, so that it is refused here even offline. */
async function remember(scan) {
  const payload = looksSigned(scan.text) ? await readSigned(scan.text, keys) : null;
  if (payload) book.see(payload.ticket, scan.key, scan.scanned_at);
}

/** Offline check: valid signature, this event, not expired, not let in here before. */
async function decide(scan) {
  if (!looksSigned(scan.text)) return unsure();
  const payload = await readSigned(scan.text, keys);
  if (payload === undefined) return unsure();
  if (payload === null) return { answer: "UNKNOWN", message: say("unknown") };
  if (payload.event !== event) return { answer: "WRONG_EVENT", message: say("wrong-event") };
  if (payload.until * 60_000 < Date.now()) return { answer: "VOID", message: say("expired") };
  const seen = book.seenAt(payload.ticket);
  if (seen) return { answer: "USED", message: say("used-here", { when: clock(seen) }) };
  if (!scan.anyway && Date.now() < Date.parse(page.dataset.askUntil)) return { answer: "NOT_YET", message: say("early") };
  book.see(payload.ticket, scan.key, scan.scanned_at);
  book.add({ ...scan, offline: true });
  showNet(isOnline, book.waiting.length);
  return { answer: "VALID", message: say("valid-offline"), key: scan.key, undo_until: scan.scanned_at };
}

const unsure = () => ({ answer: "UNSURE", message: say("unsure"), seat: say("unsure-advice") });

function showResult(it) {
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

/** Send offline check-ins; conflicts are shown until dismissed. */
async function sendWaiting() {
  const scans = book.waiting.slice(0, BATCH);
  if (isSending || !scans.length) return;
  isSending = true;
  try {
    const { check_ins: told } = await send(scans);
    book.remove(told.map(({ key }) => key));
    for (const it of told) if (it.conflict) showConflict(it);
  } catch (trouble) {
    if (trouble instanceof Unreachable) reached(false);
    else if (!isRefused) refuse(trouble);
    isRefused ||= trouble instanceof Refused;
  } finally {
    isSending = false;
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
find("anyway").addEventListener("submit", async (press) => {
  press.preventDefault();
  wakeSound();
  if (isBusy) return;
  isBusy = true;
  await check(find("anyway").elements.code.value, true).finally(() => (isBusy = false));
});
undo.addEventListener("submit", (press) => {
  press.preventDefault();
  takeBack(undo.elements.key.value);
});
find("dismiss").addEventListener("click", dismissConflicts);
door.value ||= localStorage.getItem("door:name") ?? "";
door.addEventListener("change", () => localStorage.setItem("door:name", door.value));
if (navigator.mediaDevices?.getUserMedia) useCamera();
window.addEventListener("online", sendWaiting);
window.addEventListener("offline", () => reached(false));
setInterval(sendWaiting, SEND);
setInterval(count, COUNT);
showNet(isOnline, book.waiting.length);
sendWaiting();
keepPage(page.dataset.worker, page.dataset.decoder);
