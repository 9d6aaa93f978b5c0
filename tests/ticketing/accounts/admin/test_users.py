"""Operators manage fans in the admin; privileges and staff are for superusers."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core import mail
from django.test import Client

from tests.ticketing.accounts.admin.conftest import PEOPLE, act
from tests.ticketing.accounts.conftest import is_logged_in, logged_in, new_browser
from tests.ticketing.accounts.test_password_reset import NEW, follow, link_in_mail
from ticketing.accounts.models import User


@pytest.mark.parametrize("words", ["ann@", "Ann", "5678"])
def test_people_are_found_by_email_name_and_phone(ann: User, ben: User, office: Client, words: str):
    User.objects.filter(pk=ann.pk).update(phone="010-1234-5678")

    found = office.get(PEOPLE, {"q": words}).context["cl"].result_list

    assert list(found) == [ann]


@pytest.mark.parametrize("page", ["", "add/", "{ann}/change/", "?is_staff__exact=1"])
def test_the_pages_open(ann: User, office: Client, page: str):
    assert office.get(PEOPLE + page.format(ann=ann.pk)).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_person_who_is_added_sets_the_password_by_mail(office: Client, worker: None):
    typed = {"email": "Dan@Example.com", "display_name": "Dan", "usable_password": "true"}
    password = {"password1": "a-long-enough-one", "password2": "a-long-enough-one"}

    office.post(f"{PEOPLE}add/", typed | password)

    assert not User.objects.get(email="dan@example.com").has_usable_password()
    assert mail.outbox[0].to == ["dan@example.com"]
    browser = new_browser()
    page = follow(browser, link_in_mail())
    browser.post(page, {"new_password1": NEW, "new_password2": NEW})
    assert User.objects.get(email="dan@example.com").check_password(NEW)


def test_nobody_sets_the_password_of_another(ann: User, office: Client):
    before = ann.password
    typed = {"password1": NEW, "password2": NEW, "usable_password": "true"}

    assert office.post(f"{PEOPLE}{ann.pk}/password/", typed).status_code in (302, 404)
    person = {"email": ann.email, "display_name": "Ann", "is_active": "on"}
    office.post(f"{PEOPLE}{ann.pk}/change/", person | {"password": NEW} | typed)

    ann.refresh_from_db()
    assert ann.password == before
    assert before not in office.get(f"{PEOPLE}{ann.pk}/change/").content.decode()


@pytest.mark.django_db(transaction=True)
def test_staff_send_a_link_instead(ann: User, operator: User, helper: User, worker: None):
    act(logged_in(helper), "send_reset_link", ann, operator)

    assert [sent.to for sent in mail.outbox] == [[ann.email]]
    assert LogEntry.objects.filter(object_id=str(ann.pk)).exists()


def test_a_helper_can_not_send_it_elsewhere(ann: User, helper: User):
    typed = {"email": "helper2@example.com", "display_name": "Ann", "is_active": "on"}

    logged_in(helper).post(f"{PEOPLE}{ann.pk}/change/", typed)

    ann.refresh_from_db()
    assert ann.email == "ann@example.com"


def test_switching_off_logs_out_and_leaves_a_trace(ann: User, ben: User, office: Client):
    anns, bens = logged_in(ann), logged_in(ben)

    act(office, "deactivate", ann)

    ann.refresh_from_db()
    assert not ann.is_active
    assert not is_logged_in(anns)
    assert is_logged_in(bens)
    assert LogEntry.objects.filter(object_id=str(ann.pk)).exists()


def test_nobody_switches_themselves_off(operator: User, office: Client):
    act(office, "deactivate", operator)

    operator.refresh_from_db()
    assert operator.is_active


def test_logging_out_everywhere_is_one_click(ann: User, office: Client):
    anns = logged_in(ann)

    act(office, "log_out_everywhere", ann)

    assert not is_logged_in(anns)
    ann.refresh_from_db()
    assert ann.is_active


def test_those_who_may_only_look_have_no_buttons(ann: User, helper: User):
    helper.user_permissions.set(Permission.objects.filter(codename="view_user"))
    client = logged_in(helper)

    act(client, "deactivate", ann)

    ann.refresh_from_db()
    assert ann.is_active
    assert client.get(PEOPLE).status_code == 200


def test_a_helper_has_no_power_over_staff(operator: User, helper: User):
    client = logged_in(helper)

    act(client, "deactivate", operator)
    changed = client.post(f"{PEOPLE}{operator.pk}/change/", {"display_name": "Nobody"})

    operator.refresh_from_db()
    assert operator.is_active
    assert changed.status_code == 403


def test_a_helper_can_not_give_powers(ann: User, helper: User):
    client = logged_in(helper)
    typed = {"email": ann.email, "display_name": "Anna", "is_active": "on"}

    client.post(f"{PEOPLE}{ann.pk}/change/", typed | {"is_staff": "on", "is_superuser": "on"})

    ann.refresh_from_db()
    assert ann.display_name == "Anna"
    assert not ann.is_staff
    assert not ann.is_superuser


def test_only_superusers_delete_people(ann: User, helper: User, office: Client):
    assert logged_in(helper).get(f"{PEOPLE}{ann.pk}/delete/").status_code == 403
    assert office.get(f"{PEOPLE}{ann.pk}/delete/").status_code == 200


def test_sessions_are_not_in_the_admin(office: Client):
    assert office.get("/admin/accounts/session/").status_code == 404
