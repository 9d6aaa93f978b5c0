"""Every role against every call of the API, and every page and button in the admin."""

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tests.making import make_user
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.console.services.roles import ROLES
from ticketing.rehearsal import services, urls
from ticketing.rehearsal.models import Rehearsal

pytestmark = pytest.mark.django_db
CALLS = {
    "rehearsals": [("post", OPTIONS)],
    "rehearsal": [("get", None), ("delete", None)],
    "people": [("post", {"first": 0, "count": 1})],
    "moves": [("post", {"move": "lobby"})],
    "knobs": [("post", {"max_inside": 5})],
    "gateway": [("post", {"latency": 0})],
    "snapshot": [("get", None)],
    "journal": [("get", None)],
    "facts": [("get", None)],
    "books": [("get", None)],
    "report": [("post", {"ok": True, "summary": {}, "html": "<p>x", "json": {}})],
}
NOBODY_ELSE = {"manager"}
LOOKERS = {"viewer", "operator", "manager", "finance"}
PAGES = {
    "changelist": ("get", LOOKERS),
    "change": ("get", LOOKERS),
    "report": ("get", LOOKERS),
    "json": ("get", LOOKERS),
    "rehearse": ("get", NOBODY_ELSE),
    "stop": ("post", NOBODY_ELSE),
}
EVERYBODY = [*ROLES, "nothing", "fan", "anonymous"]


@pytest.fixture
def rehearsal(sale, operator, now):
    begun = services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)
    report = {"ok": True, "summary": {}, "html": "<p>", "report": {}}
    Rehearsal.objects.filter(pk=begun.pk).update(html=report["html"], json="{}")
    return begun


def person_of(role) -> User:
    user = make_user(password=None, is_staff=role != "fan")
    user.groups.set(Group.objects.filter(name=role))
    return user


def with_token(role, now):
    if role == "anonymous":
        return Client()
    person = person_of(role)
    scopes = ["read", "operate"] if person.is_staff else ["read", "buy"]
    _, secret = accounts.create_token(user=person, name="x", scopes=scopes, now=now)
    return Client(headers={"authorization": f"Bearer {secret}"})


def asked(client, rehearsal):
    answers = {}
    for name, calls in CALLS.items():
        args = [] if name == "rehearsals" else [rehearsal.code]
        address = reverse(f"rehearsal_api:{name}", args=args)
        for method, body in calls:
            answer = getattr(client, method)(address, body, content_type="application/json")
            answers[name, method] = answer.status_code
    return answers


@pytest.mark.parametrize("role", [who for who in EVERYBODY if who not in NOBODY_ELSE])
def test_nobody_else_may_call_the_api(role, rehearsal, now):
    answers = asked(with_token(role, now), rehearsal)

    assert set(answers.values()) == {401 if role == "anonymous" else 403}
    rehearsal.refresh_from_db()
    assert rehearsal.is_under_way


@pytest.mark.parametrize("role", sorted(NOBODY_ELSE))
def test_those_with_the_permission_may_make_every_call(role, rehearsal, now):
    client = with_token(role, now)
    names = [name for name in CALLS if name not in ("rehearsals", "rehearsal")]

    for name in names:
        ((method, body),) = CALLS[name]
        address = reverse(f"rehearsal_api:{name}", args=[rehearsal.code])
        answer = getattr(client, method)(address, body, content_type="application/json")
        assert answer.status_code in (200, 201), (name, answer.content)
    address = reverse("rehearsal_api:rehearsal", args=[rehearsal.code])
    assert client.delete(address).status_code == 200
    begun = client.post("/api/v1/rehearsals/", OPTIONS, content_type="application/json")
    assert begun.status_code == 201


def test_no_call_is_forgotten_here():
    assert {pattern.name for pattern in urls.urlpatterns} == set(CALLS)


def test_a_browser_needs_its_csrf_token(rehearsal, operator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator)

    assert set(asked(client, rehearsal).values()) >= {403}
    rehearsal.refresh_from_db()
    assert rehearsal.is_under_way


def test_a_browser_needs_its_second_factor_where_that_is_the_rule(rehearsal, operator, settings):
    settings.STAFF_TWO_FACTOR = "required"
    client = Client()
    client.force_login(operator)

    answer = client.get(reverse("rehearsal_api:snapshot", args=[rehearsal.code]))

    assert (answer.status_code, answer.json()["code"]) == (403, "second_factor_missing")


@pytest.mark.parametrize("role", EVERYBODY)
def test_the_admin_shows_and_does_what_a_role_may(role, rehearsal, sale):
    client = Client()
    if role != "anonymous":
        client.force_login(person_of(role))
    args = {"changelist": [], "rehearse": [sale.pk]}

    for name, (method, who) in PAGES.items():
        address = reverse(f"admin:rehearsal_rehearsal_{name}", args=args.get(name, [rehearsal.pk]))
        status = getattr(client, method)(address).status_code
        if role in ("fan", "anonymous"):
            assert status == 302, name
        elif role in who:
            assert status == (302 if method == "post" else 200), name
        else:
            assert status == 403, name
    rehearsal.refresh_from_db()
    assert rehearsal.is_under_way == (role not in NOBODY_ELSE)


@pytest.mark.parametrize(("role", "shown"), [("manager", True), ("operator", False)])
def test_the_button_is_there_for_those_who_may(role, shown, sale):
    client = Client()
    client.force_login(person_of(role))
    button = reverse("admin:rehearsal_rehearsal_rehearse", args=[sale.pk]).encode()

    pages = [
        client.get(reverse(name, args=[sale.pk])).content
        for name in ("admin:ticketing_event_change", "console:event")
    ]

    assert [button in page for page in pages] == [shown, shown]
