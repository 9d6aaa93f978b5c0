import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.db.models import F
from django.test import Client
from django.utils import translation

from reservations.views.seat_drawings import ranges
from tests.making import make_event, make_plan, make_user
from ticketing.accounts.selectors import footer_documents
from ticketing.core.money import money
from ticketing.events.models import Event, Place, Seat
from ticketing.events.views.generated_poster import poster_svg

pytestmark = pytest.mark.django_db

STATES = [state for state in Event.State if state != Event.State.DRAFT]


@pytest.fixture
def client(client: Client) -> Client:
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    client.defaults["HTTP_ACCEPT"] = "text/html"
    return client


@pytest.fixture
def draft(db, now):
    return make_event(now, state=Event.State.DRAFT)


def staff(*permissions):
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


# -- home -----------------------------------------------------------------------------------------


def test_home_lists_what_is_coming_up_the_soonest_first(client, now):
    later = make_event(now, starts_at=now + timedelta(days=40))
    sooner = make_event(now, starts_at=now + timedelta(days=35))
    over = make_event(
        now,
        on_sale_at=now - timedelta(9),
        doors_at=now - timedelta(2),
        starts_at=now - timedelta(1),
    )

    page = client.get("/").content.decode()

    assert page.index(sooner.title_en) < page.index(later.title_en)
    assert over.title_en not in page
    assert "from ₩132,000" in page


def test_a_search_matches_the_title_in_the_other_language(client, event, now):
    other = make_event(now, title_ko="겨울", title_en="Winter")

    page = client.get("/", {"q": "겨울"}).content.decode()

    assert other.title_en in page
    assert event.title_en not in page


@pytest.mark.parametrize("query", ["%", "x" * 5000, "<script>", "'; --"])
def test_a_strange_search_is_only_a_search(client, event, query):
    answer = client.get("/", {"q": query})

    assert answer.status_code == 200
    assert "<script>" not in answer.content.decode()


@pytest.mark.parametrize("number", ["0", "-1", "99", "x", "١"])
def test_a_page_that_does_not_exist_is_the_nearest_one(client, event, number):
    assert event.title_en in client.get("/", {"page": number}).content.decode()


def test_home_costs_few_queries_however_many_events(client, now, django_assert_max_num_queries):
    for _ in range(5):
        make_event(now, seats=False)
    footer_documents()  # read once for all pages

    with django_assert_max_num_queries(2):
        client.get("/")


def test_knowing_who_is_logged_in_costs_no_sql(client, fan, event, django_assert_num_queries):
    client.force_login(fan)
    client.get("/")

    with django_assert_num_queries(2):
        page = client.get("/").content.decode()

    assert fan.display_name in page


# -- an event -------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_its_page_and_only_a_sale_leads_to_seats(client, now, state):
    event = make_event(now, state=state)

    page = client.get(event.get_absolute_url()).content.decode()

    assert event.title_en in page
    assert ("See the seats" in page) == (state == Event.State.ON_SALE)
    assert ("data-countdown" in page) == (state == Event.State.ANNOUNCED)


def test_a_cancelled_event_promises_the_refund_as_the_order_does(client, now):
    event = make_event(now, state=Event.State.CANCELLED)

    page = client.get(event.get_absolute_url()).content.decode()

    assert "Tickets are refunded in full automatically" in page


def test_the_public_does_not_learn_that_a_draft_exists(client, draft):
    missing = client.get("/events/999999/")

    answer = client.get(draft.get_absolute_url())

    assert (answer.status_code, missing.status_code) == (404, 404)
    assert client.get(f"/events/{draft.pk}/seats/").status_code == 404


@pytest.mark.parametrize(("permissions", "status"), [(["view_event"], 200), ([], 404)])
def test_staff_preview_a_draft_if_they_may_see_drafts(client, draft, permissions, status):
    client.force_login(staff(*permissions))

    assert client.get(draft.get_absolute_url()).status_code == status


@pytest.mark.parametrize(
    ("how", "words"), [("sale", "in the order of booking"), ("drawn", "drawn after the sale")]
)
def test_entry_numbers_are_told_before_one_buys(client, now, how, words):
    event = make_event(now, plan=make_plan(rows=1, standing=5))
    pages = [event.get_absolute_url(), f"/events/{event.pk}/seats/F/"]
    assert not any("entry by number" in client.get(at).content.decode() for at in pages)

    Event.objects.update(entry_numbers=how)

    assert all(words in client.get(at).content.decode() for at in pages)


def test_times_are_the_venues_and_a_foreign_zone_is_named(client, event):
    event.plan.venue.time_zone = "Europe/London"
    event.plan.venue.save()

    page = client.get(event.get_absolute_url()).content.decode()

    assert " GMT</time>" in page or " BST</time>" in page


