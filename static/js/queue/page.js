// The waiting page: receives frames, shows them, and changes its view with the person's state.

import { startClock } from "../clock.js";
import { alertTurn, showAlertButtons } from "./alerts.js";
import { Connection } from "./connection.js";
import { demotionLabel, etaLabel, formatCount, label } from "./labels.js";
import { announce, announceIfQuiet } from "./screen_reader.js";
import * as view from "./view.js";

const REDRAW = 250, SECOND = 1_000, SPREAD = 3_000, MAX_PAUSE = 30_000;
const LIVE = new Set(["LOBBY", "WAITING", "READY"]);
const box = () => document.getElementById("line");

let standing = null, announcements = null, receivedAt = "", connection = null;
let status = ["reconnecting"]; // of the connection, kept while the view changes
let demotedWhy = ""; // the reason that was announced
let loading = null, unchangedLoads = 0, refreshed = false, asked = false;

// -- frames ----------------------------------------------------------------------------------------

function onFrame(frame, horizon, outOfOrder = false) {
  if (frame.type === "notice") return onNotice(frame.message ?? "");
  if (frame.type === "outlook") return onOutlook(frame);
  if (frame.type !== "standing" || (outOfOrder && frame.server_time < receivedAt)) return;
  const previous = standing;
  if (isOlder(frame, previous)) return;
  if (frame.state === "NONE" && LIVE.has(previous.state) && !asked) {
    asked = true; // our token may still prove the place: a poll with it restores a place that was lost
    return connection?.refresh();
  }
  asked = false;
  standing = frame;
  receivedAt = frame.server_time;
  if (frame.state !== previous.state) return changeState(frame);
  if (frame.number !== previous.number) view.reset();
  view.showStanding(frame, horizon);
  if (frame.token) showPersonal(frame);
  view.showOutlook(announcements, frame);
  announceStanding(frame, previous);
}

/** Whether another server process, a tick behind, says what was so before. A new token starts anew. */
function isOlder(frame, known) {
  return !frame.token && frame.number === known.number && frame.turn < known.turn;
}

/** A standing with a token was read for this person alone: what it does not mention, they don't have. */
function showPersonal(frame) {
  view.showPersonal(frame);
  const why = frame.demoted_why ?? "";
  if (why && why !== demotedWhy) announce(label("spokenDemoted", { why: demotionLabel(why) }));
  demotedWhy = why;
}

function onNotice(message) {
  if (message === announcements.notice) return;
  announcements.notice = message;
  view.showNotice(message);
  if (message) announce(label("spokenNotice", { message }));
}

function onOutlook({ sold_out, grades }) {
  const isNews = sold_out && !announcements.sold_out;
  announcements = { ...announcements, sold_out, grades };
  view.showOutlook(announcements, standing);
  if (!isNews) return;
  document.title = box().dataset.title;
  announce(label("spokenSoldOut"));
}

function announceStanding(current, previous) {
  if (announcements.sold_out) return;
  if (current.paused !== previous.paused) return announce(label(current.paused ? "spokenPaused" : "spokenResumed"));
  if (current.state !== "WAITING") return;
  announceIfQuiet(() => (
    current.ahead
      ? label("spoken", { ahead: formatCount(current.ahead), eta: etaLabel(current) })
      : label("spokenNext")
  ));
}

function onStatus(...newStatus) {
  status = newStatus;
  view.showStatus(...status);
}

// -- changes of state ------------------------------------------------------------------------------

/** Start from the page as the server rendered it. */
function start() {
  const { live, again, title } = box().dataset;
  standing = JSON.parse(box().dataset.standing);
  announcements = { notice: "", sold_out: false, grades: [], ...JSON.parse(box().dataset.announcements) };
  receivedAt = standing?.server_time ?? "";
  demotedWhy = standing?.demoted_why ?? "";
  refreshed = false;
  document.title = title;
  view.reset();
  if (standing) {
    view.showStanding(standing);
    view.showOutlook(announcements, standing);
  }
  showAlertButtons();
  connect(live !== undefined);
  if (again) load(Number(again) * SECOND);
}

