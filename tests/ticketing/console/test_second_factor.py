"""Two-factor log-in of staff."""

import re

import pytest
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from tests.ticketing.console.test_sockets import next_frame, opened, served
from tests.waiting_queue.api.conftest import logged_in

__all__ = ["opened", "served"]
pytestmark = pytest.mark.django_db
CHECK, SET_UP = "/admin/console/second-factor/", "/admin/console/second-factor/set-up/"


@pytest.fixture
def required(settings):
    settings.STAFF_TWO_FACTOR = "required"


@pytest.fixture
def staff_client(operator):
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)
    return client


def code_of(user, *, step=0):
    phone = TOTPDevice.objects.get(user=user)
    return f"{totp(phone.bin_key, phone.step, phone.t0, phone.digits, step):06}"


def set_up(client, user):
    client.get(SET_UP)
    answer = client.post(SET_UP, {"code": code_of(user)})
    return re.findall(r"<code>([0-9a-f]{10})</code>", answer.content.decode())


def log_in_again(user):
    client = Client(headers={"accept-language": "en"})
    client.force_login(user)
    return client


def test_without_the_setting_no_code_is_required(staff_client):
    assert staff_client.get("/admin/").status_code == 200


def test_where_it_is_required_the_admin_is_closed_until_it_is_set_up(
    required, staff_client, sale, operator
):
    for page in ("/admin/", f"/admin/console/{sale.pk}/", "/admin/queue/salequeue/"):
        answer = staff_client.get(page)
        assert answer.status_code == 302
        assert answer.url.startswith(CHECK)
    assert staff_client.get(CHECK).url == SET_UP

    codes = set_up(staff_client, operator)

    assert len(set(codes)) == 10
    assert staff_client.get("/admin/").status_code == 200


def test_the_qr_code_is_an_image_that_is_not_cached(required, staff_client):
    image = staff_client.get("/admin/console/second-factor/qr.svg")

    assert image["content-type"] == "image/svg+xml"
    assert b"<svg" in image.content
    assert "no-store" in image["cache-control"]


def test_every_new_log_in_asks_for_a_code_and_returns_to_the_page(required, staff_client, operator):
    set_up(staff_client, operator)
    again = log_in_again(operator)
    redirect = again.get("/admin/queue/salequeue/")
    assert redirect.status_code == 302

    wrong = again.post(redirect.url, {"code": "000000"})
    assert b"is incorrect" in wrong.content
    TOTPDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    right = again.post(
        redirect.url, {"code": code_of(operator, step=1), "next": "/admin/queue/salequeue/"}
    )

    assert right.url == "/admin/queue/salequeue/"
    assert again.get("/admin/queue/salequeue/").status_code == 200


def test_a_code_works_once_and_guessing_is_rate_limited(required, staff_client, operator):
    set_up(staff_client, operator)
    again = log_in_again(operator)

    used = again.post(CHECK, {"code": code_of(operator)})
    hurried = again.post(CHECK, {"code": code_of(operator, step=1)})

    assert (used.status_code, hurried.status_code) == (200, 200)
    assert again.get("/admin/").status_code == 302


def test_a_recovery_code_works_once(required, staff_client, operator):
    code, *_ = set_up(staff_client, operator)
    first, second = log_in_again(operator), log_in_again(operator)

    assert first.post(CHECK, {"code": code}).status_code == 302
    assert second.post(CHECK, {"code": code}).status_code == 200
    assert StaticToken.objects.count() == 9


def test_staff_with_a_phone_are_asked_even_where_it_is_not_required(staff_client, operator):
    set_up(staff_client, operator)

    assert log_in_again(operator).get("/admin/").url.startswith(CHECK)


def test_a_password_alone_does_not_replace_the_phone(required, staff_client, operator):
    set_up(staff_client, operator)
    thief = log_in_again(operator)

    assert thief.get(SET_UP).url == CHECK
    assert thief.post(SET_UP, {"code": "123456"}).url == CHECK
    assert thief.get("/admin/console/second-factor/qr.svg").status_code == 404
    assert TOTPDevice.objects.filter(user=operator).count() == 1


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_it_does_not_redirect_to_other_sites(required, staff_client, operator, where):
    set_up(staff_client, operator)
    again = log_in_again(operator)

    answer = again.post(CHECK, {"code": code_of(operator, step=1), "next": where})

    assert answer.url == "/admin/"


def test_fans_and_public_pages_are_not_affected(required, fan):
    client = log_in_again(fan)

    assert client.get("/healthz").status_code == 200
    assert client.get("/admin/").url.startswith("/admin/login/")


@pytest.mark.django_db(transaction=True)
def test_the_websocket_requires_it_too(required, sale, operator, opened):
    console = opened(sale.pk, logged_in(operator))

    assert next_frame(console, "error")["code"] == "second_factor_missing"
