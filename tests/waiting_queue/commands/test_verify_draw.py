"""`queue_verify_draw`: anyone can check a draw, and a forged one is found."""

import json
import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from tests.waiting_queue.commands.calling import run
from waiting_queue import selectors, services
from waiting_queue.models import QueueDraw, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def drawn(queue, operator, now) -> SaleQueue:
    return draw_twenty(queue, operator, now)


def draw_twenty(queue, operator, now) -> SaleQueue:
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    for person in range(20):
        services.join(event_id=queue.pk, person=str(person), now=now)
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now)
    return queue


@pytest.fixture
def published(drawn, tmp_path):
    """The file as it was published, and a place to write a forged one."""
    path = tmp_path / "draw.json"
    path.write_text(json.dumps(selectors.published_draw(drawn)))
    return path


def test_a_draw_is_checked_in_the_database(drawn):
    out, _ = run("queue_verify_draw", drawn.pk)

    assert out.count("ok ") == 6
    assert "20 entries, drawn as promised" in out


def test_a_file_is_checked_where_there_is_no_database_and_no_redis(published):
    nowhere = {
        "DEVELOPMENT": "1",
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "REDIS_URL": "redis://127.0.0.1:1/0",
    }
    command = [sys.executable, "manage.py", "queue_verify_draw", "--file", str(published)]

    def check():
        environment = {"PATH": os.environ["PATH"], **nowhere}
        return subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True
        )

    right = check()
    published.write_text(published.read_text().replace('"secret": "', '"secret": "0'))
    forged = check()

    assert (right.returncode, forged.returncode) == (0, 1)
    assert "drawn as promised" in right.stdout
    assert "WRONG" in forged.stdout


def test_an_address_is_checked(drawn, live_server):
    out, _ = run("queue_verify_draw", url=f"{live_server.url}/events/{drawn.pk}/draw.json")

    assert "20 entries, drawn as promised" in out


def forge_order(draw):
    draw["entries"][0], draw["entries"][1] = draw["entries"][1], draw["entries"][0]


def forge_secret(draw):
    draw["secret"] = "f" * 64


def forge_seed(draw):
    """With the order that it gives."""
    draw["seed"] = "f" * 64
    draw["entries"] = selectors.drawn_order(draw["seed"], draw["entries"])


def forge_public_value(draw):
    draw["public_value"] = "thought of later"


def forge_lobby(draw):
    """Somebody was added, with a seed and an order that fit."""
    entries = [*draw["entries"], "f" * 16]
    draw["seed"] = selectors.derived_seed(draw["secret"], draw["lobby_sha256"], "")
    draw["entries"] = selectors.drawn_order(draw["seed"], entries)


def forge_twice(draw):
    draw["entries"][1] = draw["entries"][0]


@pytest.mark.parametrize(
    ("forge", "wrong"),
    [
        (forge_order, "WRONG  The order"),
        (forge_secret, "WRONG  The secret's SHA-256"),
        (forge_seed, "WRONG  The seed follows"),
        (forge_public_value, "WRONG  No public value was announced"),
        (forge_lobby, "WRONG  The hash of the lobby"),
        (forge_twice, "WRONG  Every entry"),
    ],
)
def test_a_forged_draw_is_found(forge, wrong, published, capsys):
    draw = json.loads(published.read_text())
    forge(draw)
    published.write_text(json.dumps(draw))

    with pytest.raises(CommandError, match="does not fit") as refusal:
        call_command("queue_verify_draw", file=published)

    assert refusal.value.returncode == 1
    assert wrong in capsys.readouterr().out


def test_the_hash_that_was_noted_before_is_compared(published, drawn):
    noted = drawn.secret_sha256

    assert "noted before" in run("queue_verify_draw", file=str(published), hash=noted)[0]
    with pytest.raises(CommandError, match="does not fit"):
        run("queue_verify_draw", file=str(published), hash="0" * 64)


def test_a_draw_of_an_earlier_release_is_checked_by_its_rule(drawn, published):
    """Its seed was the secret itself."""
    draw = QueueDraw.objects.get()
    secrets = drawn.open_draw_secrets()
    by_entry = {selectors.entry_of(secrets.salt, person): person for person in draw.people}
    draw.seed, draw.lobby_sha256 = secrets.secret, ""
    draw.people = [by_entry[entry] for entry in selectors.drawn_order(draw.seed, by_entry)]
    draw.save()

    out, _ = run("queue_verify_draw", drawn.pk, hash=drawn.secret_sha256)

    assert "by the earlier rule" in out
    assert "WRONG" not in out
    forged = selectors.published_draw(drawn)
    forge_order(forged)
    assert not all(check.passed for check in selectors.draw_checks(forged))


def test_the_public_value_is_compared_with_what_was_looked_up(queue, operator, now):
    audit = {"event_id": queue.pk, "by": operator, "now": now}
    services.announce_public_value(source="the lottery of Saturday", **audit)
    services.enter_public_value(value="7 11 19", **audit)
    draw_twenty(queue, operator, now)

    out, _ = run("queue_verify_draw", queue.pk, value="7 11 19")

    assert "ok     The public value that was announced" in out
    assert "ok     The public value is the one that was looked up" in out
    with pytest.raises(CommandError, match="does not fit"):
        run("queue_verify_draw", queue.pk, value="7 11 20")


def test_a_public_value_that_never_came_is_told(queue, operator, now):
    services.announce_public_value(event_id=queue.pk, source="a beacon", by=operator, now=now)
    draw_twenty(queue, operator, now)

    assert "drawn without it" in run("queue_verify_draw", queue.pk)[0]


def test_a_draw_that_has_not_happened_says_so(queue):
    with pytest.raises(CommandError, match="has not happened yet"):
        run("queue_verify_draw", queue.pk)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not json", "can't be read"),
        ("[]", "not a published draw"),
        ("{}", "secret: This is missing"),
        ('{"seed_sha256":"b"}', "seed: This is missing"),
        ('{"seed":"a","seed_sha256":"b","shuffled":true,"entries":[1]}', "entries: This is"),
    ],
)
def test_a_file_that_is_no_draw_says_so(content, words, tmp_path):
    path = tmp_path / "draw.json"
    path.write_text(content)

    with pytest.raises(CommandError, match=words):
        run("queue_verify_draw", file=str(path))


@pytest.mark.parametrize("url", ["file:///etc/hostname", "http://127.0.0.1:1/draw.json"])
def test_an_address_that_can_not_be_read_says_so(url):
    with pytest.raises(CommandError, match="can't be read"):
        run("queue_verify_draw", url=url)


def test_without_a_lot_there_is_no_order_to_check(queue, operator, now):
    SaleQueue.objects.update(mode="first_come")
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    services.join(event_id=queue.pk, person="1", now=now)
    services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now)

    assert "there was no lot to check" in run("queue_verify_draw", queue.pk)[0]
