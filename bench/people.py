"""People with sessions, and events on sale. Needs Django: see `bench.database`."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4


@dataclass(frozen=True)
class Fan:
    id: int
    email: str
    headers: dict[str, str]  # of a browser that is logged in


def make_fans(count: int, origin: str) -> list[Fan]:
    from django.conf import settings

    from ticketing.accounts.models import User
    from ticketing.accounts.sessions import SessionStore
    from ticketing.core import clock

    emails = [f"{uuid4().hex}@example.com" for _ in range(count)]
    users = User.objects.bulk_create(
        User(email=email, display_name="Fan", password="!", email_confirmed_at=clock.now())
        for email in emails
    )
    sessions = {uuid4().hex: user for user in users}
    SessionStore.create_all(sessions, expires=clock.now() + timedelta(days=1))
    session, browser = settings.SESSION_COOKIE_NAME, settings.BROWSER_COOKIE_NAME
    cookies = [f"{session}={key}; {browser}={user.pk:022d}" for key, user in sessions.items()]
    return [
        Fan(user.pk, user.email, {"Cookie": cookie, "Origin": origin})
        for user, cookie in zip(users, cookies, strict=True)
    ]


def new_session(user: Any) -> str:
    """The key of a session in which this person is logged in."""
    from django.contrib.auth import SESSION_KEY

    from ticketing.accounts.sessions import SessionStore, store_caller

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    store_caller(session, user)
    session.save()
    return str(session.session_key)


def make_event_on_sale(
    seats: int, *, knobs: dict[str, Any] | None = None, standing: int = 0, across: int = 20
) -> tuple[int, list[int]]:
    """An event and its seats; with knobs it has an open queue, otherwise none."""
    from django.db import transaction

    from reservations import services as reservations
    from tests.making import make_event, make_plan, seat_ids
    from ticketing.core import clock
    from waiting_queue import services as queue
    from waiting_queue.models import SaleQueue

    now = clock.now()
    plan = make_plan(rows=-(-seats // across), seats_per_row=across, standing=standing)
    event = make_event(now, plan=plan, seats_per_person=30_000)
    if knobs is not None:
        rules = {
            "queues_per_person": 0,
            "stock_factor": 10**6,
        } | knobs  # as fast as the rate allows
        with transaction.atomic():  # before a ticker finds that it is due
            SaleQueue.objects.create(event=event, opens_at=now, **rules)
            queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    reservations.recount_seats(event_id=event.pk)
    return event.pk, seat_ids(event)
