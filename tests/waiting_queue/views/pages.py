"""Addresses and steps that the tests of the waiting page share."""

import html
import re

from django.urls import reverse

from ticketing.core import clock
from waiting_queue import services
from waiting_queue.models import SaleQueue

BACKEND = "django.contrib.auth.backends.ModelBackend"
# Ids without an account, for people whom no test logs in as.
OTHERS = range(900_001, 901_000)


def line_of(queue):
    return reverse("queue:line", args=[queue.pk])


def claim_of(queue):
    return reverse("queue:claim", args=[queue.pk])


def leave_of(queue):
    return reverse("queue:leave", args=[queue.pk])


def text(answer):
    return html.unescape(re.sub(r"\s+", " ", answer.content.decode()))


def state_of(answer):
    return answer.context["page_state"].name


def join(queue, *people):
    for person in people:
        services.join(event_id=queue.pk, person=str(person), now=clock.now())


def move(queue, to, operator):
    services.move_queue(event_id=queue.pk, to=to, by=operator, now=clock.now())


def make_ready(queue):
    """One more may come in, and the next in line is called."""
    SaleQueue.objects.update(max_inside=100)
    services.tick_open_queues(now=clock.now())
