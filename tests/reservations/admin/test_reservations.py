"""The admin of reservations: find one, release its seats with a reason."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from reservations import services
from reservations.models import Reservation, ReservationChange
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold, states

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "django.contrib.auth.backends.ModelBackend"


def admin_client(user):
    client = Client(headers={"accept-language": "en"})
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def admin_pages(operator):
    return admin_client(operator)


@pytest.fixture
def viewer(db):
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    return admin_client(user)


@pytest.fixture
def held(event, fan, now):
    return hold(event, fan, now, *seat_ids(event)[:2]).reservation


def page(name, *args):
    return reverse(f"admin:reservations_reservation_{name}", args=args)


@pytest.mark.parametrize("words", ["code", "email"])
def test_a_reservation_is_found_by_code_and_by_person(admin_pages, held, rival, event, now, words):
    hold(event, rival, now, seat_ids(event)[5])
    query = {"code": held.code.lower(), "email": held.fan.email}[words]

    found = admin_pages.get(page("changelist"), {"q": query})

    assert [row.pk for row in found.context["cl"].result_list] == [held.pk]


def test_its_page_shows_seats_and_prices_and_can_not_be_edited(admin_pages, held):
    answer = admin_pages.get(page("change", held.pk))

    assert "A-1-2" in answer.content.decode()
    assert "154,000" in answer.content.decode()
    assert admin_pages.post(page("change", held.pk), {"state": "confirmed"}).status_code == 403


def test_lists_cost_the_same_however_long(admin_pages, event, now, django_assert_max_num_queries):
    for seat in seat_ids(event):
        hold(event, make_user(password=None), now, seat)

    with django_assert_max_num_queries(8):
        admin_pages.get(page("changelist"))


def test_seats_are_given_back_with_a_reason(admin_pages, held, operator, event):
    asked = admin_pages.get(page("release", held.pk))
    refused = admin_pages.post(page("release", held.pk), {"confirmed": "1", "reason": ""})
    assert Reservation.objects.get().state == "held"

    answer = admin_pages.post(page("release", held.pk), {"confirmed": "1", "reason": "by phone"})

    assert "A-1-1" in asked.content.decode()
    assert refused.context["form"].errors
    assert answer.url == page("change", held.pk)
    change = ReservationChange.objects.get()
    assert (change.by, change.why, change.after) == (operator, "by phone", "released")
    assert set(states(event).values()) == {"available"}
    assert "by phone" in admin_pages.get(page("change", held.pk)).content.decode()


def test_who_may_only_look_has_no_button_and_no_way_round_it(viewer, admin_pages, held):
    assert page("release", held.pk) in admin_pages.get(page("change", held.pk)).content.decode()
    assert page("release", held.pk) not in viewer.get(page("change", held.pk)).content.decode()
    assert viewer.post(page("release", held.pk), {"reason": "x"}).status_code == 403
    assert Reservation.objects.get().state == "held"


def test_what_is_being_paid_is_not_given_back(admin_pages, held, now):
    services.extend_for_payment(code=held.code, fan_id=held.fan_id, now=now)

    answer = admin_pages.post(page("release", held.pk), {"confirmed": "1", "reason": "x"})

    assert answer.status_code == 409
    assert not ReservationChange.objects.exists()


def test_other_lists_open(admin_pages, held, operator, now):
    services.release_by_operator(code=held.code, by=operator, why="", now=now)

    for model in ("reservationchange", "holdrequest"):
        address = reverse(f"admin:reservations_{model}_changelist")
        assert admin_pages.get(address).status_code == 200
