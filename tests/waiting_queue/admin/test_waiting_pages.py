"""Operators edit, preview and publish an event's own waiting page."""

from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.translation import override
from PIL import Image

from tests.making import make_user
from ticketing.console.services.roles import ROLES
from waiting_queue import selectors, services
from waiting_queue.models import QueueChange, SaleQueue, WaitingPage
from waiting_queue.selectors.labels import subject_label, value_label

pytestmark = pytest.mark.django_db
ADD = "admin:queue_waitingpage_add"


@pytest.fixture(autouse=True)
def media(settings, tmp_path) -> None:
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def page(queue) -> WaitingPage:
    return WaitingPage.objects.create(queue=queue, headline_ko="어서 오세요", headline_en="Welcome")


def url(name, queue, *more):
    return reverse(f"admin:queue_waitingpage_{name}", args=[queue.pk, *more])


def sent(answer, **fields):
    """What a browser would send back for this form, with some fields changed."""
    forms = [answer.context["adminform"].form]
    for inline in answer.context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    data = {
        field.html_name: "on" if field.value() is True else field.value()
        for form in forms
        for field in form
        if field.value() is not None and field.value() is not False and field.name != "picture"
    }
    return data | fields


def saved(client, queue, **fields):
    return client.post(url("change", queue), sent(client.get(url("change", queue)), **fields))


HINT = {
    "hints-TOTAL_FORMS": "1",
    "hints-0-title_ko": "주차",
    "hints-0-title_en": "Parking",
    "hints-0-text_ko": "없음",
    "hints-0-text_en": "None",
    "hints-0-order": "0",
}
LINK = {
    "links-TOTAL_FORMS": "1",
    "links-0-label_ko": "안내",
    "links-0-label_en": "About",
    "links-0-url": "https://luna.example/",
    "links-0-order": "0",
}


def test_a_page_is_made_from_the_queues_page(operator_client, queue):
    answer = operator_client.get(reverse("admin:queue_salequeue_change", args=[queue.pk]))
    add = f"{reverse(ADD)}?queue={queue.pk}"
    assert add in answer.content.decode()

    data = sent(operator_client.get(add), headline_ko="가", headline_en="a", **HINT, **LINK)
    assert operator_client.post(add, data).status_code == 302

    page = WaitingPage.objects.get(pk=queue.pk)
    assert (page.headline_en, page.hints.count(), page.links.count()) == ("a", 1, 1)
    answer = operator_client.get(reverse("admin:queue_salequeue_change", args=[queue.pk]))
    assert url("change", queue) in answer.content.decode()


def test_a_draft_is_saved_and_audited_and_not_public(operator_client, queue, page, operator):
    services.publish_page(event_id=queue.pk, by=None, now=queue.opens_at)

    assert saved(operator_client, queue, headline_en="Hello", **HINT).status_code == 302

    change = QueueChange.objects.order_by("-id")[0]
    assert (change.after, change.by) == ("headline_en, hints", operator)
    with override("en"):
        assert subject_label(change) == "waiting page"
        assert value_label(change, change.after) == "headline in English, hints"
    assert selectors.published_page(queue.pk)["headline_en"] == "Welcome"


def test_saving_without_a_change_records_nothing(operator_client, queue, page):
    assert saved(operator_client, queue).status_code == 302

    assert not QueueChange.objects.exists()


def test_colours_and_links_are_refused_with_the_reason(operator_client, queue, page):
    bad = LINK | {"links-0-url": "javascript:alert(1)"}

    answer = saved(operator_client, queue, accent_light="#ffd400", **bad)

    html = answer.content.decode()
    assert "Too close to panels (#ffffff): the contrast is 1.4 : 1" in html
    assert "An address that begins with https:// or http://." in html
    assert not QueueChange.objects.exists()


def test_a_picture_becomes_a_small_webp_without_metadata(operator_client, queue, page):
    content, exif = BytesIO(), Image.Exif()
    exif[0x010E] = "secret place"
    Image.new("RGB", (2400, 1200), "teal").save(content, "JPEG", exif=exif)
    upload = SimpleUploadedFile("moon.jpg", content.getvalue())

    assert saved(operator_client, queue, picture=upload).status_code == 302

    page.refresh_from_db()
    assert page.picture.name.startswith("waiting/")
    with Image.open(page.picture) as kept:
        assert (kept.format, kept.size, dict(kept.getexif())) == ("WEBP", (1600, 800), {})


