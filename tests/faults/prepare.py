"""Run inside the site's environment: an event with seats, and somebody who is logged in."""

import json

import django


def prepared() -> dict[str, object]:
    from django.contrib.auth import login
    from django.core.management import call_command
    from django.http import HttpRequest

    from tests.making import make_event, make_user
    from ticketing.accounts.sessions import SessionStore
    from ticketing.core import clock

    call_command("migrate", verbosity=0)
    event, fan, request = make_event(clock.now()), make_user(), HttpRequest()
    request.session = SessionStore()
    login(request, fan, backend="django.contrib.auth.backends.ModelBackend")
    request.session.save()
    return {"event": event.pk, "session": request.session.session_key, "fan": fan.pk}


if __name__ == "__main__":
    django.setup()
    print(json.dumps(prepared()))  # noqa: T201
