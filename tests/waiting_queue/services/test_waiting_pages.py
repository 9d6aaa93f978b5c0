"""The draft of a waiting page, what is published of it, and what is refused."""

import threading

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import override

from tests.race import together, wait_unless_blocking
from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue import selectors, services
from waiting_queue.models import QueueChange, WaitingPage, WaitingPageHint, WaitingPageLink
from waiting_queue.models.page_colours import colour_css, colour_problems
from waiting_queue.services import waiting_pages

pytestmark = pytest.mark.django_db
NO_COLOURS = dict.fromkeys(
    ("accent_light", "accent_dark", "background_light", "background_dark"), ""
)


@pytest.fixture
def page(queue) -> WaitingPage:
    page = WaitingPage.objects.create(
        queue=queue, headline_ko="어서 오세요", headline_en="Welcome", accent_light="#6d28d9"
    )
    WaitingPageLink.objects.create(
        page=page, label_ko="안내", label_en="About", url="https://luna.example/"
    )
    WaitingPageHint.objects.create(
        page=page, title_ko="주차", title_en="Parking", text_ko="없음", text_en="None"
    )
    return page


def publish(page, now, by=None):
    return services.publish_page(event_id=page.pk, by=by, why="ready", now=now)


def test_a_draft_is_public_only_once_it_is_published(page, now, operator):
    assert selectors.published_page(page.pk) == {}

    publish(page, now, operator)

    assert selectors.published_page(page.pk) == page.content()
    change = QueueChange.objects.get()
    assert (change.what, change.after, change.by, change.why) == (
        *("page", "published", operator, "ready"),
    )


def test_what_is_changed_afterwards_is_public_with_the_next_publishing(page, now):
    publish(page, now)
    WaitingPage.objects.update(headline_en="Hello")
    page.links.all().delete()
    page.refresh_from_db()

    assert not page.is_published_as_it_is
    assert selectors.published_page(page.pk)["headline_en"] == "Welcome"
    assert len(selectors.published_page(page.pk)["links"]) == 1

    assert publish(page, now).is_published_as_it_is
    assert selectors.published_page(page.pk)["headline_en"] == "Hello"


def test_publishing_the_same_again_records_nothing(page, now):
    publish(page, now)
    publish(page, now)

    assert QueueChange.objects.count() == 1


def test_a_withdrawn_page_is_a_draft_again(page, now):
    publish(page, now)

    services.withdraw_page(event_id=page.pk, by=None, now=now)
    services.withdraw_page(event_id=page.pk, by=None, now=now)

    assert selectors.published_page(page.pk) == {}
    assert QueueChange.objects.order_by("-id").first().after == "withdrawn"
    assert QueueChange.objects.count() == 2


def test_without_a_page_there_is_nothing_to_publish(queue, now):
    with pytest.raises(NotFound):
        services.publish_page(event_id=queue.pk, by=None, now=now)


def test_a_draft_that_breaks_the_rules_is_not_published(page, now):
    WaitingPage.objects.update(accent_light="#ffff00")

    with pytest.raises(InvalidInput) as refused:
        publish(page, now)

    assert list(refused.value.details["fields"]) == ["accent_light"]
    assert selectors.published_page(page.pk) == {}


def test_a_link_that_no_form_has_checked_is_not_published(page, now):
    page.links.update(url="javascript:alert(1)")

    with pytest.raises(InvalidInput):
        publish(page, now)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("locked", [True, False], ids=["with the lock", "control"])
def test_no_half_of_a_draft_is_published(page, now, locked, monkeypatch):
    """The headline is read before another operator saves the draft, the hints after it."""
    has_read, saved = threading.Event(), threading.Event()
    read = waiting_pages._page

    def read_and_wait(event_id):
        found = read(event_id)
        has_read.set()
        wait_unless_blocking(saved.is_set)
        return found

    def save():
        assert has_read.wait(10)
        with transaction.atomic():
            if locked:
                services.queue_for_update(page.pk)
            WaitingPage.objects.filter(pk=page.pk).update(headline_en="Second")
            page.hints.update(title_en="Second")
        saved.set()

    monkeypatch.setattr(waiting_pages, "_page", read_and_wait)
    together(2, lambda number: save() if number else publish(page, now))

    content = selectors.published_page(page.pk)
    is_whole = (content["headline_en"], content["hints"][0]["title_en"]) == ("Welcome", "Parking")
    assert (is_whole, saved.is_set()) == (locked, True)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("colours", "refused"),
    [
        ({"accent_light": "#6d28d9", "accent_dark": "#c4b5fd"}, set()),
        ({"background_light": "#f7f3ff", "background_dark": "#120d1f"}, set()),
        ({"accent_light": "#ffd400"}, {"accent_light"}),
        ({"accent_dark": "#4c1d95"}, {"accent_dark"}),
        ({"background_light": "#777777"}, {"background_light"}),
        ({"background_dark": "#ffffff"}, {"background_dark"}),
        # Readable alone, but not on each other.
        ({"accent_light": "#6048f0", "background_light": "#c0eaff"}, {"accent_light"}),
    ],
)
def test_colours_that_nobody_could_read_are_refused(colours, refused):
    assert colour_problems(NO_COLOURS | colours).keys() == refused


def test_the_reason_says_what_is_too_close_and_by_how_much():
    with override("en"):
        problems = colour_problems(NO_COLOURS | {"accent_light": "#777777"})

    assert problems["accent_light"][0] == (
        "Too close to panels (#ffffff): the contrast is 4.4 : 1, "
        "and 4.5 : 1 is needed to be readable."
    )


def test_only_colours_come_into_the_stylesheet():
    css = colour_css(NO_COLOURS | {"accent_light": "#6d28d9", "accent_dark": "red;}body{x:url(y)"})

    assert css == (
        "@media (prefers-color-scheme: light){:root{--brand:#6d28d9;--brand-strong:#6d28d9;"
        "--brand-wash:var(--sunken);}}\n"
    )
    assert colour_css({}) == ""


@pytest.mark.parametrize(
    "url",
    [
        *("javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "//a.example", "/events/"),
        *("https://known.example@other.example/", "https://a.example/ x", "HTTPS:a", ""),
    ],
)
def test_only_web_addresses_are_linked(page, url):
    link = WaitingPageLink(page=page, label_ko="가", label_en="a", url=url)

    with pytest.raises(ValidationError) as refused:
        link.full_clean()

    assert list(refused.value.message_dict) == ["url"]


@pytest.mark.parametrize("url", ["https://luna.example/a?b=c&d=한#e", "http://luna.example"])
def test_web_addresses_are_accepted(page, url):
    WaitingPageLink(page=page, label_ko="가", label_en="a", url=url).full_clean()


def test_a_text_is_written_in_both_languages_or_in_neither(page):
    page.text_ko = "안녕하세요"

    with pytest.raises(ValidationError) as refused:
        page.full_clean()

    assert list(refused.value.message_dict) == ["text_en"]
