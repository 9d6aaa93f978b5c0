"""Complete orders: join, socket, claim, seat list, hold, pay, confirm, tickets, mail.

Prints orders a second, the processor time of an order by kind of process, and the SQL statements
from hold to sold. The gateway and the mail server are stubs outside of the site.
"""

import time
from collections import Counter

from bench import machine
from bench.buyers import Bought, Crowd, buy
from bench.options import Options
from bench.people import Fan, make_event_on_sale, make_fans
from bench.report import Report
from bench.statements import sent
from bench.whole_site import WholeSite
from tests.faults.site import until

PEOPLE, COUNTED = 200, 10
LONGEST_MAIL_SECONDS = 600
QUEUE = ["join", "socket", "claim"]
PURCHASE = ["hold", "pay", "confirm", "settled"]
NOT_OURS = frozenset({"outside", "clients", "other"})


def measure(site: WholeSite, options: Options, report: Report) -> None:
    people = options.people or PEOPLE
    fans = make_fans(people + COUNTED, site.url)
    knobs = {"admit_per_second": 0, "max_inside": 2 * len(fans), "claim_seconds": 600}
    event, seats = make_event_on_sale(len(fans), knobs=knobs)
    crowd, counted = fans[:people], fans[people:]
    # First, as it also loads what is loaded on first use.
    _report_statements(site, report, event, counted, seats[people:])
    _wait_for_mails(site, counted)
    idle = _idle(2.5 * options.seconds)
    site.set_gateway(latency=options.latency or 0, failures=options.failures)
    before = machine.cpu_by_kind()
    began = time.monotonic()
    steps = [*QUEUE, "seat_list", *PURCHASE]
    sold = buy(Crowd(site.url, event, steps, [fan.headers for fan in crowd], seats[:people]))
    mailed = _wait_for_mails(site, crowd) - began
    spent = machine.cpu_by_kind()
    spent.subtract(before)
    assert sold.finished == people, sold.outcomes
    assert _tickets(event) == len(fans)
    _report_speed(report, sold, mailed)
    _report_cpu(report, spent, idle, sold)


def _idle(seconds: float) -> Counter[str]:
    """Processor seconds per second of each kind, when nobody comes."""
    before = machine.cpu_by_kind()
    time.sleep(seconds)
    after = machine.cpu_by_kind()
    after.subtract(before)
    return Counter({kind: spent / seconds for kind, spent in after.items()})


def _wait_for_mails(site: WholeSite, fans: list[Fan]) -> float:
    """When everybody had a mail; returns once no further mail came for two seconds."""
    wanted, last, at = {fan.email for fan in fans}, -1, 0.0

    def is_quiet() -> bool:
        nonlocal last, at
        mails: dict[str, int] = site.outside_counts()["mails"]
        if (count := sum(mails.values())) != last:
            last, at = count, time.monotonic()
        return wanted <= mails.keys() and time.monotonic() > at + 2

    until(is_quiet, seconds=LONGEST_MAIL_SECONDS)
    return at


def _tickets(event: int) -> int:
    from reservations.models import Ticket

    return Ticket.objects.filter(event_id=event).count()


def _report_speed(report: Report, sold: Bought, mailed: float) -> None:
    report.table(
        f"{sold.finished} complete orders",
        {
            "until sold": {"orders/s": sold.finished / sold.seconds},
            "until the last mail came": {"orders/s": sold.finished / mailed},
        }
        | {step: sold.column(step) for step in sold.step_ms},
    )


def _report_cpu(report: Report, spent: Counter[str], idle: Counter[str], sold: Bought) -> None:
    kinds = sorted(spent.keys() - NOT_OURS, key=lambda kind: -spent[kind])
    each = {kind: 1000 * spent[kind] / sold.finished for kind in kinds}
    rows = {kind: {"CPU ms": each[kind], "idle, ms a second": 1000 * idle[kind]} for kind in kinds}
    rows["in all"] = {
        "CPU ms": sum(each.values()),
        "idle, ms a second": 1000 * sum(idle[kind] for kind in kinds),
    }
    outside = 1000 * spent["outside"] / sold.finished
    rows["gateway and mail server, outside"] = {"not ours": outside}
    rows["the crowd itself"] = {"not ours": 1000 * sold.cpu_seconds / sold.finished}
    report.table("processor time per order", rows)


def _report_statements(
    site: WholeSite, report: Report, event: int, fans: list[Fan], seats: list[int]
) -> None:
    """One purchase after the other, while nothing else asks the database."""
    site.set_gateway(latency=0, failures=0)
    headers = [fan.headers for fan in fans]
    admitted = buy(Crowd(site.url, event, QUEUE, headers, seats))
    assert admitted.finished == len(fans), admitted.outcomes
    with machine.background_paused():
        site.statements.reset()
        bought = buy(Crowd(site.url, event, PURCHASE[:-1], headers, seats, one_by_one=True))
        calls = site.statements.calls()
    assert [known["state"] for known in bought.known] == ["SUCCEEDED"] * len(fans), bought.outcomes
    by_beginning: Counter[str] = Counter()
    for query, n in sent(calls).items():
        by_beginning[_short(query)] += n
    in_all, checks = by_beginning.total() / len(fans), sum(calls.values()) / len(fans)
    report.table(
        "statements from hold to sold",
        {
            "in all": {"statements": in_all},
            "foreign keys checked at commit": {"statements": checks - in_all},
        },
    )
    each = {query: {"times": n / len(fans)} for query, n in by_beginning.most_common()}
    report.table("of these", each)


def _short(query: str) -> str:
    words = " ".join(line.partition("--")[0] for line in query.splitlines()).split()
    return " ".join(words)[:100]
