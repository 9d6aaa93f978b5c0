"""The checklist says what is missing, leads there, and every page leads back."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tests.making import make_event, make_plan, make_user
from ticketing.event_setup.selectors import checklist, first_steps
from ticketing.events.models import Event, Organiser, Venue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db


@pytest.fixture
def manager() -> Client:
    user = make_user(password=None, is_staff=True)
    user.groups.set(Group.objects.filter(name="manager"))
    client = Client(headers={"accept-language": "en"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def draft(now) -> Event:
    """Nothing but what the form asks for."""
    event = make_event(
        now,
        seats=False,
        state=Event.State.DRAFT,
        on_sale_at=now + timedelta(days=1),
        without_line=False,
    )
    event.grades.all().delete()
    return event


def missing(event, now):
    return [step.name for step in checklist(event, now=now) if step.is_missing]


def page_of(event):
    return reverse("setup:checklist", args=[event.pk])


def test_an_empty_database_begins_with_the_organiser(manager):
    page = manager.get(reverse("setup:start"))

    assert [step.name for step in first_steps().steps if step.is_missing] == [
        *("organiser", "venue", "plan", "event")
    ]
    assert "There are no events yet" in page.content.decode()
    assert reverse("setup:start") in manager.get("/admin/").content.decode()


def test_a_saved_venue_leads_back_to_the_start(manager):
    page = f"{reverse('admin:ticketing_venue_add')}?checklist=0"
    names = {"name_ko": "홀", "name_en": "Hall", "time_zone": "Asia/Seoul"}

    assert reverse("setup:start") in manager.get(page).content.decode()
    assert manager.post(page, names).url == reverse("setup:start")
    assert Venue.objects.count() == 1


def test_the_form_of_an_event_offers_plan_organiser_and_its_grades(manager):
    plan, organiser = make_plan(), Organiser.objects.create(name_ko="달빛", name_en="Moon")

    link = manager.get(reverse("setup:start")).context["rows"][-1].links[0]
    form = manager.get(link.url).context

    assert form["adminform"].form.initial["plan"] == str(plan.pk)
    assert form["adminform"].form.initial["organiser"] == str(organiser.pk)
    grades = form["inline_admin_formsets"][0].formset
    assert [grade["code"].value() for grade in grades] == ["R", "S"]


def test_what_is_missing_is_said_until_nothing_is(manager, draft, now):
    assert missing(draft, now) == ["prices", "seats", "line", "announce"]

    for order, code in enumerate(("R", "S")):
        draft.grades.create(code=code, name_ko=code, name_en=code, price=1000, order=order)
    created = reverse("admin:ticketing_event_create_seats", args=[draft.pk])
    assert manager.post(f"{created}?checklist={draft.pk}").url == page_of(draft)
    manager.post(reverse("setup:without_line", args=[draft.pk]))
    draft.refresh_from_db()
    assert missing(draft, now) == ["announce"]

    announce = manager.get(page_of(draft)).context["rows"][-1].links[0].url
    assert manager.post(announce, {"confirmed": "1"}).url == page_of(draft)
    draft.refresh_from_db()
    assert missing(draft, now) == []


def test_a_line_is_as_good_as_the_word_that_there_is_none(manager, draft, now):
    link = manager.get(page_of(draft)).context["rows"][5].links[0].url

    assert str(draft.pk) in manager.get(link).content.decode()
    SaleQueue.objects.create(event=draft, opens_at=draft.on_sale_at)
    assert "line" not in missing(draft, now)


def test_a_draft_whose_time_is_over_is_not_ready(draft, now):
    draft.on_sale_at = now

    assert "event" in missing(draft, now)


def test_no_announcement_is_offered_before_all_is_there(manager, draft):
    assert manager.get(page_of(draft)).context["rows"][-1].links == []


def test_a_duplicate_is_asked_for_and_shown(manager, event):
    page = reverse("setup:duplicate", args=[event.pk])
    form = {"title_ko": "앙코르", "title_en": "Encore", "starts_at_0": "2999-01-01"}

    refused = manager.post(page, form)
    done = manager.post(page, form | {"starts_at_1": "19:30"})

    assert refused.context["form"].errors.keys() == {"starts_at"}
    assert done.url == page_of(Event.objects.get(title_en="Encore"))


def test_staff_who_only_watch_see_the_list_and_change_nothing(draft):
    user = make_user(password=None, is_staff=True)
    user.groups.set(Group.objects.filter(name="viewer"))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")

    assert client.get(page_of(draft)).status_code == 200
    for name in ("without_line", "duplicate"):
        assert client.post(reverse(f"setup:{name}", args=[draft.pk])).status_code == 403
    assert client.get(reverse("setup:start")).status_code == 403


@pytest.mark.parametrize("nonsense", ["x", "-1", "9" * 30, "//example.com"])
def test_a_way_back_leads_nowhere_else(manager, nonsense):
    page = manager.get(f"{reverse('admin:ticketing_venue_add')}?checklist={nonsense}")

    assert "way-back" not in page.content.decode()
