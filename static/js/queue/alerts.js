// Alerts for the person's turn: sound, vibration, notification; each only after its button was pressed.

import { label } from "./labels.js";

const STORAGE_KEY = "line-alerts";
const PATTERN = [200, 100, 200, 100, 400];
const TONES = [[660, 0], [880, 0.25], [1320, 0.5]];
const SUPPORTED = {
  sound: "AudioContext" in window,
  vibration: "vibrate" in navigator,
  notification: "Notification" in window,
};

const enabled = new Set(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "[]"));
let audio = null;

/** Show the buttons of the alerts that this device supports. */
export function showAlertButtons() {
  const box = document.querySelector("#line-view [data-alerts]");
  if (!box) return;
  for (const button of box.querySelectorAll("[data-alert]")) {
    const kind = button.dataset.alert;
    button.hidden = !SUPPORTED[kind];
    button.setAttribute("aria-pressed", String(enabled.has(kind)));
    button.onclick = () => toggle(button, kind, box);
  }
  box.hidden = !Object.values(SUPPORTED).some(Boolean);
}

async function toggle(button, kind, box) {
  const on = !enabled.has(kind) && (kind !== "notification" || (await requestNotifications(box)));
  on ? enabled.add(kind) : enabled.delete(kind);
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...enabled]));
  button.setAttribute("aria-pressed", String(on));
  if (on && kind === "sound") ring();
  if (on && kind === "vibration") navigator.vibrate(PATTERN[0]);
}

/** Shows a notification to test it: on some phones only service workers may, permission or not. */
async function requestNotifications(box) {
  const works = (await Notification.requestPermission()) === "granted" && notify(label("toldHere"));
  box.querySelector("[data-alert-refused]").hidden = works;
  return works;
}

export function alertTurn() {
  if (enabled.has("sound")) ring();
  if (enabled.has("vibration")) navigator.vibrate(PATTERN);
  if (enabled.has("notification")) notify(label("turn"), { body: label("turnBody"), requireInteraction: true });
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

function notify(title, options = {}) {
  try {
    const shown = new Notification(title, { tag: STORAGE_KEY, renotify: true, ...options });
    shown.onclick = () => { window.focus(); shown.close(); };
    return true;
  } catch {
    return false;
  }
}
