"""Run with a DATABASE_URL of its own: hold seats in a thread and in the event loop, many times."""

import asyncio

import django

STATEMENT = "SELECT %(number)s::int + 1 AS next"


def main() -> None:
    from tests.making import make_event, make_user, seat_ids
    from tests.reservations.acting import hold
    from ticketing.core import clock
    from ticketing.core.sql import arows, rows

    event = make_event(clock.now())
    for seat in seat_ids(event)[:4]:
        hold(event, make_user(), clock.now(), seat)
    for number in range(20):
        assert rows(STATEMENT, {"number": number}) == [{"next": number + 1}]
        found = asyncio.run(arows(STATEMENT, {"number": number}))
        assert found == [{"next": number + 1}]


if __name__ == "__main__":
    django.setup()
    main()
