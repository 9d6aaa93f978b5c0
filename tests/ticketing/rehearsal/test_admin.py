"""A rehearsal in the admin: begun, stopped, and its report read."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from reservations.models import Reservation
from tests.making import seat_ids
from tests.reservations.acting import hold
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from tests.waiting import wait_until
from ticketing.events.models import Event, EventChange
from ticketing.rehearsal import services, tasks
from ticketing.rehearsal.models import Rehearsal

pytestmark = pytest.mark.django_db
FORM = {"fans": 50, "minutes": 2, "profile": "bots", "faults": "none"}
VERDICTS = [
    {"name": "a", "words": "Nobody was overtaken.", "checked": 1234, "holds": True},
    {"name": "b", "words": "No seat twice.", "checked": 9, "holds": False, "counterexample": "A-1"},
    {"name": "c", "words": "Bots.", "checked": 0, "holds": None},
]


@pytest.fixture
def client(operator):
    logged_in = Client(headers={"accept-language": "en"})
    logged_in.force_login(operator)
    return logged_in


@pytest.fixture
def rehearsal(sale, operator, now):
    return services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)


def address(name, *args):
    return reverse(f"admin:rehearsal_rehearsal_{name}", args=args)


def report(rehearsal, now, ok=True):
    fields = {"summary": {"verdicts": VERDICTS}, "html": "<h1>Held</h1>", "report": {"a": 1}}
    return services.save_report(code=rehearsal.code, ok=ok, now=now, **fields)


@pytest.mark.parametrize(
    ("language", "title", "example"),
    [("en", "No number given twice", "Found."), ("ko", "같은 번호를 두 번 준 적이 없음", "찾음.")],
)
def test_promises_are_read_in_the_readers_language(
    client, rehearsal, now, language, title, example
):
    """Whatever the language of the runner was that sent them."""
    sent = {"name": "numbers", "words": "같은 번호", "checked": 1, "holds": False}
    summary = {"verdicts": [sent | {"counterexample": {"ko": "찾음.", "en": "Found."}}]}
    services.save_report(
        code=rehearsal.code, ok=False, now=now, summary=summary, html="", report={}
    )

    page = client.get(address("change", rehearsal.pk), headers={"accept-language": language})

    assert title in page.content.decode()
    assert example in page.content.decode()


@pytest.mark.parametrize(
    ("language", "title", "step"),
    [
        ("en", "No rehearsals yet", "press “Rehearse”"),
        ("ko", "아직 리허설이 없습니다", "‘리허설하기’를 누르세요"),
    ],
)
def test_an_empty_list_says_how_to_start_one(client, language, title, step):
    page = client.get(address("changelist"), headers={"accept-language": language}).content.decode()

    assert title in page
    assert step in page
    assert f'href="{reverse("admin:ticketing_event_changelist")}"' in page


def test_a_list_with_rehearsals_shows_them(client, rehearsal):
    page = client.get(address("changelist")).content.decode()

    assert "No rehearsals yet" not in page
    assert rehearsal.code in page


def test_the_button_copies_the_event_and_starts_a_runner(client, sale, monkeypatch):
    directed = []
    monkeypatch.setattr(tasks.rehearse, "delay", directed.append)

    answer = client.post(address("rehearse", sale.pk), FORM)

    begun = Rehearsal.objects.get()
    assert answer.url == address("change", begun.pk)
    assert directed == [begun.code]
    assert begun.options == FORM | {"seed": 1, "knobs": {}, "language": "en"}
    assert Event.objects.get(pk=begun.copy).rehearsal_of == sale


@pytest.mark.parametrize(("sandbox", "offered"), [(True, [True, True]), (False, [True, False])])
def test_only_faults_that_are_possible_here_are_offered(client, sale, settings, sandbox, offered):
    settings.PAYMENTS_SANDBOX = sandbox
    page = client.get(address("rehearse", sale.pk)).content.decode()

    assert [f'value="{it}"' in page for it in ("none", "some")] == offered
    assert 'value="all"' not in page
    assert ("charges real cards" in page) is not sandbox


def test_a_second_one_is_refused_with_words(client, rehearsal, sale):
    assert rehearsal.code in client.get(address("rehearse", sale.pk)).content.decode()

    answer = client.post(address("rehearse", sale.pk), FORM)

    assert answer.status_code == 409
    assert rehearsal.code in answer.content.decode()


def test_stopping_cleans_up_and_is_noted(client, rehearsal, sale):
    client.post(address("stop", rehearsal.pk))

    rehearsal.refresh_from_db()
    assert rehearsal.state == "stopped"
    assert rehearsal.cleaned_at
    assert Event.objects.get() == sale
    assert EventChange.objects.filter(what="rehearsal", after="stopped").exists()


def test_who_has_something_of_a_real_event_is_told_to_operators(
    client, rehearsal, event, operator, now
):
    """As on a site whose rows are older than the constraint against it."""
    (fan,) = services.make_people(code=rehearsal.code, numbers=range(1), now=now)
    with connection.cursor() as cursor:
        table, rule = "reservations_reservation", "people_of_a_rehearsal_stay_in_it"
        cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {rule}")
    hold(event, operator, now, seat_ids(event)[0])
    Reservation.objects.update(fan_id=fan.id)

    page = client.post(address("stop", rehearsal.pk), follow=True).content.decode()

    assert "except for what belongs to a real event" in page
    assert "accounts.User 1, reservations.Reservation 1." in page
    assert "The next rehearsal can begin." in page
    assert address("stop", rehearsal.pk) not in page


def test_a_link_does_not_stop_it(client, rehearsal):
    assert client.get(address("stop", rehearsal.pk)).status_code == 405


def test_the_page_says_what_held(client, rehearsal, now):
    report(rehearsal, now, ok=False)

    page = client.get(address("change", rehearsal.pk)).content.decode()

    assert "Nobody was overtaken." in page
    assert "1,234" in page
    assert ("did not hold" in page, "not rehearsed" in page) == (True, True)
    assert address("report", rehearsal.pk) in page


def test_the_report_can_load_and_run_nothing(client, rehearsal, now):
    report(rehearsal, now)

    answer = client.get(address("report", rehearsal.pk))

    policy = {part.strip() for part in answer["Content-Security-Policy"].split(";")}
    assert answer.content == b"<h1>Held</h1>"
    assert {"default-src 'none'", "style-src 'unsafe-inline'", "sandbox"} <= policy
    assert not any(part.startswith("script-src") for part in policy)


def test_the_json_report_can_be_downloaded(client, rehearsal, now):
    report(rehearsal, now)

    answer = client.get(address("json", rehearsal.pk))

    assert answer.json() == {"a": 1}
    assert answer["Content-Disposition"].startswith("attachment")


def test_without_a_report_its_page_is_not_found(client, rehearsal):
    assert client.get(address("report", rehearsal.pk)).status_code == 404
    assert client.get(address("json", rehearsal.pk)).status_code == 404


@pytest.mark.parametrize(("ok", "state"), [(True, "passed"), (False, "failed")])
def test_a_report_after_the_clean_up_counts(rehearsal, now, ok, state):
    services.clean_up_rehearsal(code=rehearsal.code, now=now)

    assert report(rehearsal, now, ok=ok).state == state


def test_what_was_stopped_stays_stopped(rehearsal, now):
    services.stop_rehearsal(code=rehearsal.code, by=None, now=now)

    assert report(rehearsal, now).state == "stopped"


@pytest.mark.parametrize(("minutes", "is_stopped"), [(9, False), (11, True)])
def test_one_that_nobody_runs_any_more_is_cleaned_up(rehearsal, now, minutes, is_stopped):
    services.clean_up_forgotten(now=now + timedelta(minutes=minutes))

    rehearsal.refresh_from_db()
    assert (rehearsal.state == "stopped") is is_stopped
    assert Event.objects.filter(pk=rehearsal.copy).exists() is not is_stopped


def test_a_snapshot_call_notes_the_contact_of_the_runner(rehearsal, now):
    services.running_rehearsal(rehearsal.code, now=now + timedelta(minutes=9))
    services.clean_up_forgotten(now=now + timedelta(minutes=15))

    rehearsal.refresh_from_db()
    assert rehearsal.is_under_way


PRINTS_WHEN_GENTLE = """
import os, sys, time
while os.getpriority(os.PRIO_PROCESS, 0) < 10:
    time.sleep(0.01)
