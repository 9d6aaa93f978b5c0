"""The public page of the draw: the hash before it, everything needed to verify it after."""

import gzip
import html
import json
import re
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.cache import cache
from django.urls import reverse

from ticketing.core import redis
from ticketing.core.error_responses import REDIS_OUTAGES
from ticketing.events.models import Event
from waiting_queue import services
from waiting_queue.models import QueueDraw, SaleQueue

pytestmark = pytest.mark.django_db
BACKEND = "django.contrib.auth.backends.ModelBackend"


def page_of(queue):
    return reverse("queue:draw", args=[queue.pk])


def file_of(queue):
    return reverse("queue:draw_file", args=[queue.pk])


def text(client, address):
    return client.get(address, headers={"accept-language": "en"}).content.decode()


@pytest.fixture
def lobby(queue, operator, now):
    services.move_queue(event_id=queue.pk, to="lobby", by=operator, now=now)
    return queue


@pytest.fixture
def drawn(transactional_db, lobby, operator, fan, now):
    """Our fan and 19 others were in the lobby."""
    for person in [*range(900_000, 900_019), fan.pk]:
        services.join(event_id=lobby.pk, person=str(person), now=now)
    services.move_queue(event_id=lobby.pk, to="open", by=operator, now=now)
    services.tick_open_queues(now=now)
    services.drain_journals()
    return SaleQueue.objects.get(pk=lobby.pk)


# -- none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("has_lobby_time", "words"),
    [(True, "This queue opened without its lobby"), (False, "This queue has no lobby")],
)
def test_without_a_draw_the_page_says_why(client, open_queue, has_lobby_time, words):
    if not has_lobby_time:
        SaleQueue.objects.update(lobby_opens_at=None)

    assert words in text(client, page_of(open_queue))


# -- before ---------------------------------------------------------------------------------------


def test_a_lobby_that_is_open_does_not_open_any_more(client, queue, lobby):
    assert "The lobby opens on" not in text(client, page_of(queue))


@pytest.mark.parametrize("state", ["scheduled", "lobby"])
def test_before_the_draw_the_hash_is_there_and_the_seed_is_not(state, client, queue):
    SaleQueue.objects.update(state=state)

    page, file = text(client, page_of(queue)), client.get(file_of(queue))

    assert queue.secret_sha256 in page
    assert queue.open_draw_secrets().secret not in page + file.content.decode()
    assert file.json()["secret_sha256"] == queue.secret_sha256
    assert file.json()["entries"] is None
    assert "everyone in the lobby gets a place by random draw" in page


def test_before_the_draw_the_file_is_cached_for_a_few_seconds(client, queue):
    assert client.get(file_of(queue))["Cache-Control"] == "public, max-age=5"


def test_without_shuffling_no_hash_is_shown(client, queue):
    SaleQueue.objects.update(mode="first_come")

    page = text(client, page_of(queue))

    assert "There is no draw." in page
    assert queue.secret_sha256 not in page


def test_without_a_lobby_nothing_is_drawn(client, queue):
    SaleQueue.objects.update(lobby_opens_at=None)

    assert "there is no draw" in text(client, page_of(queue))


def test_an_unfinished_draw_keeps_its_seed_secret(client, lobby, now):
    QueueDraw.objects.create(queue=lobby, at=now, seed="5eed" * 16, people=["1"])
    SaleQueue.objects.update(state="open")

    page, file = text(client, page_of(lobby)), client.get(file_of(lobby))

    assert "right now" in page
    for secret in ("5eed" * 16, lobby.open_draw_secrets().secret):
        assert secret not in page + file.content.decode()


# -- after ----------------------------------------------------------------------------------------


def test_after_the_draw_everything_is_published_and_verified(client, drawn):
    page = text(client, page_of(drawn))

    draw = QueueDraw.objects.get()
    for value in (drawn.open_draw_secrets().secret, draw.lobby_sha256, draw.seed):
        assert value in page
    assert drawn.secret_sha256 in page
    assert "20 people were in the lobby" in page
    assert "Checked by this server" in page


def test_a_forged_draw_is_not_shown_as_verified(client, drawn):
    draw = QueueDraw.objects.get()
    draw.people = draw.people[::-1]
    draw.save()

    page = text(client, page_of(drawn))

    assert "own check failed" in page
    assert "Checked by this server" not in page


def test_the_recipe_on_the_page_works_and_finds_a_forgery(client, drawn, tmp_path):
    recipe = re.search(r'<code id="recipe">(.*?)</code>', text(client, page_of(drawn)), re.S)
    program = html.unescape(recipe[1]).split("<<'END'\n")[1].removesuffix("END")
    assert f"{settings.SITE_URL}{file_of(drawn)}" in recipe[1]
    published = client.get(file_of(drawn)).json()

    def check(draw):
        (tmp_path / "draw.json").write_text(json.dumps(draw))
        return subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path, text=True)

    assert check(published) == "True\n" * 4
    published["entries"].reverse()
    assert check(published) == "True\n" * 3 + "False\n"
    for name, place in {"secret": 0, "lobby_sha256": 1, "public_value": 2}.items():
        assert check(published | {name: "f" * 64}).splitlines()[place] == "False"


