"""Open pages hear of their party, and of a demotion, with the next tick."""

import pytest

from tests.waiting_queue.live.open_pages import line_of, message, receives, subscribed
from waiting_queue.live.topics import QueueTopic
from waiting_queue.tokens import read_token

pytestmark = pytest.mark.usefixtures("no_server")


async def followed(line, *people):
    """A topic that follows the line, and pages of these people."""
    topic = QueueTopic(7)
    pages = await subscribed(topic, line, people)
    await receives(topic, message(line))
    for page in pages:
        page.pop_frames()
    return topic, pages


async def test_members_are_told_how_many_they_are_and_see_one_place():
    line = line_of([1, 2, 3], companions=3)
    topic, pages = await followed(line, 2, 3)

    line.party("2", "3")
    await receives(topic, message(line))

    leader, companion = (page.last() for page in pages)
    assert leader["party"] == {"leads": True, "people": 2}
    assert companion["party"] == {"leads": False, "people": 2}
    assert (companion["number"], companion["ahead"]) == (2, 1)
    assert read_token(companion["token"]).number == 2


async def test_ranks_of_a_companion_follow_without_asking_redis():
    line = line_of([1, 2], companions=3)
    line.party("2", "9")
    topic, [page] = await followed(line, 9)

    line.leave("1")
    await receives(topic, message(line))

    assert (page.last()["ahead"], page.subscriber.number) == (0, 2)


async def test_members_are_called_with_the_same_tick():
    line = line_of([1, 2], companions=3)
    line.party("1", "9")
    topic, pages = await followed(line, 1, 9, 2)

    line.tick(state="open", cap=2)
    await receives(topic, message(line))

    assert [page.last()["state"] for page in pages] == ["READY", "READY", "WAITING"]


async def test_whoever_takes_over_the_place_is_told():
    line = line_of([1, 2], companions=3)
    line.party("1", "8", "9")
    topic, pages = await followed(line, 8, 9, 2)

    line.leave("1")
    await receives(topic, message(line))

    first, second, behind = (page.last() for page in pages)
    assert (first["party"], second["party"]) == (
        {"leads": True, "people": 2},
        {"leads": False, "people": 2},
    )
    assert behind["ahead"] == 1


async def test_a_demoted_person_gets_the_new_number_and_the_reason():
    line = line_of([1, 2, 3])
    topic, [mine, other] = await followed(line, 1, 3)

    line.demote("1")
    await receives(topic, message(line))

    told = mine.last()
    assert (told["number"], told["ahead"], told["demoted_why"]) == (4, 2, "many accounts")
    assert read_token(told["token"]).number == 4
    assert other.last()["ahead"] == 1
    line.undo_demotion("1")
    await receives(topic, message(line))
    assert mine.last()["number"] == 1


async def test_nobody_in_the_lobby_hears_of_another_s_party():
    line = line_of([1, 2, 3], state="lobby", companions=3)
    line.party("1", "9")
    topic, pages = await followed(line, 1, 2, 3)

    line.join("4")
    await receives(topic, message(line))

    assert all("party" not in page.last() for page in pages)
