"""A key of a lane is for one person, under a real race, and stays theirs."""

from datetime import timedelta
from threading import Barrier

import pytest
from django.utils import translation

from tests.making import make_user
from tests.race import together, winners
from tests.waiting_queue.lanes import add_codes, add_lane
from tests.waiting_queue.services.steps import seconds
from ticketing.core import redis
from ticketing.core.errors import InvalidInput, NotFound, TooManyRequests
from waiting_queue import errors, services, store
from waiting_queue.models import Lane, LaneKey, QueueChange, SaleQueue
from waiting_queue.services import lane_keys

pytestmark = pytest.mark.django_db(transaction=True)
Key = Lane.Key


@pytest.fixture
def lane(open_queue, now) -> Lane:
    made = add_lane(open_queue, now, weight=3)
    services.tick_open_queues(now=now)
    return made


def join(lane, user, now, code="", number=None):
    return services.join_lane(
        event_id=lane.queue_id, person=str(user.pk), now=now, code=code, lane=number
    )


def test_a_code_leads_into_its_lane(lane, fan, now):
    [code] = add_codes(lane, now)

    joined = join(lane, fan, now, f" {code[:5].lower()}-{code[5:]} ")

    assert (joined.lane, joined.number_in_lane) == (lane.number, 1)
    assert LaneKey.objects.get().person == fan


def test_without_a_code_everybodys_lane_is_joined(lane, fan, now):
    assert join(lane, fan, now).lane == 0


def test_a_code_is_for_one_person(lane, fan, now):
    [code] = add_codes(lane, now)
    join(lane, fan, now, code)

    with pytest.raises(errors.LaneKeyUsed):
        join(lane, make_user(), now, code)


def test_sixteen_people_with_one_code_are_one_in_the_lane(lane, now):
    [code] = add_codes(lane, now)
    fans = [make_user() for _ in range(16)]

    results = together(16, lambda number: join(lane, fans[number], now, code))

    assert len(winners(results)) == 1
    refusals = [one for one in results if isinstance(one, Exception)]
    assert {type(one) for one in refusals} == {errors.LaneKeyUsed}
    assert store.run(store.snapshot(lane.queue_id))["lane:1:waiting"] == "1"


def test_control_looking_before_taking_lets_all_of_them_in(lane, now, monkeypatch):
    [code] = add_codes(lane, now)
    fans = [make_user() for _ in range(16)]
    everybody_has_looked = Barrier(16)

    def take_in_two_steps(key, user, now):
        is_free = LaneKey.objects.get(pk=key.pk).used_at is None
        everybody_has_looked.wait(60)
        if not is_free:
            raise errors.LaneKeyUsed()
        LaneKey.objects.filter(pk=key.pk).update(person=user, used_at=now)

    monkeypatch.setattr(lane_keys, "_take", take_in_two_steps)

    assert len(winners(together(16, lambda number: join(lane, fans[number], now, code)))) == 16


def test_one_person_with_two_codes_at_once_uses_one(lane, fan, now):
    codes = add_codes(lane, now, 2)

    results = together(2, lambda number: join(lane, fan, now, codes[number]))

    assert [one.lane for one in results] == [1, 1]
    assert LaneKey.objects.filter(person=fan).count() == 1


def test_the_code_stays_with_its_person_who_leaves_and_comes_back(lane, fan, now):
    [code] = add_codes(lane, now)
    join(lane, fan, now, code)
    services.leave(event_id=lane.queue_id, person=str(fan.pk), now=now)

    assert join(lane, fan, now, code).lane == 1
    services.leave(event_id=lane.queue_id, person=str(fan.pk), now=now)
    assert join(lane, fan, now, number=1).lane == 1


def test_a_code_is_not_taken_from_somebody_in_another_lane(lane, fan, now):
    [code] = add_codes(lane, now)
    join(lane, fan, now)

    for number in (1, None):
        with pytest.raises(errors.InAnotherLane):
            join(lane, fan, now, code, number=number)
    assert LaneKey.objects.get().used_at is None


def test_guesses_are_refused_and_counted(lane, fan, now):
    for _ in range(lane_keys.TRY_CODE.limit):
        with pytest.raises(errors.LaneKeyUnknown):
            join(lane, fan, now, "WRONGWRONG")
    with pytest.raises(TooManyRequests):
        join(lane, fan, now, "WRONGWRONG")


def test_an_unknown_lane_is_not_found(lane, fan, now):
    with pytest.raises(NotFound):
        join(lane, fan, now, number=7)


