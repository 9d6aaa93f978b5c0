"""Run inside the site's environment: an event with seats, and somebody who is logged in."""

import json

import django


def prepared() -> dict[str, object]:
    from django.contrib.auth import login
    from django.http import HttpRequest

    from tests.making import make_event, make_user, seat_ids
    from ticketing.accounts.sessions import SessionStore
    from ticketing.core import clock
    from waiting_queue.models import SaleQueue
    from waiting_queue.services import move_queue

    event, fan, request = make_event(clock.now()), make_user(), HttpRequest()
    request.session = SessionStore()
    login(request, fan, backend="django.contrib.auth.backends.ModelBackend")
    request.session.save()
    queued = make_event(clock.now())
    SaleQueue.objects.create(event=queued, opens_at=clock.now(), max_inside=0)
    move_queue(event_id=queued.pk, to=SaleQueue.State.OPEN, by=None, now=clock.now())
    return {
        "event": event.pk,
        "queued": queued.pk,
        "seats": seat_ids(event),
        "session": request.session.session_key,
        "fan": fan.pk,
    }


if __name__ == "__main__":
    django.setup()
    print(json.dumps(prepared()))  # noqa: T201
