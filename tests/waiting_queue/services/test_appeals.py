"""A blocked person appeals, and an operator lifts the block or refuses."""

import threading
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test import Client

from tests.making import make_user
from tests.race import together
from ticketing.core.errors import IllegalMove, InvalidInput
from waiting_queue import errors, selectors, services
from waiting_queue.models import BlockAppeal, QueueChange, SaleQueue
from waiting_queue.services import appeals

pytestmark = pytest.mark.django_db
TABS = 6


@pytest.fixture
def blocked(open_queue, operator, fan, now):
    services.tick_open_queues(now=now)
    services.join(event_id=open_queue.pk, person=str(fan.pk), now=now)
    services.block(
        event_id=open_queue.pk, person=str(fan.pk), by=operator, why="three accounts", now=now
    )
    return open_queue


def submit(queue, fan, now, message="It is my sister's."):
    return services.submit_appeal(event_id=queue.pk, person=str(fan.pk), message=message, now=now)


def block_reason(queue, fan):
    return selectors.block_reason(event_id=queue.pk, person=str(fan.pk))


def test_lifting_an_appeal_unblocks_and_answers(blocked, fan, operator, now):
    appeal = submit(blocked, fan, now)

    services.lift_appeal(appeal_id=appeal.pk, answer="Sorry.", by=operator, now=now)

    appeal.refresh_from_db()
    assert (appeal.state, appeal.answer, appeal.answered_by) == ("lifted", "Sorry.", operator)
    assert block_reason(blocked, fan) == ""
    assert services.join(event_id=blocked.pk, person=str(fan.pk), now=now).state


def test_unblocking_closes_an_open_appeal(blocked, fan, operator, now):
    appeal = submit(blocked, fan, now)

    services.unblock(event_id=blocked.pk, person=str(fan.pk), by=operator, why="ok", now=now)

    appeal.refresh_from_db()
    assert appeal.state == "lifted"


def test_refusing_keeps_the_block_and_its_reason_and_is_audited(blocked, fan, operator, now):
    appeal = submit(blocked, fan, now)

    services.refuse_appeal(appeal_id=appeal.pk, answer="No.", by=operator, now=now)

    assert block_reason(blocked, fan) == "three accounts"
    change = QueueChange.objects.filter(after="refused").get()
    assert (change.by, change.why) == (operator, "No.")
    services.rebuild_queue(event_id=blocked.pk, now=now, even_whole=True)
    assert block_reason(blocked, fan) == "three accounts"


def test_an_answered_appeal_is_not_answered_again(blocked, fan, operator, now):
    appeal = submit(blocked, fan, now)
    services.refuse_appeal(appeal_id=appeal.pk, answer="No.", by=operator, now=now)

    with pytest.raises(IllegalMove):
        services.lift_appeal(appeal_id=appeal.pk, answer="", by=operator, now=now)


def test_one_appeal_may_be_open_and_three_in_all(blocked, fan, operator, now):
    for _ in range(3):
        appeal = submit(blocked, fan, now)
        with pytest.raises((errors.AppealWaits, errors.AppealsUsedUp)):
            submit(blocked, fan, now)
        services.refuse_appeal(appeal_id=appeal.pk, answer="No.", by=operator, now=now)

    with pytest.raises(errors.AppealsUsedUp):
        submit(blocked, fan, now)


@pytest.mark.parametrize("message", ["", "   ", "x" * 501, "a\x00b"])
def test_an_empty_or_invalid_message_is_refused(blocked, fan, now, message):
    with pytest.raises(InvalidInput):
        submit(blocked, fan, now, message)


def test_somebody_who_is_not_blocked_can_not_appeal(open_queue, fan, now):
    with pytest.raises(errors.NotBlocked):
        submit(open_queue, fan, now)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("guarded", [True, False], ids=["constraint", "control"])
