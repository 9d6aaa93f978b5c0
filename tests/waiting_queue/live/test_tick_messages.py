"""The scripts behind the push: what a tick message says, and what keeps a place."""

from datetime import timedelta
from threading import Barrier
from typing import Any

from redis import Redis

from tests.race import together
from tests.waiting_queue.line import START, Line
from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.store import LaneRule
from waiting_queue.tick_message import TickMessage


def message(line: Line, **more: int) -> TickMessage:
    found = store.run(store.tick_message(line.event_id, **more))
    assert found is not None
    return found


def waiting(*people: str, **rules) -> Line:
    """Everybody waits until a tick with room calls them."""
    line = Line().begin(**{"state": "paused", "rate": 0} | rules)
    line.join(*people)
    return line


def called(*people: str, **rules) -> Line:
    line = waiting(*people, **rules)
    line.tick(state="open")
    message(line)  # takes the calls, so that the next one is without them
    return line


def members(event_id: int, name: str) -> list[tuple[str, float]]:
    return redis.queue_client().zrange(keys.key(event_id, name), 0, -1, withscores=True)


# -- how the line looks ---------------------------------------------------------------------------


def test_a_message_says_how_the_line_looks():
    line = waiting("1", "2", "3", "4", "5", cap=2)
    line.tick(state="open")
    line.claim("1")
    line.leave("4")

    found = message(line)

    assert (found.event_id, found.epoch, found.queue_state, found.drawing) == (7, "e1", "open", 0)
    assert (found.head, found.last, found.absence_ms) == (3, 5, 300_000)
    assert (found.waiting, found.ready, found.inside, found.admitted) == (2, 1, 1, 1)
    assert found.lobby == 0


def test_the_head_of_an_empty_line_is_the_next_number():
    line = Line().begin(state="paused")
    assert (message(line).head, message(line).last) == (1, 0)

    line.join("1", "2")
    line.leave("1")
    line.leave("2")

    assert (message(line).head, message(line).last) == (3, 2)


def test_a_lobby_is_counted_and_has_no_line():
    line = Line().begin(state="lobby")
    line.join("1", "2")

    found = message(line)

    assert (found.lobby, found.waiting, found.head, found.last) == (2, 0, 1, 0)


def test_the_pace_is_the_one_that_redis_answers():
    line = waiting(*map(str, range(50)), rate=10)
    line.wait(1).tick(state="open")
    line.wait(1).tick()

    found, seen = message(line), line.peek("49")

    assert found.pace == seen.pace
    assert found.pace.startswith("10.000000 ")


def test_turns_count_up_by_one():
    line = waiting("1")
    turns = [message(line).turn for _ in range(5)]

    assert turns == list(range(turns[0], turns[0] + 5))


def test_a_message_without_a_desk_says_nothing():
    waiting("1")
    store.delete_meta(7)

    assert store.run(store.tick_message(7)) is None
    assert not redis.queue_client().exists(keys.key(7, "meta"))


# -- changes --------------------------------------------------------------------------------------


def test_joining_is_no_change():
    line = waiting("1", "2")
    lobby = Line(event_id=8).begin(state="lobby")
    lobby.join("1", "2")

    assert message(line).changes == []
    assert message(lobby).changes == []


def test_looking_polling_and_joining_again_is_no_change():
    line = waiting("1", "2")

    line.poll("1")
    line.peek("2")
    line.join("1")
    store.run(store.heartbeat(7, ["1", "2"], line.now))

    assert message(line).changes == []


def test_coming_back_is_a_change_for_ones_other_tabs_without_a_number():
    line = waiting("1", "2")
    line.leave("1")
    message(line)

    line.join("1")
    line.join("1")

    assert message(line).changes == [("1", 0)]


def test_leaving_is_a_change_once_with_the_number_they_had():
    line = waiting("1", "2", "3")
    line.leave("2")

    assert message(line).changes == [("2", 2)]
    assert message(line).changes == []


def test_leaving_the_lobby_is_a_change_without_a_number():
    line = Line().begin(state="lobby")
    line.join("1")
    line.leave("1")

    assert message(line).changes == [("1", 0)]


def test_a_call_is_a_change():
    line = waiting("1", "2", "3", cap=2)
    line.tick(state="open")

    assert message(line).changes == [("1", 1), ("2", 2)]


def test_walking_in_is_a_change_with_a_number_that_never_waited():
    line = Line().begin(rate=0)
    line.join("1")

    assert message(line).changes == [("1", 1)]


def test_a_claim_is_a_change_and_a_second_one_is_not():
    line = called("1", "2")
    line.claim("1")
    line.claim("1")

    assert message(line).changes == [("1", 1)]


def test_a_call_that_ran_out_is_a_change():
    line = called("1", "2")
    line.wait(5).tick()
    line.claim("1")
    message(line)
    for _ in range(6):
        line.wait(10).tick()

    assert message(line).changes == [("2", 2)]


def test_a_late_claim_is_a_change():
    line = called("1")
    line.wait(61).claim("1")

    assert message(line).changes == [("1", 1)]


