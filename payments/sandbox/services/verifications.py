"""The window in which somebody proves who they are."""

from datetime import date, datetime

from payments.sandbox.errors import InvalidRequest
from payments.sandbox.models import Verification
from payments.sandbox.services.payment_window import LONGEST_ID

State = Verification.State


def open_verification(*, number: str, now: datetime) -> Verification:
    """Open the window; a repeat changes nothing."""
    if len(number) > LONGEST_ID:
        raise InvalidRequest("The verification's id is too long.")
    fresh = {"opened_at": now, "changed_at": now}
    return Verification.objects.get_or_create(number=number, defaults=fresh)[0]


def confirm_person(*, number: str, name: str, birth_date: date, phone: str, now: datetime) -> None:
    """The person typed the code of their phone, as it were. Whoever was verified first stays."""
    Verification.objects.filter(number=number, state=State.READY).update(
        state=State.VERIFIED, name=name, birth_date=birth_date, phone=phone, changed_at=now
    )
