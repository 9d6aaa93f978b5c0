"""Consents: given to a version of a document, and withdrawn, with the time."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from ticketing.accounts import selectors
from ticketing.accounts.errors import ConsentMissing
from ticketing.accounts.models import Consent, LegalDocument


@transaction.atomic
def give_consents(*, user_id: int, agreed: Collection[int], now: datetime) -> None:
    """Record consent to these documents; refused unless everything required is, or was, agreed to.

    `agreed`: ids of the documents as they were shown; who saw an older version has to look again.
    """
    missing = selectors.missing_documents(user_id=user_id, now=now)
    if refused := [each for each in missing if each.pk not in agreed]:
        raise ConsentMissing.to(refused)
    optional = selectors.current_documents(LegalDocument.OPTIONAL, now=now)
    given = [*missing, *(each for each in optional if each.pk in agreed)]
    rows = [Consent(user_id=user_id, document=each, given_at=now) for each in given]
    Consent.objects.bulk_create(rows, ignore_conflicts=True)


def withdraw_consents(*, user_id: int, kinds: Collection[str], now: datetime) -> int:
    """Withdraw all versions; the rows stay, as a proof of what was."""
    live = Consent.objects.filter(user_id=user_id, document__kind__in=kinds, withdrawn_at=None)
    return live.update(withdrawn_at=now)


@transaction.atomic
def choose_consents(*, user_id: int, agreed: Collection[int], now: datetime) -> None:
    """As the consents page was submitted: what is optional and not ticked is withdrawn."""
    give_consents(user_id=user_id, agreed=agreed, now=now)
    optional = selectors.current_documents(LegalDocument.OPTIONAL, now=now)
    declined = [each.kind for each in optional if each.pk not in agreed]
    withdraw_consents(user_id=user_id, kinds=declined, now=now)