def test_what_is_no_picture_is_refused(operator_client, queue, page):
    upload = SimpleUploadedFile("moon.svg", b"<svg onload='alert(1)'/>")

    answer = saved(operator_client, queue, picture=upload)

    assert "picture" in answer.context["adminform"].form.errors


def test_a_form_that_was_open_for_long_does_not_undo_a_publishing(operator_client, queue, page):
    data = sent(operator_client.get(url("change", queue)), headline_en="Late")
    services.publish_page(event_id=queue.pk, by=None, now=queue.opens_at)

    assert operator_client.post(url("change", queue), data).status_code == 302

    assert selectors.published_page(queue.pk)["headline_en"] == "Welcome"


# -- preview and publishing -----------------------------------------------------------------------


def test_the_preview_has_both_languages_themes_and_widths(operator_client, queue, page):
    html = operator_client.get(url("preview", queue)).content.decode()

    for language in ("ko", "en"):
        for theme in ("light", "dark"):
            assert html.count(url("frame", queue, language, theme)) == 2
    assert html.count("page-preview--phone") == html.count("page-preview--desktop") == 4


@pytest.mark.parametrize(("language", "headline"), [("ko", "어서 오세요"), ("en", "Welcome")])
def test_a_frame_shows_the_draft_and_only_to_our_own_pages(
    language, headline, operator_client, queue, page
):
    answer = operator_client.get(url("frame", queue, language, "dark"))

    html = answer.content.decode()
    assert headline in html
    assert f'<html lang="{language}">' in html
    assert "1,234" in html
    assert "js/queue/page" not in html
    assert answer["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]


def test_a_frame_has_the_colours_of_its_theme(operator_client, queue, page):
    WaitingPage.objects.update(accent_light="#6d28d9", accent_dark="#c4b5fd")
    styles = {
        theme: operator_client.get(
            reverse("admin:queue_waitingpage_theme", args=[theme, queue.pk])
        ).content.decode()
        for theme in ("light", "dark")
    }

    assert "#6d28d9" in styles["light"]
    assert "#c4b5fd" not in styles["light"]
    assert "#c4b5fd" in styles["dark"]
    assert not any("prefers-color-scheme" in css for css in styles.values())


@pytest.mark.parametrize("wrong", [("fr", "dark"), ("en", "blue")])
def test_there_is_no_other_frame(wrong, operator_client, queue, page):
    assert operator_client.get(url("frame", queue, *wrong)).status_code == 404


def test_publishing_and_withdrawing_are_one_press_each(operator_client, queue, page, operator):
    operator_client.post(url("publish", queue), {"reason": "ready"})

    change = QueueChange.objects.get()
    assert selectors.published_page(queue.pk)["headline_en"] == "Welcome"
    assert (change.after, change.by, change.why) == ("published", operator, "ready")

    operator_client.post(url("withdraw", queue))

    assert selectors.published_page(queue.pk) == {}


def test_following_a_link_publishes_nothing(operator_client, queue, page):
    assert operator_client.get(url("publish", queue)).status_code == 405
    assert not QueueChange.objects.exists()


# -- permissions ----------------------------------------------------------------------------------


def test_staff_who_may_only_look_see_the_preview_and_publish_nothing(viewer_client, queue, page):
    assert viewer_client.get(url("change", queue)).status_code == 200
    answer = viewer_client.get(url("preview", queue))
    assert answer.status_code == 200
    assert url("publish", queue) not in answer.content.decode()

    for name in ("publish", "withdraw"):
        assert viewer_client.post(url(name, queue)).status_code == 403
    assert viewer_client.post(url("change", queue), {}).status_code == 403
    assert not QueueChange.objects.exists()


def test_others_see_nothing(client, queue, page):
    client.force_login(make_user(is_staff=True))
    addresses = [
        url("change", queue),
        url("preview", queue),
        url("frame", queue, "en", "dark"),
        reverse("admin:queue_waitingpage_theme", args=["dark", queue.pk]),
    ]

    assert {client.get(address).status_code for address in addresses} == {403}


def test_managers_edit_and_viewers_look():
    assert {"queue.add_waitingpage", "queue.change_waitingpage"} <= ROLES["manager"]
    assert "queue.view_waitingpage" in ROLES["viewer"]
    assert "queue.change_waitingpage" not in ROLES["operator"]


def test_a_page_is_not_deleted(operator_client, queue, page):
    assert operator_client.post(url("delete", queue), {"post": "yes"}).status_code == 403
    assert WaitingPage.objects.exists()
    assert SaleQueue.objects.exists()
