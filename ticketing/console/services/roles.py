"""Roles of the staff: five Django groups, with permissions of every app.

A role is granted a permission once: what a superuser takes away stays away, and a permission that
a later release adds is granted after its migration.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group, Permission

from ticketing.console.models import RoleGrant

VIEWER, OPERATOR, MANAGER, FINANCE, DOOR = "viewer", "operator", "manager", "finance", "door"

WATCH = "console.watch"
MOVE_QUEUE = "console.move_queue"
CLOSE_QUEUE = "console.close_queue"
SET_KNOBS = "console.set_knobs"
TELL_EVERYONE = "console.tell_everyone"
FIND_PEOPLE = "console.find_people"
MOVE_PEOPLE = "console.move_people"
BLOCK_PEOPLE = "console.block_people"
ADD_BYPASS, END_BYPASS = "queue.add_queuebypass", "queue.change_queuebypass"
EXPORT_EVIDENCE = "queue.export_evidence"
RELEASE_SEATS = "console.release_seats"
FREEZE_SEATS = "console.freeze_seats"
CHECK_IN = "reservations.check_in"
REHEARSE = "rehearsal.add_rehearsal"
VIEW_REHEARSAL = "rehearsal.view_rehearsal"


def _of(app: str, *names: str) -> set[str]:
    return {f"{app}.{name}" for name in names}


_VIEWER = (
    {WATCH}
    | _of("ticketing", "view_event", "view_grade", "view_seat", "view_venue", "view_seatplan")
    | _of("ticketing", "view_section", "view_organiser", "view_eventchange")
    | _of("queue", "view_salequeue", "view_queuechange", "view_queuedraw", "view_waitingpage")
    | _of("queue", "view_lane")
    | {VIEW_REHEARSAL}
)
_OPERATOR = (
    _VIEWER
    | {MOVE_QUEUE, SET_KNOBS, TELL_EVERYONE, FIND_PEOPLE, MOVE_PEOPLE, BLOCK_PEOPLE, FREEZE_SEATS}
    | _of("queue", "view_queuejournal", "view_blockappeal", "view_queuebypass")
    | _of("reservations", "view_reservation", "view_reservationchange", "view_holdrequest")
    | _of("reservations", "change_reservation", "view_ticket", "change_ticket")
    | _of("reservations", "view_ticketchange", "view_transferoffer", "view_checkin")
    | _of("reservations", "view_standbyentry", "change_standbyentry", "view_standbychange")
    | _of("accounts", "view_user")
)
_FINANCE = (
    _VIEWER
    | {FIND_PEOPLE}
    | _of("reservations", "view_reservation", "view_reservationchange")
    | _of("payments", "view_payment", "change_payment", "refund_payment", "view_refund")
    | _of("payments", "view_outboxmessage", "change_outboxmessage", "view_webhookreceipt")
    | _of("payments", "view_refundpolicy", "add_refundpolicy", "change_refundpolicy")
    | _of("console", "view_reconciliation")
)
_MANAGER = (
    _OPERATOR
    | {CLOSE_QUEUE, RELEASE_SEATS, CHECK_IN, REHEARSE, ADD_BYPASS, END_BYPASS, EXPORT_EVIDENCE}
    | _of("queue", "add_salequeue", "change_salequeue", "add_waitingpage", "change_waitingpage")
    | _of("queue", "add_lane", "change_lane", "delete_lane")
    | _of("payments", "view_payment", "view_refund", "view_outboxmessage", "view_refundpolicy")
    | _of("console", "view_reconciliation")
    | _of("accounts", "change_user", "view_identity", "change_identity", "view_identitychange")
    | _of("accounts", "change_user", "view_consent", "view_purgerun")
    | _of("accounts", "view_legaldocument", "add_legaldocument", "change_legaldocument")
    | {
        f"ticketing.{action}_{model}"
        for action in ("add", "change", "delete")
        for model in ("event", "grade", "venue", "seatplan", "organiser")
    }
)

ROLES: Mapping[str, frozenset[str]] = {
    VIEWER: frozenset(_VIEWER),
    OPERATOR: frozenset(_OPERATOR),
    MANAGER: frozenset(_MANAGER),
    FINANCE: frozenset(_FINANCE),
    DOOR: frozenset({CHECK_IN}),
}


def grant_roles(**_: Any) -> None:
    """Create the groups and grant each new permission once; runs after every migration."""
    rows = Permission.objects.values_list("pk", "content_type__app_label", "codename")
    known = {f"{app}.{name}": pk for pk, app, name in rows}
    granted = set(RoleGrant.objects.values_list("role", "permission"))
    for role, permissions in ROLES.items():
        due = [
            name for name in sorted(permissions) if name in known and (role, name) not in granted
        ]
        group, _is_new = Group.objects.get_or_create(name=role)
        if due:
            group.permissions.add(*(known[name] for name in due))
            RoleGrant.objects.bulk_create(RoleGrant(role=role, permission=name) for name in due)