function connect(live) {
  connection?.stop();
  connection = null;
  if (!live) return;
  const { socket, stream, poll, outlook } = box().dataset;
  const urls = { socket, stream, poll, outlook, token: standing.token, turn: standing.turn };
  connection = new Connection(urls, { onFrame, onStatus, onError: () => load(pause()) });
  connection.start({ socketAfter: standing.socket_after_ms, nextPoll: standing.next_poll_ms });
}

/** Show the view of another state: from a template on the page if there is one, else fetched. */
function changeState(frame) {
  const state = frame.state.toLowerCase();
  if (state === "admitted") return enter(frame.go_to);
  const prepared = box().querySelector(`:scope > template[data-prepared="${state}"]`);
  if (!prepared) return load(Math.random() * SECOND);
  const container = document.getElementById("line-view"), hadFocus = holdsFocus();
  container.replaceChildren(prepared.content.cloneNode(true));
  container.className = `line__view line__view--${state}`;
  document.title = prepared.dataset.title ?? box().dataset.title;
  view.reset();
  view.showStanding(frame);
  if (frame.token) view.showPersonal(frame);
  view.showOutlook(announcements, frame);
  view.showStatus(...status);
  showAlertButtons();
  if (!LIVE.has(frame.state)) connect(false);
  announceView(hadFocus);
  if (state === "ready") alertTurn();
}

function enter(goTo) {
  connection?.stop();
  const isLocal = goTo?.startsWith("/") && !goTo.startsWith("//");
  location.assign(isLocal ? goTo : box().dataset.seats);
}

/** Fetch the view from the server after so many milliseconds, until it succeeds. */
function load(ms) {
  if (loading) return;
  loading = setTimeout(async () => {
    const part = await fetchPart().catch(() => null);
    loading = null;
    unchangedLoads += 1;
    if (!part) return load(pause());
    replace(part);
  }, ms);
}

async function fetchPart() {
  const response = await fetch(`${box().dataset.page}?part=1`, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!response.ok) return null;
  return new DOMParser().parseFromString(await response.text(), "text/html").getElementById("line");
}

function replace(part) {
  const changed = part.dataset.state !== box().dataset.state, hadFocus = holdsFocus();
  box().replaceWith(part);
  if (changed) {
    unchangedLoads = 0;
    announceView(hadFocus);
  }
  start();
}

/** A random pause, since many pages load at the same moment; longer after each load that changed nothing. */
function pause() {
  return (unchangedLoads ? Math.min(SECOND * 2 ** unchangedLoads, MAX_PAUSE) : 0) + Math.random() * SPREAD;
}

/** Announce the new view, and move the focus to it if the focused element is gone. */
function announceView(hadFocus) {
  const heading = box().querySelector("h1");
  announce(heading.textContent);
  if (hadFocus) heading.focus();
}

function holdsFocus() {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused.id === "main" || box().contains(focused);
}

// -- time ------------------------------------------------------------------------------------------

function redraw() {
  const ahead = view.updateRank();
  if (ahead !== null) document.title = label("title", { ahead: formatCount(ahead), event: box().dataset.event });
  const end = view.updateClocks();
  if (end?.left === 0) onCountdownEnd(end.then);
}

/** At zero the next frame usually comes by itself; fetch it in case it does not. */
function onCountdownEnd(then) {
  if (then === "load") return load(pause());
  if (refreshed) return;
  refreshed = true;
  setTimeout(() => connection?.refresh(), SPREAD + Math.random() * SPREAD);
}

startClock(box().dataset.now);
start();
redraw();
setInterval(redraw, REDRAW);
document.addEventListener("visibilitychange", () => document.hidden || connection?.refresh());
window.addEventListener("online", () => connection?.refresh());
