"""The sandbox is nowhere to be found where tickets are really sold."""

import os
import subprocess
import sys
import threading

import httpx
import pytest
from django.core.checks import run_checks
from django.test import override_settings

from payments.sandbox import testing
from payments.sandbox.availability import check_not_in_production
from payments.sandbox.models import Payment
from ticketing.core.errors import NotFound

CHECKOUT = "/sandbox/portone/checkout/order-1?redirect=/&totalAmount=1000"


def manage(*arguments, **environment):
    production = os.environ | {"DEVELOPMENT": "0", "PAYMENTS_SANDBOX": ""} | environment
    production["ALLOWED_HOSTS"] = "tickets.example.com"
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], env=production, capture_output=True, text=True
    )


def test_production_does_not_even_have_its_tables():
    shown = manage("showmigrations", "--plan").stdout

    assert "ticketing.0001" in shown
    assert "sandbox" not in shown


def test_a_production_site_that_asks_for_it_fails_its_checks():
    refused = manage("check", PAYMENTS_SANDBOX="1")

    assert refused.returncode == 1
    assert "sandbox.E001" in refused.stderr


def test_development_passes_them():
    assert check_not_in_production() == []
    assert not [found for found in run_checks() if found.id == "sandbox.E001"]


@pytest.mark.parametrize("wrong", ["DEVELOPMENT", "PAYMENTS_SANDBOX"])
def test_its_addresses_lead_nowhere_in_production(client, post, wrong):
    assert client.get(CHECKOUT).status_code == 200

    with override_settings(**{wrong: False}):
        assert client.get(CHECKOUT).status_code == 404
        assert post("order-2/pre-register", {"totalAmount": 1}).status_code == 404

    assert not Payment.objects.filter(payment_id="order-2").exists()


def test_nor_can_it_be_controlled_there(db, settings):
    settings.DEVELOPMENT = False

    for attempt in (testing.charges, testing.reset, lambda: testing.pay("order-1")):
        with pytest.raises(NotFound):
            attempt()


def test_it_needs_no_thread_of_the_sites_pages(portone, registered, origin):
    from ticketing.asgi import threads

    pool, release = threads._threads, threading.Event()
    for _ in range(pool._max_workers):
        pool.submit(release.wait, 20)
    try:
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{origin}/accounts/log-in/", timeout=0.5)
        assert portone.pre_register_payment(payment_id=registered, total_amount=1) is not None
        window = f"{origin}/sandbox/portone/checkout/{registered}?redirect=/"
        assert httpx.get(window, timeout=60).status_code == 200
    finally:
        release.set()
