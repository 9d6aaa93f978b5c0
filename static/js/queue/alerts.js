// Sound, vibration and notification when it is one's turn; each only after its button was pressed.

import { say } from "./words.js";

const KEPT = "line-alerts";
const PATTERN = [200, 100, 200, 100, 400];
const TONES = [[660, 0], [880, 0.25], [1320, 0.5]];
const HAS = {
  sound: "AudioContext" in window,
  vibration: "vibrate" in navigator,
  notification: "Notification" in window,
};

const wanted = new Set(JSON.parse(sessionStorage.getItem(KEPT) ?? "[]"));
let audio = null;

/** Show the buttons that this device can keep the promise of. */
export function offer() {
  const box = document.querySelector("#line-view [data-alerts]");
  if (!box) return;
  for (const button of box.querySelectorAll("[data-alert]")) {
    const kind = button.dataset.alert;
    button.hidden = !HAS[kind];
    button.setAttribute("aria-pressed", String(wanted.has(kind)));
    button.onclick = () => toggle(button, kind, box);
  }
  box.hidden = !Object.values(HAS).some(Boolean);
}

async function toggle(button, kind, box) {
  const on = !wanted.has(kind) && (kind !== "notification" || (await allowed(box)));
  on ? wanted.add(kind) : wanted.delete(kind);
  sessionStorage.setItem(KEPT, JSON.stringify([...wanted]));
  button.setAttribute("aria-pressed", String(on));
  if (on && kind === "sound") ring();
  if (on && kind === "vibration") navigator.vibrate(PATTERN[0]);
}

/** Shown once at once: on some phones only service workers may notify, permission or not. */
async function allowed(box) {
  const works = (await Notification.requestPermission()) === "granted" && notify(say("toldHere"));
  box.querySelector("[data-alert-refused]").hidden = works;
  return works;
}

/** It is this person's turn. */
export function alarm() {
  if (wanted.has("sound")) ring();
  if (wanted.has("vibration")) navigator.vibrate(PATTERN);
  if (wanted.has("notification")) notify(say("turn"), { body: say("turnBody"), requireInteraction: true });
}

function ring() {
  audio ??= new AudioContext();
  audio.resume();
  for (const [pitch, after] of TONES) {
    const tone = audio.createOscillator(), loudness = audio.createGain();
    const start = audio.currentTime + after;
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0.25, start);
    loudness.gain.exponentialRampToValueAtTime(0.001, start + 0.6);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.6);
  }
}

function notify(title, more = {}) {
  try {
    const shown = new Notification(title, { tag: KEPT, renotify: true, ...more });
    shown.onclick = () => { window.focus(); shown.close(); };
    return true;
  } catch {
    return false;
  }
}
