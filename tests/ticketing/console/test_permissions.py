"""Every role, and users without a role, against every page, call and control of the console."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from payments.models import Payment
from reservations.models import Reservation
from tests.ticketing.console.knobs import KNOBS
from ticketing.console import services, tasks, urls
from ticketing.console.models import Autopilot, Reconciliation
from ticketing.console.selectors.suspicious_groups import suspicious_groups
from ticketing.console.services.autopilot_rules import AutopilotBounds
from ticketing.console.services.roles import ROLES
from ticketing.events.models import Approval, EventChange, Seat
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import BlockAppeal, SaleQueue
from waiting_queue.services.audit_log import asked_people

pytestmark = pytest.mark.django_db

WATCHERS = {"viewer", "operator", "manager", "finance"}
OPERATORS = {"operator", "manager"}
AUTOPILOT = {"lowest": 2, "highest": 20, "page_ms": 500, "database_ms": 50, "why": ""}
# Method, URL name, arguments, form, and the roles that may. Letters stand for ids of `world`.
REQUESTS = {
    "overview": ("get", "overview", (), None, WATCHERS),
    "figures": ("get", "figures", (), None, WATCHERS),
    "page": ("get", "event", ("E",), None, WATCHERS),
    "samples": ("get", "samples", ("E",), None, WATCHERS),
    "preview": ("get", "preview", ("E",), None, WATCHERS),
    "seats": ("get", "seats", ("E",), None, WATCHERS),
    "pause": ("post", "move", ("E", "paused"), {"preset": "technical"}, OPERATORS),
    "drain": ("post", "move", ("E", "draining"), {"reason": ""}, OPERATORS),
    "close": ("post", "move", ("E", "closed"), {"reason": "over", "then": "ends"}, {"manager"}),
    "stop": ("post", "move", ("E", "stopped"), {"reason": "a test"}, OPERATORS),
    "confirm closing": ("get", "move", ("E", "closed"), None, {"manager"}),
    "knobs": ("post", "knobs", ("E",), KNOBS | {"save": "1"}, OPERATORS),
    "audit": ("get", "audit", ("E",), None, WATCHERS),
    "audit as CSV": ("post", "audit_csv", ("E",), {"kind": ""}, WATCHERS),
    "approvals": ("get", "approvals", (), None, WATCHERS),
    "approval": ("get", "approval", ("Q",), None, WATCHERS),
    "reconciliations": ("get", "reconciliations", (), None, {"manager", "finance"}),
    "reconciliation": ("get", "reconciliation", ("D",), None, {"manager", "finance"}),
    "compare": ("post", "reconciliations", (), {"day": "D"}, {"finance"}),
    "mend": ("post", "mend", ("D", "N"), {"x": ""}, {"finance"}),
    "report": ("get", "report", ("E",), None, WATCHERS),
    "report as CSV": ("get", "report_csv", ("E",), None, WATCHERS),
    "report as PDF": ("get", "report_pdf", ("E",), None, WATCHERS),
    "autopilot": ("post", "autopilot", ("E",), AUTOPILOT, OPERATORS),
    "autopilot off": ("post", "autopilot_off", ("E",), {"x": ""}, OPERATORS),
    "message": ("post", "notice", ("E",), {"message": "Hello.", "reason": ""}, OPERATORS),
    "find": ("post", "find", ("E",), {"who": "fan@example.com"}, {*OPERATORS, "finance"}),
    "person": ("get", "person", ("E", "P"), None, {*OPERATORS, "finance"}),
    "kick": ("post", "person_action", ("E", "P", "kick"), {"reason": ""}, OPERATORS),
    "block": ("post", "person_action", ("E", "P", "block"), {"reason": "bot"}, OPERATORS),
    "unblock": ("post", "person_action", ("E", "B", "unblock"), {"reason": ""}, OPERATORS),
    "ask": ("post", "person_action", ("E", "P", "ask"), {"reason": "odd"}, OPERATORS),
    "groups": ("get", "groups", ("E",), None, OPERATORS),
    "group": ("get", "group", ("E", "G"), None, OPERATORS),
    "evidence": ("get", "evidence", ("E",), None, {"manager"}),
    "lift": ("post", "appeal", ("E", "A", "lift"), {"answer": ""}, OPERATORS),
    "refuse": ("post", "appeal", ("E", "A", "refuse"), {"answer": ""}, OPERATORS),
    "freeze": (
        *("post", "freeze", ("E",)),
        {"seat": "A-1-1", "action": "freeze", "reason": "x"},
        OPERATORS,
    ),
    "release": (
        *("post", "release", ("E",)),
        {"action": "release", "section": "S", "reason": "x", "confirmed": "1"},
        {"manager"},
    ),
}
ALL_ROLES = [*ROLES, "nothing", "fan", "anonymous"]


@pytest.fixture
def world(sale, fan, operator, person_of, now, monkeypatch):
    """A person in line, a blocked person with an appeal, somebody who lets holds run out, held-back
    seats, and an autopilot."""
    monkeypatch.setattr(tasks.reconcile_day, "delay", lambda day: None)
    fan.email = "fan@example.com"
    fan.save(update_fields=["email"])
    queues.join(event_id=sale.pk, person=str(fan.pk), now=now)
    blocked = person_of("nobody", is_staff=False)
    queues.block(event_id=sale.pk, person=str(blocked.pk), by=operator, why="bot", now=now)
    appeal = queues.submit_appeal(event_id=sale.pk, person=str(blocked.pk), message="No.", now=now)
    Seat.objects.filter(place__row="3").update(state="blocked")
    bounds = AutopilotBounds(lowest=1, highest=10, page_ms=800, database_ms=100)
    services.enable_autopilot(event_id=sale.pk, bounds=bounds, by=operator, now=now)
    for _ in range(3):
        Reservation.objects.create(
            event=sale.event,
            fan=blocked,
            state=Reservation.State.EXPIRED,
            created_at=now,
            deadline=now + timedelta(minutes=1),
            currency="KRW",
            total=0,
        )
    (group,) = suspicious_groups(sale.pk)
    approval = Approval.objects.create(
        event=sale.event,
        action=Approval.Action.CLOSE_SALE,
        wish={"ends": True},
        asked_at=now,
        expires_at=now + timedelta(hours=1),
    )
    payment = Payment.objects.create(
        reservation=Reservation.objects.first(),
        fan=fan,
        payment_key=uuid4(),
        amount=1,
        currency="KRW",
        created_at=now,
        due_at=now - timedelta(hours=1),
    )
    differences = [[payment.number, "forgotten", {"payment": "pending"}]]
    Reconciliation.objects.create(day=now.date(), at=now, differences=differences)
    money = {"Q": approval.pk, "D": now.date().isoformat(), "N": payment.number}
    section = sale.event.plan.sections.get().pk
    people = {"P": fan.pk, "B": blocked.pk, "A": appeal.pk, "G": group.key}
    return people | money | {"E": sale.pk, "S": section}


@pytest.fixture
def client_of(person_of):
    def make(role):
        client = Client(headers={"accept-language": "en"})
        if role != "anonymous":
            client.force_login(person_of(role, is_staff=role != "fan"))
        return client

    return make


def state():
    """Everything that a control could change."""
    queue = SaleQueue.objects.get()
    people = queue_selectors.overview(queue, now=queue.opens_at)
    return (
        *(queue.event.state, queue.state, queue.admit_per_second, queue.notice),
        *(people.waiting, people.blocked, sorted(asked_people(queue.pk))),
        list(Seat.objects.order_by("pk").values_list("state", flat=True)),
        list(BlockAppeal.objects.values_list("state", flat=True)),
        list(Autopilot.objects.values_list("is_on", "lowest", "highest")),
        list(Payment.objects.values_list("due_at", flat=True)),
        list(Reconciliation.objects.values_list("asked_by", flat=True)),
        EventChange.objects.filter(what="audit").count(),
    )


def send(client, world, method, name, args, form):
    address = reverse(f"console:{name}", args=[world.get(arg, arg) for arg in args])
    filled = {key: world.get(value, value) for key, value in (form or {}).items()}
    return getattr(client, method)(address, filled if form else None)


@pytest.mark.parametrize("role", ALL_ROLES)
def test_requests_without_permission_are_refused_and_change_nothing(role, world, client_of):
    """One sale serves all controls, since a refused request must change nothing."""
    client, before = client_of(role), state()
    refused = [name for name, (*_, who) in REQUESTS.items() if role not in who]

    answers = {name: send(client, world, *REQUESTS[name][:4]).status_code for name in refused}

    outside = role in ("anonymous", "fan")
    assert answers == dict.fromkeys(refused, 302 if outside else 403)
    assert state() == before


@pytest.mark.parametrize("role", sorted(WATCHERS))
def test_pages_with_permission_open(role, world, client_of):
    """One sale serves all pages, since they change nothing."""
    client, before = client_of(role), state()
    pages = [
        name for name, (method, *_, who) in REQUESTS.items() if method == "get" and role in who
    ]

    answers = {name: send(client, world, *REQUESTS[name][:4]).status_code for name in pages}

    assert answers == dict.fromkeys(pages, 200)
    assert state() == before


ALLOWED = [
    (role, name)
    for name, (method, *_, who) in REQUESTS.items()
    if method == "post"
    for role in sorted(who)
]


@pytest.mark.parametrize(("role", "name"), ALLOWED)
def test_controls_with_permission_work(role, name, world, client_of):
    *request, _who = REQUESTS[name]
    before = state()

    answer = send(client_of(role), world, *request)

    assert answer.status_code == (200 if name == "audit as CSV" else 302)
    if name != "find":
        assert state() != before


def test_every_url_of_the_console_is_tested_here():
    elsewhere = {"second_factor", "set_up", "qr"}  # test_second_factor.py
    assert {pattern.name for pattern in urls.urlpatterns} - elsewhere == {
        name for _, name, *_ in REQUESTS.values()
    }


@pytest.mark.parametrize(
    ("role", "expected"),
    [("viewer", set()), ("operator", {"knobs", "notice", "find", "freeze"}), ("finance", {"find"})],
)
def test_the_page_shows_only_controls_that_the_role_may_use(role, expected, world, client_of):
    page = client_of(role).get(reverse("console:event", args=[world["E"]])).content.decode()

    controls = ("knobs", "notice", "find", "freeze")
    found = {
        name
        for name in controls
        if f'action="{reverse(f"console:{name}", args=[world["E"]])}"' in page
    }
    assert found == expected


def test_a_form_without_csrf_token_is_refused(world, operator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)

    answer = send(client, world, "post", "move", ("E", "paused"), {"reason": ""})

    assert answer.status_code == 403
    assert SaleQueue.objects.get().state == "open"
