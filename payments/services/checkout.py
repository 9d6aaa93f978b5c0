"""A fan pays: begin, pay in the browser, confirm; or abort.

The gateway is awaited in the event loop. So are the database steps of every sale, which are one
statement each; others run in threads.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings

from payments import selectors
from payments.errors import PaymentOver, PaymentsPaused
from payments.gateways import GatewayError, gateway
from payments.live.changes import publish_change
from payments.models import Payment
from payments.saga import payment_steps
from payments.services.deadline import Deadline
from payments.services.settlement import charge_and_settle, settle_as
from reservations import services as reservations
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread
from ticketing.events.services import arequire_identity

State = Payment.State


async def astart_payment(
    *,
    code: str,
    fan_id: int,
    token: str,
    payment_key: UUID,
    language: str,
    consents: Collection[int] = (),
    now: datetime,
) -> Payment:
    """Begin to pay for held seats, without asking the gateway.

    The same key, or another tab, finds the same payment. `consents`: ids of the documents that the
    fan agrees to.
    """
    code = code.upper()
    reservations.require_payment_token(token, code=code, fan_id=fan_id, now=now)
    return await payment_steps.begin(
        code=code,
        fan_id=fan_id,
        payment_key=payment_key,
        language=language,
        consents=consents,
        now=now,
    )


async def abegin_payment(**order: Any) -> Payment:
    """The same as `astart_payment`, and register the amount at the gateway."""
    payment = await astart_payment(**order)
    return await _prepare(payment, order["now"])


async def aprepare_payment(*, number: str, fan_id: int, now: datetime) -> Payment:
    """Register the amount of a payment that was begun; of any other this changes nothing."""
    payment = await in_thread(selectors.own_payment, number=number, fan_id=fan_id)
    return await _prepare(payment, now)


async def aconfirm_payment(
    *, number: str, fan_id: int, payment_token: str, transaction_id: str = "", now: datetime
) -> Payment:
    """Charge what the fan agreed to in the browser. CHARGING means that a worker goes on.

    A repeat returns the result of the first call.
    """
    deadline = Deadline(settings.PAYMENT_PATIENCE)
    charge: Any = {"number": number, "fan_id": fan_id, "now": now}
    charge |= {"token": payment_token, "transaction_id": transaction_id}
    payment, is_started = await payment_steps.start_charge(**charge)
    if payment.state == State.PENDING:
        await _prepare(payment, now)
        payment, is_started = await payment_steps.start_charge(**charge)
    if payment.state == State.CANCELLED:
        raise PaymentOver()
    return await charge_and_settle(payment, deadline, now=now) if is_started else payment


async def aabort_payment(*, number: str, fan_id: int, now: datetime) -> Payment:
    """The fan closed the window, or it reported a failure: cancel unless the gateway charged.

    The seats are held again for the time that is left. A late charge is refunded.
    """
    payment = await in_thread(selectors.own_payment, number=number, fan_id=fan_id)
    if payment.state not in (State.PENDING, State.PREPARED):
        return payment
    try:
        found = await gateway().fetch(number=number, timeout=settings.PAYMENT_PATIENCE)
    except GatewayError:
        return payment  # a worker asks again at the deadline
    if found.status != "unpaid":
        return await settle_as(payment, found, now=now)
    was = payment.state
    aborted = await in_thread(_cancel_unpaid, payment, now)
    await publish_change(aborted, was=was)
    return aborted


def checkout_parameters(payment: Payment) -> dict[str, Any]:
    """What PortOne's script in the browser needs."""
    return {
        "store_id": settings.PORTONE_STORE_ID,
        "channel_key": settings.PORTONE_CHANNEL_KEY,
        "payment_id": payment.number,
        "order_name": str(payment.reservation.event),
        "total_amount": payment.amount,
        "currency": payment.currency,
    }


async def _prepare(payment: Payment, now: datetime) -> Payment:
    """Whoever has to verify first finds the same payment afterwards; meanwhile seats are kept."""
    if payment.state != State.PENDING:
        return payment
    event_id = payment.reservation.event_id
    await arequire_identity(event_id=event_id, person_id=payment.fan_id)
    order: Any = {"number": payment.number, "amount": payment.amount, "currency": payment.currency}
    try:
        await gateway().prepare(**order, timeout=settings.PAYMENT_PATIENCE)
    except GatewayError as error:
        raise PaymentsPaused() from error
    prepared = await payment_steps.mark_prepared(payment, now=now)
    return await in_thread(selectors.payment, payment.pk) if prepared is None else prepared


def _cancel_unpaid(payment: Payment, now: datetime) -> Payment:
    payment_steps.cancel_unpaid(payment, "closed without paying", now=now)
    return selectors.payment(payment.pk)


start_payment = blocking(astart_payment)
begin_payment = blocking(abegin_payment)
prepare_payment = blocking(aprepare_payment)
confirm_payment = blocking(aconfirm_payment)
abort_payment = blocking(aabort_payment)
