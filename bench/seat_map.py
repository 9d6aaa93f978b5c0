"""The seat map of 20,000 seats on a phone: bytes, time until usable, and frame times.

Chromium with the processor throttled to a quarter of its speed, and an empty cache.
"""

import json
import os
import random
import statistics
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

from bench.database import prepare_database
from bench.options import Options
from bench.people import new_session
from bench.report import Report
from bench.site import BenchSite

SECTIONS_ACROSS, SECTIONS_DEEP, ROWS, SEATS_PER_ROW = 8, 5, 20, 25
SEATS = SECTIONS_ACROSS * SECTIONS_DEEP * ROWS * SEATS_PER_ROW
CPU_SLOWDOWN = 4
# A mobile network: round trip in milliseconds, bytes a second down and up.
MOBILE = {"latency": 60, "downloadThroughput": 1_250_000, "uploadThroughput": 625_000}
WEIGHT = """() => {
  const all = ["navigation", "resource"].flatMap((kind) => performance.getEntriesByType(kind));
  const kind = ({name, entryType}) => entryType === "navigation" ? "page"
    : name.endsWith("/seats/") ? "seat list" : name.match(/\\.(css|js|woff2)$/)?.[1] ?? "other";
  const sums = {};
  for (const one of all) sums[kind(one)] = (sums[kind(one)] ?? 0) + one.transferSize;
  return sums;
}"""
READY = """() => {
  const ready = performance.getEntriesByName("seats:ready")[0]?.startTime;
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
  const list = performance.getEntriesByName("seats:list")[0]?.startTime;
  return ready && paint ? [paint, ready, ready - list] : null;
}"""
# How far the map is zoomed in, in turns of the wheel, and what is drawn then.
LEVELS = {"whole house": 0, "seats as points": 3, "seats as shapes": 5, "seats to choose": 7}
FRAMES = 90
WHEEL = """
  const view = document.getElementById("map-view"), box = view.getBoundingClientRect();
  const at = (x) => ({clientX: box.left + box.width * x, clientY: box.top + box.height / 2});
  const wheel = (deltaY, x) => view.dispatchEvent(
    new WheelEvent("wheel", {...at(x), deltaY, cancelable: true}));
  const frame = () => new Promise((go) => requestAnimationFrame(go));
"""
ZOOM = f"""async (near) => {{
  document.getElementById("map-view").scrollIntoView({{block: "center", behavior: "instant"}});
  {WHEEL}
  document.querySelector("[data-zoom=all]").click();
  for (let step = 0; step < 30; step++) await frame();
  for (let step = 0; step < near; step++) wheel(-200, 0.5);
  for (let step = 0; step < 5; step++) await frame();
}}"""
# Zooms in and out and moves in each frame; four times a second seats change, if there are any.
MOVE = f"""async ({{frames, seats}}) => {{ {WHEEL}
  for (let step = 0; step < frames; step++) {{
    if (seats.length && step % 15 === 0) {{
      const changes = {{h: seats.splice(0, 50), a: seats.slice(0, 50)}};
      sockets.at(-1).onmessage({{data: JSON.stringify({{type: "seats", changes}})}});
    }}
    wheel(-30 * Math.cos(step / 7), 0.5 + 0.3 * Math.sin(step / 11));
    await frame();
  }}
}}"""
MIDDLE = """() => {
  const {left, top, width, height} = document.getElementById("map-view").getBoundingClientRect();
  return {x: left + width / 2, y: top + height / 2};
}"""
KEEP_SOCKETS = """
  window.sockets = [];
  window.WebSocket = class extends WebSocket {
    constructor(...all) { super(...all); sockets.push(this); }
  };
"""
# What a frame's time on the page's main thread is made of, as Chromium's trace names it.
CATEGORIES = ["-*", "devtools.timeline", "disabled-by-default-devtools.timeline", "cc"]
SCRIPT = ("FireAnimationFrame", "EventDispatch", "TimerFire", "FunctionCall", "RunMicrotasks")
RASTER = ("LayerTreeHost::DoUpdateLayers",)  # canvases that are drawn on the page
TASKS = ("RunTask", "ThreadControllerImpl::RunTask")


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=1), settings="ticketing.settings")
    report = site.report("seat_map")
    try:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        event_id, session = _prepare()
        site.start_web()
        _measure(report, site, f"/events/{event_id}/seats/", session, options.rounds)
    finally:
        site.stop()
    return report


