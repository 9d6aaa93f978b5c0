"""The two-person rule: what a role only asks for, another person approves, once."""

from datetime import timedelta
from io import StringIO
from threading import Barrier

import pytest
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from payments import services as payments
from tests.making import make_event, make_user
from tests.race import together, winners
from ticketing.accounts.services import mark_fresh
from ticketing.console import services
from ticketing.console.services.alerts import alerts_for
from ticketing.core.errors import IllegalMove, NotAllowed
from ticketing.events import services as events
from ticketing.events.errors import ApprovalExpired, ApprovalNeeded, OwnRequest
from ticketing.events.models import Approval, Event, EventChange, Seat, TwoPersonRule
from ticketing.events.services import approvals as approval_services
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db
MANY = 8
CLOSE = {"to": "closed", "why": "over"}


def set_rule(role, **actions):
    TwoPersonRule.objects.update_or_create(
        role=Group.objects.get_or_create(name=role)[0], defaults=actions
    )


@pytest.fixture
def manager(person_of):
    return person_of("manager")


@pytest.fixture
def other(person_of):
    return person_of("manager")


@pytest.fixture
def asked(sale, manager, now):
    set_rule("manager", close_sale=True)
    with pytest.raises(ApprovalNeeded):
        queues.move_sale(event_id=sale.pk, by=manager, now=now, **CLOSE)
    return Approval.objects.get()


def fresh_client(user):
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    session = client.session
    mark_fresh(session=session, user=user)
    session.save()
    return client


def state_of(sale):
    return SaleQueue.objects.get(pk=sale.pk).state


def test_without_a_rule_nobody_is_asked(sale, manager, now):
    set_rule("operator", close_sale=True)
    set_rule("manager", freeze_seats=True)

    queues.move_sale(event_id=sale.pk, by=manager, now=now, **CLOSE)

    assert state_of(sale) == "closed"
    assert not Approval.objects.exists()


def test_a_request_changes_nothing_and_is_in_the_audit_trail(sale, asked, manager):
    assert state_of(sale) == "open"
    assert (asked.asked_by, asked.why, asked.wish) == (manager, "over", {"ends": True})
    change = EventChange.objects.get(what="approval close_sale")
    assert (change.by, change.after, change.why) == (manager, "asked", "over")


def test_asking_twice_is_one_request(sale, asked, manager, now):
    with pytest.raises(ApprovalNeeded) as again:
        queues.move_sale(event_id=sale.pk, by=manager, now=now, **CLOSE)

    assert again.value.details == {"number": asked.pk}


def test_another_person_approves_and_it_is_done_in_the_name_of_who_asked(
    sale, asked, manager, other, now
):
    services.approve(approval_id=asked.pk, by=other, now=now)

    asked.refresh_from_db()
    assert (asked.state, asked.answered_by, state_of(sale)) == ("approved", other, "closed")
    assert sale.changes.filter(what="state", after="closed", by=manager).exists()


def test_nobody_approves_their_own_request_nor_without_the_permission(
    sale, asked, manager, person_of, now
):
    with pytest.raises(OwnRequest):
        services.approve(approval_id=asked.pk, by=manager, now=now)
    with pytest.raises(NotAllowed):
        services.approve(approval_id=asked.pk, by=person_of("operator"), now=now)

    asked.refresh_from_db()
    assert (asked.state, state_of(sale)) == ("asked", "open")


def test_whoever_can_not_approve_is_told_which_roles_may(asked, manager, person_of):
    person_of("finance")
    page = reverse("console:approval", args=[asked.pk])

    for person in (manager, person_of("finance")):
        text = fresh_client(person).get(page).content.decode()
        assert "Roles that may approve it: manager<" in text
        assert "Approve and carry out" not in text


def test_the_alert_counts_one_request_in_the_singular(asked, other, now):
    with translation.override("en"):
        texts = [alert.text for alert in alerts_for(other, now=now)]

    assert "1 request waits for a second person." in texts


def test_the_form_of_a_rule_says_what_it_does(admin_client):
    text = admin_client.get(reverse("admin:ticketing_twopersonrule_add")).content.decode()

    assert "only ask for what is ticked here" in text


def test_the_list_of_requests_leads_back_to_the_console(asked, other):
    text = fresh_client(other).get(reverse("console:approvals")).content.decode()

    trail = text[text.index('<div class="breadcrumbs">') :].split("</div>")[0]
    assert f'<a href="{reverse("console:overview")}">Console</a>' in trail
    assert "&rsaquo; Approvals" in trail