def test_the_end_of_a_pass_is_a_change_used_or_not():
    line = called("1", "2", pass_ms=20_000)
    line.claim("1")
    line.claim("2")
    message(line)
    line.leave("2", how="completed")
    for _ in range(3):
        line.wait(9).tick()

    assert message(line).changes == [("2", 2), ("1", 1)]


def test_being_absent_too_long_is_a_change():
    line = waiting("1", "2", absence_ms=10_000)
    line.wait(9).tick()
    line.poll("2")
    line.wait(9).tick()

    assert message(line).changes == [("1", 1)]


def test_a_block_is_a_change():
    line = waiting("1", "2")
    line.leave("2", how="blocked", why="a bot")

    assert message(line).changes == [("2", 2)]


def test_changes_come_in_their_order_and_no_more_than_fit():
    line = waiting(*map(str, range(1, 8)))
    for person in ("5", "2", "7"):
        line.leave(person)

    first, second, third = (message(line, most=2) for _ in range(3))

    assert [first.changes, second.changes, third.changes] == [[("5", 5), ("2", 2)], [("7", 7)], []]
    assert third.turn == first.turn + 2


def test_too_many_changes_skip_a_turn_instead_of_growing_without_end():
    """Nobody has asked for a message for a long time: they will have to read the line anyway."""
    line = waiting("1", "2")
    before = message(line)
    full = [f"{number}:{number}" for number in range(20_000)]
    redis.queue_client().rpush(keys.key(7, "changes"), *full)

    line.leave("1")
    after = message(line)

    assert after.turn == before.turn + 2
    assert not after.comes_after(before)
    assert after.changes == []


def test_one_change_less_is_still_listed():
    line = waiting("1", "2")
    before = message(line)
    redis.queue_client().rpush(keys.key(7, "changes"), *(f"{n}:{n}" for n in range(19_999)))

    line.leave("1")
    first, changes = before, []
    while not changes or first.changes:
        first = message(line)
        changes += first.changes

    assert changes[-1] == ("1", 1)
    assert len(changes) == 20_000


def test_the_end_of_a_draw_skips_a_turn():
    line = Line().begin(state="lobby")
    line.join("1", "2", "3")
    line.begin(state="open", drawing=True)
    during = message(line)
    line.draw(["3", "1", "2"], 1)
    line.begin(drawing=False)

    after = message(line)

    assert (during.drawing, after.drawing) == (1, 0)
    assert not after.comes_after(during)
    assert (after.head, after.last, after.waiting, after.changes) == (1, 3, 3, [])


def test_a_draw_that_ends_in_a_tick_skips_a_turn_too():
    line = Line().begin(state="lobby")
    line.join("1")
    line.tick(state="open", drawing=True)
    during = message(line)

    line.wait(1).tick(drawing=False)

    assert not message(line).comes_after(during)


def test_ticks_that_change_nothing_skip_nothing():
    line = waiting("1")
    before = message(line)
    for _ in range(3):
        line.wait(1).tick()

    assert message(line).comes_after(before)


# -- two tickers ----------------------------------------------------------------------------------


def test_of_many_tickers_at_once_exactly_one_publishes_each_change():
    people = [str(number) for number in range(1, 301)]
    line = waiting(*people)

    def leave_and_publish(ticker: int) -> list[TickMessage]:
        mine = people[ticker::8]
        heard = []
        for person in mine:
            line.leave(person)
            heard.append(message(line, most=3))
        return heard

    heard = [one for mine in together(8, leave_and_publish) for one in mine]
    heard.append(message(line))

    told = [person for one in heard for person, _ in one.changes]
    turns = sorted(one.turn for one in heard)
    assert sorted(told) == sorted(people)
    assert turns == list(range(turns[0], turns[0] + len(heard)))


def test_control_reading_and_then_removing_publishes_it_many_times():
    everybody_has_read, client, news = Barrier(8), redis.queue_client(), keys.key(7, "changes")
    client.rpush(news, "1:1", "2:2")

    def in_two_steps(_: int) -> list[str]:
        seen = client.lrange(news, 0, -1)
        everybody_has_read.wait(60)
        client.ltrim(news, len(seen), -1)
        return seen

    told = [one for seen in together(8, in_two_steps) for one in seen]

    assert len(told) == 16


# -- signs of life --------------------------------------------------------------------------------


def crowd(event_id: int) -> Line:
    """Somebody in every state there is, and some whose time is nearly, or just, up."""
    line = Line(event_id=event_id).begin(rate=0, state="paused", cap=6, pass_ms=20_000)
    line.join(*map(str, range(1, 11)))
    line.tick(state="open")  # 1 to 6 are called
    for person in ("1", "2", "3"):
        line.claim(person)
    line.leave("2")
    line.leave("10", how="blocked", why="a bot")
    line.wait(5).poll("3")
    return line


PEOPLE = [*map(str, range(1, 12)), "nobody"]
PLACES = ["lobby", "line", "ready", "inside", "seen", "ended"]