def _prepare() -> tuple[int, str]:
    """An arena with every seat in a random state, and the session of a fan."""
    prepare_database()
    from django.core.management import call_command
    from django.db import connection

    from tests.making import make_event, make_user
    from ticketing.core import clock
    from ticketing.events.models import Seat

    call_command("collectstatic", interactive=False, verbosity=0)
    event = make_event(clock.now(), plan=_arena())
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {Seat._meta.db_table} SET state ="
            " (ARRAY['available', 'held', 'sold', 'available'])[1 + floor(random() * 4)::int]"
        )
    return event.pk, new_session(make_user())


def _arena() -> Any:
    from ticketing.events.models import Venue
    from ticketing.events.plans.generate import Block
    from ticketing.events.services.plans import generate_plan

    blocks = [
        Block(
            code=f"{deep}{across:02}",
            name_ko=f"{deep}층 {across}구역",
            name_en=f"Level {deep}, block {across}",
            grade="RSABC"[deep - 1],
            rows=ROWS,
            seats_per_row=SEATS_PER_ROW,
            column=across,
            grid_row=deep,
        )
        for deep in range(1, SECTIONS_DEEP + 1)
        for across in range(1, SECTIONS_ACROSS + 1)
    ]
    venue = Venue.objects.create(name_ko="큰 아레나", name_en="Big Arena")
    return generate_plan(venue_id=venue.pk, name="20,000", blocks=blocks, by=None)


def _measure(report: Report, site: BenchSite, path: str, session: str, rounds: int) -> None:
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import FLAGS, chromium_path

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        visits = [_visit(browser, site, path, session, mobile=False) for _ in range(rounds)]
        mobile = [_visit(browser, site, path, session, mobile=True) for _ in range(rounds)]
        browser.close()
    _report(report, visits, mobile)


def _visit(
    browser: Any, site: BenchSite, path: str, session: str, *, mobile: bool
) -> dict[str, Any]:
    from tests.browser.conftest import PHONE

    context = browser.new_context(
        viewport=PHONE, has_touch=True, device_scale_factor=3, locale="en-GB"
    )
    context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    context.add_init_script(KEEP_SOCKETS)
    page = context.new_page()
    phone = context.new_cdp_session(page)
    phone.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    if mobile:
        phone.send("Network.emulateNetworkConditions", {"offline": False, **MOBILE})
    page.goto(f"{site.url}{path}", wait_until="commit")
    page.wait_for_function(READY, timeout=60_000)
    paint, ready, drawing = page.evaluate(READY)
    page.wait_for_timeout(1_000)
    found = {"paint": paint, "ready": ready, "drawing": drawing, "weight": page.evaluate(WEIGHT)}
    found["frames"] = _frames(browser, page, phone)
    context.close()
    return found


def _frames(browser: Any, page: Any, phone: Any) -> dict[str, dict[str, float]]:
    """What each kind of movement costs per frame."""

    def wheel(seats: list[int]) -> Callable[[], None]:
        return lambda: page.evaluate(MOVE, {"frames": FRAMES, "seats": seats})

    def fingers(gesture: str, **options: Any) -> Callable[[], None]:
        middle = page.evaluate(MIDDLE)
        return lambda: phone.send(f"Input.synthesize{gesture}Gesture", middle | options)

    found = {level: _per_frame(browser, page, near, wheel([])) for level, near in LEVELS.items()}
    near, seats = LEVELS["seats as shapes"], random.sample(range(1, SEATS + 1), 50 * FRAMES)
    found["live changes"] = _per_frame(browser, page, near, wheel(seats))
    pan = fingers("Scroll", xDistance=-250, yDistance=-150, speed=200, gestureSourceType="touch")
    found["panning"] = _per_frame(browser, page, near, pan)
    pinch = fingers("Pinch", scaleFactor=3, relativeSpeed=200, gestureSourceType="touch")
    found["pinching"] = _per_frame(browser, page, near, pinch)
    return found


