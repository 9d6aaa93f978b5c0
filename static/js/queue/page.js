// The waiting page: stays in touch, shows what it hears, and turns when the person's state turns.

import { startClock } from "../clock.js";
import { alarm, offer } from "./alerts.js";
import { Link } from "./link.js";
import { announce, mention } from "./speech.js";
import * as view from "./view.js";
import { count, etaInWords, say } from "./words.js";

const TICK = 250, SECOND = 1_000, SPREAD = 3_000, LONGEST = 30_000;
const LIVE = new Set(["LOBBY", "WAITING", "READY"]);
const box = () => document.getElementById("line");

let standing = null, news = null, heardAt = "", link = null;
let touch = ["reconnecting"]; // how we are in touch, kept while the view turns
let loading = null, vain = 0, asked = false;

// -- what is heard ---------------------------------------------------------------------------------

function heard(frame, horizon, outOfTurn = false) {
  if (frame.type === "notice") return hearNotice(frame.message ?? "");
  if (frame.type === "outlook") return hearOutlook(frame);
  if (frame.type !== "standing" || (outOfTurn && frame.server_time < heardAt)) return;
  const before = standing;
  standing = frame;
  heardAt = frame.server_time;
  if (frame.state !== before.state) return turn(frame);
  view.fill(frame, horizon);
  view.fillOutlook(news, frame.ahead);
  speakOf(frame, before);
}

function hearNotice(message) {
  if (message === news.notice) return;
  news.notice = message;
  view.fillNotice(message);
  if (message) announce(say("spokenNotice", { message }));
}

function hearOutlook({ sold_out, grades }) {
  news = { ...news, sold_out, grades };
  view.fillOutlook(news, standing.ahead);
}

function speakOf(now, before) {
  if (now.paused !== before.paused) return announce(say(now.paused ? "spokenPaused" : "spokenResumed"));
  if (now.state !== "WAITING") return;
  mention(() => (now.ahead ? say("spoken", { ahead: count(now.ahead), eta: etaInWords(now) }) : say("spokenNext")));
}

function touched(...how) {
  touch = how;
  view.showTouch(...how);
}

// -- from one state to the next --------------------------------------------------------------------

/** The page as the server just wrote it. */
function begin() {
  const { standing: place, news: told, live, again, title } = box().dataset;
  standing = JSON.parse(place);
  news = { notice: "", sold_out: false, grades: [], ...JSON.parse(told) };
  heardAt = standing?.server_time ?? "";
  asked = false;
  document.title = title;
  view.forget();
  if (standing) view.fill(standing);
  offer();
  connect(live !== undefined);
  if (again) load(Number(again) * SECOND);
}

function connect(live) {
  link?.stop();
  link = null;
  if (!live) return;
  const { socket, stream, poll, outlook } = box().dataset;
  const where = { socket, stream, poll, outlook, token: standing.token };
  link = new Link(where, { heard, touched, refused: () => load(pause()) });
  link.start();
}

/** Another state, another view: prepared on the page where everybody turns at once, else fetched. */
function turn(frame) {
  const state = frame.state.toLowerCase();
  if (state === "admitted") return enter(frame.go_to);
  const prepared = box().querySelector(`:scope > template[data-prepared="${state}"]`);
  if (!prepared) return load(Math.random() * SECOND);
  const scene = document.getElementById("line-view"), hadFocus = holdsFocus();
  scene.replaceChildren(prepared.content.cloneNode(true));
  scene.className = `line__view line__view--${state}`;
  document.title = prepared.dataset.title ?? box().dataset.title;
  view.forget();
  view.fill(frame);
  view.fillOutlook(news, frame.ahead);
  view.showTouch(...touch);
  offer();
  if (!LIVE.has(frame.state)) connect(false);
  settle(hadFocus);
  if (state === "ready") alarm();
}

function enter(goTo) {
  link?.stop();
  const ours = goTo?.startsWith("/") && !goTo.startsWith("//");
  location.assign(ours ? goTo : box().dataset.seats);
}

/** The view as the server has it now, after so many milliseconds; again and again if it can't be had. */
function load(ms) {
  if (loading) return;
  loading = setTimeout(async () => {
    const part = await fetchPart().catch(() => null);
    loading = null;
    vain += 1;
    if (!part) return load(pause());
    replace(part);
  }, ms);
}

async function fetchPart() {
  const answer = await fetch(`${box().dataset.page}?part=1`, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (!answer.ok) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("line");
}

function replace(part) {
  const turned = part.dataset.scene !== box().dataset.scene, hadFocus = holdsFocus();
  box().replaceWith(part);
  if (turned) {
    vain = 0;
    settle(hadFocus);
  }
  begin();
}

/** Everybody's page may want the same at the same moment: spread out, longer after each vain try. */
function pause() {
  return (vain ? Math.min(SECOND * 2 ** vain, LONGEST) : 0) + Math.random() * SPREAD;
}

/** Words for those who don't see the page; the focus for those whose part of the page is gone. */
function settle(hadFocus) {
  const heading = box().querySelector("h1");
  announce(heading.textContent);
  if (hadFocus) heading.focus();
}

function holdsFocus() {
  const focused = document.activeElement;
  return !focused || focused === document.body || focused.id === "main" || box().contains(focused);
}

// -- as time goes by -------------------------------------------------------------------------------

function tick() {
  const ahead = view.moveNumber();
  if (ahead !== null) document.title = say("title", { ahead: count(ahead), event: box().dataset.event });
  const end = view.moveClocks();
  if (end?.left === 0) over(end.then);
}

/** The time has come: the news comes by itself, or is fetched. */
function over(then) {
  if (then === "load") return load(pause());
  if (asked) return;
  asked = true;
  setTimeout(() => link?.ask(), SPREAD + Math.random() * SPREAD);
}

startClock(box().dataset.now);
begin();
tick();
setInterval(tick, TICK);
document.addEventListener("visibilitychange", () => document.hidden || link?.ask());
window.addEventListener("online", () => link?.ask());
