"""Payments whose charge got no answer: how soon they are settled once the gateway answers again.

First alone, then while thousands of mails wait for a slow mail server. The gateway is away for a
while; half of the charges were carried out nevertheless. It sends no webhooks.
"""

import time
from dataclasses import replace

from bench.buyers import Crowd, buy
from bench.client import percentile
from bench.options import Options
from bench.people import make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.whole_site import WholeSite

BUYERS, MAILS = 100, 10_000
MAIL_SECONDS = 1.0
LOOK_SECONDS, LONGEST_SECONDS = 0.1, 120.0


def measure(site: WholeSite, options: Options, report: Report) -> None:
    people = options.people or BUYERS
    away = 10 * options.seconds
    alone = _settle(site, people, away)
    _add_mails(MAILS)
    behind = _settle(site, people, away, mail_seconds=MAIL_SECONDS)
    behind["mails that still wait"] = _delete_mails()
    rows = {"no mail waits": alone, f"{MAILS:,} mails wait": behind}
    report.table(f"{people} payments, gateway away for {away:g} s", rows)
    site.set_gateway(latency=0, failures=0)


def _settle(site: WholeSite, people: int, away: float, *, mail_seconds: float = 0.0) -> Row:
    """Charge everybody while the gateway is away, and wait until all of it is known."""
    site.set_gateway(latency=0, failures=0, mail_seconds=mail_seconds)
    fans = make_fans(people, site.url)
    event, seats = make_event_on_sale(people)
    crowd = Crowd(site.url, event, ["hold", "pay"], [fan.headers for fan in fans], seats)
    begun = buy(crowd)
    assert begun.finished == people, begun.outcomes
    site.set_gateway(latency=0, failures=1, mail_seconds=mail_seconds)
    buy(replace(crowd, steps=["confirm"], known=begun.known))
    unknown = _charging(event)
    assert unknown == people
    time.sleep(away)
    site.set_gateway(latency=0, failures=0, mail_seconds=mail_seconds)
    seconds = _seconds_until_settled(event, unknown)
    return {
        "settled": len(seconds),
        "p50 s": percentile(seconds, 0.5) / 1000,
        "p95 s": percentile(seconds, 0.95) / 1000,
        "last s": max(seconds),
    }


def _seconds_until_settled(event: int, unknown: int) -> list[float]:
    """Return after how many seconds from now each payment was settled."""
    began, seconds = time.monotonic(), list[float]()
    while len(seconds) < unknown and time.monotonic() < began + LONGEST_SECONDS:
        left = _charging(event)
        seconds += [time.monotonic() - began] * (unknown - left - len(seconds))
        time.sleep(LOOK_SECONDS)
    return seconds


def _charging(event: int) -> int:
    from payments.models import Payment

    return Payment.objects.filter(reservation__event_id=event, state="charging").count()


def _add_mails(count: int) -> None:
    """As many as `count` times the mail of an order, each about a reservation of its own."""
    from payments.models import OutboxMessage
    from ticketing.core import clock

    sold = OutboxMessage.objects.filter(kind="ReservationConfirmed").first()
    assert sold
    OutboxMessage.objects.bulk_create(
        OutboxMessage(
            aggregate=f"reservation:bench-{number}",
            sequence=1,
            kind=sold.kind,
            body=sold.body,
            created_at=clock.now(),
            due_at=clock.now(),
        )
        for number in range(count)
    )


def _delete_mails() -> int:
    from payments.models import OutboxMessage

    return OutboxMessage.objects.filter(state="waiting").delete()[0]
