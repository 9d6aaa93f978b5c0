"""Valkey loses the end of its file in a power cut: no number is given twice, no place is lost."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from shutil import copytree

import pytest

from tests.race import together
from tests.waiting_queue.own_valkey import append_only_file, file_size, start_again
from ticketing.core import redis
from ticketing.development.embedded.paths import server_paths
from ticketing.development.embedded.valkey import Valkey
from waiting_queue import errors, keys, services, store
from waiting_queue.models import SaleQueue
from waiting_queue.services.rebuilds import MAX_LOST_NUMBERS
from waiting_queue.store import scripts
from waiting_queue.tokens import QueueToken, read_token

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State
KEPT, JOURNALLED, LOST = range(1, 11), range(11, 14), range(14, 19)


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def join(queue: SaleQueue, person: int, now: datetime) -> QueueToken:
    standing = services.join(event_id=queue.pk, person=str(person), now=now)
    return read_token(services.token_of(queue.pk, str(person), standing))


def ask(token: QueueToken, now: datetime) -> store.Standing:
    return services.standing(event_id=token.event_id, person=token.person, now=now, token=token)


@pytest.fixture
def paused(own_valkey: Valkey, queue, operator, now) -> SaleQueue:
    for state in (State.OPEN, State.PAUSED):
        queue = services.move_queue(event_id=queue.pk, to=state, by=operator, now=now)
    return queue


@pytest.fixture
def tokens(own_valkey: Valkey, paused, now) -> dict[int, QueueToken]:
    """Everybody's token. The file lost the last joins, of which the journal has the first."""
    given = {person: join(paused, person, now) for person in KEPT}
    services.drain_journals()
    size = file_size(own_valkey)
    given |= {person: join(paused, person, now) for person in JOURNALLED}
    services.drain_journals()
    given |= {person: join(paused, person, now) for person in LOST}
    start_again(own_valkey, size=size)
    return given


@pytest.fixture
def unguarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts that don't notice another start of the server."""
    copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
    for name, check in {
        "_line": "\nrequire_same_server()\n",
        "tick": "not is_same_server()",
    }.items():
        file = tmp_path / f"{name}.lua"
        assert check in file.read_text()
        file.write_text(file.read_text().replace(check, "\n" if name == "_line" else "false"))
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    scripts.script.cache_clear()
    yield
    scripts.script.cache_clear()


def test_nobody_gets_a_number_before_the_line_is_rebuilt(paused, tokens, now):
    with pytest.raises(errors.QueueUnavailable):
        join(paused, 999, now)
    with pytest.raises(errors.QueueUnavailable):
        ask(tokens[1], now)


def test_everybody_has_their_place_again(paused, tokens, now):
    services.tick_open_queues(now=now + seconds(1))

    later = join(paused, 999, now + seconds(2))
    found = {person: ask(token, now + seconds(2)) for person, token in reversed(tokens.items())}

    assert {person: it.number for person, it in found.items()} == {
        person: token.number for person, token in tokens.items()
    }
    ahead = [ask(token, now + seconds(3)).ahead for token in tokens.values()]
    assert ahead == list(range(len(tokens)))
    assert later.number > max(token.number for token in tokens.values())
    assert ask(later, now + seconds(3)).ahead == len(tokens)


