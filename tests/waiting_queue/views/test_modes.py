"""What people read of the mode of a line, and the public page of draws every minute."""

import html
import json
import re
import subprocess
import sys
from datetime import timedelta

import pytest
from django.urls import reverse

from tests.waiting_queue.commands.calling import run
from tests.waiting_queue.minutes import begin_of_minute
from tests.waiting_queue.views.pages import OTHERS, line_of, state_of, text
from waiting_queue import selectors, services
from waiting_queue.models import MinuteDraw, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


def set_mode(queue, mode, now):
    services.set_knobs(event_id=queue.pk, knobs={"mode": mode}, by=None, now=now)


@pytest.fixture
def drawn(open_queue, fan, now) -> SaleQueue:
    """Our fan and 19 others came in one minute, two in the next one, and both are drawn."""
    start = begin_of_minute(now)
    set_mode(open_queue, "minute_draw", start)
    for person in [*OTHERS[:19], fan.pk]:
        services.join(event_id=open_queue.pk, person=str(person), now=start)
    for person in OTHERS[19:21]:
        services.join(event_id=open_queue.pk, person=str(person), now=start + timedelta(minutes=1))
    services.tick_open_queues(now=start + timedelta(minutes=2))
    services.drain_journals()
    return SaleQueue.objects.get(pk=open_queue.pk)


# -- the waiting page ------------------------------------------------------------------------------


def test_whoever_came_in_this_minute_reads_when_they_are_drawn(me, open_queue, now):
    set_mode(open_queue, "minute_draw", now)
    assert "within the same minute" in text(me.get(line_of(open_queue)))

    me.post(line_of(open_queue))
    page = me.get(line_of(open_queue))

    assert state_of(page) == "lobby"
    assert "You are drawn at the end of this minute." in text(page)
    assert reverse("queue:draw", args=[open_queue.pk]) in text(page)
    assert "Time until the queue opens" not in text(page)


def test_whoever_leaves_reads_that_they_miss_the_draw_of_this_minute(me, open_queue, now):
    set_mode(open_queue, "minute_draw", now)
    me.post(line_of(open_queue))

    page = text(me.get(reverse("queue:leave", args=[open_queue.pk])))

    assert "this minute’s draw" in page
    assert "before the queue opens" not in page


def test_before_the_opening_the_page_says_how_places_are_given(client, queue, now):
    SaleQueue.objects.update(lobby_opens_at=None)
    set_mode(queue, "minute_draw", now)

    assert "within the same minute gets a place by random draw" in text(client.get(line_of(queue)))


def test_without_a_line_joining_leads_straight_in(me, open_queue, now):
    SaleQueue.objects.update(max_inside=1)
    services.join(event_id=open_queue.pk, person=str(OTHERS[0]), now=now)
    set_mode(open_queue, "passthrough", now)
    assert "you come in at once" in text(me.get(line_of(open_queue)))

    answer = me.post(line_of(open_queue))

    assert answer.headers["Location"] == reverse("reservations:seats", args=[open_queue.pk])


def test_a_closed_line_has_no_button_to_join(me, open_queue, now):
    set_mode(open_queue, "closed", now)

    page = me.get(line_of(open_queue))

    assert "Nobody is let in at the moment." in text(page)
    assert "Join the line</button>" not in text(page)
    assert me.post(line_of(open_queue)).status_code == 303
    assert state_of(me.get(line_of(open_queue))) == "join"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("minute_draw", "each minute’s newcomers get their places by random draw"),
        ("passthrough", "you come in at once"),
        ("closed", "Nobody is let in at the moment."),
        ("first_come", "people are let in one by one"),
    ],
)
def test_the_event_page_says_it_too(client, open_queue, now, mode, words):
    set_mode(open_queue, mode, now)

    assert words in text(client.get(reverse("ticketing:event", args=[open_queue.pk])))


def test_the_api_tells_the_mode(me, open_queue, now):
    set_mode(open_queue, "minute_draw", now)

    told = me.post(
        f"/api/v1/events/{open_queue.pk}/queue/", headers={"origin": "http://testserver"}
    )

    assert (told.json()["mode"], told.json()["state"]) == ("minute_draw", "LOBBY")


