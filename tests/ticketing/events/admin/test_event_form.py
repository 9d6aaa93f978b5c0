from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from tests.making import make_event, make_plan
from ticketing.events.models import Event, EventChange


def sent(page, **fields):
    """What a browser would send back for this form, with some fields changed."""
    data = {}
    forms = [page.context["adminform"].form]
    for inline in page.context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    for form in forms:
        for field in form:
            value = field.value()
            if field.name in form.fields and value is not None and field.name != "poster":
                subwidgets = getattr(field.field.widget, "widgets", None)
                if subwidgets:
                    parts = field.field.widget.decompress(value)
                    data |= {f"{field.html_name}_{i}": part for i, part in enumerate(parts)}
                else:
                    data[field.html_name] = value
    return data | fields


@pytest.fixture
def page(event):
    return reverse("admin:ticketing_event_change", args=[event.pk])


def picture(kind="JPEG", size=(2400, 1200), **options) -> SimpleUploadedFile:
    content = BytesIO()
    Image.new("RGB", size, "teal").save(content, kind, **options)
    return SimpleUploadedFile(f"poster.{kind.lower()}", content.getvalue())


def test_an_edit_is_saved_and_audited(operator_client, event, page, operator):
    response = operator_client.post(
        page, sent(operator_client.get(page), title_en="Sunlight Concert")
    )

    change = EventChange.objects.filter(event=event, what="edited").get()
    assert response.status_code == 302
    assert Event.objects.get(pk=event.pk).title_en == "Sunlight Concert"
    assert (change.after, change.by) == ("title_en", operator)


def test_how_seats_are_sold_can_be_changed_and_is_audited(operator_client, event, page):
    changed = {"seats_per_person": "2", "hold_seconds": "120", "payment_seconds": "240"}

    operator_client.post(page, sent(operator_client.get(page), **changed, no_orphans="on"))

    event.refresh_from_db()
    assert (event.seats_per_person, event.hold_seconds, event.payment_seconds) == (2, 120, 240)
    assert event.no_orphans
    edited = EventChange.objects.get(event=event, what="edited").after.split(", ")
    assert set(edited) == {*changed, "no_orphans"}


@pytest.mark.parametrize("nonsense", [{"seats_per_person": "0"}, {"hold_seconds": "5"}])
def test_nobody_is_given_no_seats_or_no_time(operator_client, event, page, nonsense):
    response = operator_client.post(page, sent(operator_client.get(page), **nonsense))

    assert response.context["adminform"].form.errors.keys() == nonsense.keys()


def test_a_new_price_is_audited(operator_client, event, page):
    data = sent(operator_client.get(page)) | {"grades-0-price": "99000"}

    operator_client.post(page, data)

    assert EventChange.objects.get(event=event, what="grade R").after == "price=99000"


def test_a_form_that_was_open_for_long_does_not_undo_a_move(operator_client, event, page):
    data = sent(operator_client.get(page), title_en="Late edit")
    Event.objects.filter(pk=event.pk).update(state="paused")

    operator_client.post(page, data)

    event.refresh_from_db()
    assert (event.state, event.title_en) == ("paused", "Late edit")


def test_the_state_can_not_be_posted(operator_client, event, page):
    operator_client.post(page, sent(operator_client.get(page), state="cancelled", title_en="New"))

    event.refresh_from_db()
    assert (event.state, event.title_en) == ("on_sale", "New")


def test_plan_and_currency_stay_once_there_are_seats(operator_client, event, page):
    other = make_plan()

    operator_client.post(
        page, sent(operator_client.get(page), plan=other.pk, currency="USD", title_en="New")
    )

    event.refresh_from_db()
    assert (event.plan == other, event.currency, event.title_en) == (False, "KRW", "New")


def test_plan_and_currency_are_free_before(operator_client, now):
    event, other = make_event(now, seats=False), make_plan()
    page = reverse("admin:ticketing_event_change", args=[event.pk])

    operator_client.post(page, sent(operator_client.get(page), plan=other.pk, currency="USD"))

    event.refresh_from_db()
    assert (event.plan, event.currency) == (other, "USD")


def test_a_draft_without_seats_is_deleted_and_nothing_else(operator_client, event, now):
    draft = make_event(now, seats=False, state=Event.State.DRAFT)

    for one in (event, draft):
        operator_client.post(
            reverse("admin:ticketing_event_delete", args=[one.pk]), {"post": "yes"}
        )

    assert list(Event.objects.all()) == [event]


def test_wrong_times_are_form_errors(operator_client, event, page):
    response = operator_client.post(
        page, sent(operator_client.get(page), doors_at_0="2999-01-01", doors_at_1="10:00")
    )

    assert response.status_code == 200
    assert response.context["adminform"].form.errors


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_poster_becomes_a_small_webp(kind, operator_client, event, page, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path

    operator_client.post(page, sent(operator_client.get(page), poster=picture(kind)))

    event.refresh_from_db()
    with Image.open(event.poster.path) as stored:
        assert (stored.format, stored.size) == ("WEBP", (1600, 800))
    assert event.poster.url in operator_client.get(page).content.decode()


def test_a_poster_is_turned_upright_and_tells_nothing(
    operator_client, event, page, settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "taken at home"

    operator_client.post(
        page, sent(operator_client.get(page), poster=picture(size=(400, 200), exif=exif.tobytes()))
    )

    event.refresh_from_db()
    with Image.open(event.poster.path) as stored:
        assert stored.size == (200, 400)
        assert not stored.getexif()


@pytest.mark.parametrize(
    "upload",
    [
        lambda: SimpleUploadedFile("poster.jpg", b"<svg onload=alert(1)>"),
        lambda: SimpleUploadedFile("poster.jpg", picture().read()[:500]),
        lambda: SimpleUploadedFile("poster.png", b"x" * (10 * 1024 * 1024 + 1)),
        lambda: picture("GIF", (10, 10)),
        lambda: picture("PNG", (9000, 9000)),
    ],
    ids=["not a picture", "cut off", "too large", "wrong format", "too many pixels"],
)
def test_a_bad_poster_is_a_form_error(upload, operator_client, event, page, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path

    response = operator_client.post(page, sent(operator_client.get(page), poster=upload()))

    event.refresh_from_db()
    assert "poster" in response.context["adminform"].form.errors
    assert not event.poster
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("codes", "named"), [(["R"], "S"), (["R", "S", "VIP"], "VIP")], ids=["missing", "unknown"]
)
def test_grades_that_do_not_fit_the_plan_are_refused(operator_client, now, codes, named):
    event = make_event(now, seats=False)
    event.grades.all().delete()
    page = reverse("admin:ticketing_event_change", args=[event.pk])
    data = sent(operator_client.get(page)) | {"grades-TOTAL_FORMS": str(len(codes))}
    for n, code in enumerate(codes):
        names = {"code": code, "name_ko": code, "name_en": code, "price": "1000"}
        row = names | {"colour": "#112233", "order": str(n)}
        data |= {f"grades-{n}-{name}": value for name, value in row.items()}

    response = operator_client.post(page, data)

    formset = response.context["inline_admin_formsets"][0].formset
    assert named in str(formset.non_form_errors())
    assert event.grades.count() == 0


def test_an_event_can_be_saved_before_its_prices_are_known(operator_client, now):
    event = make_event(now, seats=False)
    event.grades.all().delete()
    page = reverse("admin:ticketing_event_change", args=[event.pk])

    response = operator_client.post(page, sent(operator_client.get(page), title_en="Early"))

    assert response.status_code == 302
    assert event.grades.count() == 0
