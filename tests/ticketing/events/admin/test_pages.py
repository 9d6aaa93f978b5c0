"""Every page answers, asks few questions, and none loads an arena's seats."""

from xml.etree import ElementTree

import pytest
from django.urls import reverse

from tests.making import make_event
from ticketing.events.models import Event, EventChange, Seat

LISTS = ("event", "venue", "seatplan", "organiser", "seat", "eventchange")


@pytest.mark.parametrize("model", LISTS)
def test_a_list_asks_few_questions(model, operator_client, arena, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        response = operator_client.get(reverse(f"admin:ticketing_{model}_changelist"))

    assert response.status_code == 200
    assert len(response.content) < 150_000


def test_more_events_in_the_list_cost_no_more_questions(
    operator_client, event, now, django_assert_max_num_queries
):
    for _ in range(6):
        make_event(now)

    with django_assert_max_num_queries(12):
        response = operator_client.get(reverse("admin:ticketing_event_changelist"))

    assert response.content.count(b"12 / 12") == 7


@pytest.mark.parametrize("model", ["event", "venue", "seatplan", "organiser"])
def test_a_change_page_of_an_arena_asks_few_questions(
    model, operator_client, arena, django_assert_max_num_queries
):
    plan = arena.plan
    things = {"event": arena, "venue": plan.venue, "seatplan": plan, "organiser": arena.organiser}
    with django_assert_max_num_queries(25):
        response = operator_client.get(
            reverse(f"admin:ticketing_{model}_change", args=[things[model].pk])
        )

    assert response.status_code == 200
    assert len(response.content) < 150_000


@pytest.mark.parametrize(
    ("page", "status"),
    [
        ("admin:ticketing_event_hold_back", 200),
        ("admin:ticketing_event_delete", 403),
        ("console:audit", 200),
    ],
)
def test_an_arenas_other_pages_are_light(
    page, status, operator_client, arena, django_assert_max_num_queries
):
    with django_assert_max_num_queries(14):
        response = operator_client.get(reverse(page, args=[arena.pk]))

    assert response.status_code == status


def test_deleting_a_plan_lists_no_seats(operator_client, arena, django_assert_max_num_queries):
    with django_assert_max_num_queries(10):
        response = operator_client.get(
            reverse("admin:ticketing_seatplan_delete", args=[arena.plan.pk])
        )

    assert response.status_code == 200
    assert len(response.content) < 50_000


@pytest.mark.parametrize("model", ["event", "venue", "organiser"])
def test_an_add_page_answers(model, operator_client):
    assert operator_client.get(reverse(f"admin:ticketing_{model}_add")).status_code == 200


@pytest.mark.parametrize("page", ["seatplan_import", "seatplan_generate"])
def test_the_plan_pages_answer(page, operator_client):
    assert operator_client.get(reverse(f"admin:ticketing_{page}")).status_code == 200


def test_adding_a_plan_leads_to_the_import(operator_client):
    response = operator_client.get(reverse("admin:ticketing_seatplan_add"))

    assert response.url == reverse("admin:ticketing_seatplan_import")


def test_events_are_found_by_title_venue_and_organiser(operator_client, event):
    for word in (event.title_en, "Hangang", "Moonlight"):
        found = operator_client.get(reverse("admin:ticketing_event_changelist"), {"q": word})
        assert event.title_ko in found.content.decode()

    missed = operator_client.get(
        reverse("admin:ticketing_event_changelist"), {"q": "nothing like it"}
    )
    assert event.title_ko not in missed.content.decode()


def test_seats_are_filtered_by_event(operator_client, event, now):
    make_event(now)

    response = operator_client.get(reverse("admin:ticketing_seat_changelist"), {"event": event.pk})

    assert response.context["cl"].result_count == Seat.objects.filter(event=event).count()


@pytest.mark.parametrize("value", ["x", "-1", "9" * 30, "٣"])
def test_a_strange_event_in_the_address_is_harmless(value, operator_client, event):
    response = operator_client.get(reverse("admin:ticketing_seat_changelist"), {"event": value})

    assert response.status_code == 200


def test_a_seat_is_only_looked_at(operator_client, event):
    seat = event.seats.first()
    page = reverse("admin:ticketing_seat_change", args=[seat.pk])

    assert operator_client.get(page).status_code == 200
    assert operator_client.post(page, {"state": "sold"}).status_code == 403


def test_nobody_writes_history(operator_client, event):
    change = EventChange.objects.filter(event=event).first()
    page = reverse("admin:ticketing_eventchange_change", args=[change.pk])

    assert operator_client.get(page).status_code == 200
    assert operator_client.post(page, {"reason": "forged"}).status_code == 403
    assert operator_client.get(reverse("admin:ticketing_eventchange_add")).status_code == 403
    delete = reverse("admin:ticketing_eventchange_delete", args=[change.pk])
    assert operator_client.post(delete, {"post": "yes"}).status_code == 403
    assert EventChange.objects.get(pk=change.pk).why == ""


def test_the_picture_of_a_plan_is_served(operator_client, arena):
    url = reverse("admin:ticketing_seatplan_picture", args=[arena.plan.pk])

    large, small = operator_client.get(url), operator_client.get(url, {"small": "1"})

    assert large["Content-Type"] == "image/svg+xml"
    assert ElementTree.fromstring(large.content) is not None
    assert len(small.content) < 20_000 < len(large.content) < 400_000


def test_pages_keep_the_content_policy(operator_client, event):
    urls = [
        reverse("admin:ticketing_event_change", args=[event.pk]),
        reverse("admin:ticketing_event_hold_back", args=[event.pk]),
        reverse("admin:ticketing_event_move", args=[event.pk, "cancelled"]),
        reverse("admin:ticketing_seatplan_change", args=[event.plan.pk]),
        reverse("admin:ticketing_seatplan_import"),
        reverse("admin:ticketing_seatplan_generate"),
        reverse("admin:ticketing_seat_changelist"),
    ]
    for url in urls:
        html = operator_client.get(url).content.decode()
        assert " style=" not in html, url
        assert "<style" not in html, url
        assert " onclick=" not in html, url


def test_times_are_said_to_be_seouls(operator_client, event):
    for url in (
        reverse("admin:ticketing_event_changelist"),
        reverse("admin:ticketing_event_change", args=[event.pk]),
    ):
        assert "UTC+9" in operator_client.get(url).content.decode()


def test_the_state_is_no_field(operator_client, event):
    page = operator_client.get(reverse("admin:ticketing_event_change", args=[event.pk]))

    assert "state" not in page.context["adminform"].form.fields
    assert event.state == Event.State.ON_SALE