@pytest.mark.parametrize(("minutes", "refreshes"), [(60, None), (5, "60"), (0.5, "30"), (-1, "5")])
def test_without_a_script_the_page_looks_again_only_near_the_opening(
    client, now, minutes, refreshes
):
    opens = now + timedelta(minutes=minutes)
    event = make_event(now, state=Event.State.ANNOUNCED, on_sale_at=opens)

    answer = client.get(event.get_absolute_url())
    looks_again = answer.context["refresh_after"]

    assert looks_again == (None if refreshes is None else pytest.approx(int(refreshes), abs=2))


# -- the house ------------------------------------------------------------------------------------


def test_the_house_shows_what_is_left_in_each_section(client, now):
    event = make_event(now, plan=make_plan(standing=5))
    Seat.objects.filter(event=event, section__code="A").first().delete()

    page = client.get(f"/events/{event.pk}/seats/").content.decode()

    assert "A, 11 of 11 left: Section A" in page
    assert "F, 5 of 5 left: Floor" in page


def test_an_event_without_seats_says_so(client, now):
    event = make_event(now, seats=False)

    assert "No seats yet." in client.get(f"/events/{event.pk}/seats/").content.decode()


@pytest.mark.parametrize("code", ["Z", "A%20", "a" * 200, "<b>"])
def test_a_section_that_does_not_exist_is_not_found(client, event, code):
    assert client.get(f"/events/{event.pk}/seats/{code}/").status_code == 404


def test_a_huge_number_is_no_event(client, db):
    assert client.get(f"/events/{10**30}/").status_code == 404


def test_each_state_of_a_seat_has_its_own_shape(client, event):
    seats = Seat.objects.filter(event=event).order_by("pk")
    for seat, state in zip(seats, Seat.State, strict=False):
        Seat.objects.filter(pk=seat.pk).update(state=state)

    page = client.get(f"/events/{event.pk}/seats/A/").content.decode()

    for state in Seat.State:
        assert f'<use href="#seat-{state}"' in page


def test_a_curved_row_is_one_row(client, now):
    """Its ends lie as far from the stage as the middle of another row."""
    event = make_event(now, plan=make_plan(rows=2, seats_per_row=3))
    Place.objects.filter(section__plan=event.plan, number=2).update(y=F("y") + 25)

    page = client.get(f"/events/{event.pk}/seats/A/").content.decode()

    assert re.findall(r'<th scope="row">(.+?)</th>\s*<td>([^<]+)<', page) == [
        ("1", "1–3"),
        ("2", "1–3"),
    ]


def test_free_seats_are_named_in_runs():
    assert ranges([3, 1, 2, 7, 9, 10]) == "1–3, 7, 9–10"


# -- pictures -------------------------------------------------------------------------------------


def test_the_art_of_an_event_stays_the_same_and_is_kept_for_a_day(client):
    answer = client.get("/events/7/poster.svg")

    assert answer.content.decode() == poster_svg(7) != poster_svg(8)
    assert "max-age=86400" in answer["Cache-Control"]


def test_uploads_are_served_and_nothing_beside_them(client, db):
    posters = settings.MEDIA_ROOT / "posters"
    posters.mkdir(parents=True, exist_ok=True)
    (posters / "a.png").write_bytes(b"png")
    (posters / "a.html").write_text("<script>")
    (posters / "a.svg").write_text("<svg/>")

    picture = client.get("/media/posters/a.png")

    assert (picture.status_code, picture["X-Content-Type-Options"]) == (200, "nosniff")
    for name in ("a.html", "a.svg"):
        assert client.get(f"/media/posters/{name}")["Content-Disposition"] == "attachment"
    for path in ("../secret-key", "%2e%2e/x", "posters/", ""):
        assert client.get(f"/media/{path}").status_code in (400, 404)


# -- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("amount", "currency", "language", "written"),
    [
        (154_000, "KRW", "ko", "154,000원"),
        (154_000, "KRW", "en", "₩154,000"),
        (123_456, "USD", "en", "$1,234.56"),
        (5, "EUR", "ko", "€0.05"),
        (1_000, "JPY", "en", "¥1,000"),
        (1_000, "CHF", "en", "10.00 CHF"),
    ],
)
def test_money_is_written_as_its_readers_write_it(amount, currency, language, written):
    with translation.override(language):
        assert money(amount, currency) == written


def test_the_language_is_chosen_without_a_script_and_kept(client, event):
    chosen, own = {"language": "ko", "next": "/"}, {"origin": "http://testserver"}
    client.post("/i18n/setlang/", chosen, headers=own)

    page = client.get("/").content.decode()

    assert '<html lang="ko">' in page
    assert event.title_ko in page


def test_an_error_page_asks_neither_session_nor_database(client, django_assert_num_queries, db):
    with django_assert_num_queries(0):
        answer = client.get("/no-such-page")

    assert answer.status_code == 404
    assert "Not found." in answer.content.decode()
    assert "sessionid" not in answer.cookies