def test_a_request_expires(sale, asked, other, manager, now):
    late = now + timedelta(hours=1)
    with pytest.raises(ApprovalExpired):
        services.approve(approval_id=asked.pk, by=other, now=late)

    assert events.expire_approvals(now=late) == 1
    with pytest.raises(ApprovalNeeded) as again:
        queues.move_sale(event_id=sale.pk, by=manager, now=late, **CLOSE)

    assert again.value.details["number"] != asked.pk
    assert EventChange.objects.filter(what="approval close_sale", after="expired").exists()


def test_what_can_no_longer_be_done_stays_unanswered(sale, asked, other, operator, now):
    queues.move_sale(event_id=sale.pk, by=operator, now=now, **CLOSE)

    with pytest.raises(IllegalMove):
        services.approve(approval_id=asked.pk, by=other, now=now)

    asked.refresh_from_db()
    assert asked.state == "asked"


def test_who_asked_withdraws_and_others_refuse(sale, asked, manager, other, person_of, now):
    with pytest.raises(NotAllowed):
        services.refuse(approval_id=asked.pk, by=person_of("viewer"), why="", now=now)
    refused = services.refuse(approval_id=asked.pk, by=other, why="too early", now=now)
    with pytest.raises(ApprovalNeeded) as again:
        queues.move_sale(event_id=sale.pk, by=manager, now=now, **CLOSE)
    number = again.value.details["number"]
    withdrawn = services.refuse(approval_id=number, by=manager, why="", now=now)

    assert (refused.state, withdrawn.state, state_of(sale)) == ("refused", "withdrawn", "open")


def test_the_page_of_a_refused_request_says_why(sale, asked, manager, other, now):
    services.refuse(approval_id=asked.pk, by=other, why="two acts are left", now=now)

    page = fresh_client(manager).get(reverse("console:approval", args=[asked.pk]))

    assert "two acts are left" in page.content.decode()


@pytest.mark.parametrize("bound", [True, False])
@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("console:move", ["closed"]),
        ("admin:queue_salequeue_move", ["closed"]),
        ("admin:ticketing_event_move", ["cancelled"]),
        ("admin:ticketing_event_hold_back", []),
    ],
)
def test_a_question_says_that_a_second_person_is_needed(sale, manager, name, state, bound):
    set_rule("manager", close_sale=bound, refund_event=bound, freeze_seats=bound)

    page = fresh_client(manager).get(reverse(name, args=[sale.pk, *state]))

    assert page.status_code == 200
    assert ("second person has to approve" in page.content.decode()) is bound


def test_pausing_needs_nobody_else(sale, manager):
    set_rule("manager", close_sale=True)

    page = fresh_client(manager).get(reverse("console:move", args=[sale.pk, "paused"]))

    assert page.status_code == 200
    assert "a second person" not in page.content.decode()


def test_a_block_of_seats_needs_two_and_one_seat_does_not(sale, manager, other, now):
    set_rule("manager", freeze_seats=True)
    first, *rest = sale.event.seats.order_by("pk").values_list("pk", flat=True)[:4]
    freeze = {"event_id": sale.pk, "by": manager, "reason": "stage", "now": now}

    events.block_seats_by_operator(seat_ids=[first], **freeze)
    with pytest.raises(ApprovalNeeded) as needed:
        events.block_seats_by_operator(seat_ids=rest, **freeze)
    assert Seat.objects.filter(state="blocked").count() == 1
    services.approve(approval_id=needed.value.details["number"], by=other, now=now)

    assert Seat.objects.filter(state="blocked").count() == 4


def test_cancelling_an_event_needs_somebody_who_may_refund(sale, manager, other, person_of, now):
    set_rule("manager", refund_event=True)
    move = {"event_id": sale.pk, "to": Event.State.CANCELLED, "reason": "ill", "now": now}

    with pytest.raises(ApprovalNeeded) as needed:
        events.move_event_by_operator(by=manager, **move)
    number = needed.value.details["number"]
    with pytest.raises(NotAllowed):
        services.approve(approval_id=number, by=other, now=now)
    services.approve(approval_id=number, by=person_of("finance"), now=now)

    assert Event.objects.get(pk=sale.pk).state == "cancelled"


def test_an_approved_refund_is_finished_by_the_worker(sale, person_of, now):
    set_rule("finance", refund_event=True)
    with pytest.raises(ApprovalNeeded) as needed:
        payments.refund_event(event_id=sale.pk, why="ill", by=person_of("finance"), now=now)
    number = needed.value.details["number"]
    services.approve(approval_id=number, by=person_of("finance"), now=now)

    assert payments.refund_approved_events(now=now) == 0

    assert Approval.objects.get(pk=number).finished_at == now


