"""Deleting an account: everything that names the person goes, orders that must be kept stay.

What the person could still do is ended first. Each of these steps can be repeated, so that a
deletion that was interrupted is simply asked for again.
"""

from contextlib import suppress
from datetime import datetime

from django.db import connection, transaction
from django.db.models import ProtectedError, Q
from django.utils import translation
from django.utils.translation import gettext as _

from payments.models import OutboxMessage, Payment
from reservations import services as reservations
from reservations.models import (
    HoldRequest,
    PassMove,
    Reservation,
    StandbyEntry,
    Ticket,
    TicketChange,
    TransferOffer,
)
from ticketing.accounts import services as accounts
from ticketing.accounts.models import User
from ticketing.core import mails
from ticketing.core.errors import DomainError
from ticketing.privacy import selectors
from ticketing.privacy.errors import MoneyUnderWay, StaffAccount, TicketsLeft
from waiting_queue import selectors as queues
from waiting_queue.models import BlockAppeal, PlaceSignals, QueueBypass

What = TicketChange.What
# Changes of a ticket whose `before` and `after` hold names and addresses.
NAMED = (
    *(What.REISSUED, What.RENAMED, What.OFFERED),
    *(What.WITHDRAWN, What.DECLINED, What.TRANSFERRED),
)


def delete_account(*, user: User, knows_tickets: bool, now: datetime) -> None:
    """Delete what names the person; refused while money is under way.

    `knows_tickets`: they know that tickets stay valid, but are no longer shown or refunded here.
    """
    if user.is_staff:
        raise StaffAccount()
    if selectors.has_money_under_way(user.pk):
        raise MoneyUnderWay()
    if not knows_tickets and selectors.upcoming_tickets(user.pk, now=now).exists():
        raise TicketsLeft()
    # From here on a reservation is released, or its payment has begun and is seen below.
    _leave_lines(user.pk, now)
    _withdraw_offers(user.pk, now)
    with transaction.atomic():
        _erase_orders(user, now)
        locked = accounts.user_for_update(user.pk)  # the last of all locks
        if selectors.has_money_under_way(user.pk):
            raise MoneyUnderWay()
        accounts.pseudonymise_account(user=locked, now=now)
        with suppress(ProtectedError), transaction.atomic():
            locked.delete()  # nothing has to be kept


def mail_deleted(*, email: str, name: str, language: str) -> None:
    """The last mail to this address."""
    with translation.override(language):
        mail = mails.Mail("account_deleted", _("Your account has been deleted"))
        mails.send(mail, to=email, recipient=name)


def _leave_lines(user_id: int, now: datetime) -> None:
    """Release holds and give up the places in line and on standby lists."""
    held = Reservation.objects.filter(fan_id=user_id, state=Reservation.State.HELD)
    lines = queues.lines_of(person=str(user_id), now=now)
    for event_id in sorted({*lines, *held.values_list("event_id", flat=True)}):
        with suppress(DomainError):  # a line that is over, or not there yet
            reservations.leave(event_id=event_id, fan_id=user_id, now=now)
    listed = StandbyEntry.objects.filter(fan_id=user_id, state__in=StandbyEntry.LIVE)
    for event_id in listed.values_list("event_id", flat=True):
        reservations.leave_standby(event_id=event_id, fan_id=user_id, now=now)


def _withdraw_offers(user_id: int, now: datetime) -> None:
    mine = TransferOffer.objects.filter(ticket__holder_id=user_id, state=TransferOffer.State.OPEN)
    for code in mine.values_list("ticket__code", flat=True):
        with suppress(DomainError):  # accepted meanwhile
            reservations.withdraw_offer(code=code, fan_id=user_id, now=now)


def _erase_orders(user: User, now: datetime) -> None:
    """What is kept of orders says what was sold for how much, and no longer to whom.

    Names on tickets that can still be used stay until the event is over (`retention`).
    """
    Payment.objects.filter(fan=user).update(payment_token="")
    HoldRequest.objects.filter(fan=user).delete()
    PassMove.objects.filter(fan=user).delete()
    tickets = Ticket.objects.filter(holder=user).exclude(selectors.is_to_come(now))
    tickets.update(name=accounts.NOBODY)
    offers = TransferOffer.objects.filter(Q(ticket__holder=user) | Q(email=user.email))
    offers.update(email=accounts.NOBODY)
    PlaceSignals.objects.filter(person=user.pk).delete()
    BlockAppeal.objects.filter(person=user).update(words="")
    QueueBypass.objects.filter(person=user, ended_at=None).update(ended_at=now)
    QueueBypass.objects.filter(person=user).update(reason="")
    _erase_ticket_history(user)
    _erase_messages(user)


def _erase_messages(user: User) -> None:
    """Delete messages about the orders and to the person; those that others are still to receive
    stay until they are delivered and their retention is over."""
    codes = Reservation.objects.filter(fan=user).values_list("code", flat=True)
    about = OutboxMessage.objects.filter(aggregate__in=[f"reservation:{code}" for code in codes])
    about.filter(Q(state=OutboxMessage.State.DELIVERED) | Q(body__fan=user.pk)).delete()
    named = Q(body__email=user.email) | Q(body__receiver=user.email) | Q(body__fan=user.pk)
    OutboxMessage.objects.filter(named, state=OutboxMessage.State.DELIVERED).delete()


def _erase_ticket_history(user: User) -> None:
    """The audit of tickets is final, except for a transaction that says that it erases a person."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ticketing.erases_person = 'on'")
        held = Q(ticket__holder=user) | Q(ticket__replaces__holder=user)
        mentions = Q(before=user.email) | Q(after=user.email)
        changes = TicketChange.objects.filter(held & Q(what__in=NAMED) | mentions)
        changes.update(before="", after="")
        cursor.execute("SET LOCAL ticketing.erases_person = ''")