session = "/proc/self/autogroup"
while os.path.exists(session) and int(open(session).read().split()[-1]) < 10:
    time.sleep(0.01)
print("gentle", *sys.argv[1:])
"""


def test_a_runner_leaves_processor_and_web_processes_to_the_site(
    rehearsal, now, settings, tmp_path
):
    settings.VAR_DIR = settings.BASE_DIR = tmp_path
    (tmp_path / "manage.py").write_text(PRINTS_WHEN_GENTLE)

    services.start_runner(code=rehearsal.code, now=now)

    log = tmp_path / "rehearsals" / rehearsal.code / "runner.log"
    wait_until(lambda: "gentle" in log.read_text())
    assert not {"--url", "--alone"} & {*log.read_text().split()}
    rehearsal.refresh_from_db()
    assert rehearsal.is_under_way


def test_a_runner_that_cannot_start_stops_the_rehearsal(rehearsal, now, settings, tmp_path):
    settings.VAR_DIR, settings.SITE_URL = tmp_path, "http://127.0.0.1:9"
    settings.BASE_DIR = tmp_path  # where there is no manage.py

    services.start_runner(code=rehearsal.code, now=now)

    rehearsal.refresh_from_db()
    assert rehearsal.state == "stopped"
    assert "manage.py" in (tmp_path / "rehearsals" / rehearsal.code / "runner.log").read_text()