def test_a_beat_does_what_touching_one_by_one_does():
    for later in (1, 14, 19, 20, 21, 30, 59, 61, 400):
        one_by_one, at_once = crowd(7), crowd(8)
        one_by_one.wait(later), at_once.wait(later)

        for person in PEOPLE:
            one_by_one.poll(person)
        store.run(store.heartbeat(8, PEOPLE, at_once.now))

        for place in PLACES:
            assert members(8, place) == members(7, place), (later, place)
        store.erase(7), store.erase(8)


def test_a_beat_in_the_lobby_keeps_the_place_there():
    line = Line().begin(state="lobby", absence_ms=10_000)
    line.join("1", "2")
    for _ in range(3):
        line.wait(5)
        store.run(store.heartbeat(7, ["1"], line.now))
        line.tick()

    assert (line.state("1"), line.state("2")) == ("lobby", "expired")


def test_a_beat_counts_those_whose_place_it_keeps():
    line = crowd(7)

    here = store.run(store.heartbeat(7, PEOPLE, line.now))

    assert here == len(["1", "3"]) + len(["7", "8", "9"])


def test_a_beat_keeps_a_place_beyond_the_absence():
    line = waiting("1", "2", absence_ms=10_000)
    for _ in range(10):
        line.wait(5)
        store.run(store.heartbeat(7, ["1"], line.now))
        line.tick()

    assert (line.state("1"), line.state("2")) == ("waiting", "expired")


def test_a_beat_never_brings_back_somebody_who_is_out():
    line = waiting("1", "2", "3", "4", "5", cap=2)
    line.tick(state="open")
    line.claim("1")
    line.leave("1", how="completed")
    line.leave("3")
    line.leave("4", how="blocked", why="a bot")
    for _ in range(7):
        line.wait(9).tick()

    store.run(store.heartbeat(7, ["1", "2", "3", "4", "nobody"], line.now))

    states = {person: line.state(person) for person in ("1", "2", "3", "4", "nobody")}
    assert states == {
        "1": "completed",
        "2": "expired",
        "3": "left",
        "4": "blocked",
        "nobody": "none",
    }
    assert not {"1", "2", "3", "4"} & {person for person, _ in members(7, "seen")}


def test_a_beat_does_not_renew_a_pass_that_has_run_out():
    line = called("1", pass_ms=20_000)
    line.claim("1")
    line.wait(20)

    store.run(store.heartbeat(7, ["1"], line.now))

    assert line.state("1") == "expired"


def test_a_beat_renews_a_pass_only_up_to_the_longest_stay():
    line = called("1", pass_ms=20_000, pass_max_ms=50_000)
    line.claim("1")
    claimed = line.now
    for _ in range(4):
        line.wait(10)
        store.run(store.heartbeat(7, ["1"], line.now))

    assert line.peek("1").deadline_ms == store.ms(claimed + timedelta(seconds=50))


def test_a_beat_from_a_clock_that_is_behind_takes_nothing_away():
    line = waiting("1", absence_ms=10_000)
    line.wait(5).poll("1")

    store.run(store.heartbeat(7, ["1"], START - timedelta(seconds=30)))

    assert members(7, "seen") == [("1", store.ms(line.now))]


def test_a_beat_without_a_desk_changes_nothing():
    line = called("1", "2")
    line.claim("1")
    store.delete_meta(7)
    before = {place: members(7, place) for place in PLACES}

    store.run(store.heartbeat(7, ["1", "2"], line.wait(5).now))

    assert {place: members(7, place) for place in PLACES} == before


# -- what is kept and read ------------------------------------------------------------------------


def test_the_last_message_is_kept_for_those_who_come_later():
    line = waiting("1", "2")
    line.leave("1")
    sent = message(line)

    store.publish_tick_messages([sent])
    kept = store.last_tick_message(7)

    assert kept is not None
    assert (kept.turn, kept.waiting, kept.changes) == (sent.turn, 1, [])


def test_a_line_is_read_in_parts_and_in_order():
    line = waiting(*map(str, range(1, 26)))
    for person in ("1", "7", "25"):
        line.leave(person)

    right = [number for number in range(1, 26) if number not in {1, 7, 25}]
    for part in (1, 2, 7, 22, 1000):
        assert store.line_numbers(7, part=part) == right
    assert store.line_numbers(99) == []


def test_nobody_is_missed_while_people_join_another_lane(monkeypatch):
    """Everybody's lane comes before the others: who joins it moves their ranks."""
    line = waiting(*"123", lanes=(LaneRule(0, 1), LaneRule(1, 1)))
    line.join(*"456", lane=1)
    read, newcomers = Redis.zrange, iter("789")

    def read_part(self: Redis, *args: Any, **options: Any) -> Any:
        found = read(self, *args, **options)
        line.join(next(newcomers, "7"))
        return found

    monkeypatch.setattr(Redis, "zrange", read_part)
    numbers = store.line_numbers(7, part=2)

    first_lane, second_lane = {1, 2, 3}, {keys.LANE_NUMBERS + number for number in (1, 2, 3)}
    assert first_lane | second_lane <= set(numbers)
    assert numbers == sorted(set(numbers))