@pytest.mark.parametrize(
    "command",
    [
        ["queue_move", "close", "--then", "nobody", "--why", "over"],
        ["payments_refund_event", "ill"],
    ],
)
def test_a_command_asks_for_approval_and_says_so(sale, command):
    """Without a name it is bound as soon as any role is."""
    set_rule("manager", close_sale=True, refund_event=True)
    name, *rest = command

    with pytest.raises(CommandError, match="second person: request"):
        call_command(name, str(sale.pk), *rest, stdout=StringIO())

    assert Approval.objects.get().asked_by is None
    assert state_of(sale) == "open"


def test_the_console_shows_the_request_and_takes_the_answer(sale, manager, other):
    set_rule("manager", close_sale=True)
    close = reverse("console:move", args=[sale.pk, "closed"])

    answer = fresh_client(manager).post(close, {"reason": "over", "then": "ends"})

    page = reverse("console:approval", args=[Approval.objects.get().pk])
    assert answer.url == page
    assert "another person" in fresh_client(manager).get(page).content.decode()
    fresh_client(other).post(page, {"reason": "", "answer": "approve"})
    assert state_of(sale) == "closed"
    listed = fresh_client(other).get(reverse("console:approvals"))
    assert [it.state for it in listed.context["answered"]] == ["approved"]


def test_approving_takes_a_fresh_log_in(sale, asked, other):
    client = Client()
    client.force_login(other)
    session = client.session
    session["fresh_at"] = 0
    session.save()

    answer = client.post(
        reverse("console:approval", args=[asked.pk]), {"reason": "", "answer": "approve"}
    )

    assert answer.url.startswith(reverse("accounts:identity"))
    assert state_of(sale) == "open"


def test_the_admin_of_an_event_and_of_a_queue_ask_too(sale, manager):
    set_rule("manager", close_sale=True, freeze_seats=True)
    client, form = fresh_client(manager), {"reason": "over", "then": "ends"}
    client.post(reverse("admin:queue_salequeue_move", args=[sale.pk, "closed"]), form)
    client.post(reverse("admin:ticketing_event_move", args=[sale.pk, "closed"]), form)
    section = sale.event.plan.sections.get().pk
    client.post(
        reverse("admin:ticketing_event_hold_back", args=[sale.pk]),
        {"action": "hold_back", "section": section, "reason": "stage"},
    )

    assert Approval.objects.filter(state="asked").count() == 3
    assert Event.objects.get(pk=sale.pk).state == "on_sale"
    assert not Seat.objects.filter(state="blocked").exists()


def test_an_alert_says_that_somebody_waits(asked, other, now):
    assert any("second person" in alert.text for alert in alerts_for(other, now=now))


# -- races -----------------------------------------------------------------------------------------


@pytest.fixture
def unlocked(monkeypatch):
    """The control: all read the request before one of them answers it, as without a lock."""
    all_have_read = Barrier(MANY)

    def without_lock(approval_id):
        approval = Approval.objects.get(pk=approval_id)
        all_have_read.wait(60)
        return approval

    monkeypatch.setattr(approval_services, "approval_for_update", without_lock)


def approve_together(now):
    """As many people approve one request at once."""
    event = make_event(now)
    set_rule("finance", refund_event=True)
    with pytest.raises(ApprovalNeeded) as needed:
        payments.refund_event(event_id=event.pk, why="ill", by=None, now=now)
    people = [make_user(is_staff=True, is_superuser=True) for _ in range(MANY)]
    number = needed.value.details["number"]
    return together(MANY, lambda n: services.approve(approval_id=number, by=people[n], now=now))


def times_approved():
    return EventChange.objects.filter(what="approval refund_event", after="approved").count()


@pytest.mark.django_db(transaction=True)
def test_of_many_who_approve_at_once_one_does(now):
    results = approve_together(now)

    assert len(winners(results)) == 1
    assert sum(isinstance(result, IllegalMove) for result in results) == MANY - 1
    assert times_approved() == 1


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_everybody_approves(now, unlocked):
    assert len(winners(approve_together(now))) == MANY
    assert times_approved() == MANY


def ask_together(event, now, wish):
    ask = {"action": Approval.Action.FREEZE_SEATS, "event_id": event.pk, "by": None, "why": ""}
    set_rule("manager", freeze_seats=True)
    results = together(MANY, lambda n: events.require_approval(wish=wish(n), now=now, **ask))
    assert all(isinstance(result, ApprovalNeeded) for result in results)
    return {result.details["number"] for result in results}


@pytest.mark.django_db(transaction=True)
def test_asking_for_the_same_at_once_is_one_request(now):
    assert len(ask_together(make_event(now), now, lambda n: {"seats": [1, 2]})) == 1


@pytest.mark.django_db(transaction=True)
def test_control_asking_for_something_else_at_once_is_a_request_each(now):
    assert len(ask_together(make_event(now), now, lambda n: {"seats": [n, 99]})) == MANY