# -- the draw --------------------------------------------------------------------------------------


def page_of(queue):
    return reverse("queue:draw", args=[queue.pk])


def file_of(queue):
    return reverse("queue:draw_file", args=[queue.pk])


def test_before_anybody_is_drawn_the_hash_is_there(client, queue, now):
    SaleQueue.objects.update(lobby_opens_at=None)
    set_mode(queue, "minute_draw", now)
    committed = SaleQueue.objects.get().minutes_sha256

    assert committed in text(client.get(page_of(queue)))
    assert client.get(file_of(queue)).json()["minutes_sha256"] == committed


def test_each_minute_is_published_and_verified(client, drawn):
    page, file = text(client.get(page_of(drawn))), client.get(file_of(drawn))

    assert "2 minutes have been drawn so far." in page
    assert "Checked by this server" in page
    assert [len(minute["entries"]) for minute in file.json()["minutes"]] == [20, 2]
    assert file["Cache-Control"] == "public, max-age=5"


def test_a_forged_minute_is_not_shown_as_verified(client, drawn):
    draw = MinuteDraw.objects.first()
    draw.people = draw.people[::-1]
    draw.save()

    assert "own check failed" in text(client.get(page_of(drawn)))


def test_the_next_minute_is_added_to_page_and_file(client, drawn, now):
    tag = client.get(file_of(drawn))["ETag"]
    start = begin_of_minute(now) + timedelta(minutes=5)
    services.join(event_id=drawn.pk, person=str(OTHERS[30]), now=start)
    services.tick_open_queues(now=start + timedelta(minutes=1))

    file = client.get(file_of(drawn), headers={"if-none-match": tag})

    assert len(file.json()["minutes"]) == 3
    assert "3 minutes have been drawn so far." in text(client.get(page_of(drawn)))


def test_people_see_their_own_entry_and_number(me, drawn):
    own = me.get(page_of(drawn)).context["own_entry"]

    first = me.get(file_of(drawn)).json()["minutes"][0]
    assert own.number == first["first_number"] + first["entries"].index(own.entry)


def test_the_recipe_on_the_page_works_and_finds_a_forgery(client, drawn, tmp_path):
    page = client.get(page_of(drawn)).content.decode()
    recipe = re.search(r'<code id="minutes-recipe">(.*?)</code>', page, re.S)
    program = html.unescape(recipe[1]).split("<<'END'\n")[1].removesuffix("END")
    published = client.get(file_of(drawn)).json()

    def check(draw):
        (tmp_path / "draw.json").write_text(json.dumps(draw))
        return subprocess.check_output([sys.executable, "-c", program], cwd=tmp_path, text=True)

    assert check(published) == "True\n" * 8
    published["minutes"][0]["entries"].reverse()
    assert check(published).split() == [*["True"] * 3, "False", *["True"] * 4]


def test_the_command_checks_every_minute(drawn):
    out, _ = run("queue_verify_draw", drawn.pk)

    assert out.count("ok ") == 5
    assert "22 entries in 2 minutes, each drawn as promised." in out


def test_while_no_key_opens_the_secrets_the_promise_is_still_shown(client, queue, now, settings):
    set_mode(queue, "minute_draw", now)
    committed = SaleQueue.objects.get().minutes_sha256
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", []

    assert committed in text(client.get(page_of(queue)))


def test_nobody_can_be_recognised_in_the_file(client, drawn, fan):
    content = client.get(file_of(drawn)).content.decode()

    assert str(OTHERS[0]) not in content
    assert fan.email not in content
    assert selectors.published_draw(drawn)["minutes"]


# -- operators -------------------------------------------------------------------------------------


def test_operators_see_and_change_the_mode(client, open_queue, operator, now):
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    admin = reverse("admin:queue_salequeue_change", args=[open_queue.pk])

    assert "lobby, then draw" in text(client.get(admin))
    assert "lobby, then draw" in text(client.get(reverse("admin:queue_salequeue_changelist")))
    run("queue_set", open_queue.pk, "mode=passthrough", by=operator.email)
    assert "no line, everyone comes in" in text(client.get(admin))
