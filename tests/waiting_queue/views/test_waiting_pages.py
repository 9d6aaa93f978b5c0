"""What the public sees of an event's own waiting page."""

import pytest
from django.urls import reverse
from django.utils.translation import override

from tests.waiting_queue.views.pages import line_of, text
from waiting_queue import services
from waiting_queue.models import WaitingPage, WaitingPageHint, WaitingPageLink

pytestmark = pytest.mark.django_db
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def page(queue) -> WaitingPage:
    page = WaitingPage.objects.create(
        queue=queue,
        headline_ko="어서 오세요",
        headline_en=f"Welcome {EVIL}",
        text_ko="첫 줄",
        text_en=f"First\n\n{EVIL}",
        picture="waiting/abc.webp",
        picture_text_ko="달",
        picture_text_en='The "moon"',
        accent_light="#6d28d9",
    )
    WaitingPageLink.objects.create(
        page=page, label_ko="안내", label_en=EVIL, url="https://luna.example/?a=1&b=%22%3E"
    )
    WaitingPageHint.objects.create(
        page=page, title_ko="주차", title_en="Parking", text_ko="없음", text_en=EVIL
    )
    return page


@pytest.fixture
def published(page, now) -> WaitingPage:
    return services.publish_page(event_id=page.pk, by=None, now=now)


def colours_of(queue):
    return reverse("queue:colours", args=[queue.pk])


def test_a_draft_is_not_shown(client, queue, page):
    html = client.get(line_of(queue)).content.decode()

    assert "Welcome" not in html
    assert "abc.webp" not in html
    assert colours_of(queue) not in html
    assert client.get(colours_of(queue)).content == b""


def test_what_was_published_is_shown_and_escaped(client, queue, published):
    html = client.get(line_of(queue)).content.decode()

    assert "Welcome &lt;script&gt;" in html
    assert EVIL not in html
    assert 'src="/media/waiting/abc.webp" alt="The &quot;moon&quot;"' in html
    assert (
        'href="https://luna.example/?a=1&amp;b=%22%3E" target="_blank" rel="noopener noreferrer"'
    ) in html
    assert f'<link rel="stylesheet" href="{colours_of(queue)}">' in html
    assert "style=" not in html


def test_it_is_shown_in_the_readers_language(client, queue, published):
    html = client.get(line_of(queue), headers={"accept-language": "ko"}).content.decode()

    assert "어서 오세요" in html
    assert "주차" in html
    assert "Welcome" not in html


def test_the_policy_allows_no_inline_style_or_script(client, queue, published):
    policy = client.get(line_of(queue))["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_part_that_a_script_fetches_does_not_repeat_it(client, queue, published):
    assert b"Welcome" not in client.get(line_of(queue) + "?part=1").content


def test_the_colours_are_a_stylesheet_that_is_asked_for_again(client, queue, published):
    answer = client.get(colours_of(queue))

    assert answer["Content-Type"] == "text/css; charset=utf-8"
    assert "no-cache" in answer["Cache-Control"]
    assert b"--brand:#6d28d9" in answer.content


def test_a_draft_event_has_no_colours(client, queue, published, event):
    event.state = "draft"
    event.save()

    assert client.get(colours_of(queue)).status_code == 404


# -- hints ----------------------------------------------------------------------------------------


def test_every_waiting_page_has_hints(client, queue, event):
    words = text(client.get(line_of(queue)))

    for expected in (
        *("While you wait", event.plan.venue.name_en, "Prices", "Rules of the sale"),
        *("One person can buy up to 4 seats.", "kept for you for 5 minutes", "To the seat map"),
    ):
        assert expected in words
    with override("en"):
        assert all(grade.name in words for grade in event.grades.all())


def test_hints_can_be_switched_off(client, queue, now):
    WaitingPage.objects.create(
        queue=queue, show_venue=False, show_prices=False, show_rules=False, show_seats=False
    )
    services.publish_page(event_id=queue.pk, by=None, now=now)

    assert "While you wait" not in text(client.get(line_of(queue)))