def test_two_tabs_at_once_leave_one_appeal(blocked, fan, now, guarded):
    if not guarded:
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX one_open_appeal_at_a_time")
    start = threading.Barrier(4)

    def tab():
        start.wait()
        try:
            submit(blocked, fan, now)
        except (errors.AppealWaits, errors.AppealsUsedUp):
            pass
        finally:
            connection.close()

    tabs = [threading.Thread(target=tab) for _ in range(4)]
    [each.start() for each in tabs]
    [each.join() for each in tabs]

    count = BlockAppeal.objects.count()
    if not guarded:
        BlockAppeal.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE UNIQUE INDEX one_open_appeal_at_a_time ON queue_blockappeal "
                "(queue_id, person_id) WHERE state = 'open'"
            )
    assert (count == 1) is guarded


@pytest.fixture
def no_constraint(transactional_db):
    """Without the constraint on open appeals, so that only the lock limits their number."""
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX one_open_appeal_at_a_time")
    yield
    BlockAppeal.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE UNIQUE INDEX one_open_appeal_at_a_time ON queue_blockappeal "
            "(queue_id, person_id) WHERE state = 'open'"
        )


@pytest.fixture
def unlocked(monkeypatch):
    """The control: everybody has counted before anybody writes."""
    all_have_counted = threading.Barrier(TABS)

    def appeals_counted_together(**whose):
        count = selectors.appeals.appeals_of(**whose).count()
        all_have_counted.wait(10)
        return SimpleNamespace(count=lambda: count)

    get = SaleQueue.objects.get
    monkeypatch.setattr(appeals, "queue_for_update", lambda event_id: get(pk=event_id))
    monkeypatch.setattr(appeals, "appeals_of", appeals_counted_together)


@pytest.mark.django_db(transaction=True)
def test_many_tabs_at_once_do_not_exceed_the_limit_of_appeals(blocked, fan, now, no_constraint):
    together(TABS, lambda _: submit(blocked, fan, now))

    assert BlockAppeal.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_control_without_the_lock_they_do(blocked, fan, now, no_constraint, unlocked):
    together(TABS, lambda _: submit(blocked, fan, now))

    assert BlockAppeal.objects.count() == TABS


# -- the page and the API --------------------------------------------------------------------------


def test_the_page_asks_and_then_shows_the_answer(blocked, fan, operator, now):
    client = Client()
    client.force_login(fan)
    page = f"/events/{blocked.pk}/queue/"
    assert b'name="words"' in client.get(page, headers={"accept-language": "en"}).content

    sent = client.post(f"{page}appeal/", {"words": "My sister's."})
    waiting = client.get(page, headers={"accept-language": "en"}).content.decode()

    assert sent.status_code == 303
    assert "My sister&#x27;s." in waiting
    assert 'name="words"' not in waiting
    services.refuse_appeal(
        appeal_id=BlockAppeal.objects.get().pk, answer="Seen twice.", by=operator, now=now
    )
    assert "Seen twice." in client.get(page, headers={"accept-language": "en"}).content.decode()


def test_the_api_accepts_an_appeal_and_returns_it(blocked, fan):
    client = Client(headers={"origin": "http://testserver"})
    client.force_login(fan)
    address = f"/api/v1/events/{blocked.pk}/queue/appeal/"

    sent = client.post(address, {"words": "My sister's."}, content_type="application/json")
    again = client.post(address, {"words": "Hello?"}, content_type="application/json")

    assert (sent.status_code, sent.json()["state"]) == (201, "open")
    assert (again.status_code, again.json()["code"]) == (409, "appeal_waits")
    told = client.get(address).json()
    assert (told["blocked_why"], told["appeal"]["words"]) == ("three accounts", "My sister's.")


@pytest.mark.parametrize("method", ["get", "post"])
def test_anonymous_callers_are_refused(blocked, method):
    address = f"/api/v1/events/{blocked.pk}/queue/appeal/"

    answer = getattr(Client(headers={"origin": "http://testserver"}), method)(address)

    assert answer.status_code == 401


def test_somebody_else_does_not_see_the_appeal(blocked, fan, now):
    submit(blocked, fan, now)
    client = Client()
    client.force_login(make_user())

    told = client.get(f"/api/v1/events/{blocked.pk}/queue/appeal/").json()

    assert told == {"blocked_why": "", "appeal": None}
