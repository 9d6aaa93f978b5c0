import pytest
from django.urls import reverse

from tests.making import make_event, make_plan
from ticketing.events.models import Event, EventChange, Seat


def url(event, to):
    return reverse("admin:ticketing_event_move", args=[event.pk, to])


def state_of(event):
    return Event.objects.get(pk=event.pk).state


def test_exactly_the_allowed_moves_have_a_button(operator_client, event):
    html = operator_client.get(
        reverse("admin:ticketing_event_change", args=[event.pk])
    ).content.decode()

    shown = {state for state in Event.State if url(event, state) in html}
    assert shown == set(event.moves) != set()


def test_a_move_is_made_and_audited(operator_client, event, operator):
    response = operator_client.post(url(event, "paused"), {"reason": "payments are slow"})

    change = EventChange.objects.filter(event=event).first()
    assert response.url == reverse("admin:ticketing_event_change", args=[event.pk])
    assert state_of(event) == "paused"
    assert (change.before, change.after, change.by) == ("on_sale", "paused", operator)
    assert change.why == "payments are slow"


def test_an_empty_reason_is_enough_for_a_harmless_move(operator_client, event):
    operator_client.post(url(event, "paused"), {"confirmed": "1", "reason": ""})

    assert state_of(event) == "paused"


@pytest.mark.parametrize("to", ["cancelled", "closed"])
def test_a_dangerous_move_wants_a_reason_and_shows_what_it_affects(to, operator_client, event):
    Seat.objects.filter(pk=event.seats.first().pk).update(state="sold")

    asked = operator_client.get(url(event, to))
    refused = operator_client.post(url(event, to), {"confirmed": "1", "reason": ""})

    assert asked.context["counts"]["sold"] == 1
    assert refused.context["form"].errors
    assert state_of(event) == "on_sale"


def test_large_numbers_of_seats_are_grouped(operator_client, now):
    event = make_event(now, plan=make_plan(rows=1, standing=1_296))

    page = operator_client.get(url(event, "closed"), headers={"accept-language": "en"})

    assert "Of 1,300 seats" in page.content.decode()


def test_looking_at_the_question_moves_nothing(operator_client, event):
    assert operator_client.get(url(event, "paused")).status_code == 200
    assert state_of(event) == "on_sale"
    assert not EventChange.objects.filter(event=event, what="state").exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_an_illegal_move_is_refused_inside_the_admin(method, operator_client, event):
    response = getattr(operator_client, method)(url(event, "draft"), {"reason": "no"})

    assert response.status_code == 409
    assert response.context["refusal"].code == "illegal_move"
    assert 'id="site-name"' in response.content.decode()
    assert state_of(event) == "on_sale"


def test_an_unknown_state_is_not_found(operator_client, event):
    assert operator_client.post(url(event, "flying"), {"reason": "x"}).status_code == 404


def test_an_event_that_is_not_there_is_not_found(operator_client):
    response = operator_client.get(reverse("admin:ticketing_event_move", args=[0, "paused"]))

    assert response.status_code == 404


def test_staff_without_permission_move_nothing(viewer_client, event):
    for page in (
        url(event, "paused"),
        reverse("admin:ticketing_event_create_seats", args=[event.pk]),
        reverse("admin:ticketing_event_hold_back", args=[event.pk]),
    ):
        assert viewer_client.post(page, {"reason": "because"}).status_code == 403

    page = viewer_client.get(reverse("admin:ticketing_event_change", args=[event.pk]))
    assert page.status_code == 200
    assert url(event, "paused") not in page.content.decode()
    assert state_of(event) == "on_sale"


def test_a_fan_is_sent_to_the_log_in(client, fan, event):
    client.force_login(fan, backend="django.contrib.auth.backends.ModelBackend")

    assert client.post(url(event, "paused"), {"reason": "x"}).status_code == 302
    assert state_of(event) == "on_sale"


def test_seats_are_created_by_a_button_and_not_by_a_link(operator_client, now):
    event = make_event(now, seats=False)
    page = reverse("admin:ticketing_event_create_seats", args=[event.pk])

    assert operator_client.get(page).status_code == 405
    assert event.seats.count() == 0

    operator_client.post(page)
    assert event.seats.count() == 12
    assert EventChange.objects.get(event=event).after == "12"


def test_seats_are_created_once(operator_client, event):
    response = operator_client.post(reverse("admin:ticketing_event_create_seats", args=[event.pk]))

    assert response.status_code == 409
    assert event.seats.count() == 12


def test_a_plan_with_grades_that_have_no_price_is_refused_inside_the_admin(operator_client, now):
    event = make_event(now, seats=False)
    event.grades.filter(code="S").delete()

    response = operator_client.post(reverse("admin:ticketing_event_create_seats", args=[event.pk]))

    assert response.context["refusal"].details == {"codes": "S"}
    assert event.seats.count() == 0