@pytest.mark.parametrize("key", [Key.EMAILS, Key.ACCESSIBILITY])
def test_an_address_on_the_list_leads_into_the_lane(open_queue, fan, now, key):
    lane = add_lane(open_queue, now, key=key)
    services.tick_open_queues(now=now)
    services.import_keys(lane=lane, text=f"email\n{fan.email.upper()}\n", by=None, now=now)

    assert join(lane, fan, now, number=1).lane == 1
    with pytest.raises(errors.NotOnLaneList):
        join(lane, make_user(), now, number=1)


def test_a_membership_needs_the_address_and_the_number(open_queue, fan, now):
    lane = add_lane(open_queue, now, key=Key.MEMBERS)
    services.tick_open_queues(now=now)
    services.import_keys(lane=lane, text=f"{fan.email},FC-0042\n", by=None, now=now)

    for other, code in ((fan, "FC-0043"), (make_user(), "FC-0042")):
        with pytest.raises(errors.LaneKeyUnknown):
            join(lane, other, now, code)
    assert join(lane, fan, now, "fc 0042").lane == 1


def test_codes_and_addresses_are_kept_as_keyed_hashes(lane, fan, now, settings):
    [code] = add_codes(lane, now)
    key = LaneKey.objects.get()
    assert code not in str(vars(key))
    assert key.hint == code[-4:]

    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-key-" * 4
    assert join(lane, fan, now, code).lane == 1  # also after the site's key was changed


def test_a_file_with_mistakes_adds_nothing_and_says_which_lines(open_queue, now):
    lane = add_lane(open_queue, now, key=Key.EMAILS)

    with pytest.raises(InvalidInput) as refused, translation.override("en"):
        services.import_keys(lane=lane, text="a@example.com\nnobody\n\n,\n", by=None, now=now)

    assert [text.split(":")[0] for text in refused.value.details["fields"]["file"]] == ["Line 2"]
    assert not LaneKey.objects.exists()


def test_a_file_that_is_uploaded_twice_adds_its_keys_once(lane, operator, now):
    text = "code\nABCDEF-1\nABCDEF-2\n"

    assert services.import_keys(lane=lane, text=text, by=operator, now=now) == (2, 0)
    assert services.import_keys(lane=lane, text=text, by=operator, now=now) == (0, 2)
    changes = QueueChange.objects.filter(what="lane_keys_1").order_by("id")
    assert [change.after for change in changes] == ["2", "0"]


def test_presale_first_and_open_sale_later_are_one_line(open_queue, fan, now):
    now = max(now, open_queue.opens_at)
    later = now + timedelta(minutes=10)
    add_lane(open_queue, now, key=Key.NONE, name_en="Open sale", opens_at=later)
    presale = add_lane(open_queue, now)
    services.tick_open_queues(now=now)
    [code] = add_codes(presale, now)

    assert join(presale, fan, now, code).lane == 1
    with pytest.raises(errors.LaneNotOpen) as refused:
        join(presale, make_user(), now)
    assert refused.value.details["opens_at"].startswith(f"{later:%Y-%m-%dT%H:%M}")
    assert join(presale, make_user(), later).lane == 0


def test_a_rebuilt_line_has_everybody_in_their_lane(lane, operator, now):
    services.move_queue(event_id=lane.queue_id, to=SaleQueue.State.PAUSED, by=operator, now=now)
    fans = [make_user() for _ in range(4)]
    codes = add_codes(lane, now, 2)
    for fan, code in zip(fans, [*codes, "", ""], strict=True):
        join(lane, fan, now, code)
    before = [store.run(store.peek(lane.queue_id, str(fan.pk), now)) for fan in fans]
    services.drain_journals()
    redis.queue_client().flushdb()

    services.tick_open_queues(now=now + seconds(1))

    after = [store.run(store.peek(lane.queue_id, str(fan.pk), now)) for fan in fans]
    assert [(one.lane, one.number, one.ahead) for one in after] == [
        (one.lane, one.number, one.ahead) for one in before
    ]
    assert [one.lane for one in after] == [1, 1, 0, 0]
    newcomer = join(lane, make_user(), now + seconds(2))
    assert (newcomer.lane, newcomer.ahead) == (0, 2)


def test_a_lane_is_deleted_only_before_the_line_has_started(queue, operator, now):
    lane = add_lane(queue, now)
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=operator, now=now)

    with pytest.raises(errors.LaneInUse):
        services.delete_lane(lane=lane, by=operator, now=now)
