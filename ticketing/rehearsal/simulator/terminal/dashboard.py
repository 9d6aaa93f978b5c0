"""Shows the progress of a rehearsal: a full screen in a terminal, else a line now and then."""

import asyncio
import os
import textwrap
from itertools import accumulate
from typing import Any, TextIO

from ticketing.rehearsal.simulator.counters import TIMED, Counters
from ticketing.rehearsal.simulator.history import OUTCOMES, steady_time
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.terminal.text import Paint, duration, fit, paint_for

WIDTH, HEIGHT, NARROWEST, WIDEST = 80, 24, 20, 100
GAP = 2  # between columns
COLUMNS = (25, 24, 29)  # widths; columns that do not fit are left out
REDRAW_SECONDS, LINE_SECONDS = 0.3, 5.0
HOME, CLEAR_LINE, CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"
# The alternate screen, without a cursor and without line wrap, as windows may be made smaller.
ENTER_SCREEN, LEAVE_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
PHASES = {
    "away": "not here yet",
    "lobby": "in the lobby",
    "waiting": "waiting",
    "ready": "called",
    "inside": "choosing",
    "holding": "holding seats",
    "paying": "paying",
}
RATES = {"joins": "join", "admitted": "claim", "holds": "hold", "sales": "confirm", "polls": "poll"}


async def show(progress: Progress, out: TextIO) -> None:
    """Show the progress until cancelled; then the terminal is as it was before."""
    if not out.isatty():
        await _print_lines(progress, out)
    paint = paint_for(out)
    out.write(ENTER_SCREEN)
    try:
        while True:
            width, height = _size(out)
            drawn = _limit_height(height - 1, screen(progress, steady_time(), width, paint))
            # Each line is cleared first: clearing after a full line would delete its last letter.
            text = "".join(f"{CLEAR_LINE}{line}\r\n" for line in drawn)
            out.write(f"{HOME}{text}{CLEAR_REST}")
            out.flush()
            await asyncio.sleep(REDRAW_SECONDS)
    finally:
        out.write(LEAVE_SCREEN)
        out.flush()


def _size(out: TextIO) -> tuple[int, int]:
    """The current size of the terminal; some report none."""
    try:
        width, height = os.get_terminal_size(out.fileno())
    except OSError:
        width, height = 0, 0
    return width or WIDTH, height or HEIGHT


def _limit_height(height: int, lines: list[str]) -> list[str]:
    """Drop empty lines first, then the last ones."""
    lines = lines if len(lines) <= height else [line for line in lines if line]
    return lines[: max(height, 0)]


async def _print_lines(progress: Progress, out: TextIO) -> None:
    phase = ""
    while True:
        if progress.phase != phase:
            phase = progress.phase
            out.write(f"{phase}\n")
        if progress.snapshot:
            out.write(f"{one_line(progress, steady_time())}\n")
        out.flush()
        for _ in range(int(LINE_SECONDS / REDRAW_SECONDS)):
            await asyncio.sleep(REDRAW_SECONDS)
            if progress.phase != phase:
                break


def one_line(progress: Progress, now: float) -> str:
    counters, snapshot, seats = progress.counters, progress.snapshot, progress.seats
    timed = counters.percentiles("hold", now)
    parts = [
        duration(now - progress.began),
        f"waiting {snapshot.get('lobby', 0) + snapshot.get('waiting', 0):,}",
        f"inside {snapshot.get('inside', 0):,}",
        f"sold {seats.get('sold', 0):,}",
        *(f"{name} {counters.per_second(action, now):.0f}/s" for name, action in RATES.items()),
        f"hold p95 {timed[1]:.0f} ms" if timed else "",
        f"refused {counters.refusals.total():,}",
        progress.last_change,
    ]
    return "  ".join(part for part in parts if part)


# -- one screen -----------------------------------------------------------------------------------


def screen(progress: Progress, now: float, width: int, paint: Paint) -> list[str]:
    width = min(max(width, NARROWEST), WIDEST)
    counters, snapshot = progress.counters, progress.snapshot
    columns = [_people(counters), _rates(progress, now), _times(counters, now)]
    lines = [
        *_head(progress, width, paint),
        _bar(progress, now, width, paint),
        paint(fit(progress.last_change, width), "yellow") if progress.last_change else "",
        _label("Line", _queue_text(snapshot), width, paint),
        _label("Seats", _seat_text(progress.seats), width, paint),
        "",
        *_side_by_side(columns, width, paint),
        "",
        *_ended(counters, width, paint),
        _label("Refused", _refusals(counters), width, paint),
    ]
    if counters.attacks:
        got_through = counters.attacks - counters.attacks_refused
        text = f"{counters.attacks:,} tried, {got_through:,} not refused"
        lines.append(_label("Attacks", text, width, paint))
    return lines