def test_the_file_is_complete_compressed_and_cached(client, drawn):
    packed = client.get(file_of(drawn), headers={"accept-encoding": "gzip"})
    again = client.get(file_of(drawn), headers={"if-none-match": packed["ETag"]})

    draw = json.loads(gzip.decompress(packed.content))
    assert len(draw["entries"]) == 20
    assert packed["Cache-Control"] == "public, max-age=3600"
    assert (again.status_code, again.content) == (304, b"")


def test_nobody_can_be_recognised_in_the_file(client, drawn, fan):
    content = client.get(file_of(drawn)).content.decode()

    assert "900001" not in content
    assert fan.email not in content


def test_people_see_their_own_entry_and_number(client, drawn, fan, now):
    client.force_login(fan, backend=BACKEND)

    page = client.get(page_of(drawn))

    own = page.context["own_entry"]
    published = client.get(file_of(drawn)).json()
    assert own.entry in published["entries"]
    assert own.number == published["entries"].index(own.entry) + published["first_number"]
    assert own.entry in page.content.decode()


def test_somebody_who_was_not_in_the_lobby_has_no_number(client, drawn, operator):
    client.force_login(operator, backend=BACKEND)

    assert client.get(page_of(drawn)).context["own_entry"].number is None


def test_anonymous_visitors_see_no_entry(client, drawn):
    assert client.get(page_of(drawn)).context["own_entry"] is None


# -- the public value -----------------------------------------------------------------------------


def test_the_announced_value_is_shown_and_then_the_value(client, queue, now):
    audit = {"event_id": queue.pk, "by": None, "now": now}
    services.announce_public_value(source="<b>lottery</b>", **audit)
    before, tag = text(client, page_of(queue)), client.get(file_of(queue))["ETag"]
    services.enter_public_value(value="7 11 19", **audit)
    after, file = text(client, page_of(queue)), client.get(file_of(queue))

    assert "&lt;b&gt;lottery&lt;/b&gt;" in before
    assert "as soon as it is known" in before
    assert "7 11 19" in after
    assert (file.json()["public_value"], file["ETag"] == tag) == ("7 11 19", False)


@pytest.mark.parametrize(("value", "words"), [("7 11 19", "7 11 19"), ("", "without it")])
def test_after_the_draw_the_page_says_whether_it_took_part(
    value, words, client, transactional_db, queue, operator, now
):
    audit = {"event_id": queue.pk, "by": operator, "now": now}
    services.announce_public_value(source="lottery", **audit)
    services.move_queue(to="lobby", **audit)
    services.join(event_id=queue.pk, person="1", now=now)
    if value:
        services.enter_public_value(value=value, **audit)
    services.move_queue(to="open", **audit)
    services.tick_open_queues(now=now)

    page = text(client, page_of(queue))

    assert "Checked by this server" in page
    assert words in page


def test_while_no_key_opens_the_secret_the_promise_is_still_shown(client, queue, settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", []

    assert queue.secret_sha256 in text(client, page_of(queue))


# -- both -----------------------------------------------------------------------------------------


def test_the_pages_take_one_query_once_cached(client, drawn, fan, django_assert_num_queries):
    client.get(page_of(drawn))
    client.get(file_of(drawn))

    with django_assert_num_queries(1):
        client.get(page_of(drawn))
    with django_assert_num_queries(1):
        client.get(file_of(drawn))


def test_the_pages_work_while_the_cache_is_down(client, drawn, settings):
    redis.client().flushdb()
    settings.CACHES = {"default": {**settings.CACHES["default"], "LOCATION": "redis://127.0.0.1:1"}}

    with pytest.raises(REDIS_OUTAGES):
        cache.get("anything")
    assert "Checked by this server" in text(client, page_of(drawn))
    assert len(client.get(file_of(drawn)).json()["entries"]) == 20


@pytest.mark.parametrize("address", [page_of, file_of])
def test_an_event_without_a_queue_or_still_a_draft_has_no_draw(address, client, queue, event):
    Event.objects.update(state="draft")
    assert client.get(address(queue)).status_code == 404

    SaleQueue.objects.all().delete()
    Event.objects.update(state="on_sale")
    assert client.get(address(queue)).status_code == 404


def test_the_page_is_translated(client, drawn):
    page = client.get(page_of(drawn), headers={"accept-language": "ko"}).content.decode()

    assert "추첨" in page
    assert "Check it yourself" not in page
