"""What whoever started a rehearsal sees of it: one screen of a terminal, or a line now and then."""

import asyncio
import os
import textwrap
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, TextIO

from ticketing.rehearsal.simulator.history import steady
from ticketing.rehearsal.simulator.users.tally import ENDS, TIMED, Tally

WIDTH, HEIGHT, NARROWEST, WIDEST = 80, 24, 20, 100
GAP = 2  # after each of our columns
COLUMNS = (25, 24, 29)  # as wide as ours are; those that don't fit are left out
REDRAWN, A_LINE = 0.3, 5.0  # seconds between two of them
HOME, CLEAR_LINE, CLEAR_REST = "\x1b[H", "\x1b[K", "\x1b[J"
# Without a cursor, and without going on in the next line: windows are made smaller meanwhile.
OTHER_SCREEN, OWN_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?7l", "\x1b[?7h\x1b[?25h\x1b[?1049l"
HERE = {
    "away": "not here yet",
    "lobby": "in the lobby",
    "waiting": "waiting",
    "ready": "called",
    "inside": "choosing",
    "holding": "holding seats",
    "paying": "paying",
}
RATES = {"joins": "join", "admitted": "claim", "holds": "hold", "sales": "confirm", "polls": "look"}
STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
Paint = Callable[[str, str], str]


@dataclass
class Progress:
    """Where a rehearsal is. The director writes it, the screen reads it."""

    tally: Tally = field(default_factory=Tally)
    setting: dict[str, Any] = field(default_factory=dict)
    pulse: dict[str, Any] = field(default_factory=dict)
    phase: str = "getting ready"
    began: float = field(default_factory=steady)
    lasts: float = 0.0  # seconds; 0 if nobody knows
    news: str = ""  # what was done to the sale last

    def enter(self, phase: str, lasts: float = 0.0) -> None:
        self.phase, self.began, self.lasts = phase, steady(), lasts

    @property
    def seats(self) -> dict[str, int]:
        return dict(self.pulse.get("seats") or {})


def plain(text: str, style: str) -> str:
    return text


def coloured(text: str, style: str) -> str:
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def paint_for(out: TextIO) -> Paint:
    """https://no-color.org"""
    return coloured if out.isatty() and not os.environ.get("NO_COLOR") else plain


# -- showing it -----------------------------------------------------------------------------------


async def show(progress: Progress, out: TextIO) -> None:
    """Until cancelled. The screen that was there before is there again afterwards."""
    if not out.isatty():
        await _tell_now_and_then(progress, out)
    paint = paint_for(out)
    out.write(OTHER_SCREEN)
    try:
        while True:
            width, height = _size(out)
            drawn = _no_higher(height - 1, screen(progress, steady(), width, paint))
            # What is cleared after a full line is its last letter.
            text = "".join(f"{CLEAR_LINE}{line}\r\n" for line in drawn)
            out.write(f"{HOME}{text}{CLEAR_REST}")
            out.flush()
            await asyncio.sleep(REDRAWN)
    finally:
        out.write(OWN_SCREEN)
        out.flush()


def _size(out: TextIO) -> tuple[int, int]:
    """As the terminal says now; some have no size."""
    try:
        width, height = os.get_terminal_size(out.fileno())
    except OSError:
        width, height = 0, 0
    return width or WIDTH, height or HEIGHT


def _no_higher(height: int, lines: list[str]) -> list[str]:
    """Gaps are the first to go."""
    lines = lines if len(lines) <= height else [line for line in lines if line]
    return lines[: max(height, 0)]


async def _tell_now_and_then(progress: Progress, out: TextIO) -> None:
    phase = ""
    while True:
        if progress.phase != phase:
            phase = progress.phase
            out.write(f"{phase}\n")
        if progress.pulse:
            out.write(f"{one_line(progress, steady())}\n")
        out.flush()
        for _ in range(int(A_LINE / REDRAWN)):
            await asyncio.sleep(REDRAWN)
            if progress.phase != phase:
                break


def one_line(progress: Progress, now: float) -> str:
    tally, pulse, seats = progress.tally, progress.pulse, progress.seats
    timed = tally.percentiles("hold", now)
    parts = [
        clock_words(now - progress.began),
        f"waiting {pulse.get('lobby', 0) + pulse.get('waiting', 0):,}",
        f"inside {pulse.get('inside', 0):,}",
        f"sold {seats.get('sold', 0):,}",
        *(f"{name} {tally.per_second(did, now):.0f}/s" for name, did in RATES.items()),
        f"hold p95 {timed[1]:.0f} ms" if timed else "",
        f"refused {tally.refusals.total():,}",
        progress.news,
    ]
    return "  ".join(part for part in parts if part)


# -- one screen -----------------------------------------------------------------------------------


def screen(progress: Progress, now: float, width: int, paint: Paint) -> list[str]:
    width = min(max(width, NARROWEST), WIDEST)
    tally, pulse = progress.tally, progress.pulse
    columns = [_people(tally), _rates(progress, now), _times(tally, now)]
    lines = [
        *_head(progress, width, paint),
        _bar(progress, now, width, paint),
        paint(fit(progress.news, width), "yellow") if progress.news else "",
        _label("Line", _line_words(pulse), width, paint),
        _label("Seats", _seat_words(progress.seats), width, paint),
        "",
        *_beside(columns, width, paint),
        "",
        *_ended(tally, width, paint),
        _label("Refused", _refusals(tally), width, paint),
    ]
    if tally.attacks:
        lines.append(_label("Attacks", _attacks(tally), width, paint))
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
    words = clock_words(passed) + (f" of {clock_words(lasts)}" if lasts else "")
    name = fit(progress.phase, 18).ljust(18)
    room = width - len(name) - len(words) - 4
    if room < 0:
        return paint(fit(f"{words}  {progress.phase}", width), "cyan")
    full = int(room * min(1.0, passed / lasts)) if lasts else 0
    bar = paint("█" * full, "green") + paint("░" * (room - full), "dim")
    return f"{paint(name, 'cyan')}  {bar}  {words}"


def _line_words(pulse: dict[str, Any]) -> str:
    if not pulse:
        return "–"
    return (
        f"{pulse['state']}   lobby {pulse['lobby']:,}   waiting {pulse['waiting']:,}   "
        f"called {pulse['ready']:,}   inside {pulse['inside']:,} of {pulse['max_inside']:,}"
    )


def _seat_words(seats: dict[str, int]) -> str:
    return "   ".join(f"{name} {count:,}" for name, count in seats.items()) or "–"


def _people(tally: Tally) -> list[str]:
    here = [_counted(name, tally.states[state], 23) for state, name in HERE.items()]
    return ["People", *here]


def _ended(tally: Tally, width: int, paint: Paint) -> list[str]:
    """Everybody who is done, and how; two lines at most."""
    said = [f"{end.replace('_', ' ')} {tally.states[end]:,}" for end in ENDS if tally.states[end]]
    wrapped = textwrap.wrap(" · ".join(said) or "nobody yet", width - 9)[:2]
    names = ("Ended", "")
    return [_label(name, words, width, paint) for name, words in zip(names, wrapped, strict=False)]


def _rates(progress: Progress, now: float) -> list[str]:
    tally = progress.tally
    rates = [f"{name:<11}{tally.per_second(did, now):>9.1f}" for name, did in RATES.items()]
    of_site = progress.pulse
    slow = [
        f"{name:<11}{of_site[key]:>6.1f} ms"
        for name, key in (("database", "database_ms"), ("Redis", "redis_ms"))
        if of_site.get(key) is not None
    ]
    age = of_site.get("tick_age_seconds")
    slow += [f"{'last tick':<11}{age:>6.1f} s"] if age is not None else []
    live = _counted("connected", tally.connections, 20)
    return ["Per second", *rates, "", live, *slow]


def _times(tally: Tally, now: float) -> list[str]:
    lines = [f"{'Calls, ms':<9}{'p50':>6}{'p95':>6}{'p99':>7}"]
    for did in TIMED:
        times = tally.percentiles(did, now)
        told = "".join(f"{time:>{6 + (n == 2)}.0f}" for n, time in enumerate(times or ()))
        lines.append(f"{did:<9}{told or f'{chr(8211):>6}'}")
    return lines


def _refusals(tally: Tally) -> str:
    said = (f"{code} {count:,}" for code, count in tally.refusals.most_common(6))
    return " · ".join(said) or "nothing"


def _attacks(tally: Tally) -> str:
    got_through = tally.attacks - tally.attacks_refused
    return f"{tally.attacks:,} tried, {got_through:,} not refused"


# -- text -----------------------------------------------------------------------------------------


def _counted(name: str, count: int, width: int) -> str:
    return f"{name}{count:>{width - len(name)},}"


def _label(name: str, words: str, width: int, paint: Paint) -> str:
    return f"{paint(f'{name:<8}', 'bold')} {fit(words, width - 9)}"


def _beside(columns: list[list[str]], width: int, paint: Paint) -> list[str]:
    """As many as there is room for."""
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


def clock_words(seconds: float) -> str:
    minutes, rest = divmod(max(0, int(seconds)), 60)
    return f"{minutes:02}:{rest:02}"


def fit(text: str, width: int) -> str:
    """Cut to so many columns; some letters take two."""
    used = 0
    for at, letter in enumerate(text):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > width:
            return text[: max(0, at - 1)] + "…"
    return text