def _head(progress: Progress, width: int, paint: Paint) -> list[str]:
    it = progress.setting
    if not it:
        return [paint("Rehearsal", "bold")]
    title = it["title"].get("en") or it["title"].get("ko", "")
    facts = f"{it['profile']} · {it['fans']:,} people · faults {it['faults']} · seed {it['seed']}"
    first = fit(f"Rehearsal {it['code']}  {title}", width)
    return [paint(first, "bold"), paint(fit(facts, width), "dim")]


def _bar(progress: Progress, now: float, width: int, paint: Paint) -> str:
    passed, lasts = now - progress.began, progress.lasts
    words = duration(passed) + (f" of {duration(lasts)}" if lasts else "")
    name = fit(progress.phase, 18).ljust(18)
    room = width - len(name) - len(words) - 4
    if room < 0:
        return paint(fit(f"{words}  {progress.phase}", width), "cyan")
    full = int(room * min(1.0, passed / lasts)) if lasts else 0
    bar = paint("█" * full, "green") + paint("░" * (room - full), "dim")
    return f"{paint(name, 'cyan')}  {bar}  {words}"


def _queue_text(it: dict[str, Any]) -> str:
    if not it:
        return "–"
    return (
        f"{it['state']}   lobby {it['lobby']:,}   waiting {it['waiting']:,}   "
        f"called {it['ready']:,}   inside {it['inside']:,} of {it['max_inside']:,}"
    )


def _seat_text(seats: dict[str, int]) -> str:
    return "   ".join(f"{name} {count:,}" for name, count in seats.items()) or "–"


def _people(counters: Counters) -> list[str]:
    here = [_counted(name, counters.phases[state], 23) for state, name in PHASES.items()]
    return ["People", *here]


def _ended(counters: Counters, width: int, paint: Paint) -> list[str]:
    """How many users finished, by outcome; at most two lines."""
    counts = [
        f"{outcome.replace('_', ' ')} {counters.phases[outcome]:,}"
        for outcome in OUTCOMES
        if counters.phases[outcome]
    ]
    wrapped = textwrap.wrap(" · ".join(counts) or "nobody yet", width - 9)[:2]
    names = ("Ended", "")
    return [_label(name, words, width, paint) for name, words in zip(names, wrapped, strict=False)]


def _rates(progress: Progress, now: float) -> list[str]:
    counters = progress.counters
    rates = [
        f"{name:<11}{counters.per_second(action, now):>9.1f}" for name, action in RATES.items()
    ]
    snapshot = progress.snapshot
    slow = [
        f"{name:<11}{snapshot[key]:>6.1f} ms"
        for name, key in (("database", "database_ms"), ("Redis", "redis_ms"))
        if snapshot.get(key) is not None
    ]
    age = snapshot.get("tick_age_seconds")
    slow += [f"{'last tick':<11}{age:>6.1f} s"] if age is not None else []
    live = _counted("connected", counters.connections, 20)
    return ["Per second", *rates, "", live, *slow]


def _times(counters: Counters, now: float) -> list[str]:
    lines = [f"{'Calls, ms':<9}{'p50':>6}{'p95':>6}{'p99':>7}"]
    for action in TIMED:
        times = counters.percentiles(action, now)
        cells = "".join(f"{time:>{6 + (n == 2)}.0f}" for n, time in enumerate(times or ()))
        lines.append(f"{action:<9}{cells or f'{chr(8211):>6}'}")
    return lines


def _refusals(counters: Counters) -> str:
    counts = (f"{code} {count:,}" for code, count in counters.refusals.most_common(6))
    return " · ".join(counts) or "nothing"


# -- text -----------------------------------------------------------------------------------------


def _counted(name: str, count: int, width: int) -> str:
    return f"{name}{count:>{width - len(name)},}"


def _label(name: str, words: str, width: int, paint: Paint) -> str:
    return f"{paint(f'{name:<8}', 'bold')} {fit(words, width - 9)}"


def _side_by_side(columns: list[list[str]], width: int, paint: Paint) -> list[str]:
    """Columns side by side, as many as fit."""
    fitting = [
        (column, own)
        for column, own, end in zip(columns, COLUMNS, accumulate(COLUMNS), strict=True)
        if end <= width + GAP
    ]
    rows = []
    for at in range(max((len(column) for column, _ in fitting), default=0)):
        cells = (f"{column[at] if at < len(column) else '':<{own}}" for column, own in fitting)
        row = "".join(cells).rstrip()
        rows.append(paint(row, "bold") if at == 0 else row)
    return rows
