"""Row locks of accounts."""

from collections.abc import Sequence

from ticketing.accounts.models import Identity, User


def user_for_update(user_id: int) -> User:
    """The account as it is after every change that was under way."""
    return User.objects.select_for_update().get(pk=user_id)


def identity_for_update(digests: Sequence[str]) -> Identity | None:
    """The identity of a person, whichever account has it. Locked after the account that asks."""
    return Identity.objects.select_for_update().filter(digest__in=digests).first()
