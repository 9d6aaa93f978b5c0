"""Steps that the tests of the services share."""

from datetime import timedelta

from waiting_queue import services


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def join_all(queue, people, now):
    return [services.join(event_id=queue.pk, person=person, now=now) for person in people]
