"""Every role, and strangers, against every page, call and control of the console."""

import pytest
from django.test import Client
from django.urls import reverse

from ticketing.console import services, urls
from ticketing.console.models import Autopilot
from ticketing.console.pilot import Limits
from ticketing.console.roles import ROLES
from ticketing.events.models import Seat
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import BlockAppeal, SaleQueue

pytestmark = pytest.mark.django_db

LOOKERS = {"viewer", "operator", "manager", "finance"}
OPERATORS = {"operator", "manager"}
KNOBS = {
    "admit_per_second": 25,
    "max_inside": 800,
    "pass_seconds": 300,
    "pass_max_seconds": 1800,
    "claim_seconds": 60,
    "absence_seconds": 300,
    "capacity": 50000,
    "queues_per_person": 1,
    "stock_factor": "",
    "why": "",
    "save": "1",
}
PILOT = {"lowest": 2, "highest": 20, "page_ms": 500, "database_ms": 50, "why": ""}
# What is asked for: method, address, its arguments, the form, and who may.
ASKED = {
    "overview": ("get", "overview", (), None, LOOKERS),
    "figures": ("get", "figures", (), None, LOOKERS),
    "page": ("get", "event", ("E",), None, LOOKERS),
    "samples": ("get", "samples", ("E",), None, LOOKERS),
    "preview": ("get", "preview", ("E",), None, LOOKERS),
    "seats": ("get", "seats", ("E",), None, LOOKERS),
    "pause": ("post", "move", ("E", "paused"), {"reason": ""}, OPERATORS),
    "drain": ("post", "move", ("E", "draining"), {"reason": ""}, OPERATORS),
    "close": ("post", "move", ("E", "closed"), {"reason": "over"}, {"manager"}),
    "ask to close": ("get", "move", ("E", "closed"), None, {"manager"}),
    "knobs": ("post", "knobs", ("E",), KNOBS, OPERATORS),
    "report": ("get", "report", ("E",), None, LOOKERS),
    "report as table": ("get", "report_csv", ("E",), None, LOOKERS),
    "report on paper": ("get", "report_pdf", ("E",), None, LOOKERS),
    "autopilot": ("post", "autopilot", ("E",), PILOT, OPERATORS),
    "autopilot off": ("post", "autopilot_off", ("E",), {"x": ""}, OPERATORS),
    "message": ("post", "tell", ("E",), {"message": "Hello.", "reason": ""}, OPERATORS),
    "find": ("post", "find", ("E",), {"who": "fan@example.com"}, {*OPERATORS, "finance"}),
    "person": ("get", "person", ("E", "P"), None, {*OPERATORS, "finance"}),
    "kick": ("post", "deed", ("E", "P", "kick"), {"reason": ""}, OPERATORS),
    "block": ("post", "deed", ("E", "P", "block"), {"reason": "bot"}, OPERATORS),
    "unblock": ("post", "deed", ("E", "B", "unblock"), {"reason": ""}, OPERATORS),
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
EVERYBODY = [*ROLES, "nothing", "fan", "anonymous"]


@pytest.fixture
def world(sale, fan, operator, person_of, now):
    """Somebody in line, somebody blocked who answered, and a seat that is held back."""
    fan.email = "fan@example.com"
    fan.save(update_fields=["email"])
    queues.join(event_id=sale.pk, person=str(fan.pk), now=now)
    blocked = person_of("nobody", is_staff=False)
    queues.block(event_id=sale.pk, person=str(blocked.pk), by=operator, why="bot", now=now)
    appeal = queues.submit_appeal(event_id=sale.pk, person=str(blocked.pk), message="No.", now=now)
    Seat.objects.filter(place__row="3").update(state="blocked")
    limits = Limits(lowest=1, highest=10, page_ms=800, database_ms=100)
    services.switch_on(event_id=sale.pk, limits=limits, by=operator, now=now)
    section = sale.event.plan.sections.get().pk
    return {"E": sale.pk, "P": fan.pk, "B": blocked.pk, "A": appeal.pk, "S": section}


@pytest.fixture
def client_of(person_of):
    def make(role):
        client = Client(headers={"accept-language": "en"})
        if role != "anonymous":
            client.force_login(person_of(role, is_staff=role != "fan"))
        return client

    return make


def as_it_is():
    """Everything that a control could change."""
    queue = SaleQueue.objects.get()
    people = queue_selectors.overview(queue, now=queue.opens_at)
    return (
        *(queue.state, queue.admit_per_second, queue.notice, people.waiting, people.blocked),
        list(Seat.objects.order_by("pk").values_list("state", flat=True)),
        list(BlockAppeal.objects.values_list("state", flat=True)),
        list(Autopilot.objects.values_list("is_on", "lowest", "highest")),
    )


def ask(client, world, method, name, args, form):
    address = reverse(f"console:{name}", args=[world.get(arg, arg) for arg in args])
    filled = {key: world.get(value, value) for key, value in (form or {}).items()}
    return getattr(client, method)(address, filled if form else None)


@pytest.mark.parametrize("role", EVERYBODY)
def test_everybody_can_do_what_their_role_says_and_nothing_else(role, world, client_of):
    """One sale for all controls: a refusal changes nothing, so what is left over is a finding."""
    client, before = client_of(role), as_it_is()
    refused = [name for name, (*_, who) in ASKED.items() if role not in who]

    answers = {name: ask(client, world, *ASKED[name][:4]).status_code for name in refused}

    outside = role in ("anonymous", "fan")
    assert answers == dict.fromkeys(refused, 302 if outside else 403)
    assert as_it_is() == before


MAY = [(role, name) for name, (*_, who) in ASKED.items() for role in sorted(who)]


@pytest.mark.parametrize(("role", "name"), MAY)
def test_whoever_may_can(role, name, world, client_of):
    *asked, _who = ASKED[name]
    before = as_it_is()

    answer = ask(client_of(role), world, *asked)

    assert answer.status_code == (302 if asked[0] == "post" else 200)
    if asked[0] == "post" and name != "find":
        assert as_it_is() != before


def test_no_address_is_forgotten_here():
    door = {"second_factor", "set_up", "qr"}  # test_second_factor.py
    assert {pattern.name for pattern in urls.urlpatterns} - door == {
        name for _, name, *_ in ASKED.values()
    }


@pytest.mark.parametrize(
    ("role", "shown"),
    [("viewer", set()), ("operator", {"knobs", "tell", "find", "freeze"}), ("finance", {"find"})],
)
def test_the_page_shows_only_controls_that_one_may_use(role, shown, world, client_of):
    page = client_of(role).get(reverse("console:event", args=[world["E"]])).content.decode()

    controls = ("knobs", "tell", "find", "freeze")
    found = {
        name
        for name in controls
        if f'action="{reverse(f"console:{name}", args=[world["E"]])}"' in page
    }
    assert found == shown


def test_a_form_from_elsewhere_is_refused(world, operator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)

    answer = ask(client, world, "post", "move", ("E", "paused"), {"reason": ""})

    assert answer.status_code == 403
    assert SaleQueue.objects.get().state == "open"