def test_of_many_who_join_or_come_back_at_once_nobody_gets_anothers_number(paused, tokens, now):
    services.tick_open_queues(now=now + seconds(1))
    moment = now + seconds(2)

    def act(number: int) -> int:
        if number % 2:
            return ask(tokens[LOST[number // 2]], moment).number
        return join(paused, 100 + number, moment).number

    given = together(2 * len(LOST), act)

    assert len(set(given)) == len(given)
    assert given[1::2] == [tokens[person].number for person in LOST]


def test_control_without_the_check_a_number_is_given_twice(unguarded, paused, tokens, now):
    services.tick_open_queues(now=now + seconds(1))

    again = join(paused, 999, now + seconds(2))

    assert again.number in {token.number for token in tokens.values()}
    assert ask(tokens[LOST[-1]], now + seconds(2)).state == "none"


def redis_emptied(_valkey: Valkey, _size: int) -> None:
    redis.queue_client().flushdb()


def power_cut(valkey: Valkey, size: int) -> None:
    start_again(valkey, size=size)


@pytest.mark.parametrize("lose_again", [redis_emptied, power_cut])
@pytest.mark.parametrize("checks", [True, False], ids=["it", "control"])
def test_a_line_that_is_lost_again_while_it_is_rebuilt(
    own_valkey, paused, now, tmp_path, monkeypatch, lose_again, checks
):
    """Everybody has been written back when it happens; the control does not look for the mark."""
    if not checks:
        copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
        script = tmp_path / "configure.lua"
        script.write_text(script.read_text().replace("if new ~= '1' and", "if false and"))
        monkeypatch.setattr(scripts, "FOLDER", tmp_path)
        scripts.script.cache_clear()
    tokens = [join(paused, person, now) for person in KEPT]
    services.drain_journals()
    redis.queue_client().flushdb()
    began, restore, restore_blocks = list[int](), store.restore, store.restore_blocks

    def note_beginning(*args) -> None:
        began.append(file_size(own_valkey))
        restore(*args)

    def lose_once(*args) -> None:
        if began:
            lose_again(own_valkey, began[0])
            monkeypatch.setattr(store, "restore_blocks", restore_blocks)
        restore_blocks(*args)

    monkeypatch.setattr(store, "restore", note_beginning)
    monkeypatch.setattr(store, "restore_blocks", lose_once)
    services.tick_open_queues(now=now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))
    scripts.script.cache_clear()

    found = [ask(token, now + seconds(3)) for token in tokens]
    assert ([it.number for it in found] == [token.number for token in tokens]) == checks
    assert checks or {it.state for it in found} == {"none"}


def test_a_call_that_was_lost_is_made_again(own_valkey, paused, operator, now):
    token = join(paused, 1, now)
    services.drain_journals()
    size = file_size(own_valkey)
    services.move_queue(event_id=paused.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))
    assert ask(token, now + seconds(1)).state == "ready"

    start_again(own_valkey, size=size)
    services.tick_open_queues(now=now + seconds(2))
    services.tick_open_queues(now=now + seconds(4))

    assert ask(token, now + seconds(4)).state == "ready"


def test_a_save_is_no_start(own_valkey, paused, now):
    token, client = join(paused, 1, now), redis.queue_client()
    before = client.lastsave()
    while client.lastsave() == before:  # it counts whole seconds
        client.save()

    assert ask(token, now).state == "waiting"
    assert join(paused, 2, now).number == 2


def test_the_tick_notices_a_server_that_was_started_in_the_same_second(own_valkey, paused, now):
    """A replica that took over: the time of its last save is the same, so others don't notice."""
    token, client = join(paused, 1, now), redis.queue_client()
    services.drain_journals()
    client.hset(keys.key(paused.pk, "meta"), "run_id", "another")
    assert join(paused, 2, now).number == 2

    services.tick_open_queues(now=now + seconds(1))

    assert ask(token, now + seconds(2)).number == 1
    assert join(paused, 3, now + seconds(2)).number > MAX_LOST_NUMBERS


def test_a_line_of_the_last_release_is_kept(own_valkey, paused, now):
    token, client = join(paused, 1, now), redis.queue_client()
    client.hdel(keys.key(paused.pk, "meta"), "run_id", "saved")

    assert ask(token, now).state == "waiting"
    assert client.hget(keys.key(paused.pk, "meta"), "run_id") == client.info("server")["run_id"]


def test_the_last_second_of_a_file_is_dropped(tmp_path):
    valkey = Valkey(server_paths(tmp_path))
    folder = valkey.files / "appendonlydir"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof.9.incr.aof").write_bytes(b"#TS:100\r\nold")
    newest = folder / "appendonly.aof.10.incr.aof"
    newest.write_bytes(b"#TS:100\r\naa#TS:101\r\nbb#TS:102\r\ncc")

    assert valkey.drop_last_second(now=102.7) == len(b"#TS:101\r\nbb#TS:102\r\ncc")
    assert newest.read_bytes() == b"#TS:100\r\naa"
    assert valkey.drop_last_second(now=110) == 0


def test_a_server_notes_the_time_in_its_file(own_valkey):
    redis.queue_client().set("key", 1)

    assert b"#TS:" in append_only_file(own_valkey).read_bytes()