def _per_frame(browser: Any, page: Any, near: int, move: Callable[[], None]) -> dict[str, float]:
    """Time between frames, and processor time of the page's main thread for each of them.

    Processor time, because the time on the clock has the waits for a core in it. Frames begin
    with the task that runs the animation callbacks. Chromium does not slow workers down.
    """
    page.evaluate(ZOOM, near)
    browser.start_tracing(page=page, categories=CATEGORIES)
    move()
    events = json.loads(browser.stop_tracing())["traceEvents"]
    thread, worker = _threads(events)
    ours = _of(thread, events)
    callbacks = [it["ts"] for it in ours if it["name"] == "FireAnimationFrame"]
    tasks = _outermost(ours, TASKS)
    begins = [
        it["ts"]
        for it in tasks
        if bisect_right(callbacks, it["ts"] + it["dur"]) > bisect_right(callbacks, it["ts"])
    ]
    parts = {"main thread": TASKS, "script": SCRIPT, "raster": RASTER}
    found = {
        "between frames: median ms": statistics.median(b - a for a, b in pairwise(begins)) / 1000
    }
    for part, names in parts.items():
        found[f"{part}: p95 ms"] = _p95(_sums(_outermost(ours, names), begins))
    theirs = _of(worker, events)
    drawn = [it["ts"] for it in theirs if it["name"] == "FireAnimationFrame"]
    found["worker, not slowed: p95 ms"] = _p95(_sums(_outermost(theirs, TASKS), drawn))
    return found


def _threads(events: list[dict[str, Any]]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The page's main thread, and the worker that draws the map: both have animation frames."""
    names = {_thread(it): it["args"]["name"] for it in events if it["name"] == "thread_name"}
    framed = {_thread(it) for it in events if it["name"] == "FireAnimationFrame"}
    (page,) = (one for one in framed if names[one] == "CrRendererMain")
    (worker,) = framed - {page}
    return page, worker


def _of(thread: tuple[int, int], events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Its events with a processor time, in the order in which they began."""
    return sorted(
        (it for it in events if _thread(it) == thread and "tdur" in it),
        key=lambda it: (it["ts"], -it["dur"]),
    )


def _thread(event: dict[str, Any]) -> tuple[int, int]:
    return event["pid"], event["tid"]


def _outermost(events: list[dict[str, Any]], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Those of these names that are not inside another one of them."""
    found: list[dict[str, Any]] = []
    for event in events:
        if event["name"] in names and (
            not found or event["ts"] >= found[-1]["ts"] + found[-1]["dur"]
        ):
            found.append(event)
    return found


def _sums(events: list[dict[str, Any]], begins: list[float]) -> list[float]:
    """Processor milliseconds of these events in each frame."""
    sums = [0.0] * (len(begins) + 1)
    for event in events:
        sums[bisect_right(begins, event["ts"])] += event["tdur"] / 1000
    return sums[1:-1]  # neither what came before the first frame nor the rest


def _p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def _report(report: Report, visits: list[dict[str, Any]], mobile: list[dict[str, Any]]) -> None:
    weight = visits[0]["weight"]
    rows = {kind: {"bytes": weight[kind]} for kind in sorted(weight)}
    report.table("what is fetched", rows | {"in all": {"bytes": sum(weight.values())}})
    labels = {
        "paint": "first paint",
        "ready": "the map can be used",
        "drawing": "unpacking the list and drawing it",
    }
    columns = (("median ms", visits), ("10 Mbit/s and 60 ms: median ms", mobile))
    report.table(
        f"a processor {CPU_SLOWDOWN} times slower",
        {
            label: {column: _median(its, name) for column, its in columns}
            for name, label in labels.items()
        },
    )

    frames = [one["frames"] for one in visits + mobile]
    report.table(
        f"processor time per frame, a processor {CPU_SLOWDOWN} times slower",
        {
            movement: {
                figure: statistics.median(one[movement][figure] for one in frames)
                for figure in frames[0][movement]
            }
            for movement in frames[0]
        },
    )


def _median(visits: list[dict[str, Any]], name: str) -> float:
    return statistics.median(visit[name] for visit in visits)
