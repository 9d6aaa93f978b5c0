"""After a restore orders have their seats and tickets, and money is what the gateway says."""

import sys
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from redis import Redis

from payments import services as payments
from payments.models import Payment
from reservations import keys
from tests.making import make_user
from tests.payments.buyers import Buyer
from tests.payments.conftest import paying_site  # noqa: F401 - fixture
from tests.payments.sandbox_server import base, origin, shop  # noqa: F401 - fixtures
from ticketing.development.embedded import process
from ticketing.events.models import Event
from ticketing.operations import services

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
ORDERS = """
SELECT reservation.code, reservation.state, payment.state,
    (SELECT count(*) FROM reservations_ticket AS ticket
     WHERE ticket.reservation_id = reservation.id AND ticket.state = 'valid'),
    (SELECT array_agg(DISTINCT seat.state) FROM ticketing_seat AS seat
     WHERE seat.id = ANY(%s))
FROM reservations_reservation AS reservation
JOIN payments_payment AS payment ON payment.reservation_id = reservation.id
WHERE reservation.code = %s
"""


@pytest.fixture
def site(empty_site, base, settings) -> dict[str, str]:  # noqa: F811
    """The restored site has the same gateway, which goes on while the site is down."""
    return empty_site | {
        "PORTONE_URL": base,
        "PORTONE_API_SECRET": settings.PORTONE_API_SECRET,
        "PORTONE_STORE_ID": settings.PORTONE_STORE_ID,
        "PORTONE_TAKES_TEST": "1",
    }


def manage(site: dict[str, str], *command: Any) -> tuple[int, str]:
    return process.run([sys.executable, "manage.py", *command], env=site)


def order(site: dict[str, str], buyer: Buyer) -> tuple[Any, ...] | None:
    with psycopg.connect(site["DATABASE_URL"]) as restored:
        return restored.execute(ORDERS, [buyer.seats, buyer.code]).fetchone()


def shut_seats(site: dict[str, str], event: Event) -> set[int]:
    with Redis.from_url(site["REDIS_URL"]) as client:
        return {int(seat) for seat in client.hkeys(keys.gate(event.pk))}


def test_orders_return_and_later_money_is_found(event, sale, site, tmp_path, now):
    buyers = (Buyer(event, make_user(), now, first) for first in (0, 2, 4, 8))
    paid, paying, refunded, earlier = buyers
    assert {buyer.buy().state for buyer in (paid, refunded, earlier)} == {"succeeded"}
    Payment.objects.filter(pk=earlier.payment.pk).update(created_at=now - timedelta(days=9))
    paying.start()
    backup = services.create_backup(folder=tmp_path / "backups", now=now)
    unknown = Buyer(event, make_user(), now, 6)
    assert {unknown.buy().state, paying.confirm(paying.agree()).state} == {"succeeded"}
    for buyer in (refunded, earlier):
        payments.refund_payment(pk=buyer.payment.pk, why="after the backup", now=now)

    code, output = manage(site, "restore", backup, "--clear-redis")

    assert code == 1
    assert f"Queue {sale.pk}: rebuilt, 3 people are known." in output
    buyers = {"paid": paid, "paying": paying, "refunded": refunded, "unknown": unknown}
    buyers |= {"earlier": earlier}
    differ = {name for name, buyer in buyers.items() if buyer.payment.number in output}
    assert differ == {"refunded", "unknown", "earlier"}, output
    assert order(site, paid) == (paid.code, "confirmed", "succeeded", 2, ["sold"])
    assert order(site, unknown) is None
    assert shut_seats(site, event) == {*paid.seats, *paying.seats, *refunded.seats, *earlier.seats}

    due = [buyer.payment.number for buyer in (paying, refunded, earlier)]
    assert manage(site, "payments_resume", *due)[0] == 0

    assert order(site, paying) == (paying.code, "confirmed", "succeeded", 2, ["sold"])
    for buyer in (refunded, earlier):
        assert order(site, buyer) == (buyer.code, "refunded", "refunded", 0, ["available"])
