"""What is stored about a person, in all apps."""

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from payments.models import Payment, Refund
from reservations.models import HoldRequest, Reservation, StandbyEntry, Ticket, TransferOffer
from reservations.selectors import seat_label
from ticketing.accounts.models import DataExport, Identity, Passkey, User
from waiting_queue.models import BlockAppeal, LaneKey, PlaceSignals, QueueBypass, QueueJournal

UNSETTLED = (*Payment.OPEN, Payment.State.REFUNDING)


def own_exports(user: User, *, now: datetime) -> QuerySet[DataExport]:
    """Without the files."""
    live = DataExport.objects.filter(user=user, expires_at__gt=now)
    return live.defer("as_json", "as_pdf")


def upcoming_tickets(user_id: int, *, now: datetime) -> QuerySet[Ticket]:
    """Tickets with which the person can still go somewhere."""
    mine = Ticket.objects.filter(holder_id=user_id, state=Ticket.State.VALID)
    return mine.filter(is_to_come(now)).select_related("event", "seat__place__section")


def is_to_come(now: datetime, path: str = "event__") -> Q:
    """The event of the row has not ended."""
    ends = Q(**{f"{path}ends_at__gte": now})
    return ends | Q(**{f"{path}ends_at": None, f"{path}starts_at__gte": now})


def has_money_under_way(user_id: int) -> bool:
    mine = Payment.objects.filter(fan_id=user_id)
    is_refunding = Refund.objects.filter(payment__fan_id=user_id, state=Refund.State.REQUESTED)
    return mine.filter(state__in=UNSETTLED).exists() or is_refunding.exists()


def personal_data(user: User) -> dict[str, list[dict[str, Any]]]:
    """Every row about the person, by kind; secrets such as hashes and keys are not among them."""
    return {
        "account": [_account(user)],
        "identity": _rows(
            Identity.objects.filter(user=user), "birth_year", "verified_at", "released_at"
        ),
        "consents": _rows(
            user.consents,
            "document__kind",
            "document__version",
            "about",
            "given_at",
            "withdrawn_at",
        ),
        "sessions": _rows(user.sessions, "created_at", "address", "agent", "expire_date"),
        "passkeys": _rows(Passkey.objects.filter(user=user), "name", "created_at", "last_used_at"),
        "api_tokens": _rows(user.api_tokens, "name", "scopes", "created_at", "last_used_at"),
        "security_log": _rows(user.security_events, "at", "kind", "origin", "detail"),
        **_orders(user.pk),
        **_waiting(user.pk),
    }


def _account(user: User) -> dict[str, Any]:
    names = ("id", "email", "email_confirmed_at", "new_email", "display_name", "phone")
    return {name: getattr(user, name) for name in (*names, "date_joined", "last_login")}


def _orders(user_id: int) -> dict[str, list[dict[str, Any]]]:
    bought = Reservation.objects.filter(fan_id=user_id)
    paid = Payment.objects.filter(fan_id=user_id)
    tickets = Ticket.objects.filter(holder_id=user_id).order_by("pk")
    return {
        "reservations": _rows(bought, "code", "event", "state", "created_at", "total", "currency"),
        "payments": _rows(
            *(paid, "number", "reservation__code", "state", "amount", "currency"),
            *("charged", "refunded", "created_at", "settled_at"),
        ),
        "refunds": _rows(
            Refund.objects.filter(payment__fan_id=user_id),
            *("payment__number", "amount", "fee", "state", "created_at"),
        ),
        "tickets": [_ticket(each) for each in _with_seats(tickets)],
        "offers_of_tickets": _rows(
            TransferOffer.objects.filter(ticket__holder_id=user_id),
            *("ticket__code", "email", "state", "created_at"),
        ),
    }


def _with_seats(tickets: QuerySet[Ticket]) -> QuerySet[Ticket]:
    return tickets.select_related("event", "seat__place__section", "reservation")


def _ticket(ticket: Ticket) -> dict[str, Any]:
    return {
        "code": ticket.code,
        "reservation": ticket.reservation.code,
        "event": str(ticket.event),
        "seat": seat_label(ticket),
        "name": ticket.name,
        "state": ticket.state,
        "used_at": ticket.used_at,
    }


def _waiting(user_id: int) -> dict[str, list[dict[str, Any]]]:
    return {
        "queue": _rows(
            QueueJournal.objects.filter(person=user_id), "event", "at", "kind", "number"
        ),
        "lanes": _rows(
            LaneKey.objects.filter(person_id=user_id),
            *("lane__queue", "lane__name_ko", "lane__name_en", "hint", "used_at"),
        ),
        "bypasses": _rows(
            QueueBypass.objects.filter(person_id=user_id), "queue", "reason", "at", "ended_at"
        ),
        "signals": _rows(
            PlaceSignals.objects.filter(person=user_id), "event", "at", "address_range", "signals"
        ),
        "appeals": _rows(
            BlockAppeal.objects.filter(person_id=user_id), "at", "words", "state", "answer"
        ),
        "standby": _rows(
            StandbyEntry.objects.filter(fan_id=user_id), "event", "quantity", "state", "created_at"
        ),
        "requests_for_seats": _rows(
            HoldRequest.objects.filter(fan_id=user_id), "code", "event", "state", "created_at"
        ),
    }


def _rows(rows: Any, *names: str) -> list[dict[str, Any]]:
    return list(rows.order_by("pk").values(*names))
